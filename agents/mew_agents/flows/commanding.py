"""What each command does to a dialogue; every one of the closed set has its handler (docs/flows.md §2)."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from mew_agents.flows.commands import (
    Affirm,
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Deny,
    Handoff,
    LeftOut,
    QueueFlow,
    ReopenSlot,
    SetSlot,
    StartFlow,
    Wait,
    WhichSlot,
)
from mew_agents.flows.definitions.steps import Confirm
from mew_agents.flows.ending import cancel, cancel_all
from mew_agents.flows.stage import DEEPEST, MOST_QUEUED, Stage
from mew_agents.flows.state import Asked, Frame, Queued
from mew_agents.flows.stepping import affirmed, denied
from mew_agents.flows.valuing import next_reading, reopen, say_under_way, take
from mew_agents.flows.wording import bounds_of, filled, options_of
from mew_agents.fluxi.wording import label
from mew_agents.language.folding import fold

# Of what is said back: punctuation around it says nothing.
_EDGES = " \t\n.,;:!?¡¿"
# Messages in a row that answer nothing of what is asked, before a person must help (Fluxi's `maxUnresolved`).
MOST_UNRESOLVED = 3
_FEWEST_LETTERS = 4  # of a word that says what a flow is about


def command(stage: Stage, told: AnyCommand, decision_id: str) -> None:
    """One command takes effect. What the flow at hand makes of it comes with `WentOn`."""
    if not isinstance(told, Clarify | WhichSlot | ChitChat | Wait):
        stage.unresolved = 0
    elif (isinstance(told, WhichSlot) or told == Clarify()) and _needs_a_person(stage):
        return
    match told:
        case StartFlow():
            _start(stage, told, decision_id)
        case QueueFlow():
            _queue(stage, told, decision_id)
        case CancelFlow():
            _cancel(stage, told)
        case SetSlot() | CorrectSlot():
            if stage.turn is not None and _is_said(stage.turn.text, told):
                take(stage, told, stage.turn.message_id)
        case Affirm() | Deny():
            _answer(stage, yes=isinstance(told, Affirm))
        case ReopenSlot():
            reopen(stage, told.path, emptied=told.emptied)
        case LeftOut():
            _say_left_out(stage, told)
        case WhichSlot():
            _ask_which(stage, told)
        case Clarify():
            _clarify(stage, told)
        case Wait():
            stage.say("waiting", frame=stage.top)
        case ChitChat():
            _chat(stage)
        case Handoff():
            _hand_off(stage)
        case _:
            assert_never(told)


def _is_said(text: str, told: SetSlot | CorrectSlot) -> bool:
    """Whether the evidence stands in the message: what is not in the text was not said (seed 002 §3.3)."""
    return text[told.start : told.end] == told.evidence


def _say_left_out(stage: Stage, told: LeftOut) -> None:
    """What was not used is said back, in the person's own words."""
    words = _words(stage, told)
    if words:
        stage.say("only_now" if told.when else "left_out", frame=stage.top, words=words)


def _ask_which(stage: Stage, told: WhichSlot) -> None:
    """What a figure is for is asked, with the slots by their names."""
    frame, words = stage.top, _words(stage, told)
    if frame is None or frame.asked is None or not words:
        return
    slots = stage.flow(frame).slots
    labels = [label(slots[path].slot, stage.policy) for path in told.paths if path in slots]
    stage.say("which_slot", frame=frame, words=words, labels=labels)
    if frame.asked.wants == "confirm":
        stage.change(stage.close(frame, "superseded"), changing=True)


def _words(stage: Stage, told: LeftOut | QueueFlow | WhichSlot) -> str:
    return "" if stage.turn is None else stage.turn.text[told.start : told.end].strip(_EDGES)


def _queue(stage: Stage, told: QueueFlow, decision_id: str) -> None:
    """A second wish is said back and kept with its words; what there is no room for is only said back."""
    words, turn = _words(stage, told), stage.turn
    known = any(flow.name == told.flow for flow in stage.library.startable)
    if turn is None or not words or not known:
        return
    if len(stage.queue) >= MOST_QUEUED:
        stage.say("left_out", frame=stage.top, words=words)
        return
    said = tuple(one for one in told.values if _is_said(turn.text, one))
    stage.queue.append(
        Queued(
            flow=told.flow,
            words=words,
            message_id=turn.message_id,
            decision_id=decision_id,
            values=said,
            lists=stage.lists,
        )
    )
    stage.say("second_wish", frame=stage.top, titles=stage.called(told.flow), words=words)


def _chat(stage: Stage) -> None:
    if stage.top is None:
        stage.say("courtesy", code="chit_chat", operations=_names(stage))
    else:
        stage.say("chit_chat", frame=stage.top)


def _names(stage: Stage) -> list[str]:
    """What people can ask for."""
    return [stage.called(flow.name) for flow in stage.library.startable]


def _needs_a_person(stage: Stage) -> bool:
    """Counts a message that answers nothing of what is asked; after too many in a row a person takes over."""
    if stage.top is None or stage.top.asked is None:
        return False
    stage.unresolved += 1
    if stage.unresolved <= MOST_UNRESOLVED:
        return False
    _hand_off(stage)
    return True


def not_understood(stage: Stage) -> None:
    """Nothing in a message is a command."""
    if stage.top is not None and stage.top.acting is not None:
        say_under_way(stage, stage.top)
    elif stage.top is not None:
        if not _needs_a_person(stage):
            stage.say("not_understood", frame=stage.top)
    elif say_closed(stage):
        return
    elif stage.library.startable:
        if _names_last(stage):
            _say_done_before(stage)
        stage.say("no_intent", code="not_understood", operations=_names(stage))
    else:
        stage.say("no_operations", code="not_understood")


def _names_last(stage: Stage) -> bool:
    """Whether the message has a word of what people call the last flow."""
    if stage.last is None or stage.turn is None:
        return False
    said, title = (
        {token.text for token in fold(text).tokens if len(token.text) >= _FEWEST_LETTERS}
        for text in (stage.turn.text, stage.called(stage.last.name))
    )
    return not said.isdisjoint(title)


def _say_done_before(stage: Stage) -> bool:
    """Whether an effect of the last flow has happened; then it is said that this cannot be changed by talking."""
    last = stage.last
    if last is None or not last.done:
        return False
    stage.say("done_before", title=stage.called(last.name))
    return True


def say_closed(stage: Stage) -> bool:
    """Whether somebody else has ended what was asked last, which is then said: it is why an answer is none."""
    last = stage.last
    if stage.top is not None or last is None or not last.asked or last.by is None:
        return False
    stage.say("question_cancelled", code="question_closed", title=stage.called(last.name))
    return True


def _start(stage: Stage, told: StartFlow, decision_id: str) -> None:
    """A flow during a flow is a digression: the one at hand waits below, its question void (docs/flows.md §5)."""
    top = stage.top
    flow = next((one for one in stage.library.startable if one.name == told.flow), None)
    if flow is None:
        not_understood(stage)
        return
    if told.rivals:
        stage.say("which_intent", code="which_flow", options=[stage.called(name) for name in (told.flow, *told.rivals)])
        return
    if top is not None:
        root = stage.root(top)
        if stage.flow(root).digression == "deny" or stage.flow(top).digression == "deny":
            stage.say("digression_denied", frame=top, title=stage.title(root))
            return
        if len(stage.stack) >= DEEPEST:
            stage.say("digression_denied", code="too_many_flows", frame=top, title=stage.title(root))
            return
        stage.change(stage.close(top, "void"), changing=False)
    stage.push(flow, decision_id)


def _cancel(stage: Stage, told: CancelFlow) -> None:
    top = stage.top
    if top is None:
        if not _say_done_before(stage):
            stage.say("nothing_to_cancel")
    elif told.scope == "all" and (len(stage.stack) > 1 or stage.queue):
        cancel_all(stage)
    else:
        cancel(stage, stage.root(top))


def _answer(stage: Stage, *, yes: bool) -> None:
    """A yes or a no meets the question at hand, which it consumes."""
    frame = stage.top
    asked = None if frame is None else frame.asked
    if frame is not None and frame.changing:
        _keep(stage, frame, yes=yes)
    elif frame is None or asked is None or asked.wants == "value":
        _say_nothing_to_confirm(stage, frame, asked)
    elif asked.expires_at is not None and asked.expires_at <= stage.at:
        stage.close(frame, "expired")
        stage.say("question_expired", frame=frame)
    elif asked.wants == "check":
        _checked(stage, stage.close(frame, "consumed" if yes else "rejected"), asked, yes=yes)
    elif yes:
        affirmed(stage, stage.close(frame, "consumed"), asked)
    else:
        denied(stage, stage.close(frame, "rejected"))


def _say_nothing_to_confirm(stage: Stage, frame: Frame | None, asked: Asked | None) -> None:
    """A yes or a no where neither is asked for: what comes first is said, or what is asked is explained."""
    below = next((one for one in stage.frames() if one is not frame and _awaits_yes(stage, one)), None)
    if frame is not None and asked is not None and below is not None:
        stage.say("waits_below", frame=frame, first=stage.title(frame), after=stage.title(below))
    elif frame is not None and asked is not None and asked.path is not None:
        _clarify(stage, Clarify(path=asked.path))
    elif not say_closed(stage):
        stage.say("nothing_to_confirm")


def _awaits_yes(stage: Stage, frame: Frame) -> bool:
    """Whether a flow below stands where it asks for a yes."""
    return frame.step is not None and isinstance(stage.flow(frame).program.steps[frame.step], Confirm)


def _keep(stage: Stage, frame: Frame, *, yes: bool) -> None:
    """A yes or a no to what is to be different: with a yes nothing is, and it is confirmed anew; a no cancels."""
    if yes:
        stage.change(stage.close(frame, "superseded"), changing=False)
    else:
        cancel(stage, stage.root(frame))


def _checked(stage: Stage, frame: Frame, asked: Asked, *, yes: bool) -> None:
    """A value that was not sure is meant, or its next reading is asked back, or it is asked for again."""
    path = str(asked.path)
    slot = frame.slots[path]
    after = replace(slot, status="committed") if yes else next_reading(slot)
    slots = {name: one for name, one in frame.slots.items() if name != path}
    stage.change(frame, slots=slots if after is None else {**slots, path: after})


def _clarify(stage: Stage, told: Clarify) -> None:
    """What is asked, or the slot that is named, is explained; where there is nothing to tell, that is said."""
    frame = stage.top
    if frame is None or frame.asked is None:
        stage.say("courtesy", code="clarify", operations=_names(stage))
        return
    if not told.known:
        stage.say("no_answer", code="clarify", frame=frame)
        return
    path = told.path if told.path in stage.flow(frame).slots else frame.asked.path
    if path is None or (told.path is None and frame.asked.wants == "confirm"):
        stage.say("clarify_confirm", code="clarify", frame=frame, title=stage.title(frame))
        return
    slot = stage.flow(frame).slots[path]
    explained = filled(stage, frame, slot.explain) if slot.explain else None
    named = label(slot.slot, stage.policy)
    stage.say("clarify_slot", code="clarify", frame=frame, label=named, title=stage.title(frame), explain=explained)
    options = options_of(stage, slot.slot)
    if options and (explained is None or not all(one in explained for one in options)):
        stage.say("slot_options", code="clarify", frame=frame, options=options)
    least, most = bounds_of(stage, slot.slot)
    if least or most:
        stage.say("slot_bounds", code="clarify", frame=frame, label=named, least=least, most=most)


def _hand_off(stage: Stage) -> None:
    """A person takes over; the flow waits until it is released."""
    top = stage.top
    if top is None:  # nothing waits that could be taken over
        stage.say("handoff_noted", code="handoff", operations=_names(stage))
    else:
        stage.suspended = "needs_human"
        stage.close(top, "void")
        stage.say("handoff", frame=top, title=stage.title(top))
    stage.page(stage.turn.text if stage.turn is not None else "")
