"""What the tests of the pure core share: events in few words, and the effects by kind."""

from __future__ import annotations

from typing import Any, TypeVar

from mew_gateway.protocol.reasons import Class
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Effect, End, Note, Send
from mew_gateway.sdk.execution.events import Began, BoundaryReached, Ended, Ending, Event, Heard, Interrupted, SpanBegan
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.policy import Policy
from mew_gateway.sdk.execution.spans import Declaration

NOW = 1_700_000_000_000
T = TypeVar("T")


def began(run: str = "r", policy: Policy = "soft-stop", *, foreground: bool = True, **fields: Any) -> Began:
    """A run whose root span is `<run>:root` and whose conclusion is `<run>:end`."""
    limit = fields.pop("limit", None)
    declared = Declaration(policy, foreground=foreground, limit=limit)
    return Began(run, f"{run}:root", f"{run}:end", declared, **fields)


def span(
    id: str, policy: Policy = "soft-stop", *, run: str = "r", parent: str | None = None, **fields: Any
) -> SpanBegan:
    """A span below the root, unless it says what is its parent."""
    state = fields.pop("state", {})
    return SpanBegan(run, id, parent or f"{run}:root", Declaration(policy, **fields), state=state)


def asked(id: str = "i1", class_: Class = "cancel", run: str | None = "r", **fields: Any) -> Interrupted:
    """An interrupt of the wire, unless it says otherwise, that arrives as it is decided."""
    return Interrupted(Interrupt(id, fields.pop("sender", "human"), run, class_, **fields), f"ack-{id}")


def said(id: str = "c1", text: str = "stop", sender: str = "ana", **fields: Any) -> Heard:
    """A chat, from the user of a run mostly."""
    return Heard(id, sender, text, NOW, ack=f"ack-{id}", **fields)


def thought(id: str = "t1", run: str = "r") -> BoundaryReached:
    """A thought of a run's root."""
    return BoundaryReached(run, f"{run}:root", id, f"thought {id}")


def ended(run: str = "r", how: Ending = "returned", message: str | None = None, **fields: Any) -> Ended:
    """The end of a run's body."""
    return Ended(run, how, message, **fields)


def play(*events: Event, core: Core | None = None) -> list[tuple[Effect, ...]]:
    """The effects of each event, a millisecond apart."""
    core = core or Core()
    return [core.handle(event, NOW + n) for n, event in enumerate(events)]


def only(kind: type[T], effects: tuple[Effect, ...]) -> list[T]:
    """The effects of one kind."""
    return [one for one in effects if isinstance(one, kind)]


def sends(effects: tuple[Effect, ...], kind: str) -> list[Send]:
    """The envelopes of a kind."""
    return [one for one in only(Send, effects) if one.kind == kind]


def notes(effects: tuple[Effect, ...], kind: str) -> list[Note]:
    """The timeline's events of a kind."""
    return [one for one in only(Note, effects) if one.kind == kind]


def ack(effects: tuple[Effect, ...]) -> dict[str, Any]:
    """The payload of the one ack among effects."""
    (answer,) = [one for one in only(Send, effects) if one.kind in ("reasoning/interrupt-ack", "chat/acknowledge")]
    return answer.payload


def ends(effects: tuple[Effect, ...]) -> list[tuple[str, str, str]]:
    """The spans that are told to end: by which rule, and how."""
    return [(one.span, one.interrupt.rule, one.how) for one in only(End, effects)]
