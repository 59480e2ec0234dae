"""A flow ends before its end: it is cancelled or has failed, and with it whatever has called it."""

from __future__ import annotations

from typing import Literal

from mew_agents.flows.definitions.steps import Action
from mew_agents.flows.effects import CallOff
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Frame
from mew_agents.fluxi.replies import every


def cancel(stage: Stage, root: Frame, *, by: str | None = None, reason: str | None = None) -> None:
    """Cancels a flow and what it has called; while an effect of it is under way, as soon as its outcome is known."""
    working = _working(stage, root)
    if working is not None and working.acting is not None and working.acting.work_id is not None:
        stage.effects.append(CallOff(work_id=working.acting.work_id))
        return  # what comes of that is said when it is known: in the same transaction, if nothing is out
    title, done = stage.title(root), _done(stage, root)
    _drop(stage, root, by=by, reason=reason)
    _say(stage, title, done, by=by, reason=reason)


def cancel_all(stage: Stage, *, by: str | None = None, reason: str | None = None) -> None:
    """Cancels everything that is under way."""
    roots = [one for one in stage.frames() if one.caller is None]
    queued = [stage.called(one.flow) for one in stage.queue]
    stage.queue.clear()
    if len(roots) == 1 and not queued:
        cancel(stage, roots[0], by=by, reason=reason)
        return
    quiet = [root for root in roots if _working(stage, root) is None]
    for root in roots:
        if root not in quiet:
            cancel(stage, root, by=by, reason=reason)
    told = [*((stage.title(root), _done(stage, root)) for root in quiet), *((title, "") for title in queued)]
    for root in quiet:
        _drop(stage, root, by=by, reason=reason)
    if told and by is None and not any(done for _, done in told):
        stage.say("all_cancelled", code="cancelled", titles=every([title for title, _ in told], stage.policy))
        return
    for title, done in told:
        _say(stage, title, done, by=by, reason=reason)


def fail(
    stage: Stage,
    frame: Frame,
    code: str,
    *,
    reason: str | None = None,
    why: str | None = None,
    step: str | None = None,
) -> None:
    """A flow cannot go on: it and what has called it have failed. `why`: for whoever wrote it; `step`: which step could
    not be done, where the flow does not stand at it.
    """
    root = stage.root(frame)
    title, done = stage.title(root), _done(stage, root)
    at = f"{frame.name}, at {step or frame.step}"
    for one in reversed(stage.chain(root.flow_id)):
        stage.pop(one, "failed", code, why=at if why is None else f"{at}: {why}")
    _say_failed(stage, title, done, code, reason)


def give_up(stage: Stage, frame: Frame, outcome: Literal["cancelled", "failed"]) -> None:
    """A flow ends itself, and what has called it, without having done what it is for; why, it has said."""
    root = stage.root(frame)
    title, done = stage.title(root), _done(stage, root)
    for one in reversed(stage.chain(root.flow_id)):
        stage.pop(one, outcome, outcome)
    if stage.said:
        return
    if outcome == "cancelled":
        _say(stage, title, done, by=None, reason=None)
    else:
        _say_failed(stage, title, done, "failed", None)


def called_off(stage: Stage, frame: Frame, *, by: str | None, done: bool) -> None:
    """The effect of a flow that was to be cancelled is settled: `done` if it has happened nevertheless."""
    root = stage.root(frame)
    if done:
        stage.did(frame)
    title, told = stage.title(root), _done(stage, root)
    stage.change(stage.frame(frame.flow_id) or frame, acting=None)
    _drop(stage, stage.frame(root.flow_id) or root, by=by, reason=None)
    if done and by is None:
        stage.say("cancel_refused_executing", code="cancelled", title=title)
    else:
        _say(stage, title, told, by=by, reason=None)


def _working(stage: Stage, root: Frame) -> Frame | None:
    """The frame of a flow that waits for an effect."""
    working = (one for one in stage.chain(root.flow_id) if one.acting is not None and one.acting.work_id is not None)
    return next(working, None)


def _drop(stage: Stage, root: Frame, *, by: str | None, reason: str | None) -> None:
    for one in reversed(stage.chain(root.flow_id)):
        stage.pop(one, "cancelled", "cancelled", by=by, reason=reason)


def _done(stage: Stage, root: Frame) -> str:
    """What people call the effects that have happened in a flow and in what it has called."""
    done = [one for frame in stage.chain(root.flow_id) for one in frame.done]
    steps = (stage.library.flow(one.version).program.steps[one.step] for one in done)
    return every([step.name(stage.policy.language) for step in steps if isinstance(step, Action)], stage.policy)


def _say(stage: Stage, title: str, done: str, *, by: str | None, reason: str | None) -> None:
    """It is cancelled; that nothing was done is said only where nothing was."""
    if by is not None:
        stage.say("closed_by_operator", code="cancelled", title=title, reason=reason)
    if done:
        stage.say("flow_cancelled_partly", code="cancelled", title=title, done=done)
    elif by is None:
        stage.say("flow_cancelled", code="cancelled", title=title)


def _say_failed(stage: Stage, title: str, done: str, code: str, reason: str | None) -> None:
    if done:
        stage.say("flow_failed_partly", kind="failed", code=code, title=title, done=done, reason=reason)
    else:
        stage.say("flow_failed", kind="failed", code=code, title=title, reason=reason)
