"""A dialogue is stopped from outside: a turn is dropped, a flow called off, everything halted (docs/flows.md §7)."""

from __future__ import annotations

from mew_agents.flows.ending import cancel, cancel_all
from mew_agents.flows.events import CalledOff, Dropped, Suspended
from mew_agents.flows.stage import Stage, replaced
from mew_agents.flows.stepping import go_on


def pause(stage: Stage) -> None:
    """A call takes longer than the turn: that is said once, and the turn ends."""
    for frame in list(stage.stack):
        if frame.acting is not None and not frame.acting.known:
            stage.change(frame, acting=replaced(frame.acting, known=True))
            stage.say("executing", frame=frame, summary=stage.title(stage.root(frame)))
    stage.end()


def called_off(stage: Stage, event: CalledOff) -> None:
    """Somebody else ends a flow, or all of them; whoever talks is told, and what is below asks again."""
    by = None if event.by == stage.before.participant else event.by
    at_hand, last = stage.top, stage.last
    if event.flow_id is None:
        cancel_all(stage, by=by, reason=event.reason)
    else:
        frame = stage.frame(event.flow_id)
        if frame is not None:
            cancel(stage, stage.root(frame), by=by, reason=event.reason)
    if stage.last is not None and stage.last is not last:  # also of who did not say so here: a late answer is told
        stage.last = replaced(stage.last, by=event.by, reason=event.reason)
    if at_hand is not None and stage.frame(at_hand.flow_id) is None:
        stage.go()  # whatever else was said was said to what has ended
    _go_on(stage)


def suspend(stage: Stage, event: Suspended) -> None:
    """Nothing is taken until it is released. What is halted keeps its question; one for a person asks it anew."""
    if event.reason == "halted" and stage.suspended == "needs_human":
        stage.beneath = stage.suspended
    stage.suspended = event.reason
    if event.reason == "needs_human" and stage.top is not None:
        stage.close(stage.top, "void")


def release(stage: Stage) -> None:
    """It goes on; a question that was closed for it is asked again. An emergency that is over leaves to a person what
    was a person's."""
    stage.suspended, stage.beneath = stage.beneath, None
    if stage.suspended is None:
        _go_on(stage)


def drop(stage: Stage, _: Dropped) -> None:
    """What is committed stands; a call that may be made again is not waited for, and its step is done anew."""
    for frame in list(stage.stack):
        if frame.acting is not None and frame.acting.work_id is None:
            stage.change(frame, acting=None)
    stage.drop()


def _go_on(stage: Stage) -> None:
    """What is at hand takes its steps, unless it waits; a turn whose slots are not known yet goes on by itself."""
    if stage.turn is not None and not stage.turn.going:
        return
    top = stage.top
    if top is None or (top.asked is None and top.acting is None):
        go_on(stage)
    stage.end_unless_acting()
