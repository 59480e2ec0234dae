"""Halts: after an emergency nothing begins until it is lifted by a participant that may (docs/interruption.md §3)."""

from __future__ import annotations

from .effects import Effect, Follow, FollowUp, Halt, Note, Release
from .events import ResumeHeard, StandingHalt, Started
from .interrupt import Interrupt
from .runs import Halted
from .state import DispatchedInput, State

_MOST = 64  # halts: the oldest goes, and the agent stays halted


def started(state: State, event: Started) -> tuple[Effect, ...]:
    """Start the agent, with the emergencies in force and the unhandled inputs of an earlier process."""
    state.halts = {standing.interrupt: standing for standing in event.halts}
    effects: list[Effect] = [Note("started", data={"halts": list(state.halts), "kept": len(event.kept)})]
    if event.halts:
        effects.append(Halt())
    if event.kept:
        inputs = tuple(FollowUp(one.when, one.interrupt.input, one.interrupt) for one in event.kept)
        state.following = {
            (one.interrupt.sender, one.interrupt.id): DispatchedInput(one.interrupt, one.when) for one in inputs
        }
        effects.append(Follow("", inputs))
    return tuple(effects)


def halt(state: State, interrupt: Interrupt) -> list[Effect]:
    """Put an emergency in force."""
    return _latched(state, interrupt.id, vouched=interrupt.source == "wire")


def learn(state: State, interrupt: str) -> list[Effect]:
    """Put an emergency in force that the gateway reports and we do not know."""
    return [] if interrupt in state.halts else _latched(state, interrupt, vouched=True)


def lift(state: State, event: ResumeHeard) -> tuple[Effect, ...]:
    """Handle a resume.

    A resume that names an emergency of the wire counts, because the gateway has checked its sender. The gateway does
    not know the agent's own emergencies and lets no resume name them: a resume without names lifts them, if its sender
    is trusted.
    """
    named = [state.halts[id] for id in dict.fromkeys(event.interrupts) if id in state.halts]
    if not event.interrupts:
        named = [one for one in state.halts.values() if not one.vouched]
    return tuple(_lifted(state, [one.interrupt for one in named if one.vouched or event.trusted], event.sender))


def reconcile(state: State, halted: tuple[str, ...]) -> list[Effect]:
    """Take the emergencies that the gateway reports at a connection: a resume may have been missed."""
    effects = [effect for id in halted for effect in learn(state, id)]
    gone = [id for id, standing in state.halts.items() if standing.vouched and id not in halted]
    return [*effects, *_lifted(state, gone, None)]


def check(state: State) -> None:
    """Raise `Halted` if an emergency is in force."""
    if state.halts:
        raise Halted(f"The emergency {next(iter(state.halts))} has halted this agent: nothing begins until its resume.")


def _latched(state: State, id: str, *, vouched: bool) -> list[Effect]:
    first = not state.halts
    state.halts[id] = StandingHalt(id, vouched)
    while len(state.halts) > _MOST:
        del state.halts[next(iter(state.halts))]
    note = Note("halted", None, None, id, {"interrupt": id, "vouched": vouched})
    return [note, Halt()] if first else [note]


def _lifted(state: State, ids: list[str], by: str | None) -> list[Effect]:
    effects: list[Effect] = []
    for id in ids:
        del state.halts[id]
        effects.append(Note("resumed", None, None, id, {"interrupt": id, "by": by}))
    return [*effects, Release()] if effects and not state.halts else effects
