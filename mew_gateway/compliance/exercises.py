"""The exercises: each interrupts the agent in one way, in its own space. None of them judges."""

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
from .testbed import NotExercised, Testbed
from .times import LONGEST_HALT, Deadlines

_HOLD = 1.5  # seconds in which the agent's output is held: it may conclude meanwhile
_DELIVERY = 0.7  # seconds for an interrupt to reach the agent


class Exercise(NamedTuple):
    """An exercise: its title for people, the function that performs it, and the deadlines of its space."""

    title: str
    perform: Callable[[Testbed], Awaitable[None]]
    deadlines: Deadlines = Deadlines()


async def _cancel(testbed: Testbed) -> None:
    run, interrupt = await testbed.begin_and_interrupt("cancel")
    run, ack = await _stop(testbed, run, interrupt, "cancel")
    if ack is not None and (ack.payload or {}).get("status") not in PROMISES:
        await testbed.wait_end(run, within=testbed.times.longest)
    await testbed.observe()


async def _stop(testbed: Testbed, run: str, interrupt: str, class_: str) -> tuple[str, Envelope | None]:
    """Wait for the outcome of an interrupt; retry while it is ignored. Return the last run, and its ack."""

    async def ask(run: str) -> Envelope | None:
        return await testbed.wait_outcome(run, await testbed.interrupt(run, class_))

    return await testbed.retry_while_ignored(run, await testbed.wait_outcome(run, interrupt), ask)


async def _override(testbed: Testbed) -> None:
    run, interrupt = await testbed.begin_and_interrupt("override")
    await _stop(testbed, run, interrupt, "override")
    await testbed.observe()


async def _clarification(testbed: Testbed) -> None:
    await _interrupt_then_cancel(testbed, "clarification")


async def _queue(testbed: Testbed) -> None:
    await _interrupt_then_cancel(testbed, "queue")


async def _interrupt_then_cancel(testbed: Testbed, class_: str) -> None:
    """Send an interrupt that lets the run continue, then a cancel."""
    run, interrupt = await testbed.begin_and_interrupt(class_)
    if await testbed.wait_ack(interrupt) is None:
        return
    with suppress(Refused):  # the run may have come to its end meanwhile
        await _stop(testbed, run, await testbed.interrupt(run, "cancel"), "cancel")
    await testbed.observe()


async def _two(testbed: Testbed) -> None:
    """Send a second interrupt before the first can be answered."""
    run, first = await testbed.begin_and_interrupt("queue")
    with suppress(Refused):
        second = await testbed.interrupt(run, "cancel")
        await _stop(testbed, run, second, "cancel")
    await testbed.wait_ack(first)
    await testbed.observe()


async def _emergency(testbed: Testbed) -> None:
    """Halt the agent, ask it for a run, resume it without the right to lift a halt, then with that right."""
    emergency = await _halt(testbed)
    await testbed.ask()
    await testbed.observe()
    await testbed.supervisor.send("participant/resume", {"reason": "it may lift a pause, and no halt"}, to=[AGENT])
    await testbed.observe()
    await _resume(testbed, emergency)


async def _halted(testbed: Testbed) -> None:
    """Halt the agent, kill and restart it, and ask it for a run: the halt must survive the restart."""
    emergency = await _halt(testbed)
    since = len(testbed.log.envelopes)
    await testbed.restart_agent()
    await testbed.wait_presence("join", since=since)
    await testbed.ask()
    await testbed.observe()
    await _resume(testbed, emergency)


async def _halt(testbed: Testbed) -> str:
    run, emergency = await testbed.begin_and_interrupt("emergency", by=testbed.guardian)
    ack = await testbed.wait_outcome(run, emergency)
    if ack is not None and (ack.payload or {}).get("outcome") == "halt_after_span":
        await testbed.wait_halted(run, ack)
    return emergency


async def _resume(testbed: Testbed, emergency: str) -> None:
    since = len(testbed.log.envelopes)
    await testbed.guardian.send("participant/resume", {"reason": "it is over"}, to=[AGENT], correlation_id=[emergency])
    await testbed.ask()
    await testbed.log.wait_for(
        lambda one: one.kind == "reasoning/start" and one.sender == AGENT, within=testbed.times.patience, since=since
    )


async def _late(testbed: Testbed) -> None:
    """Hold the agent's output until it has concluded, and interrupt the run that it has already concluded."""
    run = await testbed.begin_run()
    if await _interrupt_while_held(testbed, run):
        with suppress(NotExercised):
            await testbed.wait_end(run, within=testbed.times.longest)
            await _interrupt_while_held(testbed, await testbed.begin_run(before=0))
    await testbed.observe()


async def _interrupt_while_held(testbed: Testbed, run: str) -> bool:
    """Interrupt twice while the agent's output is held. Return true if both were ignored in an interruptible run."""
    testbed.proxy.hold()
    asked = []
    with suppress(Refused):
        asked.append(await testbed.interrupt(run, "cancel"))
        await anyio.sleep(_HOLD)
        asked.append(await testbed.interrupt(run, "cancel"))
        await anyio.sleep(_DELIVERY)
    testbed.proxy.release()
    acks = [await testbed.wait_outcome(run, interrupt) for interrupt in asked]
    return bool(acks) and all(ack is not None and testbed.is_ignored(run, ack) for ack in acks)


async def _again(testbed: Testbed) -> None:
    """Lose the ack with the connection: the interrupt still waits when the agent reconnects."""
    run = await testbed.begin_run()
    testbed.proxy.hold()
    with suppress(Refused):
        interrupt = await testbed.interrupt(run, "cancel")
        await anyio.sleep(_DELIVERY)
        testbed.proxy.cut()
        await testbed.wait_reconnected()
        await testbed.wait_outcome(run, interrupt)
    testbed.proxy.release()
    await testbed.observe()


async def _restart(testbed: Testbed) -> None:
    """Kill the agent during a run, interrupt the run while it is away, and restart it."""
    run = await testbed.begin_run()
    since = len(testbed.log.envelopes)
    await testbed.process.kill()
    await testbed.wait_presence("leave", since=since)
    with suppress(Refused):
        interrupt = await testbed.interrupt(run, "cancel")
        await testbed.restart_agent()
        await testbed.wait_ack(interrupt, within=testbed.deadlines.ack)
        await testbed.wait_end(run, within=testbed.times.patience)
    await testbed.observe()


async def _plain(testbed: Testbed) -> None:
    """Send `reasoning/cancel` of MEW v0.4: the run ends without an ack."""
    run = await testbed.begin_run()
    with suppress(Refused):
        await testbed.retry_while_ignored(run, await testbed.cancel(run), testbed.cancel)
    await testbed.observe()


# An agent cannot keep a deadline while it is disconnected or dead: these are long enough for its return.
_DISCONNECTED = Deadlines(ack=6_000)

# A non-interruptible span may last until `stop_by`; the gateway allows no later one than this.
_LONG_SPAN = Deadlines(completing=LONGEST_HALT)

FIRST = "cancel"

EXERCISES: dict[str, Exercise] = {
    FIRST: Exercise("a run is cancelled", _cancel),
    "override": Exercise("a run is to give way to another", _override),
    "clarification": Exercise("a run is asked something, then cancelled", _clarification),
    "queue": Exercise("something is to follow a run, which is then cancelled", _queue),
    "two": Exercise("two interrupts of a run at once", _two),
    "emergency": Exercise("an emergency, a halt, and a resume", _emergency, _LONG_SPAN),
    "halted": Exercise("an emergency, and the process is killed and started again", _halted, _LONG_SPAN),
    "late": Exercise("an interrupt finds its run concluded", _late, _DISCONNECTED),
    "again": Exercise("the connection breaks, and the ack is lost with it", _again, _DISCONNECTED),
    "restart": Exercise("the process is killed and started again", _restart, _DISCONNECTED),
    "plain": Exercise("a reasoning/cancel of MEW v0.4", _plain),
}


def check_names(names: Iterable[str]) -> None:
    """Raise `Unexaminable` for a name that is not an exercise."""
    unknown = next((name for name in names if name not in EXERCISES), None)
    if unknown is not None:
        raise Unexaminable(f"There is no exercise {unknown!r}; there are: {', '.join(EXERCISES)}.")
