"""An interrupt as the agent reads it: its sender, target, class and input."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import CLASSES, Class, class_of

INTERRUPT = "reasoning/interrupt"
CANCEL = "reasoning/cancel"

Source: TypeAlias = Literal["wire", "chat", "alert", "request", "control", "gateway"]
Scope: TypeAlias = Literal["span", "run", "participant"]
OnReject: TypeAlias = Literal["queue", "ignore"]

_SCOPES = ("span", "run", "participant")


class Interrupt(msgspec.Struct, frozen=True, rename={"class_": "class"}, omit_defaults=True):
    """A request to stop or to change.

    Its `source` is one of: a wire interrupt (seed 004) or another participant's v0.4 `reasoning/cancel`; a `chat`
    during a run; an `alert` from within the agent (seed 000 §1); a `request` that its sender cancels; a `control`
    (`participant/restart`, `participant/shutdown`); the `gateway`, which removes the agent or gives up a sequence.

    `id` is the envelope's. `run` is the sequence that is meant; None: the one that has the focus. `class_` is the class
    that the gateway matched, so that the agent never acts more strongly. `input` is what to do instead or afterwards:
    the payload's `input`, else its `message`, else None. `rule` says what decided the class. `confidence` is below 1.0
    only if the class, or the words, were inferred. `invitation` distinguishes guests of the same name.
    """

    id: str
    sender: str
    run: str | None
    class_: Class
    reason: str | None = None
    message: str | None = None
    input: Any = None
    source: Source = "wire"
    scope: Scope | None = None
    span_id: str | None = None
    confidence: float = 1.0
    on_reject: OnReject = "ignore"
    rule: str = "explicit"
    invitation: str | None = None


def interrupt_in(envelope: Envelope, invitation: str | None = None) -> Interrupt | None:
    """Parse an interrupt from an envelope. Return None for another kind, or if it names no sequence."""
    payload = envelope.payload or {}
    reason, message = _text(payload.get("reason")), _text(payload.get("message"))
    if envelope.kind == INTERRUPT and envelope.correlation_id:
        explicit = payload.get("class")
        run, class_ = envelope.correlation_id[0], class_of(reason, explicit)
        rule = "explicit" if explicit == class_ else f"reason:{reason}"
    elif envelope.kind == CANCEL and envelope.context:
        # §3.5.5: a cancel names its sequence in `context`, which may be a path below it.
        run, class_, rule = envelope.context.partition("/")[0], "cancel", CANCEL
    else:
        return None
    scope, confidence = payload.get("scope"), certainty(payload.get("confidence"))
    return Interrupt(
        id=envelope.id,
        sender=envelope.sender,
        run=run,
        class_=class_,
        reason=reason,
        message=message,
        input=payload.get("input", message),
        scope=scope if scope in _SCOPES else None,
        span_id=_text(payload.get("span_id")),
        confidence=1.0 if confidence is None else confidence,
        on_reject="queue" if payload.get("on_reject") == "queue" else "ignore",
        rule=rule,
        invitation=invitation,
    )


def weaker(class_: Class, than: Class) -> bool:
    """Return true if one class asks for less than another (docs/protocol.md §5)."""
    return CLASSES.index(class_) < CLASSES.index(than)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def certainty(value: object) -> float | None:
    """Return a confidence between 0 and 1; None if the value is no number, so that nothing was inferred."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(min(1, max(0, value)))
