"""Decide what `participant/restart`, `participant/shutdown` and a kick do to the runs of an agent.

Each is an order, which interrupts every run by its own policies and cannot be refused. What is not interruptible may
finish: until its limit, or for a minute (docs/interruption.md).
"""

from __future__ import annotations

from .decide import Decision, about, decided, noted
from .effects import Effect, Note
from .events import Ordered
from .interrupt import Interrupt
from .policy import NOT_ACTIVE
from .runs import Run
from .state import State

FINISH = 60_000  # milliseconds that a span without a limit may go on after an order


def ordered(state: State, event: Ordered, now: int) -> tuple[Effect, ...]:
    """Interrupt every run by its own policies. What goes on is ended when its time is over.

    The order itself cannot be refused: a run that goes on is silent after `shut-down`, and lost after `removed`.
    """
    interrupt, received = event.interrupt, event.received or now
    runs = [run for run in state.runs.values() if not run.lost]
    effects: list[Effect] = [noted(interrupt, None)]
    if not runs:
        effects.append(decided(Decision(NOT_ACTIVE), interrupt, interrupt.class_, None, now - received))
    for run in runs:
        effects.extend(_order(run, interrupt, now, received=received))
        if event.order != "restart":
            run.thoughts_left = 0
        if event.order == "removed":
            run.lost = True
            effects.append(Note("lost", run.id, run.root, interrupt.id, {"code": interrupt.rule}))
    return tuple(effects)


def _order(run: Run, interrupt: Interrupt, now: int, *, received: int) -> list[Effect]:
    root = run.spans[run.root]
    decision = about(run, root, interrupt, interrupt.class_, now)
    for span in run.spans.values():
        if span.finish_by is None and span.ends_by is None:
            span.finishing, span.finish_by = interrupt, span.limit_at or now + FINISH
    return [decided(decision, interrupt, interrupt.class_, (run, root), now - received), *decision.effects]
