"""Every error code and close code of the wire, with its meaning and its remedy (docs/protocol.md §7)."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One row of the table: what happened, and what the client should do."""

    meaning: str
    remedy: str


ERRORS: dict[str, Code] = {
    # Undecodable or over the rate: answered by the shell, never journalled.
    "invalid_json": Code("The frame is not one JSON object in UTF-8.", "Fix the encoder; do not resend."),
    "invalid_number": Code("A number does not fit 64 bits or a double.", "Send it as a string."),
    "too_deep": Code("The JSON is nested deeper than the limit.", "Flatten the payload."),
    "too_complex": Code(
        "The JSON would take too long to decode: it has more brackets, commas and colons than the limit, or extreme "
        "numbers or escapes, which count as several.",
        "Split it, or send its numbers as text in a string.",
    ),
    "duplicate_key": Code("An object has the same key twice.", "Send each key once."),
    "invalid_envelope": Code("A top-level field is missing or of the wrong type.", "Fix the named field."),
    "rate_limited": Code(
        "Too many envelopes, bytes, interrupts or connects, or too much work to decide about them.",
        "Wait `retry_after_ms`, then resend.",
    ),
    "journal_unavailable": Code("The journal cannot be written; nothing was accepted.", "Resend later."),
    "internal_error": Code("The gateway made a mistake with this envelope.", "Report it; do not resend."),
    # Identity and order.
    "identity_mismatch": Code("`from` is not the id this connection joined as.", "Leave `from` out."),
    "reserved_kind": Code("This kind is spoken by the gateway only.", "Do not send it."),
    "duplicate_id": Code(
        "The id was used before.", "With `yours` a resend: treat as accepted. Otherwise use a new id."
    ),
    "removed": Code("The sender was kicked from the space.", "Stop; ask to be invited again."),
    "shutting_down": Code("The sender was told to shut down.", "Say goodbye; join again to go on."),
    "paused": Code("The sender is paused.", "Wait for a resume, or for the pause's end."),
    "halted": Code("An emergency has halted the sender.", "Wait for the safety role's resume."),
    "fenced": Code("The sender's interrupted sequence has not concluded.", "Conclude it first."),
    "capability_violation": Code("No capability of the sender matches.", "Propose it, or ask for a grant."),
    "invalid_payload": Code("A payload field is missing or of the wrong type.", "Fix the named field."),
    "invalid_capability": Code("A capability pattern does not compile.", "Fix the named pattern."),
    "participant_not_found": Code("An id is not known here; others that were named received.", "Check the id."),
    # Joining.
    "join_refused": Code(
        "The first frame is no join frame, or its token, space or id is not valid here.",
        "Stop; join with a token of that space, as yourself or under a free alias.",
    ),
    "history_unavailable": Code("What was missed cannot be replayed whole.", "Read the history over HTTP."),
    # Requests.
    "request_target_left": Code(
        "Whoever was asked was removed or shut down while the request was open: it may have been carried out.",
        "Find out before you ask again.",
    ),
    "request_not_found": Code("No open request with that id is addressed to the sender.", "Do not respond."),
    # Proposals.
    "proposal_not_found": Code("No such proposal.", "Check the id; it may have been forgotten."),
    "proposal_closed": Code("The proposal was fulfilled, withdrawn, voided, or has expired.", "Propose it again."),
    "proposal_rejected": Code("Somebody has rejected the proposal.", "A new one names it in `correlation_id`."),
    "proposal_mismatch": Code("The request is not what was proposed.", "Send the same method, params and `to`."),
    "not_proposer": Code("Somebody else made the proposal.", "Reject it, or leave it to its proposer."),
    "too_many_proposals": Code("The participant has its maximum of open proposals.", "Withdraw one first."),
    "proposal_voided": Code("The proposer or its sequence was stopped or is gone.", "Do not fulfil it."),
    "proposal_expired": Code("Nobody fulfilled the proposal in time.", "Propose it again if it still matters."),
    # Capabilities at run time, membership and control.
    "grant_exceeds_capabilities": Code("The sender does not hold what it gives.", "Give less, or ask a holder."),
    "grant_not_found": Code("There is no such grant or capability.", "Look at the participant's grants."),
    "not_granter": Code("Neither did the sender grant it, nor does it hold it.", "Ask the granter."),
    "too_many_grants": Code(
        "The space or the recipient has its maximum of grants, or the sender gives more than it leaves for others.",
        "Revoke one first, or kick a guest.",
    ),
    "invalid_participant": Code("A participant cannot be called so.", "Use letters, digits, `.`, `_` and `-`."),
    "already_exists": Code("Somebody here is called so already.", "Choose another id."),
    "too_many_invitees": Code("The space has its maximum of invitees.", "Kick one first."),
    "pause_not_found": Code("The target has no such pause.", "Look at its state; it may have been resumed."),
    # Streams.
    "stream_not_found": Code("No such stream is open.", "Ask for one."),
    "unauthorized": Code("Only the stream's owner may do that.", "Ask its owner."),
    "unauthorized_stream_write": Code("The sender may not write to the stream.", "Ask its owner for write access."),
    "invalid_operation": Code("A stream's owner cannot lose its own write access.", "Transfer or close the stream."),
    "invalid_frame": Code("A stream's frame begins with `#stream_id#`.", "Fix the frame."),
    "target_not_found": Code("A target of the stream is not known here.", "Check the id."),
    "too_many_streams": Code("The participant has its maximum of open streams.", "Close one first."),
    # Reasoning and interruption.
    "sequence_not_found": Code("No such sequence.", "Check the id; it may have been forgotten."),
    "sequence_closed": Code("The sequence has ended.", "Nothing is left to stop or to add."),
    "sequence_interrupted": Code("The sequence is stopping: no further thought.", "Send its conclusion."),
    "not_sequence_owner": Code("The sequence belongs to somebody else.", "Address its owner."),
    "too_many_sequences": Code("The participant has its maximum of open sequences.", "Conclude one first."),
    "sequence_lost": Code("The owner left and did not come back in time.", "Treat the sequence as ended."),
    "invalid_interrupt": Code("The interrupt does not name exactly one target and sequence.", "Fix it."),
    "cannot_ack": Code("The owner may not send `reasoning/interrupt-ack`.", "Give it the capability."),
    "unknown_interrupt": Code("No such interrupt.", "Do not acknowledge it."),
    "not_target": Code("The interrupt was addressed to somebody else.", "Let the target acknowledge it."),
    "already_acked": Code("The interrupt has its acknowledgement.", "Nothing to do."),
    "interrupt_target_left": Code("The target was removed: nobody answers.", "Treat the interrupt as ended."),
    "interrupt_ack_timeout": Code("The target did not acknowledge in time.", "Escalate."),
    "interrupt_refused": Code("The target answered that it goes on.", "Escalate."),
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
    4029: Code(
        "Flooding, or connecting too often: a rate was passed for seconds on end, or by what came at once.",
        "Slow down, then reconnect.",
    ),
    4501: Code("Unauthorised.", "Stop; get a token."),
    4503: Code("Kicked.", "Stop; ask to be invited again."),
    4504: Code("Shut down.", "Stop until somebody starts you again."),
}


def may_reconnect(code: int) -> bool:
    """Return true if a client may reconnect after this close code: 4500 to 4999 mean *stop* (docs/protocol.md §7)."""
    return not 4500 <= code <= 4999
