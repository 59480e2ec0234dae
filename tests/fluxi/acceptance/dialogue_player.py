"""Plays a dialogue: what people, operators and time do to Fluxi, and everything that comes of it, line by line."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from mew_agents.fluxi import Conversation, Fluxi, LocalPort, Message, PolicyContext, Result
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.claims import claim_all
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work
from mew_agents.tools.local import LocalTools

from ..bookings import SHIPPED, START, ZONE
from ..ledger import RULES, Ledger
from ..outside import Outside
from .definitions import defined
from .world import ANSWERS, Courier, World

_MESSAGE = re.compile(r"(?P<who>\w*)>(?P<behind>&?) (?:\{(?P<options>[^}]*)\} )?(?P<text>.*)")
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
# A story is told a second at a time.
_PACE = timedelta(seconds=1)


def seconds(text: str) -> timedelta:
    """`30m`, `-5s`."""
    return timedelta(seconds=int(text[:-1]) * _UNITS[text[-1]])


class DialoguePlayer:
    """One dialogue on one database. Works, questions and proposals are called w1, q1, p1 in the order they came."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._outside = Outside(folder / "world")
        self._world = World(self._outside)
        self._courier: Courier | None = None
        self._now = START
        self._local: LocalTools | None = LocalTools.shipped(timezone=ZONE, clock=lambda: self._at)
        self._policy = PolicyContext(now=START, timezone=ZONE)
        self._here = Conversation("clinic", "c")
        self._definitions = list(SHIPPED.values())
        self._fluxi: Fluxi | None = None
        self._names: dict[str, str] = {}
        self._seen: dict[str, int] = {}
        self._shown: set[str] = set()
        self._said = 0
        self._behind: list[asyncio.Task[Result]] = []

    @property
    def fluxi(self) -> Fluxi:
        assert self._fluxi is not None
        return self._fluxi

    @property
    def _at(self) -> int:
        return round(self._now.timestamp() * 1000)

    async def play(self, script: str) -> AsyncIterator[str]:
        """The script's own lines, and after each what came of it; what came of it before is left out."""
        for line in script.splitlines():
            if line[:2] in ("< ", "| ", "? ", "! ", "- ", ". "):
                continue
            yield line
            if line[:1] in ("", "#"):
                continue
            self._now += _PACE
            for outcome in await self._do(line):
                yield outcome
            async for fact in self._facts():
                yield fact
        async for fact in self._end():
            yield fact

    async def _do(self, line: str) -> list[str]:
        if line.startswith("= "):
            return self._set(line[2:])
        if self._fluxi is None:
            await self._open()
        if line.startswith("* "):
            verb, *words = shlex.split(line[2:])
            act: Callable[..., Awaitable[list[str]]] = getattr(self, f"_{verb}")
            try:
                return await act(*words)
            except Refused as refused:
                return [f"- refused: {refused.code}: {self._plainly(str(refused))}"]
        match = _MESSAGE.fullmatch(line)
        assert match is not None, f"not a line of a dialogue: {line}"
        return await self._say(match["text"], match["who"] or "ana", match["options"] or "", bool(match["behind"]))

    # Settings

    def _set(self, text: str) -> list[str]:
        key, _, value = text.partition(" ")
        match key:
            case "define":
                self._definitions = [defined(one) for one in json.loads(f"[{value}]")]
                self._leave_tools()
                self._close()
            case "tools":
                self._world.moods = value.split()
            case "silent":
                self._world.silent = value == "yes"
            case "courier":
                self._courier = self._courier or Courier(self._outside)
                self._courier.status = value
            case "account":
                self._here = replace(self._here, account_id=value)
            case "conversation":
                self._here = replace(self._here, conversation_id=value)
            case _:
                plain = json.loads(value)
                settings: dict[str, Any] = {key: tuple(plain) if key == "rules" else plain}
                self._policy = replace(self._policy, **settings)
        return []

    async def _open(self) -> None:
        self._fluxi = await Fluxi.open(
            self._url,
            tools=LocalPort(self._local) if self._local else self._world,
            definitions=self._definitions,
            carrier=self._courier,
            clock=self._clock,
        )

    def _clock(self) -> datetime:
        return self._now

    def _close(self) -> None:
        if self._fluxi is not None:
            self._fluxi.close()
        self._fluxi = None

    def _leave_tools(self) -> None:
        if self._local is not None:
            self._local.close()
        self._local = None

    # What people do

    async def _say(self, text: str, sender: str, options: str, behind: bool) -> list[str]:
        given = dict(one.split("=") for one in options.split())
        self._said += 1
        answers = given.get("answers")
        message = Message(
            message_id=given.get("id", f"m{self._said}"),
            sender=sender,
            text=json.loads(text) if text.startswith('"') else text,
            answers=answers and self._ids.get(answers, answers),
            arrived=round((self._now + seconds(given["arrived"])).timestamp() * 1000) if "arrived" in given else None,
        )
        handling = asyncio.create_task(self._handle(message, replace(self._policy, now=self._now)))
        if behind:
            self._behind.append(handling)
            while not self._world.held.qsize():
                await asyncio.sleep(0)
            return []
        return self._result(await handling)

    async def _handle(self, message: Message, policy: PolicyContext) -> Result:
        return await self.fluxi.handle(message, policy, self._here)

    def _result(self, result: Result, mark: str = "<") -> list[str]:
        asks = f" {self._name('q', result.context_id)}" if result.context_id else ""
        first, *rest = result.text.splitlines() or [""]
        return [f"{mark} {result.kind}/{result.reason_code}{asks}: {first}", *(f"| {line}" for line in rest)]

    async def _let(self, how: str) -> list[str]:
        """A call that was held goes on; whoever waits for it has the result."""
        (await self._world.held.get()).set_result(ANSWERS[how])
        return self._result(await self._behind.pop(0)) if self._behind else []

    async def _wait(self, time: str) -> list[str]:
        """Time passes, and what is due is done."""
        self._now += seconds(time)
        await self.fluxi.schedule.run_due()
        return []

    async def _later(self, time: str) -> list[str]:
        """Time passes, and nobody looks."""
        self._now += seconds(time)
        return []

    async def _restart(self) -> list[str]:
        self._close()
        await self._open()
        return []

    async def _relay(self) -> list[str]:
        return [f"- {await self.fluxi.outbox.relay()} out"]

    async def _answered(self, how: str) -> list[str]:
        """What became of the last call arrives from outside."""
        request = self._outside.calls.lines[-1]["request"]
        assert await self.fluxi.arrivals.answered(request, ANSWERS[how])
        return []

    async def _withdrawn(self) -> list[str]:
        assert await self.fluxi.arrivals.withdrawn(self._outside.calls.lines[-1]["request"])
        return []

    # What operators do

    async def _accept(self, proposal: str, account: str | None = None) -> list[str]:
        await self.fluxi.reviews.accept(self._ids.get(proposal, proposal), by="olga", account_id=account)
        return []

    async def _decline(self, proposal: str, reason: str) -> list[str]:
        await self.fluxi.reviews.decline(self._ids.get(proposal, proposal), by="olga", reason=reason)
        return []

    async def _operator(self, act: str, work: str, *words: str, account: str | None = None, **more: Any) -> list[str]:
        method = getattr(self.fluxi.operators, act)
        await method(self._ids.get(work, work), *words, by="olga", account_id=account, **more)
        return []

    async def _cancel(self, work: str, account: str | None = None) -> list[str]:
        return await self._operator("cancel", work, account=account)

    async def _suspend(self, work: str) -> list[str]:
        return await self._operator("suspend", work)

    async def _resume(self, work: str) -> list[str]:
        return await self._operator("resume", work)

    async def _compensate(self, work: str, effect: str, account: str | None = None) -> list[str]:
        return await self._operator("compensate", work, effect, account=account)

    async def _resolve(self, work: str, effect: str, outcome: str, evidence: str) -> list[str]:
        return await self._operator("resolve", work, effect, outcome, evidence=evidence)

    async def _claim(self, work: str) -> list[str]:
        """What no conversation can bring about: a second claim for a Work that holds one."""

        def do(scene: Scene, found: Work) -> bool:
            return claim_all(scene, found, scene.records.claims(found.work_id)[0].semantic_context_id) is not None

        done = await self.fluxi.desk.on_work(self._ids[work], do, point="operator", by="test")
        assert done is not None
        return [f"- {'claimed' if done.value else 'not claimed'}"]

    # What came of it

    async def _facts(self) -> AsyncIterator[str]:
        """What was decided, what was turned away, what happened, and what went out besides."""
        if self._fluxi is None:
            return
        ledger = await self.fluxi.database.read(Ledger.of)
        problems = [problem for rule in RULES for problem in rule(ledger)]
        assert problems == [], problems
        for line in (*self._decided(ledger), *self._turned_away(ledger), *self._happened(ledger)):
            yield line
        for context_id in ledger.contexts:
            self._name("q", context_id)
        if self._courier is None:
            for reply in await self.fluxi.outbox.take(self._here.account_id, self._here.conversation_id):
                first, *rest = reply.text.splitlines()
                asks = f" {self._name('q', reply.question)}" if reply.question else ""
                for line in (f"< {reply.kind} to {reply.recipient}{asks}: {first}", *(f"| {one}" for one in rest)):
                    yield line

    def _decided(self, ledger: Ledger) -> Iterator[str]:
        for decision_id, row in ledger.decisions.items():
            if self._new(decision_id):
                answer = read(row.answer) or {"type_id": "nothing", "slots": ()}
                slots = ", ".join(f"{one['path']} {one['evidence']!r}" for one in answer["slots"])
                yield f"? {row.interpreter}: {answer['type_id']}({slots})"

    def _turned_away(self, ledger: Ledger) -> Iterator[str]:
        for proposal_id, row in ledger.proposals.items():
            name = self._name("p", proposal_id)
            if row.status != "opened" and self._new(f"{proposal_id} {row.status}"):
                yield f"- {name} {row.status}{f': {row.reason}' if row.reason else ''}"

    def _happened(self, ledger: Ledger) -> Iterator[str]:
        for work_id, events in ledger.events.items():
            name = self._name("w", work_id)
            new = events[self._seen.get(work_id, 0) :]
            self._seen[work_id] = len(events)
            if new:
                chain = "".join(f" –{event.type}→ {event.target}" for event in new)
                yield f"! {name} {new[0].source or '∅'}{chain}"

    async def _end(self) -> AsyncIterator[str]:
        ledger = await self.fluxi.database.read(Ledger.of)
        for work_id, work in ledger.stored.items():
            held = f", {work.suspended_reason}" if work.suspended_reason else ""
            slots = ", ".join(
                f"{slot.path}={json.dumps(slot.value, ensure_ascii=False)}{'' if slot.status == 'committed' else '?'}"
                for slot in work.slots.values()
            )
            yield f". {self._name('w', work_id)} {work.state}{held}: {slots}"
        for row in ledger.effects:
            yield f". {row.effect_id}: {row.outcome} ({row.source}, attempt {row.attempt})"
        if self._local is not None:
            booked = await self._local.call("calendar/list_appointments", {"since": START.isoformat()})
            for one in booked["structuredContent"]["appointments"]:
                yield f". in the calendar: {one['doctor']}, {one['start']}, {one['patient']}"
        else:
            for one in self._outside.effects.lines:
                yield f". in the world: {one['tool']}"
        self._close()
        self._leave_tools()

    # Names

    @property
    def _ids(self) -> dict[str, str]:
        return {name: id for id, name in self._names.items()}

    def _name(self, kind: str, id: str) -> str:
        if id not in self._names:
            self._names[id] = f"{kind}{sum(name.startswith(kind) for name in self._names.values()) + 1}"
        return self._names[id]

    def _new(self, key: str) -> bool:
        known = key in self._shown
        self._shown.add(key)
        return not known

    def _plainly(self, text: str) -> str:
        for id, name in self._names.items():
            text = text.replace(id, name)
        return text
