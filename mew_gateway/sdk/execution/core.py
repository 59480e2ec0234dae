"""Core: handles events and returns effects. The same events always give the same decisions.

`Core.handle` dispatches by the event's type. Spans and runs begin, reach boundaries and end here; interrupts are
decided in `decide`, chats in `chat_interrupts`, emergencies in `halt`, and endings are built in `ending`.

Invariants: a rejected event (an exception) changes nothing. Input from the wire is never an error; only a body can ask
for something invalid. Every run ends with exactly one conclusion. Time passes only by `now`: `Core.deadline` says when
the caller must handle a `TimePassed`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from . import chat_interrupts, decide, ending, halt, restart_and_shutdown
from .effects import Effect, End, Lose, Note, Talk
from .events import (
    Accepted,
    Began,
    BoundaryLeft,
    BoundaryReached,
    CheckpointReached,
    Clarified,
    Classified,
    Closed,
    Ended,
    Event,
    Followed,
    Heard,
    Held,
    Interrupted,
    Ordered,
    Refused,
    ResumeHeard,
    SpanBegan,
    SpanEnded,
    Started,
    TimePassed,
    Welcomed,
    Withdrawn,
)
from .interrupt import Interrupt
from .runs import NotRunning, Run, Stopping, abandonment, begin, thought
from .spans import Checkpoint, Span, on_wire, validated
from .state import State, moved

# `system/error` that correlates to an envelope and yet refuses nothing (docs/protocol.md §2, §5).
_NOTICES = ("cannot_ack", "participant_not_found", "duplicate_id")
_GONE = ("sequence_closed", "sequence_not_found", "not_sequence_owner", "sequence_lost")


class Core:
    """Runs of one agent, their spans, and the interrupts of them.

    `handle` raises `NotRunning` (`Stopping`), `Halted`, `Misdeclared` or `IllegalTransition` if a body asks for
    something invalid; then nothing has changed.
    """

    def __init__(self) -> None:
        self.state = State()

    @property
    def deadline(self) -> int | None:
        """Latest time to handle a `TimePassed`; None if nothing waits for time."""
        return min(_deadlines(self.state), default=None)

    def knows(self, run: str) -> bool:
        """Return true if a run of that id is open, or ended recently."""
        return self.state.knows(run)

    def handle(self, event: Event, now: int) -> tuple[Effect, ...]:
        """Handle an event. Return its effects in order. `now` is in milliseconds since the epoch."""
        state = self.state
        match event:
            case Started():
                return halt.started(state, event)
            case Began():
                return _begin(state, event, now)
            case SpanBegan():
                return _begin_span(state, event, now)
            case BoundaryReached():
                return _reach_boundary(state, event, now)
            case BoundaryLeft():
                state.span(event.run, event.span).at_boundary = False
                return ()
            case CheckpointReached():
                return _keep(state, event.run, event.span, Checkpoint(event.id, event.state))
            case Held():
                return _hold(state, event, now)
            case Clarified():
                return chat_interrupts.clarified(state, event)
            case SpanEnded():
                return _end_span(state, event, now)
            case Ended():
                return tuple(ending.end_run(state, state.run(event.run), event, now))
            case Interrupted():
                return decide.interrupted(state, event, now)
            case Ordered():
                return restart_and_shutdown.ordered(state, event, now)
            case Heard():
                return chat_interrupts.heard(state, event, now)
            case Classified():
                return chat_interrupts.classified(state, event, now)
            case Followed():
                return ending.followed(state, event)
            case Withdrawn():
                return chat_interrupts.withdrawn(state, event)
            case ResumeHeard():
                return halt.lift(state, event)
            case TimePassed():
                return _pass_time(state, now)
            case Welcomed():
                return _compare(state, event, now)
            case Accepted():
                if event.run in state.runs:
                    state.runs[event.run].accepted = True
                return ()
            case Refused():
                return _refused(state, event, now)
            case Closed():
                return _give_up(state, event.run, "sequence_closed", now)
            case _:
                assert_never(event)


def _begin(state: State, event: Began, now: int) -> tuple[Effect, ...]:
    if state.knows(event.run):
        raise NotRunning(f"The run {event.run!r} began before.")
    validated(event.declared)
    halt.check(state)
    run = state.runs[event.run] = begin(event, now)
    outer = state.runs.get(event.within or "")
    if outer is not None:
        outer.inner += 1
    data = {"message": event.message, "user": event.user, "caused_by": event.caused_by, "invitation": event.invitation}
    fields = {key: value for key, value in data.items() if value is not None}
    begun = (Note("run_begun", run.id, run.root, event.caused_by, fields), *_opened(state, run.spans[run.root]))
    return begun if run.silent else (*begun, run.start)


def _begin_span(state: State, event: SpanBegan, now: int) -> tuple[Effect, ...]:
    parent = state.span(event.run, event.parent)
    if event.span in state.run(event.run).spans:
        raise NotRunning(f"The span {event.span!r} began before.")
    if parent.stop is not None:
        raise Stopping(parent, parent.stop)
    validated(event.declared)
    halt.check(state)
    span = Span(event.span, event.run, parent.id, event.declared, now, event.state)
    state.run(event.run).spans[span.id] = span
    return _opened(state, span, name=event.name)


def _opened(state: State, span: Span, *, name: str | None = None) -> tuple[Effect, ...]:
    fields = on_wire(span)
    fields |= {key: value for key, value in (("parent_span_id", span.parent), ("name", name)) if value is not None}
    before = span.move("running")
    state.take_focus(span)
    return (Note("span_begun", span.run, span.id, None, fields), moved(span, before))


def _reach_boundary(state: State, event: BoundaryReached, now: int) -> tuple[Effect, ...]:
    span = state.span(event.run, event.span)
    run = state.run(event.run)
    span.at_boundary = True
    said = thought(run, event, now)
    if said is None:
        return ()
    return (Note("thought", run.id, span.id, None, {"n": run.thoughts, "id": said.id}), said)


def _keep(state: State, run: str, span: str, checkpoint: Checkpoint) -> tuple[Effect, ...]:
    state.span(run, span).checkpoint = checkpoint
    return (Note("checkpoint", run, span, None, {"checkpoint_id": checkpoint.id}),)


def _hold(state: State, event: Held, now: int) -> tuple[Effect, ...]:
    """Pause a span, unless it must end by now, and start the talk, which lasts at most `TALK`."""
    span = state.span(event.run, event.span)
    interrupt = span.pausing
    if interrupt is None or span.state != "running":
        return ()
    kept: tuple[Effect, ...] = ()
    if span.policy == "checkpointed":
        kept = _keep(state, event.run, event.span, Checkpoint(event.id, event.state))
    before = span.move("paused")
    span.at_boundary = True
    span.talks_until = now + ending.TALK
    return (*kept, moved(span, before, cause=interrupt.id), Talk(event.run, span.id, interrupt))


def _end_span(state: State, event: SpanEnded, now: int) -> tuple[Effect, ...]:
    span = state.span(event.run, event.span)
    run = state.run(event.run)
    if span.id == run.root:
        raise NotRunning(f"The root of {run.id!r} ends with its run.")
    return tuple(ending.end_span(state, run, span, event.how, now))


def _pass_time(state: State, now: int) -> tuple[Effect, ...]:
    effects = chat_interrupts.out_of_time(state, now)
    for run in list(state.runs.values()):
        for span in list(run.spans.values()):
            if span.id not in run.spans:  # it ended with another
                continue
            if span.ends_by is not None and span.ends_by <= now:
                effects.extend(_take_for_ended(state, run, span, now))
                continue
            if span.finish_by is not None and span.finish_by <= now:
                effects.extend(_finish(run, span, now))
                continue
            if span.limit_at is not None and span.limit_at <= now:
                effects.extend(_over_limit(state, run, span, now))
            if span.talks_until is not None and span.talks_until <= now:
                effects.extend(chat_interrupts.go_on(span, None))
    return tuple(effects)


def _take_for_ended(state: State, run: Run, span: Span, now: int) -> list[Effect]:
    """End a span whose grace is over (§3). Nothing is killed, but what its body still says is not sent."""
    late = Note("overdue", run.id, span.id, None if span.stop is None else span.stop.id, {"why": "grace"})
    if span.id == run.root:
        return [late, *ending.end_run(state, run, Ended(run.id, "interrupted"), now)]
    return [late, *ending.end_span(state, run, span, "interrupted", now)]


def _over_limit(state: State, run: Run, span: Span, now: int) -> list[Effect]:
    span.overdue = True
    note = Note("overdue", run.id, span.id, None, {"why": "limit"})
    if span.policy == "non-interruptible":
        return [note]
    alert = Interrupt(
        f"{span.id}:limit", "self", run.id, "cancel", "timeout", source="alert", scope="span", span_id=span.id,
        rule="limit",
    )  # fmt: skip
    return [note, *decide.decide(state, alert, None, now, received=now)]


def _finish(run: Run, span: Span, now: int) -> list[Effect]:
    """End a span whose time after an order is over, at its next await and by any policy."""
    order, span.finishing, span.finish_by = span.finishing, None, None
    assert order is not None
    effects: list[Effect] = [Note("overdue", run.id, span.id, order.id, {"why": "order"})]
    if span.state in ("running", "paused"):
        effects.append(ending.stopped(span, order))
    if span.id == run.root and run.stop is None:
        run.stop, run.policy_applied = order, span.policy
    span.directed, span.ends_by = True, now + ending.GRACE
    return [*effects, End(span.id, order, "await")]


def _deadlines(state: State) -> Iterator[int]:
    for pending in state.pending.values():
        yield pending.until
    for run in state.runs.values():
        for span in run.spans.values():
            for at in (span.ends_by, span.talks_until, span.limit_at, span.finish_by):
                if at is not None:
                    yield at


def _compare(state: State, event: Welcomed, now: int) -> tuple[Effect, ...]:
    """Reconcile our runs with the gateway's list after a (re)connection."""
    effects = [] if event.halted is None else halt.reconcile(state, event.halted)
    for listed in event.sequences:
        run = state.runs.get(listed.id)
        if run is not None:
            run.accepted = True
            continue
        if listed.id not in state.conclusions:
            state.concluded(listed.id, abandonment(listed.id, listed.conclusion, now))
            effects.append(Note("abandoned", listed.id))
        effects.append(state.conclusions[listed.id])
    if event.complete:
        named = {listed.id for listed in event.sequences}
        for run in [run for run in state.runs.values() if run.id not in named and not (run.lost or run.silent)]:
            effects.extend(_missed(state, run, now))
    return tuple(effects)


def _missed(state: State, run: Run, now: int) -> tuple[Effect, ...]:
    """Handle a run that the gateway does not list. If its start never arrived, send the same envelope again.

    A late arrival of the first one does no harm then. Under an emergency nothing begins, and the run is lost.
    """
    if run.accepted:
        return _give_up(state, run.id, "sequence_lost", now)
    return _lose(state, run.id, "halted", now) if state.halts else (run.start,)


def _refused(state: State, event: Refused, now: int) -> tuple[Effect, ...]:
    """Handle a refusal. A run that could not begin is unseen and cannot be stopped, so it must not go on."""
    if event.code in _NOTICES and event.yours:
        return ()
    effects = [] if event.halt is None else halt.learn(state, event.halt)
    for run in state.runs.values():
        if event.id == run.id and not run.silent:
            effects.extend(_lose(state, run.id, event.code, now))
            break
        if event.id == run.last_thought and event.code in _GONE:
            effects.extend(_give_up(state, run.id, event.code, now))
            break
    return tuple(effects)


def _give_up(state: State, id: str, code: str, now: int) -> tuple[Effect, ...]:
    """End a run whose sequence the gateway has ended. This is an interrupt: a non-interruptible span goes on."""
    run = state.runs.get(id)
    if run is None or run.lost:
        return ()
    interrupt = decide.removal(run, code)
    return (*decide.given_up(run, interrupt), *_lost(run, interrupt, now))


def _lose(state: State, id: str, code: str, now: int) -> tuple[Effect, ...]:
    """End a run that the gateway does not know. A non-interruptible span ends at its next boundary."""
    run = state.runs.get(id)
    if run is None or run.lost:
        return ()
    firm = tuple(span.id for span in run.spans.values() if span.policy == "non-interruptible")
    effects = _lost(run, decide.removal(run, code), now)
    return (*effects, Lose(id, code, firm)) if firm else effects


def _lost(run: Run, interrupt: Interrupt, now: int) -> tuple[Effect, ...]:
    """Mark a run as lost, and end its interruptible spans by their policies, leaves first."""
    run.lost = True
    note = Note("lost", run.id, run.root, None, {"code": interrupt.rule})
    return (note, *ending.mark(run, list(run.spans.values()), interrupt, now))
