"""What happens to a dialogue, for good: the inputs of `advance`, one row each (docs/flows.md §3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from mew_agents.flows.commands import AnyCommand
from mew_agents.flows.state import Suspension


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """One of those below, at a time in ms. As JSON it carries its name under `event`."""

    at: int


class Heard(Event, frozen=True, kw_only=True, tag="heard"):
    """A message begins a turn. `manner`: how to speak (a PolicyContext without its time, JSON)."""

    message_id: str
    text: str
    manner: str


class Commanded(Event, frozen=True, kw_only=True, tag="commanded"):
    """Pass 1 or 2 has understood this. `lists`: of what slots name, the part of their tools' lists that is needed."""

    command: AnyCommand
    decision_id: str
    lists: Mapping[str, Mapping[str, Sequence[str]]] = {}


class Declined(Event, frozen=True, kw_only=True, tag="declined"):
    """The message answers no question that is open, and changes nothing: `code` says why."""

    code: str


class NotUnderstood(Event, frozen=True, kw_only=True, tag="not_understood"):
    """Nothing in the message is a command."""


class WentOn(Event, frozen=True, kw_only=True, tag="went_on"):
    """Everything that was said is known: the flow at hand takes its steps, and the turn ends where it has to wait."""


class Paused(Event, frozen=True, kw_only=True, tag="paused"):
    """A call goes on for longer than the turn: that is said, and the turn ends."""


class Sending(Event, frozen=True, kw_only=True, tag="sending"):
    """A call that may be made again is about to be made: these bytes, from this place in the space's order on."""

    key: str
    request: str
    cursor: str | None
    timeout: int


class ActionDone(Event, frozen=True, kw_only=True, tag="action_done"):
    """A call that may be made again has its result."""

    key: str
    content: Any


class ActionFailed(Event, frozen=True, kw_only=True, tag="action_failed"):
    """A call that may be made again came to nothing."""

    key: str
    code: str
    message: str = ""


class EffectDone(Event, frozen=True, kw_only=True, tag="effect_done"):
    """The effect has happened. `content`: the tool's answer."""

    work_id: str
    content: Any = None


class EffectFailed(Event, frozen=True, kw_only=True, tag="effect_failed"):
    """The effect has not happened, and will not."""

    work_id: str
    code: str
    message: str = ""


class EffectStopping(Event, frozen=True, kw_only=True, tag="effect_stopping"):
    """The effect is to be called off, and its call is out: it is awaited what comes of that. `by` as below."""

    work_id: str
    by: str | None = None


class EffectCancelled(Event, frozen=True, kw_only=True, tag="effect_cancelled"):
    """The effect was to be called off, and is settled. `done`: it happened nevertheless. `by` None: by who talks."""

    work_id: str
    by: str | None = None
    done: bool = False


class EffectInDoubt(Event, frozen=True, kw_only=True, tag="effect_in_doubt"):
    """Nobody can tell whether the effect has happened; a person finds out."""

    work_id: str


class CalledOff(Event, frozen=True, kw_only=True, tag="called_off"):
    """Somebody else than the person who talks ends a flow, or all of them (`flow_id` None)."""

    by: str
    flow_id: str | None = None
    reason: str | None = None


class Suspended(Event, frozen=True, kw_only=True, tag="suspended"):
    """The dialogue stands still until it is released. `why`: what went wrong."""

    reason: Suspension
    by: str
    why: str | None = None


class Released(Event, frozen=True, kw_only=True, tag="released"):
    """The dialogue goes on; what was asked is asked again."""

    by: str


class Dropped(Event, frozen=True, kw_only=True, tag="dropped"):
    """The turn was stopped: what is committed stands, and nothing more comes of the message."""

    reason: str


AnyEvent: TypeAlias = (
    Heard
    | Commanded
    | Declined
    | NotUnderstood
    | WentOn
    | Paused
    | Sending
    | ActionDone
    | ActionFailed
    | EffectDone
    | EffectFailed
    | EffectStopping
    | EffectCancelled
    | EffectInDoubt
    | CalledOff
    | Suspended
    | Released
    | Dropped
)
_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(AnyEvent)


def written(event: AnyEvent) -> str:
    """An event as JSON."""
    return _ENCODER.encode(event).decode()


def read(text: str) -> AnyEvent:
    """An event from its JSON."""
    event: AnyEvent = _DECODER.decode(text)
    return event


def name_of(event: AnyEvent) -> str:
    """What the event is called on the record."""
    return str(type(event).__struct_config__.tag)
