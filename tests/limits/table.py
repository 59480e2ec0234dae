"""Table of all limits: settings of spaces.yaml by key, and constants. docs/limits.md is generated from it."""

from __future__ import annotations

from mew_gateway.gateway.broker import ingress, rate_limiter
from mew_gateway.gateway.broker.spaces import resume_search
from mew_gateway.gateway.http import fair_queue, open_requests
from mew_gateway.gateway.websocket import connection, http_timeouts, join_frame
from mew_gateway.protocol import budget
from mew_gateway.protocol import ids as names
from mew_gateway.protocol import patterns as matching
from mew_gateway.space import participant_control, pauses, proposals, streams
from mew_gateway.space.interrupts import acceptance, emergency_halts
from mew_gateway.space.limits import cpu_quota, remembered_ids
from mew_gateway.space.participants import grants, joining
from mew_gateway.space.state import REMEMBERED

from . import (
    connections,
    counts,
    deadlines,
    hosted,
    http_requests,
    ids,
    interrupt_rates,
    patterns,
    replay,
    served,
    sizes,
    throughput,
    time_limits,
    wire,
)
from .limit import Limit

_GATEWAY = (
    Limit(
        "gateway.journal.keep",
        "age of history",
        "deleted but for interrupted sequences and conclusions with a timeline; the state keeps what is open",
        (throughput.KEEP,),
    ),
    Limit(
        "gateway.journal.max_size",
        "bytes that history and state take",
        "the oldest history is deleted, whatever its age; the state keeps what is open. What was interrupted is kept "
        "up to half of it: beyond that whoever has most of it gives up the oldest, and the log says so",
        (throughput.SIZE,),
    ),
    Limit(
        "gateway.limits.frame_bytes",
        "bytes of a message, however fragmented, and of a posted body",
        "close 1009; HTTP 413 `too_large`",
        (wire.FRAME, wire.BODY),
    ),
    Limit("gateway.limits.json_depth", "levels of JSON in an envelope", "`too_deep`", (wire.DEPTH, wire.DEEPEST)),
    Limit(
        "gateway.limits.json_tokens",
        "brackets, commas and colons of JSON in an envelope, outside strings",
        "`too_complex` with `limit`",
        (wire.COMPLEX,),
    ),
    Limit("gateway.limits.outbox_bytes", "bytes waiting for one connection", "close 4008", (time_limits.OUTBOX,)),
    Limit(
        "gateway.limits.outbox_stalled",
        "time in which a reader takes nothing",
        "close 4008, early enough to be gone by then; an HTTP connection is cut",
        (time_limits.STALLED,),
    ),
    Limit(
        "gateway.limits.connections_per_participant", "connections of one participant", "close 4009", (connections.OWN,)
    ),
    Limit(
        "gateway.limits.connects",
        "times that one participant connects, over WebSocket and event streams together",
        "HTTP 429 `rate_limited` with `retry_after_ms`; after a join frame, close 4029",
        (connections.CONNECTS,),
    ),
    Limit(
        "gateway.limits.strangers",
        "upgrades and failing requests of all together who bring no valid token",
        "HTTP 429 `rate_limited` with `retry_after_ms`",
        (connections.STRANGERS,),
    ),
    Limit(
        "gateway.limits.envelopes_per_second",
        "envelopes and frames of one participant, over connections and posts together; urgent ones apart",
        "`rate_limited` with `retry_after_ms`",
        (throughput.RATE,),
    ),
    Limit(
        "gateway.limits.envelopes_burst",
        "the same, at once",
        "`rate_limited` with `retry_after_ms`",
        (throughput.BURST,),
    ),
    Limit(
        "gateway.limits.bytes_per_second",
        "bytes of the same; at once, a message of `frame_bytes` at least",
        "`rate_limited` with `retry_after_ms`",
        (throughput.BYTES,),
    ),
    Limit(
        "gateway.limits.open_sequences",
        "open sequences of one participant",
        "`too_many_sequences` with `limit`",
        (counts.OPEN_SEQUENCES, served.FULL),
    ),
    Limit(
        "gateway.limits.open_streams",
        "open streams of one participant",
        "`too_many_streams` with `limit`",
        (counts.OPEN_STREAMS,),
    ),
    Limit(
        "gateway.limits.open_requests",
        "unanswered requests of one participant",
        "the oldest is forgotten: its response is `request_not_found`",
        (counts.OPEN_REQUESTS, served.FORGOTTEN),
    ),
    Limit(
        "gateway.limits.open_proposals",
        "open proposals of one participant",
        "`too_many_proposals` with `limit`",
        (counts.OPEN_PROPOSALS,),
    ),
    Limit(
        "gateway.limits.remembered_ids",
        "envelope ids of one participant, remembered at least",
        "older ones are forgotten: used again, they are new",
        (ids.IDS,),
    ),
    Limit(
        "gateway.limits.remembered_for",
        "age of an id, remembered at least",
        "forgotten, once as many came behind it",
        (ids.AGE,),
    ),
    Limit(
        "gateway.limits.closed_sequences",
        "closed sequences of a space, and as many closed proposals",
        "the oldest of whom most are remembered is forgotten: `sequence_not_found`, `proposal_not_found`",
        (counts.CLOSED_SEQUENCES, counts.CLOSED_PROPOSALS),
    ),
    Limit(
        "gateway.limits.settled_interrupts",
        "settled interrupts of a space",
        "the oldest of whom most are remembered is forgotten: `unknown_interrupt`",
        (counts.SETTLED_INTERRUPTS,),
    ),
    Limit("gateway.limits.grants", "grants of a space", "`too_many_grants` with `limit`", (counts.GRANTS,)),
    Limit(
        "gateway.limits.given_bytes",
        "bytes of capabilities that the participants of a space are given; an eighth of `outbox_bytes`, if that is "
        "less. Nobody gives more of them than are left for all others",
        "`too_many_grants` with `limit_bytes`",
        (sizes.GIVEN_TOGETHER,),
    ),
    Limit(
        "gateway.limits.invitees",
        "invited participants of a space, and as many halted ones that are gone",
        "`too_many_invitees` with `limit`; whoever is gone longest is halted no more",
        (counts.INVITEES, counts.HALTS_OF_THE_GONE),
    ),
    Limit(
        "gateway.limits.inbox",
        "events waiting for the next commit",
        "the sender's socket is not read until then; HTTP 503 `journal_unavailable`",
        (throughput.INBOX,),
    ),
    Limit(
        "gateway.limits.connections",
        "connections of the gateway that have joined, and as many that have yet to",
        "close 4009",
        (connections.ALL, connections.WAITING),
    ),
    Limit(
        "gateway.limits.join_timeout",
        "time until a join frame, or a whole request, has come",
        "close 4010; a request is cut",
        (time_limits.JOIN_TIMEOUT, time_limits.HEAD_TIMEOUT),
    ),
    Limit("gateway.limits.ping_interval", "silence of a connection", "it is pinged", (time_limits.PING_INTERVAL,)),
    Limit(
        "gateway.limits.ping_timeout",
        "time until a ping is answered; time in which a message that is begun arrives whole",
        "close 4008",
        (time_limits.PING_TIMEOUT, time_limits.MESSAGE_TIME),
    ),
)

_INTERRUPTS = "spaces.*.interrupts"
_PARTICIPANT = "spaces.*.participants.*"
_BARK = "`reasoning/interrupt` by the gateway, once"

_SPACE = (
    Limit(
        "spaces.*.owner_grace",
        "time without its owner, of a sequence or stream",
        "`sequence_lost`",
        (deadlines.OWNER_GRACE,),
    ),
    Limit("spaces.*.proposal_expiry", "age of an open proposal", "`proposal_expired`", (deadlines.PROPOSAL,)),
    Limit(
        f"{_INTERRUPTS}.ack_deadline",
        "time until an interrupt is acknowledged",
        "`interrupt_ack_timeout`, then the ladder",
        (deadlines.ACK, served.DUE),
    ),
    Limit(
        f"{_INTERRUPTS}.emergency_ack_deadline",
        "the same, of an emergency",
        "`interrupt_ack_timeout`, a fence, then its ladder",
        (deadlines.EMERGENCY_ACK,),
    ),
    Limit(
        f"{_INTERRUPTS}.stopping_conclusion",
        "time until the conclusion of one that answered `stopping`",
        "`interrupt_overrun`, then the ladder",
        (deadlines.STOPPING,),
    ),
    Limit(
        f"{_INTERRUPTS}.completing_conclusion",
        "the same, of `completing_thought`, and of a `reasoning/cancel` by somebody else",
        "`interrupt_overrun`, then the ladder",
        (deadlines.COMPLETING, deadlines.CANCELLED),
    ),
    Limit(
        f"{_INTERRUPTS}.per_sequence",
        "interrupts and cancels of one sequence by one sender",
        "`rate_limited` with `retry_after_ms`",
        (interrupt_rates.PER_SEQUENCE, interrupt_rates.PER_SENDER_AND_SEQUENCE, served.PACE),
    ),
    Limit(
        f"{_INTERRUPTS}.emergency",
        "emergencies of one sender",
        "`rate_limited` with `retry_after_ms`",
        (interrupt_rates.EMERGENCY,),
    ),
    Limit(
        f"{_INTERRUPTS}.escalation", "`after`: time since the rung before", "the rung is taken", (deadlines.ESCALATION,)
    ),
    Limit(
        f"{_INTERRUPTS}.emergency_escalation",
        "the same, of an emergency",
        "the rung is taken",
        (deadlines.EMERGENCY_ESCALATION,),
    ),
    Limit("spaces.*.watchdog.max_seconds", "age of a sequence", _BARK, (deadlines.MAX_SECONDS,)),
    Limit("spaces.*.watchdog.max_thoughts", "thoughts of a sequence", _BARK, (interrupt_rates.MAX_THOUGHTS,)),
    Limit("spaces.*.watchdog.max_bytes", "bytes of what its owner sent in it", _BARK, (interrupt_rates.MAX_BYTES,)),
    Limit(
        f"{_PARTICIPANT}.watchdog.max_seconds", "the same, of one participant's", _BARK, (deadlines.OWN_MAX_SECONDS,)
    ),
    Limit(
        f"{_PARTICIPANT}.watchdog.max_thoughts",
        "the same, of one participant's",
        _BARK,
        (interrupt_rates.OWN_MAX_THOUGHTS,),
    ),
    Limit(
        f"{_PARTICIPANT}.watchdog.max_bytes", "the same, of one participant's", _BARK, (interrupt_rates.OWN_MAX_BYTES,)
    ),
    Limit(
        f"{_PARTICIPANT}.restart.backoff",
        "time until a program that ended is started again",
        "started; the next wait is twice as long, each shortened by chance to half at most",
        (hosted.BACKOFF,),
    ),
    Limit(
        f"{_PARTICIPANT}.restart.max_backoff",
        "the longest of these waits",
        "waits grow no further",
        (hosted.MAX_BACKOFF,),
    ),
)

_WIRE = (
    Limit(
        "HTTP head",
        "bytes of a request's line and headers",
        "HTTP 400 `bad_request`",
        (wire.HEAD,),
        http_timeouts.LONGEST_HEAD,
    ),
    Limit(
        "HTTP head, lines",
        "lines of the same, and of what comes behind the last chunk of a body",
        "HTTP 400 `bad_request`",
        (wire.LINES,),
        http_timeouts.MOST_LINES,
    ),
    Limit("join frame", "bytes of a first message without a token", "close 1009", (wire.JOIN,), join_frame.LONGEST),
    Limit("alias", "characters of it; it is an id, and nobody else's", "`join_refused`, close 4501", (wire.ALIAS,), 64),
    Limit(
        "requests",
        "HTTP requests of a participant at a time, until their answers are taken",
        "HTTP 429 `rate_limited` with `retry_after_ms`",
        (http_requests.REQUESTS,),
        fair_queue.MOST,
    ),
    Limit(
        "readings",
        "of these, those of messages, history, timeline and the listings",
        "the next waits",
        (http_requests.READINGS,),
        fair_queue.READS,
    ),
    Limit(
        "answers",
        "bytes that the HTTP answers of all together hold, until they are taken",
        "of who has most, that which stood still for longest is cut; HTTP 429 `rate_limited` if none of it was sent",
        (http_requests.ANSWERS, http_requests.UNSENT),
        open_requests.HELD,
    ),
    Limit("flood", "ms of `rate_limited` without a pause", "close 4029", (throughput.FLOODED,), rate_limiter.FLOOD),
    Limit(
        "frames",
        "pings, pongs and fragments under 4096 bytes of a participant in a second, over all its connections",
        "close 4029",
        (wire.ODD,),
        rate_limiter.FRAMES,
    ),
    Limit(
        "tokens",
        "brackets, commas and colons of JSON of a participant in a second; at once, those of one envelope at least",
        "`rate_limited` with `retry_after_ms`",
        (wire.TOKENS,),
        rate_limiter.TOKENS_PER_SECOND,
    ),
    Limit(
        "refusals", "messages that came at once and were refused", "close 4029", (wire.REFUSED,), ingress.MOST_REFUSED
    ),
    Limit(
        "frames, of strangers",
        "the same, all that come before it has joined",
        "close 4029",
        (wire.STRANGE,),
        connection.STRANGERS_FRAMES,
    ),
    Limit(
        "messages at once",
        "messages that came at once: with so many, 1,000 are refused whatever they are",
        "close 4029, and none is handled",
        (wire.AT_ONCE,),
        "1,000 and twice `envelopes_burst`",
    ),
    Limit(
        "last bytes",
        "bytes that come behind a close frame of the gateway's; of a stranger's 65536, or 100 messages at once",
        "not read any more, and cut after 2 s",
        (wire.LAST,),
        "`bytes_per_second`; `frame_bytes`, if more",
    ),
    Limit("stream id", "characters of it in a frame", "`invalid_frame`", (wire.STREAM_ID,), names.MAX_ENVELOPE_ID),
    Limit(
        "resume",
        "envelopes that are given again, and entries read for them; one for each 4096 bytes more",
        "`history_unavailable`, then live",
        (replay.MISSED,),
        resume_search.MOST,
    ),
    Limit(
        "resume, bytes",
        "of them together",
        "`history_unavailable`, then live",
        (replay.MISSED_BYTES,),
        "half of `outbox_bytes`",
    ),
    Limit(
        "resume, in time",
        "entries that are read for one participant, counted so, and 1000 more with each second",
        "`history_unavailable`, then live",
        (replay.READ,),
        rate_limiter.READS,
    ),
)

_KIND, _STAMP, _CONTEXT, _SEVERAL, _NAME = ids.BOUNDS
_ENVELOPE = (
    Limit("id", "characters of an envelope's", "`invalid_envelope`", (ids.ID, served.ID), names.MAX_ENVELOPE_ID),
    Limit("kind", "characters", "`invalid_envelope`", (ids.KIND,), _KIND),
    Limit("ts", "characters", "`invalid_envelope`", (ids.STAMP,), _STAMP),
    Limit("context", "characters", "`invalid_envelope`", (ids.CONTEXT,), _CONTEXT),
    Limit("to", "participants", "`invalid_envelope`", (ids.TO,), _SEVERAL),
    Limit("to, each", "characters of an id", "`invalid_envelope`", (ids.RECIPIENT,), _NAME),
    Limit("correlation_id", "ids", "`invalid_envelope`", (ids.CORRELATIONS,), _SEVERAL),
    Limit("correlation_id, each", "characters", "`invalid_envelope`", (ids.CORRELATION,), names.MAX_ENVELOPE_ID),
    Limit("integer", "bits", "`invalid_number`", (ids.NUMBER,), 64),
    Limit("participant id", "characters of one that is invited", "`invalid_participant`", (ids.NAME,), _NAME),
)

_PATTERNS = (
    Limit(
        "pattern",
        "characters of a string pattern, and of a path",
        "`invalid_capability`",
        (patterns.LONG, patterns.LONG_VALUE, patterns.LONG_PATH),
        matching.MAX_PATTERN,
    ),
    Limit("payload pattern", "levels of it", "`invalid_capability`", (patterns.DEEP,), matching.MAX_DEPTH),
    Limit(
        "search",
        "nodes that the check of one capability visits",
        "no match: `capability_violation`",
        (patterns.ANYWHERE, patterns.NOWHERE, patterns.KEYS, patterns.PATH),
        budget.MAX_VISITED,
    ),
    Limit(
        "work",
        "steps of deciding about one envelope: an instruction of an expression at a character is one",
        "no match: `capability_violation`",
        (patterns.WORK,),
        budget.MAX_WORK,
    ),
    Limit(
        "work, in time",
        "steps a millisecond that are paid off: what a participant owes, its next envelope may not take",
        "`rate_limited` with `retry_after_ms`",
        (patterns.OWED,),
        cpu_quota.STEPS_PER_MS,
    ),
    Limit(
        "given",
        "bytes of capabilities given to one participant",
        "`too_many_grants` with `limit_bytes`",
        (sizes.GIVEN,),
        grants.MAX_GIVEN,
    ),
    Limit(
        "expressions",
        "regular expressions and JSONPaths among them",
        "`invalid_capability`",
        (sizes.EXPRESSIONS,),
        grants.MAX_EXPRESSIONS,
    ),
    Limit(
        "wildcards",
        "patterns and keys with wildcards among them",
        "`invalid_capability`",
        (sizes.GLOBS,),
        grants.MAX_GLOBS,
    ),
    Limit(
        "kinds",
        "steps that it takes to find which of them are about a kind",
        "`too_many_grants` with `limit`",
        (sizes.KINDS,),
        grants.MAX_KIND_WORK,
    ),
    Limit("capabilities", "of one grant", "`invalid_payload`", (sizes.CAPABILITIES,), sizes.MOST),
)

_KEPT = (
    Limit(
        "interrupt",
        "bytes of it, or of a cancel by somebody else",
        "`invalid_interrupt`",
        (sizes.INTERRUPT,),
        acceptance._LARGEST,
    ),
    Limit(
        "interrupts, waiting",
        "bytes of those that one target has not answered, and as many of emergencies; one alone always fits",
        "`rate_limited` with `limit_bytes`",
        (sizes.PENDING,),
        "a sixteenth of `outbox_bytes`",
    ),
    Limit("stream/request", "bytes of it", "`invalid_payload`", (sizes.STREAM,), streams._LARGEST),
    Limit(
        "stream/request, together",
        "bytes of what one participant's open streams were asked for with",
        "`too_many_streams` with `limit_bytes`",
        (sizes.STREAMS,),
        streams._LARGEST_TOGETHER,
    ),
    Limit(
        "stream/request, in a welcome",
        "bytes of the open streams that it lists",
        "the newest",
        (sizes.STREAMS_LISTED,),
        streams._LISTED_BYTES,
    ),
    Limit(
        "proposals, together",
        "bytes of one participant's open proposals",
        "`too_many_proposals` with `limit_bytes`",
        (sizes.PROPOSALS,),
        proposals._OPEN_BYTES,
    ),
    Limit(
        "proposals, of guests",
        "bytes of the open proposals of all guests of one sponsor",
        "`too_many_proposals` with `limit_bytes`",
        (sizes.GUESTS_PROPOSALS,),
        proposals._OPEN_BYTES,
    ),
    Limit(
        "pauses",
        "of one participant by guests who are gone",
        "the oldest is forgotten; it stays paused",
        (counts.PAUSES,),
        pauses._MOST,
    ),
    Limit("pause", "seconds of `timeout_seconds`", "`invalid_payload`", (deadlines.PAUSE,), deadlines.YEAR),
    Limit(
        "halts",
        "of one participant",
        "the oldest is forgotten; it stays halted",
        (counts.HALTS,),
        emergency_halts._MOST,
    ),
    Limit(
        "shutdown",
        "ms for last words; up to `completing_conclusion` while it owes answers",
        "close 4504",
        (deadlines.FAREWELL,),
        participant_control._NOTICE,
    ),
    Limit(
        "flood of ids",
        "times `remembered_ids`",
        "forgotten before `remembered_for`",
        (ids.FLOOD,),
        remembered_ids._MOST,
    ),
    Limit("words", "characters that a record keeps of somebody's", "cut there, with `…`", (ids.TEXT,), REMEMBERED),
    Limit(
        "welcome",
        "open sequences that it lists",
        "the newest, and a count of all",
        (replay.LISTED,),
        joining._LISTED,
    ),
)

SECTIONS: dict[str, tuple[Limit, ...]] = {
    "gateway": _GATEWAY,
    "spaces": _SPACE,
    "wire": _WIRE,
    "envelopes": _ENVELOPE,
    "capabilities": _PATTERNS,
    "kept": _KEPT,
}
LIMITS = tuple(limit for section in SECTIONS.values() for limit in section)
