"""Every error code and close code of the wire, with its meaning and what a client should do (docs/protocol.md §7)."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One row of the table: what happened, and what the client does next."""

    meaning: str
    remedy: str


ERRORS: dict[str, Code] = {
    # Undecodable or over the rate: answered by the shell, never journalled.
    "invalid_json": Code("The frame is not one JSON object in UTF-8.", "Fix the encoder; do not resend."),
    "invalid_number": Code("A number does not fit 64 bits or a double.", "Send it as a string."),
    "too_deep": Code("The JSON is nested deeper than the limit.", "Flatten the payload."),
    "duplicate_key": Code("An object has the same key twice.", "Send each key once."),
    "invalid_envelope": Code("A top-level field is missing or of the wrong type.", "Fix the named field."),
    "rate_limited": Code("Too many envelopes, bytes or interrupts.", "Wait `retry_after_ms`, then resend."),
    "journal_unavailable": Code("The journal cannot be written; nothing was accepted.", "Resend later."),
    "internal_error": Code("The gateway made a mistake with this envelope.", "Report it; do not resend."),
    # Identity and order.
    "identity_mismatch": Code("`from` is not the id this connection joined as.", "Leave `from` out."),
    "reserved_kind": Code("This kind is spoken by the gateway only.", "Do not send it."),
    "unsupported_kind": Code("This gateway version does not enforce the kind yet.", "Do not rely on it."),
    "duplicate_id": Code("The id was used before.", "A resend: treat as accepted. Otherwise use a new id."),
    "fenced": Code("The sender's interrupted sequence has not concluded.", "Conclude it first."),
    "capability_violation": Code("No capability of the sender matches.", "Propose it, or ask for a grant."),
    "invalid_payload": Code("A payload field is missing or of the wrong type.", "Fix the named field."),
    "invalid_capability": Code("A capability pattern does not compile.", "Fix the named pattern."),
    "participant_not_found": Code("An id in `to` is not known here; the others received.", "Check the id."),
    # Requests.
    "request_not_found": Code("No open request with that id is addressed to the sender.", "Do not respond."),
    # Reasoning and interruption.
    "sequence_not_found": Code("No such sequence.", "Check the id; it may have been forgotten."),
    "sequence_closed": Code("The sequence has ended.", "Nothing is left to stop or to add."),
    "sequence_interrupted": Code("The sequence is stopping: no further thought.", "Send its conclusion."),
    "not_sequence_owner": Code("The sequence belongs to somebody else.", "Address its owner."),
    "too_many_sequences": Code("The participant has its maximum of open sequences.", "Conclude one first."),
    "sequence_lost": Code("The owner left and did not come back in time.", "Treat the sequence as ended."),
    "invalid_interrupt": Code("The interrupt does not name exactly one target and sequence.", "Fix it."),
    "unsupported_class": Code("This gateway version does not enforce the class yet.", "Use `override`."),
    "cannot_ack": Code("The owner may not send `reasoning/interrupt-ack`.", "Give it the capability."),
    "unknown_interrupt": Code("No such interrupt.", "Do not acknowledge it."),
    "not_target": Code("The interrupt was addressed to somebody else.", "Let the target acknowledge it."),
    "already_acked": Code("The interrupt has its acknowledgement.", "Nothing to do."),
    "interrupt_ack_timeout": Code("The target did not acknowledge in time.", "Escalate."),
    "interrupt_overrun": Code("The target promised to stop and did not conclude in time.", "Escalate."),
}

CLOSES: dict[int, Code] = {
    1000: Code("Normal closure.", "Nothing."),
    1002: Code("A frame breaks the WebSocket protocol.", "Fix the client."),
    1007: Code("A text frame is not UTF-8.", "Fix the client."),
    1009: Code("A frame is over the size limit.", "Send less at once."),
    1012: Code("The gateway restarts.", "Come back, with a random delay."),
    4008: Code("Too slow: the outbox is full or has stalled.", "Reconnect, and read faster."),
    4009: Code("Too many connections of one participant, or of the gateway.", "Close one, then reconnect."),
    4010: Code("Not joined in time.", "Reconnect and join at once."),
    4029: Code("Flooding: the rate limit was passed for seconds on end.", "Slow down, then reconnect."),
    4501: Code("Unauthorised.", "Stop; get a token."),
    4503: Code("Kicked.", "Stop; ask to be invited again."),
    4504: Code("Shut down.", "Stop until somebody starts you again."),
}


def may_reconnect(code: int) -> bool:
    """Whether a client may come back after this close code: 4500 to 4999 mean *stop* (docs/protocol.md §7)."""
    return not 4500 <= code <= 4999
