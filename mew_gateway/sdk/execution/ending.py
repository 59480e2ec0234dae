"""Ending of spans and runs: leaves first, each by its own policy, and every run with one conclusion (seed 000 §6).

`mark` moves spans to `interrupted`. `direct` sends a marked span its directive once nothing runs within it, so the
parent is directed after its children have ended. A span that does not end within `GRACE` of an await directive is
treated as ended.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Literal

import msgspec

from .effects import Effect, End, Follow, Note, Pause
from .events import Ended, Ending, Followed
from .interrupt import Interrupt
from .policy import Policy, When
from .runs import Run, conclusion
from .spans import Span
from .state import DispatchedInput, State, moved, remember

_MOST_FOLLOWING = 1_000  # inputs handed out and not begun; the oldest is heard all the same, unless we crash
GRACE = 1_000  # milliseconds for a body that has to end at its next await
TALK = 300_000  # milliseconds that a pause waits for words (docs/interruption.md §3)

_HOW: dict[Policy, Literal["boundary", "await", "back"]] = {
    "soft-stop": "boundary",
    "hard-stop": "await",
    "checkpointed": "back",
}
_TERMINAL: dict[Ending, Literal["completed", "cancelled", "failed"]] = {
    "returned": "completed",
    "interrupted": "cancelled",
    "failed": "failed",
    "cancelled": "cancelled",
}


def mark(run: Run, spans: list[Span], interrupt: Interrupt, now: int) -> list[Effect]:
    """Mark spans for ending, except non-interruptible ones, and direct those that have no children."""
    effects: list[Effect] = []
    for span in spans:
        if span.policy == "non-interruptible" or span.state not in ("running", "paused"):
            continue
        effects.extend(_words_kept(run, span))
        effects.append(stopped(span, interrupt))
    for span in run.leaves(spans):
        effects.extend(direct(run, span, now))
    return effects


def stopped(span: Span, interrupt: Interrupt) -> Note:
    """Move a span to `interrupted`, because of this interrupt."""
    before = span.move("interrupted")
    span.stop, span.talks_until = interrupt, None
    return moved(span, before, cause=interrupt.id)


def direct(run: Run, span: Span, now: int) -> list[Effect]:
    """Send a marked span its directive, by its policy, if nothing runs within it."""
    interrupt = span.stop
    if interrupt is None or span.directed or (run.inner > 0 and span.id == run.root):
        return []
    span.directed = True
    how = _HOW[span.policy]
    if how == "boundary":
        return [End(span.id, interrupt, how)]
    span.ends_by = now + GRACE
    if how == "await":
        return [End(span.id, interrupt, how)]
    to, back = (span.id, span.start) if span.checkpoint is None else (span.checkpoint.id, span.checkpoint.state)
    run.put_back(interrupt, to, back)
    return [
        Note("rolled_back", run.id, span.id, interrupt.id, {"to": to}),
        End(span.id, interrupt, how, deepcopy(back)),  # the body's to change
    ]


def pause(span: Span, interrupt: Interrupt) -> list[Effect]:
    """Direct a span to pause."""
    span.pausing = interrupt
    return [Pause(span.id, interrupt, "await" if span.policy == "hard-stop" else "boundary")]


def end_span(state: State, run: Run, span: Span, how: Ending, now: int) -> list[Effect]:
    """End a span below the root, with the spans within it. Its parent may be directed next."""
    effects = _end(state, run, span, how)
    parent = run.spans.get(span.parent or "")
    if parent is not None and not run.has_children(parent):
        effects.extend(direct(run, parent, now))
    return effects


def end_run(state: State, run: Run, event: Ended, now: int) -> list[Effect]:
    """End a run: its one conclusion, then the inputs that follow."""
    effects = _end(state, run, run.spans[run.root], event.how)
    del state.runs[run.id]
    said = conclusion(run, event, now)
    if not run.silent:
        state.concluded(run.id, said)
    data = {key: said.payload[key] for key in _TOLD if key in said.payload}
    effects.append(Note("run_concluded", run.id, run.root, None, {**data, "lost": True} if run.lost else data))
    if run.stop is not None:  # seed 000 §6: interrupted traces are never changed
        effects.append(Note("trace_sealed", run.id, run.root, run.stop.id))
    if not (run.lost or run.silent):
        effects.append(said)
    return [*effects, *_follow(state, run), *_outer(state, run, now)]


def _outer(state: State, run: Run, now: int) -> list[Effect]:
    """Direct the silent run around a run that has ended, if it must end."""
    outer = state.runs.get(run.within or "")
    if outer is None:
        return []
    outer.inner -= 1
    root = outer.spans[outer.root]
    return [] if outer.has_children(root) else direct(outer, root, now)


_TOLD = ("outcome", "interrupted", "interrupt_id", "policy_applied", "partial", "rolled_back_to", "error")


def followed(state: State, event: Followed) -> tuple[Effect, ...]:
    """Note that an input which was promised to be handled is being handled."""
    meant = (key for key in state.following if key[1] == event.id and event.sender in (None, key[0]))
    key = next(meant, None)
    if key is None:
        return ()
    handed = state.following.pop(key)
    after = {} if handed.after is None else {"after": handed.after}
    return (Note("followed", None, None, event.id, {**after, "when": handed.when}),)


def kept(when: When, interrupt: Interrupt, *, run: Run, span: Span) -> Note:
    """Note that an input is kept for after a run, with everything needed to handle it in another process."""
    return Note("queued", run.id, span.id, interrupt.id, {"when": when, "interrupt": msgspec.to_builtins(interrupt)})


def _follow(state: State, run: Run) -> list[Effect]:
    """Return what follows a run (seed 000 §6): its inputs, or a trace of the return to idle."""
    inputs = run.follow_ups()
    if inputs:
        for one in inputs:
            key = one.interrupt.sender, one.interrupt.id
            remember(state.following, key, DispatchedInput(one.interrupt, one.when, run.id), _MOST_FOLLOWING)
        return [Follow(run.id, inputs)]
    if run.stop is None:
        return []
    return [Note("idle", f"{run.stop.id}:idle", None, run.stop.id, {"after": run.id})]


def _end(state: State, run: Run, span: Span, how: Ending) -> list[Effect]:
    effects: list[Effect] = []
    for one in reversed(run.family(span)):  # leaves first
        effects.extend(_words_kept(run, one))
        before = one.move(_TERMINAL[how if one is span else "cancelled"])
        state.drop(run, one)
        effects.append(moved(one, before, cause=None if one.stop is None else one.stop.id))
    return effects


def _words_kept(run: Run, span: Span) -> list[Effect]:
    """Keep the input of a pause that was not reached: it is handled after the run, as promised."""
    interrupt, span.pausing = span.pausing, None
    if interrupt is None or span.state == "paused" or interrupt.input is None or not run.keep("after", interrupt):
        return []
    return [kept("after", interrupt, run=run, span=span)]
