"""An interrupt as the agent reads it: who asks which run to stop, how strongly, and what for instead."""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import class_of

INTERRUPT = "reasoning/interrupt"
CANCEL = "reasoning/cancel"


class Interrupt(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """A wire interrupt (seed 004) or somebody else's v0.4 `reasoning/cancel` (docs/protocol.md §5).

    `id` is the envelope's; `run` the sequence that is to stop; `class_` one of `protocol.reasons.CLASSES`, the
    one the gateway matched, so that the agent never acts more strongly; `input` what to do instead or
    afterwards: the payload's `input`, else its `message`, else None.
    """

    id: str
    sender: str
    run: str
    class_: str
    reason: str | None = None
    message: str | None = None
    input: Any = None


def interrupt_in(envelope: Envelope) -> Interrupt | None:
    """The interrupt that an envelope is, or None: another kind, or one that names no sequence."""
    payload = envelope.payload or {}
    reason, message = _text(payload.get("reason")), _text(payload.get("message"))
    if envelope.kind == INTERRUPT and envelope.correlation_id:
        run, class_ = envelope.correlation_id[0], class_of(reason, payload.get("class"))
    elif envelope.kind == CANCEL and envelope.context:
        # §3.5.5: a cancel names its sequence in `context`, which may be a path below it.
        run, class_ = envelope.context.partition("/")[0], "cancel"
    else:
        return None
    return Interrupt(
        id=envelope.id,
        sender=envelope.sender,
        run=run,
        class_=class_,
        reason=reason,
        message=message,
        input=payload.get("input", message),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
