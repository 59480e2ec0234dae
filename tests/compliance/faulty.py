"""Agents with one fault each: `python -m tests.compliance.faulty NAME` runs one of them, or a correct one."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

import anyio

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Welcome

from .minimal import Checkpointed, HardStop, NonInterruptible, Run, SoftStop


class Hung(HardStop):
    """Blocks its event loop for ever after the first thought."""

    async def say_thought(self, run: Run) -> None:
        await super().say_thought(run)
        time.sleep(3_600)  # noqa: ASYNC251 - the fault


class LateAck(HardStop):
    """Acknowledges after the deadline."""

    async def interrupted(self, envelope: Envelope) -> None:
        await anyio.sleep(2.5)
        await super().interrupted(envelope)


class TwoAcks(HardStop):
    """Acknowledges everything twice."""

    async def acknowledge(self, envelope: Envelope) -> None:
        await super().acknowledge(envelope)
        payload = {"status": "stopping"}
        await self.out.send("reasoning/interrupt-ack", payload, to=[envelope.sender], correlation_id=[envelope.id])


class ThinksOn(HardStop):
    """Answers `stopping`, and sends three more thoughts."""

    async def conclude(self, run: Run) -> None:
        for _ in range(3):
            await self.say_thought(run)
        await super().conclude(run)


class Acts(HardStop):
    """Answers `stopping`, and sends a request before the conclusion."""

    async def conclude(self, run: Run) -> None:
        if run.interrupt is not None:
            await self.out.send("mcp/request", {"method": "tools/list"}, to=["supervisor"], context=run.id)
        await super().conclude(run)


class TwoConclusions(HardStop):
    """Concludes everything twice."""

    async def say_conclusion(self, run: str, payload: dict[str, Any]) -> None:
        await super().say_conclusion(run, payload)
        await self.out.send("reasoning/conclusion", payload, context=run)


class NoConclusion(HardStop):
    """Stops without a conclusion."""

    async def say_conclusion(self, run: str, payload: dict[str, Any]) -> None:
        del run, payload


class Crashing(HardStop):
    """Exits with a message at an override."""

    async def interrupted(self, envelope: Envelope) -> None:
        if (envelope.payload or {}).get("reason") == "redirect":
            print("I cannot take this any more", flush=True)
            os._exit(3)
        await super().interrupted(envelope)


class GoesOn(HardStop):
    """Answers a stop with `continuing`, against its policy."""

    answer = "continuing"


class ThinksAfterwards(HardStop):
    """Sends a thought after the conclusion."""

    async def conclude(self, run: Run) -> None:
        await super().conclude(run)
        await self.say_thought(run)


class Unhalted(HardStop):
    """Begins a run while halted."""

    async def begin(self) -> None:
        self.halt = None
        await super().begin()


class Relieved(HardStop):
    """Forgets its halt at a restart."""

    async def serve(self) -> None:
        self.latch.unlink(missing_ok=True)
        await super().serve()


class AlwaysStops(HardStop):
    """Answers `stopping` for a concluded run."""

    def decide(self, class_: str, run: Run | None) -> dict[str, Any]:
        return super().decide(class_, run) if run else {"status": "stopping"}


class OneAtATime(HardStop):
    """Drops an interrupt while it handles another."""

    busy = False

    async def interrupted(self, envelope: Envelope) -> None:
        if not self.busy:
            self.busy = True
            self.tasks.start_soon(self.ponder, envelope)

    async def ponder(self, envelope: Envelope) -> None:
        await anyio.sleep(0.3)
        self.busy = False
        await super().interrupted(envelope)


class SaysItOnce(HardStop):
    """Never repeats an ack, even if the first was lost."""

    async def interrupted(self, envelope: Envelope) -> None:
        if envelope.id not in self.acks:
            await super().interrupted(envelope)


class Forgetful(HardStop):
    """Leaves the runs of its previous process open."""

    async def compare(self, welcome: Welcome) -> None:
        if self.concluded:
            await super().compare(welcome)


class TooModern(HardStop):
    """Does not know v0.4's cancel."""

    async def cancelled(self, envelope: Envelope) -> None:
        del envelope


class NeverNow(HardStop):
    """Answers every stop as if a non-interruptible span were open."""

    thoughts = 100

    def decide(self, class_: str, run: Run | None) -> dict[str, Any]:
        if class_ in ("cancel", "override") and run is not None:
            return {"status": "ignored", "policy_applied": "non-interruptible", "outcome": "rejected"}
        return super().decide(class_, run)


class Overdue(HardStop):
    """Promises to end within a second of an emergency, and ends later."""

    policy = "non-interruptible"
    thoughts = 60
    patience = 1


class Endless(Overdue):
    """Promises to end within a second of an emergency, and never ends."""

    async def conclude(self, run: Run) -> None:
        if self.halt is None:
            await super().conclude(run)


GOOD: tuple[type[SoftStop], ...] = (SoftStop, HardStop, Checkpointed, NonInterruptible)

if __name__ == "__main__":
    known = {kind.__name__: kind for kind in (*GOOD, Endless, *HardStop.__subclasses__())}
    anyio.run(known[sys.argv[1]]().serve)
