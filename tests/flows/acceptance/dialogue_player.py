"""Plays a dialogue of flows: what people, operators, tools and time do to it, and everything that comes of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mew_agents.flows import Flows, commands, effects
from mew_agents.flows.commands import AnyCommand, CancelFlow, CorrectSlot, SetSlot, StartFlow
from mew_agents.flows.definitions.loader import load, shipped
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.effects import Act, AnyEffect, Ask, CallOff, Close, Finished, Open, Page, Reply, Started, Stepped
from mew_agents.flows.events import AnyEvent, name_of
from mew_agents.fluxi import Fluxi, LocalPort, Message, PolicyContext, Result
from mew_agents.fluxi.ports import Answer, Prepared
from mew_agents.tools.local import LocalTools

from ...fluxi.acceptance.dialogue_player import DialoguePlayer
from ...fluxi.acceptance.world import World
from ...fluxi.ledger import Ledger
from ...fluxi.outside import Outside
from ..record import Record, records, wrong

FILES = Path(__file__).parent / "files"
# Events that say nothing which their effects do not say as well.
_PLAIN = ("heard", "commanded", "went_on", "sending", "action_done")


class Answering(World):
    """The doubles, which also tell something: `answers` by tool, as JSON, beside that it is done."""

    def __init__(self, outside: Outside) -> None:
        super().__init__(outside)
        self.answers: dict[str, Mapping[str, Any]] = {}

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        answer = await super().send(prepared, timeout=timeout)
        tool = json.loads(prepared.request)["tool"]
        return replace(answer, content=self.answers.get(tool, {})) if answer.outcome == "applied" else answer


class FlowDialoguePlayer(DialoguePlayer):
    """One dialogue on one database. Besides Works, questions and proposals, flows are called f1, f2 as they began."""

    def __init__(self, url: str, folder: Path) -> None:
        super().__init__(url, folder)
        self._world: Answering = Answering(self._outside)
        self._flow_files: tuple[Flow, ...] = shipped()
        self._flows: Flows | None = None
        self._told: dict[str, int] = {}
        self._records: list[Record] = []

    @property
    def flows(self) -> Flows:
        assert self._flows is not None
        return self._flows

    @property
    def fluxi(self) -> Fluxi:
        return self.flows.fluxi

    # Settings

    def _set(self, text: str) -> list[str]:
        key, _, value = text.partition(" ")
        match key:
            case "flows":
                self._flow_files = load(*(FILES / f"{name}.yaml" for name in value.split()))
                self._leave_tools()
                self._close()
                self._flows = None
            case "answer":
                tool, _, told = value.partition(" ")
                self._world.answers[tool] = json.loads(told)
            case _:
                return super()._set(text)
        return []

    async def _open(self) -> None:
        self._flows = await Flows.open(
            self._url,
            tools=LocalPort(self._local) if self._local else self._world,
            flows=self._flow_files,
            carrier=self._courier,
            clock=self._clock,
        )
        self._fluxi = self._flows.fluxi

    async def _handle(self, message: Message, policy: PolicyContext) -> Result:
        return await self.flows.handle(message, policy, self._here)

    # What operators do

    async def _cancel(self, flow: str, account: str | None = None) -> list[str]:
        await self.flows.operators.cancel(self._ids.get(flow, flow), by="olga", account_id=account)
        return []

    async def _cancel_because(self, flow: str, reason: str) -> list[str]:
        await self.flows.operators.cancel(self._ids[flow], by="olga", reason=reason)
        return []

    async def _cancel_work(self, work: str) -> list[str]:
        return await self._operator("cancel", work)

    async def _release(self, flow: str) -> list[str]:
        await self.flows.operators.release(self._ids.get(flow, flow), by="olga")
        return []

    async def _halt(self, how: str) -> list[str]:
        await self.flows.operators.align(halted=how == "on", account_id=self._here.account_id, prefix="")
        return []

    # What came of it

    async def _facts(self) -> AsyncIterator[str]:
        if self._flows is not None:
            library = self.flows.dialogues.library
            problems = await self.fluxi.database.read(lambda connection: wrong(connection, library))
            assert problems == [], problems
            self._records = await self.fluxi.database.read(records)
        async for line in super()._facts():
            yield line

    def _decided(self, ledger: Ledger) -> Iterator[str]:
        for decision_id, row in ledger.decisions.items():
            if self._new(decision_id):
                told = ", ".join(_command(one) for one in commands.read(row.answer)) or "nothing"
                yield f"? {row.interpreter}, {'slots' if row.work_id else 'commands'}: {told}"

    def _happened(self, ledger: Ledger) -> Iterator[str]:
        for record in self._records:
            known = self._told.get(record.dialogue.dialogue_id, 0)
            self._told[record.dialogue.dialogue_id] = len(record.events)
            told = [word for at in range(known, len(record.events)) for word in self._words(record, at)]
            if told:
                yield f"! {record.dialogue.participant}: {', '.join(told)}"
        yield from super()._happened(ledger)

    def _words(self, record: Record, at: int) -> Iterator[str]:
        event = record.happened[at]
        if name_of(event) not in _PLAIN:
            yield _event(event)
        for effect in effects.read(record.events[at].effects):
            if word := self._effect(effect):
                yield word

    def _effect(self, effect: AnyEffect) -> str:
        match effect:
            case Started():
                return f"{self._name('f', effect.flow_id)} {effect.name} begins"
            case Stepped():
                return effect.step
            case Ask():
                return f"asks {effect.step} ({self._name('q', effect.question_id)}, {effect.wants})"
            case Close():
                return f"{self._name('q', effect.question_id)} {effect.status}"
            case Act():
                return f"calls {effect.tool}"
            case Open():
                return f"opens {self._name('w', effect.work_id)}"
            case CallOff():
                return f"calls off {self._name('w', effect.work_id)}"
            case Finished():
                code = "" if effect.code == effect.outcome else f" ({effect.code})"
                return f"{self._name('f', effect.flow_id)} {effect.outcome}{code}"
            case Page():
                return "calls a person"
            case Reply():
                return ""

    async def _end(self) -> AsyncIterator[str]:
        ledger = await self.fluxi.database.read(Ledger.of)
        for record in self._records:
            for frame in record.dialogue.stack:
                held = ", ".join(f"{path}={json.dumps(one, ensure_ascii=False)}" for path, one in frame.values.items())
                whose = f"{record.dialogue.participant}: {self._name('f', frame.flow_id)} {frame.name}"
                yield f". {whose} at {frame.step}: {held}"
        for work_id, work in sorted(ledger.stored.items(), key=lambda one: int(self._name("w", one[0])[1:])):
            held = f", {work.suspended_reason}" if work.suspended_reason else ""
            yield f". {self._name('w', work_id)} {work.state}{held}"
        for row in ledger.effects:
            yield f". {row.effect_id}: {row.outcome} ({row.source}, attempt {row.attempt})"
        if self._local is not None:
            async for line in _moved(self._local):
                yield line
        else:
            for one in self._outside.effects.lines:
                told = " ".join(f"{name}={value}" for name, value in one["arguments"].items())
                yield f". in the world: {one['tool']} {told}"
        self._close()
        self._leave_tools()


def _command(command: AnyCommand) -> str:
    match command:
        case StartFlow():
            return f"start {' or '.join((command.flow, *command.rivals))}"
        case CancelFlow():
            return f"cancel {command.scope}"
        case SetSlot() | CorrectSlot():
            verb = "set" if isinstance(command, SetSlot) else "correct"
            doubts = f" ({', '.join(command.doubts)})" if command.doubts else ""
            return f"{verb} {command.path} {command.evidence!r}{doubts}"
        case _:
            return str(type(command).__struct_config__.tag).replace("_", " ")


def _event(event: AnyEvent) -> str:
    code = getattr(event, "code", "") or getattr(event, "reason", None) or ""
    return name_of(event).replace("_", " ") + (f" ({code})" if code else "")


async def _moved(tools: LocalTools) -> AsyncIterator[str]:
    """What the people of the ledger have been sent."""
    for payee in ("ana", "bruno", "emily", "lucia"):
        told = await tools.call("ledger/balance", {"account": payee})
        for one in told["structuredContent"].get("balances", ()):
            if float(one["amount"]):
                yield f". in the ledger: {payee} has {one['amount']} {one['currency']}"
