"""Agents with one fault each: `python -m tests.compliance.faulty NAME` is one of them, or a correct one."""

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
    """Blocks its loop for ever after its first thought."""

    async def say_thought(self, run: Run) -> None:
        await super().say_thought(run)
        time.sleep(3_600)  # noqa: ASYNC251 - the fault


class LateAck(HardStop):
    """Acknowledges when the deadline has passed."""

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
    """Says that it is stopping, and has three more thoughts."""

    async def conclude(self, run: Run) -> None:
        for _ in range(3):
            await self.say_thought(run)
        await super().conclude(run)


class Acts(HardStop):
    """Says that it is stopping, and asks for something before it has concluded."""

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
    """Stops, and says nothing more."""

    async def say_conclusion(self, run: str, payload: dict[str, Any]) -> None:
        del run, payload


class Crashing(HardStop):
    """Ends, with a complaint, when it is asked for something else."""

    async def interrupted(self, envelope: Envelope) -> None:
        if (envelope.payload or {}).get("reason") == "redirect":
            print("I cannot take this any more", flush=True)
            os._exit(3)
        await super().interrupted(envelope)


class GoesOn(HardStop):
    """Says that nobody may stop it, when its policy lets everybody."""

    answer = "continuing"


class ThinksAfterwards(HardStop):
    """Has another thought when it has concluded."""

    async def conclude(self, run: Run) -> None:
        await super().conclude(run)
        await self.say_thought(run)


class Unhalted(HardStop):
    """Begins again while an emergency has halted it."""

    async def begin(self) -> None:
        self.halt = None
        await super().begin()


class Relieved(HardStop):
    """Forgets its halt with its process."""

    async def serve(self) -> None:
        self.latch.unlink(missing_ok=True)
        await super().serve()


class AlwaysStops(HardStop):
    """Promises to stop what has ended."""

    def decide(self, class_: str, run: Run | None) -> dict[str, Any]:
        return super().decide(class_, run) if run else {"status": "stopping"}


class OneAtATime(HardStop):
    """Does not hear an interrupt while it thinks about another."""

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
    """Never repeats an ack, whatever became of it."""

    async def interrupted(self, envelope: Envelope) -> None:
        if envelope.id not in self.acks:
            await super().interrupted(envelope)


class Forgetful(HardStop):
    """Leaves open what an earlier life of it began."""

    async def compare(self, welcome: Welcome) -> None:
        if self.concluded:
            await super().compare(welcome)


class TooModern(HardStop):
    """Has never heard of v0.4's cancel."""

    async def cancelled(self, envelope: Envelope) -> None:
        del envelope


class NeverNow(HardStop):
    """Says each time that just now there is something which nobody may interrupt."""

    thoughts = 100

    def decide(self, class_: str, run: Run | None) -> dict[str, Any]:
        if class_ in ("cancel", "override") and run is not None:
            return {"status": "ignored", "policy_applied": "non-interruptible", "outcome": "rejected"}
        return super().decide(class_, run)


class Overdue(HardStop):
    """Will be over within a second of an emergency, and is not."""

    policy = "non-interruptible"
    thoughts = 60
    patience = 1


class Endless(Overdue):
    """Will be over within a second of an emergency, and never is."""

    async def conclude(self, run: Run) -> None:
        if self.halt is None:
            await super().conclude(run)


GOOD: tuple[type[SoftStop], ...] = (SoftStop, HardStop, Checkpointed, NonInterruptible)

if __name__ == "__main__":
    known = {kind.__name__: kind for kind in (*GOOD, Endless, *HardStop.__subclasses__())}
    anyio.run(known[sys.argv[1]]().serve)
