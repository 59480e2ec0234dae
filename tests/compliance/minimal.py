"""Minimal correct agents on the plain client, one for each policy: they keep the whole contract."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import class_of
from mew_gateway.sdk import Client, Reconnected, Welcome
from mew_gateway.sdk.environment import Environment

EVERY = 0.05  # seconds between two thoughts


class Run:
    """One run: its last answer, and whether it must stop."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.stop = anyio.Event()
        self.interrupt: str | None = None
        self.status = "continuing"
        self.next: list[str] = []  # messages that begin a run after this one


class SoftStop:
    """Begins a run at every chat, and thinks until it is interrupted."""

    policy = "soft-stop"
    answer = "completing_thought"
    thoughts = 2_000
    patience = 5  # seconds until `stop_by` of a non-interruptible run after an emergency

    @property
    def latch(self) -> Path:
        """File that stores the halt."""
        return Path(os.environ["MEW_STATE"]) / "halt"

    async def serve(self) -> None:
        """Join as the environment says, and serve for ever."""
        where = Environment.read(os.environ)
        async with Client(where.url, space=where.space, token=where.token, persistent=True) as client:
            self.out = client
            self.mouth = anyio.Lock()
            self.open: dict[str, Run] = {}
            self.concluded: dict[str, tuple[str, dict[str, Any]]] = {}
            self.acks: dict[str, tuple[str, dict[str, Any]]] = {}
            self.halt = self.latch.read_text() if self.latch.exists() else None
            async with anyio.create_task_group() as self.tasks:
                await self.compare(client.welcome)
                async for item in client:
                    if isinstance(item, Reconnected):
                        await self.compare(item.welcome)
                    elif item.sender != client.welcome.you.id:
                        await self.hear(item)

    async def hear(self, envelope: Envelope) -> None:
        to_me = self.out.welcome.you.id in (envelope.to or ())
        if envelope.kind == "chat" and to_me:
            await self.begin()
        elif envelope.kind == "reasoning/interrupt" and to_me:
            await self.interrupted(envelope)
        elif envelope.kind == "reasoning/cancel":
            await self.cancelled(envelope)
        elif envelope.kind == "participant/resume" and self.halt in (envelope.correlation_id or ()):
            self.halt = None
            self.latch.unlink()

    async def compare(self, welcome: Welcome) -> None:
        """Conclude the runs that are open at the gateway and not here."""
        for one in welcome.sequences.open:
            if one.owner == welcome.you.id and one.id not in self.open:
                await self.say_conclusion(one.id, {"outcome": "abandoned"})

    async def begin(self) -> None:
        if self.halt is not None:
            return
        span = {"span_id": self.out.new_id(), "interruptible": self.policy != "non-interruptible"}
        run = Run(await self.out.send("reasoning/start", {"span": {**span, "policy": self.policy}}))
        self.open[run.id] = run
        self.tasks.start_soon(self.think, run)

    async def think(self, run: Run) -> None:
        for _ in range(self.thoughts):
            async with self.mouth:
                if run.stop.is_set():
                    break
                await self.say_thought(run)
            with anyio.move_on_after(EVERY):
                await run.stop.wait()
        if run.status == "completing_thought":
            await self.say_thought(run)
        await self.conclude(run)
        for _ in run.next:
            await self.begin()

    async def say_thought(self, run: Run) -> None:
        await self.out.send("reasoning/thought", {"message": "hm"}, context=run.id)

    async def conclude(self, run: Run) -> None:
        del self.open[run.id]
        named = {} if run.interrupt is None else {"interrupted": True, "interrupt_id": run.interrupt}
        await self.say_conclusion(run.id, {"outcome": "done", **named})

    async def say_conclusion(self, run: str, payload: dict[str, Any]) -> None:
        id, payload = self.concluded.setdefault(run, (self.out.new_id(), payload))
        await self.out.send("reasoning/conclusion", payload, context=run, id=id)

    async def interrupted(self, envelope: Envelope) -> None:
        async with self.mouth:  # an ack overtakes queued output: no thought may follow it
            await self.answer_it(envelope)

    async def answer_it(self, envelope: Envelope) -> None:
        payload, named = envelope.payload or {}, (envelope.correlation_id or [""])[0]
        class_ = class_of(payload.get("reason"), payload.get("class"))
        run = self.open.get(named)
        if class_ == "emergency":
            self.halt = envelope.id
            self.latch.write_text(envelope.id)
        if envelope.id not in self.acks:
            self.acks[envelope.id] = (self.out.new_id(), self.decide(class_, run))
        status = self.acks[envelope.id][1]["status"]
        if run is not None and class_ in ("override", "queue"):
            run.next.append(str(payload.get("message")))
        if run is not None and status in ("stopping", "completing_thought") and not run.stop.is_set():
            run.interrupt, run.status = envelope.id, status
            run.stop.set()
        await self.acknowledge(envelope)

    def decide(self, class_: str, run: Run | None) -> dict[str, Any]:
        if run is None:
            return {"status": "ignored", "reason_code": "not_active"}
        if class_ in ("clarification", "queue"):
            return {"status": "continuing"}
        if self.policy == "non-interruptible":
            return self.refuse(class_)
        return {"status": "stopping" if class_ == "emergency" else self.answer}

    def refuse(self, class_: str) -> dict[str, Any]:
        if class_ != "emergency":
            return {"status": "ignored", "reason_code": "policy"}
        stop_by = datetime.now(UTC) + timedelta(seconds=self.patience)
        return {"status": "continuing", "outcome": "halt_after_span", "stop_by": stop_by.isoformat()}

    async def acknowledge(self, envelope: Envelope) -> None:
        id, payload = self.acks[envelope.id]
        await self.out.send(
            "reasoning/interrupt-ack", payload, to=[envelope.sender], correlation_id=[envelope.id], id=id
        )

    async def cancelled(self, envelope: Envelope) -> None:
        run = self.open.get(envelope.context or "")
        if run is not None and self.policy != "non-interruptible":
            run.stop.set()


class HardStop(SoftStop):
    policy = "hard-stop"
    answer = "stopping"


class Checkpointed(SoftStop):
    policy = "checkpointed"
    answer = "stopping"


class NonInterruptible(SoftStop):
    policy = "non-interruptible"
    thoughts = 60
