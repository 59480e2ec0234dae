"""The HTTP status of each error code, and the codes that only HTTP has (docs/protocol.md §6)."""

from __future__ import annotations

_BY_STATUS: dict[int, tuple[str, ...]] = {
    400: (
        "invalid_json",
        "invalid_number",
        "too_deep",
        "too_complex",
        "duplicate_key",
        "invalid_envelope",
        "invalid_payload",
        "invalid_capability",
        "invalid_participant",
        "invalid_operation",
        "invalid_frame",
        "invalid_interrupt",
        "reserved_kind",  # upstream's
    ),
    403: (
        "identity_mismatch",
        "removed",
        "shutting_down",
        "paused",
        "halted",
        "fenced",
        "capability_violation",
        "grant_exceeds_capabilities",
        "not_granter",
        "not_proposer",
        "not_sequence_owner",
        "not_target",
        "cannot_ack",
        "join_refused",
        "interrupt_refused",
        "unauthorized",
        "unauthorized_stream_write",
    ),
    404: (
        "participant_not_found",
        "request_not_found",
        "proposal_not_found",
        "grant_not_found",
        "pause_not_found",
        "stream_not_found",
        "target_not_found",
        "sequence_not_found",
        "unknown_interrupt",
        "history_unavailable",
    ),
    409: (
        "duplicate_id",
        "already_exists",
        "already_acked",
        "proposal_closed",
        "proposal_rejected",
        "proposal_mismatch",
        "proposal_voided",
        "proposal_expired",
        "sequence_closed",
        "sequence_interrupted",
        "sequence_lost",
        "interrupt_ack_timeout",
        "interrupt_target_left",
        "request_target_left",
        "interrupt_overrun",
        "too_many_proposals",
        "too_many_grants",
        "too_many_invitees",
        "too_many_streams",
        "too_many_sequences",
    ),
    429: ("rate_limited",),
    500: ("internal_error",),
    503: ("journal_unavailable",),
}

# The HTTP status of a refused envelope. Every code of `codes.ERRORS` is here.
STATUSES: dict[str, int] = {code: status for status, codes in _BY_STATUS.items() for code in codes}

# The codes of requests without a valid envelope.
FAULTS: dict[int, str] = {
    400: "bad_request",
    401: "unauthorized",
    403: "identity_mismatch",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    500: "internal_error",
    503: "unavailable",
}
