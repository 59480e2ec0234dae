"""Chats during a run: whether a chat interrupts, and with which class (docs/interruption.md §2).

A chat is an ordinary message if nothing has the focus or its sender may not interrupt. Otherwise it is classified, by
rules at once or by the agent's own classifier within a time limit, and becomes an interrupt with the class that its
sender may use. A chat of a sender that a paused span waits for is the answer to that span instead.
"""

from __future__ import annotations

from mew_gateway.protocol.reasons import Class

from ..classifier.classifier import Classification, classify, is_stop_word
from . import confidence, decide
from .effects import Attend, Classify, Effect, Note, Resume
from .events import Clarified, Classified, Heard, Withdrawn
from .interrupt import Interrupt
from .runs import Run
from .spans import Span
from .state import PendingChat, State, moved

# Whose words a run is about may stop it, whatever the space lets them do; but never with an emergency.
_OF_THE_USER: tuple[Class, ...] = ("queue", "clarification", "cancel", "override")

_PENDING = 64  # chats that the agent's own classifier decides on at a time

_MOST, _PERIOD = 5, 10_000  # barge-ins of one sender in so many milliseconds (seed 000 §8)
_SENDERS = 1_000  # whose barge-ins are counted


def heard(state: State, event: Heard, now: int) -> tuple[Effect, ...]:
    """Handle a chat to the agent."""
    urgent = is_stop_word(event.text)
    talking, found = _waiting_for(state, event), state.focused()
    noise = event.confidence is not None and event.confidence < confidence.threshold(found, "ignored_below")
    if talking is not None and not noise and not urgent:
        return go_on(talking, event.text)
    if found is None or not _may(event, found[0]) or event.called in state.pending:
        return (Attend(event.called),)
    if event.mode == "stop-words" and not urgent:
        return (Attend(event.called),)
    run = found[0]
    if event.confidence is not None and noise:
        return _settle(state, event, run, Classification("queue", event.confidence, "noise"), now)
    if not _may_barge_in(state, event.sender, now):
        return _settle(state, event, run, Classification("queue", 1.0, "too-often"), now)
    if event.model is None or urgent or len(state.pending) >= _PENDING:  # an exact stop word does not wait
        return _settle(state, event, run, classify(event.text), now)
    state.pending[event.called] = PendingChat(event, run.id, now + event.model)
    begun = {"kind": "plan", "name": "classification", "limit_ms": event.model}
    name = event.called
    return (Note("span_begun", name, name, event.id, begun), Classify(name, event.text, event.model))


def _may_barge_in(state: State, sender: str, now: int) -> bool:
    """Count a barge-in. Return false if the sender has interrupted too often (seed 000 §8)."""
    recent = [at for at in state.barged_in.pop(sender, []) if at > now - _PERIOD]
    free = len(recent) < _MOST
    state.barged_in[sender] = [*recent, now] if free else recent
    while len(state.barged_in) > _SENDERS:
        del state.barged_in[next(iter(state.barged_in))]
    return free


def classified(state: State, event: Classified, now: int) -> tuple[Effect, ...]:
    """Handle the decision of the agent's own classifier. If it is late, the rules have decided already."""
    pending = state.pending.pop(event.id, None)
    if pending is None:
        return ()
    decided = Classification(event.class_, min(1.0, max(0.0, event.confidence)), event.rule)
    return (_ended(pending.heard, "completed"), *_settle_late(state, pending, decided, now))


def withdrawn(state: State, event: Withdrawn) -> tuple[Effect, ...]:
    """Withdraw chats that wait (§3.4.2). What they have stopped stays stopped."""

    def is_theirs(said: Heard | Interrupt) -> bool:
        theirs = event.sender is None or (event.sender, event.invitation) == (said.sender, said.invitation)
        return event.ids is None or (said.id in event.ids and theirs)

    def is_meant(interrupt: Interrupt) -> bool:
        return event.ids is None or (interrupt.source == "chat" and is_theirs(interrupt))

    effects: list[Effect] = []
    for name in [name for name, pending in state.pending.items() if is_theirs(pending.heard)]:
        effects.append(_ended(state.pending.pop(name).heard, "cancelled"))
    for key in [key for key, handed in state.following.items() if is_meant(handed.interrupt)]:
        del state.following[key]
        effects.append(Note("withdrawn", None, None, key[1]))
    for run in state.runs.values():
        for queue in (run.instead, run.after):
            for one in [one for one in queue if is_meant(one.interrupt)]:
                queue.remove(one)
                effects.append(Note("withdrawn", run.id, None, one.interrupt.id))
        for span in run.spans.values():
            if span.pausing is not None and is_meant(span.pausing):
                effects.append(Note("withdrawn", run.id, span.id, span.pausing.id))
                effects.extend(go_on(span, None))
    return tuple(effects)


def out_of_time(state: State, now: int) -> list[Effect]:
    """Decide pending chats by rules, when half the deadline is over (§2.6)."""
    effects: list[Effect] = []
    for name in [name for name, pending in state.pending.items() if pending.until <= now]:
        pending = state.pending.pop(name)
        effects.append(_ended(pending.heard, "cancelled"))
        effects.extend(_settle_late(state, pending, classify(pending.heard.text), now))
    return effects


def clarified(state: State, event: Clarified) -> tuple[Effect, ...]:
    """Handle the answer that a paused span waits for."""
    run = state.runs.get(event.run)
    span = None if run is None else run.spans.get(event.span)
    if run is None or span is None or span.state != "paused":
        return ()
    return go_on(span, event.answer)


def go_on(span: Span, answer: object) -> tuple[Effect, ...]:
    """Resume a span that has paused, or is about to; it is the same span, and nothing was concluded."""
    cause = None if span.pausing is None else span.pausing.id
    span.pausing = span.talks_until = None
    if span.state != "paused":
        return (Resume(span.id, answer),)
    before = span.move("running")
    span.at_boundary = False
    return (moved(span, before, cause=cause, answered=answer is not None), Resume(span.id, answer))


def _settle_late(state: State, pending: PendingChat, found: Classification, now: int) -> tuple[Effect, ...]:
    """Settle a chat that was classified later: it means the run that was current when it arrived."""
    run = state.runs.get(pending.run)
    return _settle(state, pending.heard, None if run is None or run.lost else run, found, now)


def _settle(state: State, event: Heard, run: Run | None, found: Classification, now: int) -> tuple[Effect, ...]:
    """Turn a classified chat into an interrupt, if its sender may interrupt."""
    data = {"class": found.class_, "rule": found.rule, "confidence": found.confidence}
    note = Note("classified", None, None, event.id, data)
    class_ = None if run is None else _permitted(found.class_, event, run)
    if run is None or class_ is None:
        return (note, Attend(event.called))
    interrupt = Interrupt(
        event.id,
        event.sender,
        run.id,
        class_,
        message=event.text,
        input=event.text,
        source="chat",
        confidence=found.confidence if event.confidence is None else event.confidence,
        on_reject="queue",
        rule=found.rule,
        invitation=event.invitation,
    )
    return (note, *decide.decide(state, interrupt, event.ack, now, received=event.received))


def _permitted(class_: Class, event: Heard, run: Run) -> Class | None:
    """Return the class that the sender may use: this one, or a weaker one; None if it may not interrupt."""
    allowed = event.allowed + (_OF_THE_USER if _is_of_the_user(event, run) else ())
    wanted: tuple[Class, ...] = (class_, "cancel", "queue") if class_ == "emergency" else (class_, "queue")
    return next((one for one in wanted if one in allowed), None)


def _may(event: Heard, run: Run) -> bool:
    return bool(event.allowed) or _is_of_the_user(event, run)


def _is_of_the_user(event: Heard, run: Run) -> bool:
    """Return true if the sender is the user of the run; a guest of the same name is another participant."""
    return (event.sender, event.invitation) == (run.user, run.invitation)


def _waiting_for(state: State, event: Heard) -> Span | None:
    """Return the span that has paused to talk with the sender of this chat."""
    who = (event.sender, event.invitation)
    for run in state.runs.values():
        for span in run.spans.values():
            by = span.pausing
            if span.state == "paused" and by is not None and (by.sender, by.invitation) == who:
                return span
    return None


def _ended(heard: Heard, to: str) -> Note:
    return Note("span_state", heard.called, heard.called, heard.id, {"from": "running", "to": to})
