"""What a flow waited for is known: the result of an action, or what became of an effect (docs/flows.md §6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mew_agents.flows.definitions.expressions import Unevaluable
from mew_agents.flows.definitions.steps import Action, Step
from mew_agents.flows.ending import called_off, fail
from mew_agents.flows.events import (
    ActionDone,
    ActionFailed,
    AnyEvent,
    EffectCancelled,
    EffectDone,
    EffectFailed,
    EffectInDoubt,
    EffectStopping,
    Heard,
    Sending,
)
from mew_agents.flows.stage import Stage, replaced
from mew_agents.flows.state import Frame
from mew_agents.flows.stepping import go_on, go_on_behind, jump
from mew_agents.flows.valuing import computed, merged, names_of, say_under_way
from mew_agents.fluxi.work import Slot

# The code of a flow that ended because the program did not know what to do.
FAULT = "fault"


def sending(stage: Stage, event: Sending) -> None:
    """A call goes out with these bytes, now and whenever it has to be made again."""
    frame = stage.waiting_for(event.key)
    if frame is not None and frame.acting is not None:
        acting = replaced(frame.acting, request=event.request, cursor=event.cursor, timeout=event.timeout)
        stage.change(frame, acting=acting)


def action_done(stage: Stage, event: ActionDone) -> None:
    """The result of an action goes into slots, and the flow goes on."""
    frame = stage.waiting_for(event.key)
    if frame is not None:
        _done(stage, frame, event.content)


def action_failed(stage: Stage, event: ActionFailed) -> None:
    """An action has no result: the flow goes on where it says so, or fails."""
    frame = stage.waiting_for(event.key)
    if frame is not None:
        _failed(stage, frame, event.code, event.message)


def effect_done(stage: Stage, event: EffectDone) -> None:
    """The effect has happened: nothing that it happened with can be corrected any more."""
    frame = stage.waiting_for(event.work_id)
    if frame is not None:
        for one in stage.chain(stage.root(frame).flow_id):  # whoever called it has given it the values
            stage.change(one, visits=(), fixed=tuple(one.values))
        _done(stage, stage.did(stage.frame(frame.flow_id) or frame), event.content)


def effect_failed(stage: Stage, event: EffectFailed) -> None:
    """The effect has not happened: the flow goes on where it says so, or fails."""
    frame = stage.waiting_for(event.work_id)
    if frame is not None:
        _failed(stage, frame, event.code, event.message)


def effect_cancelled(stage: Stage, event: EffectCancelled) -> None:
    """The effect was to be called off, and it is known what came of that."""
    frame = stage.waiting_for(event.work_id)
    if frame is not None:
        called_off(stage, frame, by=event.by, done=event.done)
        if stage.turn is None or stage.turn.going:  # else the turn in which it was cancelled goes on by itself
            _continue(stage, None)


def effect_in_doubt(stage: Stage, event: EffectInDoubt) -> None:
    """Nobody can tell: the flow waits until somebody has found out, and says so once."""
    frame = stage.waiting_for(event.work_id)
    if frame is None or frame.acting is None:
        return
    frame = stage.change(frame, acting=replaced(frame.acting, known=True, in_doubt=True))
    say_under_way(stage, frame)
    stage.end()


def effect_stopping(stage: Stage, event: EffectStopping) -> None:
    """The effect is to be called off, but its call is out: what comes of that is awaited."""
    frame = stage.waiting_for(event.work_id)
    if frame is not None and event.by is None:  # who has not asked for it is told when it is known
        stage.say("cancel_requested", frame=frame, title=stage.title(stage.root(frame)))


def _done(stage: Stage, frame: Frame, content: Any) -> None:
    step = stage.flow(frame).program.steps[str(frame.step)]
    frame = stage.change(frame, acting=None)
    changed = _read(stage, frame, step, content if isinstance(content, Mapping) else {})
    if changed is None:
        _go_wrong(stage, frame, step, "bad_result", "")
        return
    after = stage.flow(frame).program.after[step.id]
    frame = stage.change(frame, step=after, slots=merged(frame.slots, changed))
    stage.stepped(frame, step.id)
    _continue(stage, frame)


def break_off(stage: Stage, event: AnyEvent, fault: str) -> bool:
    """The flow that an event is about has failed at it; whether there is one. A person is told why.

    One whose effect is out ends with what becomes of that, and with nothing else.
    """
    key = event.key if isinstance(event, ActionDone | ActionFailed) else getattr(event, "work_id", None)
    frame = stage.top if key is None else stage.waiting_for(key)
    if frame is None or isinstance(event, Heard | Sending):
        return False
    stage.go()
    stage.page(fault)
    if key is None and frame.acting is not None and frame.acting.work_id is not None:
        say_under_way(stage, frame)
        stage.end()
        return True
    if isinstance(event, EffectDone) or (isinstance(event, EffectCancelled) and event.done):
        frame = stage.did(frame)
    if key is not None:
        frame = stage.change(frame, acting=None)
    fail(stage, frame, FAULT, why=fault)
    stage.end_unless_acting()
    return True


def _read(stage: Stage, frame: Frame, step: Step, content: Mapping[str, Any]) -> dict[str, Slot | None] | None:
    """The slots that a result fills; None: it is not what the flow can use.

    Of an effect, what cannot be used is left out: it has happened, and nothing may say that it has not.
    """
    found: dict[str, Slot | None] = {}
    effect = isinstance(step, Action) and step.effect
    for path, expression in step.result.items() if isinstance(step, Action) else ():
        try:
            told = expression.value(names_of(stage, frame, result=content))
            changed, refused = computed(stage, frame, [(path, told)])
        except Unevaluable:
            changed, refused = {}, path
        if refused is not None and not effect:
            return None
        found |= changed
    return found


def _failed(stage: Stage, frame: Frame, code: str, message: str) -> None:
    step = stage.flow(frame).program.steps[str(frame.step)]
    _go_wrong(stage, stage.change(frame, acting=None), step, code, message)


def _go_wrong(stage: Stage, frame: Frame, step: Any, code: str, message: str) -> None:
    target = step.on_error if isinstance(step, Action) else "fail"
    if target == "fail":
        fail(stage, frame, code, reason=message or None)
        _continue(stage, None)
        return
    jump(stage, frame, target)
    _continue(stage, stage.frame(frame.flow_id))


def _continue(stage: Stage, frame: Frame | None) -> None:
    """The flow goes on, in front or behind; and the turn ends where it has to wait."""
    root = None if frame is None else stage.root(frame)
    if root is not None and stage.top is not None and stage.root(stage.top).flow_id != root.flow_id:
        go_on_behind(stage, root.flow_id)
    elif root is not None or stage.top is None or stage.top.asked is None:
        go_on(stage)
    stage.end_unless_acting()
