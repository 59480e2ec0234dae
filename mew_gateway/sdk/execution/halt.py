"""The halt latch: after an emergency nothing begins until it is lifted, by whoever may (docs/interruption.md §3)."""

from __future__ import annotations

from .effects import Effect, Follow, FollowUp, Halt, Note, Release
from .events import ResumeHeard, Standing, Started
from .interrupt import Interrupt
from .runs import Halted
from .state import Handed, State

_MOST = 64  # halts: the oldest goes, and the agent stays halted


def started(state: State, event: Started) -> tuple[Effect, ...]:
    """A life begins: under the emergencies that an earlier one left standing, and with what it had promised to hear."""
    state.halts = {standing.interrupt: standing for standing in event.halts}
    effects: list[Effect] = [Note("started", data={"halts": list(state.halts), "kept": len(event.kept)})]
    if event.halts:
        effects.append(Halt())
    if event.kept:
        inputs = tuple(FollowUp(one.when, one.interrupt.input, one.interrupt) for one in event.kept)
        state.following = {(one.interrupt.sender, one.interrupt.id): Handed(one.interrupt, one.when) for one in inputs}
        effects.append(Follow("", inputs))
    return tuple(effects)


def halt(state: State, interrupt: Interrupt) -> list[Effect]:
    """An emergency stands from here on."""
    return _latched(state, interrupt.id, vouched=interrupt.source == "wire")


def learn(state: State, interrupt: str) -> list[Effect]:
    """The gateway says that we are halted, by an emergency that we do not know of."""
    return [] if interrupt in state.halts else _latched(state, interrupt, vouched=True)


def lift(state: State, event: ResumeHeard) -> tuple[Effect, ...]:
    """A resume. What names an emergency of the wire comes only from who may lift it: the gateway has checked. Of the
    agent's own it knows nothing, and lets no resume name them: one that names nothing lifts them, from who may."""
    named = [state.halts[id] for id in dict.fromkeys(event.interrupts) if id in state.halts]
    if not event.interrupts:
        named = [one for one in state.halts.values() if not one.vouched]
    return tuple(_lifted(state, [one.interrupt for one in named if one.vouched or event.trusted], event.sender))


def reconcile(state: State, halted: tuple[str, ...]) -> list[Effect]:
    """A connection begins, and the gateway says what stands: a resume may have come while we were away."""
    effects = [effect for id in halted for effect in learn(state, id)]
    gone = [id for id, standing in state.halts.items() if standing.vouched and id not in halted]
    return [*effects, *_lifted(state, gone, None)]


def check(state: State) -> None:
    """Let something begin, or raise `Halted`."""
    if state.halts:
        raise Halted(f"The emergency {next(iter(state.halts))} has halted this agent: nothing begins until its resume.")


def _latched(state: State, id: str, *, vouched: bool) -> list[Effect]:
    first = not state.halts
    state.halts[id] = Standing(id, vouched)
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
