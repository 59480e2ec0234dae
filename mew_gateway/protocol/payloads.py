"""The payload of each kind.

Only fields that the gateway or a peer decides on are required or typed; others pass unchecked. The fields in which an
agent describes its reasoning (docs/interruption.md §3) are named here and may have any value (`Told`): a peer that uses
such a name for something of its own is not refused. The docstrings of the types are part of the schemas.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec

Seconds = Annotated[float, msgspec.Meta(gt=0, le=31_536_000)]
Count = Annotated[float, msgspec.Meta(ge=0, multiple_of=1)]  # in JSON 2.0 is as whole as 2
Patterns = Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1, max_length=256)]
Confidence = Annotated[float, msgspec.Meta(ge=0, le=1, description="How sure it is that this was said.")]
Told = Annotated[Any, msgspec.Meta(description="For readers: nobody decides on it.")]


class Payload(msgspec.Struct, frozen=True):
    """A payload of which the gateway reads nothing."""


class Chat(Payload, frozen=True):
    """`chat` (§3.4): `text` is what was said, `confidence` how sure whoever heard it is of that (speech, above all)."""

    text: str
    format: str = "plain"
    confidence: Confidence | None = None


class Reasoned(Payload, frozen=True):
    """`mcp/withdraw`, `reasoning/cancel`, `chat/cancel`: an optional free reason."""

    reason: str | None = None


class Reject(Reasoned, frozen=True):
    """`mcp/reject` (§3.3.2): a code or a few words as `reason`, and what the proposer is to be told as `message`."""

    message: Told = None


class Request(Payload, frozen=True):
    """`mcp/request` and `mcp/proposal` (§3.1.1, §3.2): the MCP method and its parameters."""

    method: str
    params: dict[str, Any] | None = None


class Start(Payload, frozen=True):
    """`reasoning/start` (§3.5.2): what the agent is about to do.

    `span` is the run's root (`span_id`, `execution_id`, `interruptible`, `policy`, …); `caused_by` the envelope and
    `continues` the run that it follows from, `work_id` the Work it belongs to.
    """

    message: str | None = None
    span: Told = None
    caused_by: Told = None
    continues: Told = None
    work_id: Told = None


class Thought(Payload, frozen=True):
    """`reasoning/thought` (§3.5.3): what the agent is thinking: thought `n` of this sequence, in the span `span_id`.

    `checkpoint_id` names the checkpoint that was made with it.
    """

    message: str | None = None
    span_id: Told = None
    n: Told = None
    checkpoint_id: Told = None


class Conclusion(Payload, frozen=True):
    """`reasoning/conclusion` (§3.5.4): `outcome` says in a word how the sequence ended.

    One that was `interrupted` says by what (`interrupt_id`), under which policy (`policy_applied`), whether its result
    is `partial` and which checkpoint it was `rolled_back_to`. One that `failed` tells the exception
    as `error`, with its `type` and `message`. `timeline` is the head of the agent's own record then, `seq:hash`.
    """

    message: str | None = None
    outcome: str | None = None
    interrupted: Told = None
    interrupt_id: Told = None
    policy_applied: Told = None
    partial: Told = None
    rolled_back_to: Told = None
    error: Told = None
    timeline: Told = None


class Interrupt(Payload, frozen=True, rename={"class_": "class"}):
    """`reasoning/interrupt` (seed 004). What `reason` must be is a rule of the kind: `invalid_interrupt`.

    `scope` is how much is meant, the run without it; `span_id` the span, where it is not the one in focus. `input` is
    what to do instead or afterwards, `message` without it; `on_reject` what becomes of it in a span that nothing
    interrupts.
    """

    reason: str | None = None
    message: str | None = None
    class_: Literal["queue", "clarification", "cancel", "override", "emergency"] | None = None
    scope: Literal["span", "run", "participant"] | None = None
    span_id: str | None = None
    confidence: Confidence | None = None
    input: Any = None
    on_reject: Literal["queue", "ignore"] | None = None


class InterruptAck(Payload, frozen=True, rename={"class_": "class"}):
    """`reasoning/interrupt-ack` (seed 004): the target's typed answer.

    `outcome` is what becomes of the run or span, by `stop_by` where that is `halt_after_span`; `class` and
    `policy_applied` what was decided by, `span_id` for which span, `reason_code` why not, if not.
    """

    status: Literal["stopping", "completing_thought", "continuing", "ignored"]
    message: str | None = None
    outcome: str | None = None
    stop_by: str | None = None
    class_: Told = None
    policy_applied: Told = None
    span_id: Told = None
    reason_code: Told = None


class ChatAcknowledge(Payload, frozen=True):
    """`chat/acknowledge` (§3.4.1): `received`, `read`, or a word of the sender's own."""

    status: str | None = None


class Grant(Payload, frozen=True):
    """`capability/grant` (§3.6.1). `expires_at` (RFC 3339) is ours: the grant ends by itself."""

    recipient: str
    capabilities: Patterns
    reason: str | None = None
    expires_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


class Revoke(Payload, frozen=True):
    """`capability/revoke` (§3.6.2): one grant by `grant_id`, or whatever `capabilities` cover."""

    recipient: str
    grant_id: str | None = None
    capabilities: Patterns | None = None
    reason: str | None = None


class GrantAck(Payload, frozen=True):
    """`capability/grant-ack` (§3.6.3)."""

    status: str | None = None


class Invite(Payload, frozen=True):
    """`space/invite` (§3.6.5). Without `initial_capabilities` it gets the space's defaults."""

    participant_id: str
    initial_capabilities: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=256)] | None = None
    email: str | None = None
    reason: str | None = None


class Kick(Payload, frozen=True):
    """`space/kick` (§3.6.6)."""

    participant_id: str
    reason: str | None = None


class Pause(Payload, frozen=True):
    """`participant/pause` (§3.9.1): lifts by itself after `timeout_seconds`, if there are any."""

    reason: str | None = None
    timeout_seconds: Seconds | None = None


class Status(Payload, frozen=True):
    """`participant/status` (§3.9.4): usage telemetry, with further metrics in snake_case."""

    messages_in_context: Count | None = None
    tokens: float | None = None
    max_tokens: float | None = None
    latency_ms: float | None = None
    status: str | None = None


class RequestStatus(Payload, frozen=True):
    """`participant/request-status` (§3.9.3): `fields` limits what is asked for."""

    fields: list[str] | None = None


class Forget(Payload, frozen=True):
    """`participant/forget` (§3.9.5): drop the oldest or the newest of what is remembered."""

    direction: Literal["oldest", "newest"]
    entries: Count | None = None


class Compact(Payload, frozen=True):
    """`participant/compact` (§3.9.6)."""

    reason: str | None = None
    target_tokens: Count | None = None


class CompactDone(Payload, frozen=True):
    """`participant/compact-done` (§3.9.7): what was freed, or that nothing had to be (`skipped`)."""

    freed_tokens: Count | None = None
    freed_messages: Count | None = None
    status: str | None = None
    skipped: bool | None = None
    reason: str | None = None


class StreamRequest(Payload, frozen=True):
    """`stream/request` (§3.10.1). Every further field is kept for late joiners. `target` is ours: who gets frames.

    `bidirectional` is not the specification's: upstream's own clients say it.
    """

    direction: Literal["upload", "download", "bidirectional"]
    target: Annotated[list[str], msgspec.Meta(max_length=1024)] | None = None
    expected_size_bytes: Count | None = None
    description: str | None = None
    content_type: str | None = None
    format: str | None = None
    metadata: dict[str, Any] | None = None


class StreamClose(Payload, frozen=True):
    """`stream/close` (§3.10.4): names the stream by `stream_id`, or by what the envelope correlates to."""

    stream_id: str | None = None
    reason: str | None = None


class StreamWriter(Payload, frozen=True):
    """`stream/grant-write`, `stream/revoke-write` (§3.10.5, §3.10.6)."""

    stream_id: str
    participant_id: str
    reason: str | None = None


class StreamTransfer(Payload, frozen=True):
    """`stream/transfer-ownership` (§3.10.7)."""

    stream_id: str
    new_owner: str
    reason: str | None = None
