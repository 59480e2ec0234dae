"""The steps of a flow: each is done or waits (docs/flows.md §3). Between two steps a flow may be stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

from mew_agents.flows.arguments import arguments_of
from mew_agents.flows.definitions.expressions import Expression, Unevaluable
from mew_agents.flows.definitions.slots import FlowSlot
from mew_agents.flows.definitions.steps import (
    Action,
    Branch,
    Call,
    Collect,
    Confirm,
    Else,
    End,
    Link,
    Say,
    Set,
    Step,
    While,
)
from mew_agents.flows.effects import Act, Open
from mew_agents.flows.ending import cancel, fail, give_up
from mew_agents.flows.replies.say import BOOK
from mew_agents.flows.stage import DEEPEST, Stage
from mew_agents.flows.state import Acting, Asked, Frame, Proposed
from mew_agents.flows.valuing import computed, merged, names_of, take, visited
from mew_agents.flows.wording import asked_for, filled
from mew_agents.fluxi import values
from mew_agents.fluxi.wording import label, shown
from mew_agents.fluxi.work import Slot

# Steps that a flow may take between two questions; one that takes more waits for nobody, and has failed.
MOST_STEPS = 5_000
# How a step leaves its flow: it waits, it goes on behind the step, or it has failed at it.
Stop: TypeAlias = Literal["stop", "go on", "failed"]


def go_on(stage: Stage) -> None:
    """The flow at hand takes its steps until it has to wait; when it ends, the one below goes on, and then those that
    were asked for besides.
    """
    while (top := stage.top or _begin_queued(stage)) is not None:
        root = stage.root(top).flow_id
        _run(stage, root)
        if stage.chain(root):
            return


def _begin_queued(stage: Stage) -> Frame | None:
    """The next flow that was asked for besides begins, with what was said of it. None: there is none."""
    if stage.suspended is not None or not stage.queue:
        return None
    queued = stage.queue.pop(0)
    flow = next((one for one in stage.library.startable if one.name == queued.flow), None)
    if flow is None:  # it was taken out of the file since
        return _begin_queued(stage)
    frame = stage.push(flow, queued.decision_id)
    stage.say("next_flow", frame=frame, titles=stage.called(queued.flow), words=queued.words)
    stage.lists = queued.lists
    for value in queued.values:
        take(stage, value, queued.message_id)
    return stage.top


def go_on_behind(stage: Stage, flow_id: str) -> None:
    """A flow that waits below another takes its steps as far as it needs nobody."""
    _run(stage, flow_id)


def _run(stage: Stage, root: str) -> None:
    """Takes the steps of a flow and of what it calls, until it has to wait or is over."""
    while chain := stage.chain(root):
        frame = chain[-1]
        if frame.acting is not None:
            return
        if chain[0].taken >= MOST_STEPS:
            fail(stage, frame, "too_many_steps")
            return
        stage.change(chain[0], taken=chain[0].taken + 1)
        frame = stage.frame(frame.flow_id) or frame
        if frame.step is None:
            _complete(stage, frame)
            continue
        step, at = stage.flow(frame).program.steps[frame.step], len(stage.effects)
        done = _STEPS[type(step)](stage, frame, step)
        if done == "stop":
            return
        if done == "go on":
            stage.stepped(frame, step.id, at=at)


def _fail(stage: Stage, frame: Frame, code: str, why: str | None = None) -> Stop:
    fail(stage, frame, code, why=why)
    return "failed"


def _to(stage: Stage, frame: Frame, step: str | None, **changes: Any) -> Stop:
    stage.change(frame, step=step, **changes)
    return "go on"


def _done(stage: Stage, frame: Frame, step: Step, **changes: Any) -> Stop:
    """Behind a step."""
    return _to(stage, frame, stage.flow(frame).program.after[step.id], **changes)


def _say(stage: Stage, frame: Frame, step: Say) -> Stop:
    stage.tell(filled(stage, frame, step.say), frame=frame)
    return _done(stage, frame, step)


def _collect(stage: Stage, frame: Frame, step: Collect) -> Stop:
    slot = stage.flow(frame).slots[step.collect].slot
    held = frame.slots.get(step.collect)
    if held is not None and held.status == "committed":
        return _done(stage, frame, step, visits=visited(frame, step.id, step.collect))
    if not _may_ask(stage, frame):
        return "stop"
    frame = stage.close(frame, "superseded")
    if held is not None and values.is_complete(slot, held.value):
        question_id = stage.ask(frame, "check", path=step.collect, proposed=held.value)
        others = [shown(slot, one, stage.policy) for one in (held.evidence or {}).get("alternatives", ())[:3]]
        stage.say(
            "confirm_slot",
            kind="request_confirmation",
            frame=frame,
            question_id=question_id,
            value=shown(slot, held.value, stage.policy),
            label=label(slot, stage.policy),
            others=others,
            data={"path": step.collect, "value": held.value},
        )
    else:
        question_id = stage.ask(frame, "value", path=step.collect)
        text = asked_for(stage, slot, held)
        stage.tell(
            text,
            kind="request_slot",
            code="ask_slot",
            frame=frame,
            question_id=question_id,
            data={"path": step.collect},
        )
    return "stop"


def _confirm(stage: Stage, frame: Frame, step: Confirm) -> Stop:
    if not _may_ask(stage, frame):
        return "stop"
    frame = stage.close(frame, "superseded")
    if frame.changing:
        _ask_what_to_change(stage, frame)
        return "stop"
    if not _can_be_given(stage, frame, _action_behind(stage, frame, step.id)):
        return "failed"
    question_id = stage.ask(frame, "confirm", proposed=frame.values, lasts=step.ttl)
    text = filled(stage, frame, step.confirm)
    stage.unsay("corrected", text)  # it says the values itself
    stage.tell(
        BOOK.dressed(text, "confirm_execution", stage.policy),
        kind="request_confirmation",
        code="confirm_execution",
        frame=frame,
        question_id=question_id,
        data={"values": frame.values},
    )
    return "stop"


def _ask_what_to_change(stage: Stage, frame: Frame) -> None:
    question_id = stage.ask(frame, "value")
    unclear = stage.take_said("which_slot")
    if unclear is not None:  # it says itself what may be changed
        stage.tell(unclear.text, kind="request_slot", code="which_slot", frame=frame, question_id=question_id)
        return
    labels = [label(one.slot, stage.policy) for one in _changeable(stage, frame)]
    stage.say("change_what", kind="request_slot", frame=frame, question_id=question_id, labels=labels)


def _changeable(stage: Stage, frame: Frame) -> list[FlowSlot]:
    """The slots that a person has filled, and no effect has happened with."""
    slots = stage.flow(frame).slots
    return [slots[path] for path in slots if slots[path].heard and path in frame.slots and path not in frame.fixed]


def _may_ask(stage: Stage, frame: Frame) -> bool:
    """Only the flow at hand asks; one below asks when it is at hand again."""
    return stage.top is not None and stage.top.flow_id == frame.flow_id and stage.suspended is None


def _action_behind(stage: Stage, frame: Frame, confirm: str) -> Action | None:
    """The action that a yes leads to."""
    program = stage.flow(frame).program
    following = program.after[confirm]
    step = None if following is None else program.steps[following]
    return step if isinstance(step, Action) else None


def _can_be_given(stage: Stage, frame: Frame, action: Action | None) -> bool:
    """Whether what an action's tool is given can be worked out; the flow has failed where it cannot."""
    if action is None:
        return True
    try:
        arguments_of(stage, frame, action)
    except Unevaluable as error:
        fail(stage, frame, "unevaluable", why=str(error), step=action.id)
        return False
    return True


def affirmed(stage: Stage, frame: Frame, asked: Asked) -> None:
    """Yes: the flow goes on behind the question; where an effect follows, its Work is opened by this very yes."""
    step = _action_behind(stage, frame, asked.step)
    if step is None or not step.effect:
        stage.change(frame, step=stage.flow(frame).program.after[asked.step])
        return
    if not _can_be_given(stage, frame, step):
        return
    work_id = stage.new_id("work")
    stage.effects.append(
        Open(
            flow_id=frame.flow_id,
            version=frame.version,
            step=step.id,
            work_id=work_id,
            question_id=asked.question_id,
            decision_id=frame.proposed.decision_id,
            proposal_id=frame.proposed.proposal_id,
            slots={path: slot for path, slot in frame.slots.items() if slot.status == "committed"},
        )
    )
    acting = Acting(key=work_id, step=step.id, work_id=work_id)
    used_up = Proposed(decision_id=frame.proposed.decision_id)
    stage.change(frame, step=step.id, acting=acting, proposed=used_up)


def denied(stage: Stage, frame: Frame) -> None:
    """No: where the flow says so; without that, what is to be different is asked, if anything can be."""
    step = stage.flow(frame).program.steps[str(frame.step)]
    target = step.on_deny if isinstance(step, Confirm) else "cancel"
    if target is not None:
        jump(stage, frame, target)
    elif _changeable(stage, frame):
        stage.change(frame, changing=True)
    else:
        jump(stage, frame, "cancel")


def jump(stage: Stage, frame: Frame, target: str) -> None:
    """To a step of the flow, or to one of its ends."""
    match target:
        case "end":
            stage.change(frame, step=None)
        case "cancel":
            cancel(stage, stage.root(frame))
        case "fail":
            fail(stage, frame, "failed")
        case _:
            stage.change(frame, step=target)


def _set(stage: Stage, frame: Frame, step: Set) -> Stop:
    try:
        names = names_of(stage, frame)
        told = [(path, expression.value(names)) for path, expression in step.set.items()]
    except Unevaluable as error:
        return _fail(stage, frame, "unevaluable", str(error))
    changed, refused = computed(stage, frame, told)
    if refused is not None:
        return _fail(stage, frame, "invalid_value", f"{refused} does not take its value")
    return _done(stage, frame, step, slots=merged(frame.slots, changed))


def _branch(stage: Stage, frame: Frame, step: Branch) -> Stop:
    try:
        names = names_of(stage, frame)
        for at, arm in enumerate(step.branch):
            if isinstance(arm, Else) or arm.when.holds(names):
                return _to(stage, frame, stage.flow(frame).program.entries[step.id][at])
    except Unevaluable as error:
        return _fail(stage, frame, "unevaluable", str(error))
    return _done(stage, frame, step)


def _while(stage: Stage, frame: Frame, step: While) -> Stop:
    try:
        again = step.condition.holds(names_of(stage, frame))
    except Unevaluable as error:
        return _fail(stage, frame, "unevaluable", str(error))
    rounds = dict(frame.rounds)
    done = rounds.pop(step.id, 0)
    if not again:
        return _done(stage, frame, step, rounds=rounds)
    if done >= step.max:
        return _fail(stage, frame, "too_many_rounds")
    body = stage.flow(frame).program.entries[step.id][0]
    return _to(stage, frame, body, rounds={**rounds, step.id: done + 1})


def _action(stage: Stage, frame: Frame, step: Action) -> Stop:
    if (
        step.effect
    ):  # only a yes leads there (`affirmed`); a definition that jumps into one is refused when it is loaded
        return _fail(stage, frame, "unconfirmed")
    key = stage.new_id("action")
    try:
        arguments = arguments_of(stage, frame, step)
    except Unevaluable as error:
        return _fail(stage, frame, "unevaluable", str(error))
    stage.effects.append(
        Act(flow_id=frame.flow_id, step=step.id, key=key, tool=step.action, arguments=arguments, timeout=step.timeout)
    )
    stage.change(frame, acting=Acting(key=key, step=step.id))
    return "stop"


def _call(stage: Stage, frame: Frame, step: Call) -> Stop:
    """Another flow begins within this one, which goes on when that is done."""
    if len(stage.stack) >= DEEPEST:
        return _fail(stage, frame, "too_many_flows")
    flow = stage.library.current(step.call)
    entered = stage.push(flow, frame.proposed.decision_id, caller=frame)
    given = _given(stage, frame, entered, step.given)
    if given is not None:
        stage.change(entered, slots=given)
    return "go on"


def _link(stage: Stage, frame: Frame, step: Link) -> Stop:
    """This flow ends where another begins in its place."""
    became = stage.become(frame, stage.library.current(step.link), {})
    given = _given(stage, frame, became, step.given)
    if given is not None:  # what an effect has happened with stays what it was
        stage.change(became, slots=given, fixed=tuple(given) if frame.done else ())
    return "go on"


def _given(stage: Stage, giver: Frame, taker: Frame, given: Mapping[str, Expression]) -> dict[str, Slot] | None:
    """The slots that a flow begins with; None: one of them does not take its value, and the flow has failed."""
    try:
        names = names_of(stage, giver)
        told = [(path, expression.value(names)) for path, expression in given.items()]
    except Unevaluable as error:
        fail(stage, taker, "unevaluable", why=str(error))
        return None
    changed, refused = computed(stage, taker, told)
    if refused is not None:
        fail(stage, taker, "invalid_value", why=f"{refused} does not take its value")
        return None
    return {path: replace(slot, source="given") for path, slot in merged({}, changed).items()}


def _end(stage: Stage, frame: Frame, step: End) -> Stop:
    match step.end:
        case "completed":
            _complete(stage, frame)
        case "cancelled" | "failed":
            give_up(stage, frame, step.end)
    return "go on"


def _complete(stage: Stage, frame: Frame) -> None:
    """A flow is done; whoever called it takes what it wanted, and goes on behind the call."""
    caller = None if frame.caller is None else stage.frame(frame.caller)
    stage.pop(frame, "completed", "completed")
    if caller is None:
        if not stage.said:
            stage.say("flow_completed", code="completed", frame=frame, title=stage.title(frame))
        return
    caller = stage.change(caller, done=(*caller.done, *frame.done))
    step = stage.flow(caller).program.steps[str(caller.step)]
    taken = step.take if isinstance(step, Call) else {}
    try:
        names = names_of(stage, frame)
        told = [(path, expression.value(names)) for path, expression in taken.items()]
    except Unevaluable as error:
        fail(stage, caller, "unevaluable", why=str(error))
        return
    changed, refused = computed(stage, caller, told)
    if refused is not None:
        fail(stage, caller, "invalid_value", why=f"{refused} does not take its value")
        return
    _done(stage, caller, step, slots=merged(caller.slots, changed))


_STEPS: Final[Mapping[type[Any], Callable[[Stage, Frame, Any], Stop]]] = {
    Say: _say,
    Collect: _collect,
    Confirm: _confirm,
    Set: _set,
    Branch: _branch,
    While: _while,
    Action: _action,
    Call: _call,
    Link: _link,
    End: _end,
}
