"""The exercises: what is done with an agent, each in a space of its own. None of them judges."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

import anyio

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.exchange.requests import Refused

from .agent_under_test import Unexaminable
from .gateway_fixture import AGENT
from .record import PROMISES
from .testbed import NotExercised, Stage
from .times import LONGEST_HALT, Deadlines

_HELD = 1.5  # seconds that an agent has to conclude, unheard
_HEARD = 0.7  # seconds that an interrupt has to reach it


class Exercise(NamedTuple):
    """One of them: what it is for people, how it is done, and the deadlines of its space."""

    what: str
    perform: Callable[[Stage], Awaitable[None]]
    deadlines: Deadlines = Deadlines()


async def _cancel(stage: Stage) -> None:
    run, interrupt = await stage.interrupted("cancel")
    run, ack = await _stop(stage, run, interrupt, "cancel")
    if ack is not None and (ack.payload or {}).get("status") not in PROMISES:
        await stage.end(run, within=stage.times.longest)
    await stage.watch()


async def _stop(stage: Stage, run: str, interrupt: str, class_: str) -> tuple[str, Envelope | None]:
    """Wait for what an interrupt promises, and insist where it is ignored; the run that was asked last, its ack."""

    async def ask(run: str) -> Envelope | None:
        return await stage.follow(run, await stage.interrupt(run, class_))

    return await stage.insist(run, await stage.follow(run, interrupt), ask)


async def _override(stage: Stage) -> None:
    run, interrupt = await stage.interrupted("override")
    await _stop(stage, run, interrupt, "override")
    await stage.watch()


async def _clarification(stage: Stage) -> None:
    await _and_then_cancel(stage, "clarification")


async def _queue(stage: Stage) -> None:
    await _and_then_cancel(stage, "queue")


async def _and_then_cancel(stage: Stage, class_: str) -> None:
    """What lets the run go on, and then an end of it."""
    run, interrupt = await stage.interrupted(class_)
    if await stage.ack(interrupt) is None:
        return
    with suppress(Refused):  # the run may have come to its end meanwhile
        await _stop(stage, run, await stage.interrupt(run, "cancel"), "cancel")
    await stage.watch()


async def _two(stage: Stage) -> None:
    """The second before the first can have been answered."""
    run, first = await stage.interrupted("queue")
    with suppress(Refused):
        second = await stage.interrupt(run, "cancel")
        await _stop(stage, run, second, "cancel")
    await stage.ack(first)
    await stage.watch()


async def _emergency(stage: Stage) -> None:
    """Halted, asked all the same, resumed by somebody who may not lift a halt, then by somebody who may."""
    alarm = await _alarm(stage)
    await stage.ask()
    await stage.watch()
    await stage.supervisor.send("participant/resume", {"reason": "it may lift a pause, and no halt"}, to=[AGENT])
    await stage.watch()
    await _lift(stage, alarm)


async def _halted(stage: Stage) -> None:
    """Halted, killed, started again, and asked: the halt outlives the process."""
    alarm = await _alarm(stage)
    since = len(stage.wire.heard)
    await stage.start_again()
    await stage.present("join", since=since)
    await stage.ask()
    await stage.watch()
    await _lift(stage, alarm)


async def _alarm(stage: Stage) -> str:
    run, alarm = await stage.interrupted("emergency", by=stage.guardian)
    ack = await stage.follow(run, alarm)
    if ack is not None and (ack.payload or {}).get("outcome") == "halt_after_span":
        await stage.halt(run, ack)
    return alarm


async def _lift(stage: Stage, alarm: str) -> None:
    since = len(stage.wire.heard)
    await stage.guardian.send("participant/resume", {"reason": "it is over"}, to=[AGENT], correlation_id=[alarm])
    await stage.ask()
    await stage.wire.until(
        lambda one: one.kind == "reasoning/start" and one.sender == AGENT, within=stage.times.patience, since=since
    )


async def _late(stage: Stage) -> None:
    """While nothing of the agent's arrives it concludes, and then gets one more interrupt of what it has concluded."""
    run = await stage.begin()
    if await _unheard(stage, run):
        with suppress(NotExercised):
            await stage.end(run, within=stage.times.longest)
            await _unheard(stage, await stage.begin(before=0))
    await stage.watch()


async def _unheard(stage: Stage, run: str) -> bool:
    """Whether what may be stopped was not, at this moment."""
    stage.cable.hold()
    asked = []
    with suppress(Refused):
        asked.append(await stage.interrupt(run, "cancel"))
        await anyio.sleep(_HELD)
        asked.append(await stage.interrupt(run, "cancel"))
        await anyio.sleep(_HEARD)
    stage.cable.release()
    acks = [await stage.follow(run, interrupt) for interrupt in asked]
    return bool(acks) and all(ack is not None and stage.is_ignored(run, ack) for ack in acks)


async def _again(stage: Stage) -> None:
    """What it answers is lost with its connection: the interrupt still waits for it when it is back."""
    run = await stage.begin()
    stage.cable.hold()
    with suppress(Refused):
        interrupt = await stage.interrupt(run, "cancel")
        await anyio.sleep(_HEARD)
        stage.cable.cut()
        await stage.come_back()
        await stage.follow(run, interrupt)
    stage.cable.release()
    await stage.watch()


async def _restart(stage: Stage) -> None:
    """Killed in the middle of a run, interrupted while it is away, started again."""
    run = await stage.begin()
    since = len(stage.wire.heard)
    await stage.actor.kill()
    await stage.present("leave", since=since)
    with suppress(Refused):
        interrupt = await stage.interrupt(run, "cancel")
        await stage.start_again()
        await stage.ack(interrupt, within=stage.deadlines.ack)
        await stage.end(run, within=stage.times.patience)
    await stage.watch()


async def _plain(stage: Stage) -> None:
    """`reasoning/cancel`, as MEW v0.4 has it: the run ends, and nobody waits for an ack."""
    run = await stage.begin()
    with suppress(Refused):
        await stage.insist(run, await stage.cancel(run), stage.cancel)
    await stage.watch()


# A deadline that an agent cannot keep while it is cut off, or dead, is none of its faults.
_AWAY = Deadlines(ack=6_000)

# A span that nobody may interrupt has until `stop_by`, which the gateway lets be no later than this.
_PATIENT = Deadlines(completing=LONGEST_HALT)

FIRST = "cancel"

EXERCISES: dict[str, Exercise] = {
    FIRST: Exercise("a run is cancelled", _cancel),
    "override": Exercise("a run is to give way to another", _override),
    "clarification": Exercise("a run is asked something, then cancelled", _clarification),
    "queue": Exercise("something is to follow a run, which is then cancelled", _queue),
    "two": Exercise("two interrupts of a run at once", _two),
    "emergency": Exercise("an emergency, a halt, and a resume", _emergency, _PATIENT),
    "halted": Exercise("an emergency, and the process is killed and started again", _halted, _PATIENT),
    "late": Exercise("an interrupt finds its run concluded", _late, _AWAY),
    "again": Exercise("the connection breaks, and the ack is lost with it", _again, _AWAY),
    "restart": Exercise("the process is killed and started again", _restart, _AWAY),
    "plain": Exercise("a reasoning/cancel of MEW v0.4", _plain),
}


def check(names: Iterable[str]) -> None:
    """Raises `Unexaminable` for a name that no exercise has."""
    unknown = next((name for name in names if name not in EXERCISES), None)
    if unknown is not None:
        raise Unexaminable(f"There is no exercise {unknown!r}; there are: {', '.join(EXERCISES)}.")
