"""Values of a tick: what goes into a batch, and what comes of it.

A batch is a list in the order of arrival. An `Item` is an event for the journal. Beside the event it carries what must
never be journalled: a token that was just drawn, the envelopes that a resuming connection missed, the HTTP request that
waits for an answer. A `Frame` (a chunk of a stream) and a `Reply` (the answer to input that no space sees) are not
journalled at all. They keep their place between the items.

`Engine.apply` turns the journalled entries into a `Result`. A result holds values only. `Broker` carries it out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.journal.base import Draft, Entry
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID
from mew_gateway.space.effects import Close, Dismiss, Effect, Issue, Readmit, Terminate
from mew_gateway.space.events import Received

_MARK = b"#"
_LONGEST = 4 * MAX_ENVELOPE_ID  # bytes that a stream's id may have in UTF-8


class Accepted(NamedTuple):
    """Answer to an HTTP post that was handled.

    `notices` are the `system/error` payloads that refuse nothing and that only the poster reads (docs/protocol.md §2:
    `participant_not_found`). An invitation has the name of the invited `participant`, and the `token` that was drawn.
    """

    id: str
    timestamp: str
    notices: tuple[dict[str, Any], ...] = ()
    participant: str | None = None
    token: str | None = None


Answer: TypeAlias = Callable[[Accepted | Rejected], object]


class Post(NamedTuple):
    """An HTTP request that waits for what becomes of its envelope.

    `accepted` is set while the token of an invitation is drawn: the answer is known but for the token.
    """

    answer: Answer
    accepted: Accepted | None = None

    def accept(self, envelope: Envelope) -> None:
        """Answer that the envelope was accepted, and that nothing followed from it."""
        self.answer(Accepted(envelope.id, envelope.ts))

    def refuse(self, envelope: Envelope, rejected: Rejected) -> None:
        """Answer that the envelope was refused."""
        rejected.correlation = envelope.id
        self.answer(rejected)


class Item(Draft, frozen=True, gc=False, kw_only=True):
    """An event for the journal, with what travels beside it and is never journalled."""

    missed: Sequence[bytes] = ()  # of a `Connected` that resumes: envelopes that are delivered again
    token: str | None = None  # of an `Issued`: the token itself; the event has its digest
    post: Post | None = None


class Frame(NamedTuple):
    """A chunk of a stream, `#id#data`, whole and as it came (§3.10.3). `connection` is 0 for an HTTP post."""

    space: str
    participant: str
    connection: int
    stream: str
    data: bytes
    is_text: bool


class Reply(NamedTuple):
    """The answer to input that is never journalled, for one connection."""

    space: str
    connection: int
    data: bytes


Message: TypeAlias = tuple[bytes, bool]  # a whole message, and True if it is text
Arrival: TypeAlias = Item | Frame | Reply
Batch: TypeAlias = Sequence[Arrival]


class Delivery(NamedTuple):
    """An envelope for these connections."""

    space: str
    connections: tuple[int, ...]
    data: bytes


class FrameDelivery(NamedTuple):
    """A stream's frame for these connections."""

    space: str
    connections: tuple[int, ...]
    data: bytes
    is_text: bool


class FrameRefusal(NamedTuple):
    """A stream's frame that its space refuses. The answer keeps its place among the deliveries."""

    frame: Frame
    rejected: Rejected


Outward: TypeAlias = Close | Issue | Dismiss | Terminate | Readmit  # effects beyond what connections are sent


class Failure(NamedTuple):
    """An envelope whose handling raised an exception. Its sender has to get an error reply."""

    space: str
    event: Received
    post: Post | None


class Request(NamedTuple):
    """An effect that reaches beyond the connections' output. `post` waits for the token of an `Issue`."""

    space: str
    effect: Outward
    post: Post | None = None


class Result:
    """Results of a batch, in order. Nothing of it has been carried out yet."""

    __slots__ = ("answers", "deliveries", "failures", "handled", "requests", "touched")

    def __init__(self) -> None:
        self.handled: list[tuple[Entry, Sequence[Effect]]] = []
        self.deliveries: list[Delivery | FrameDelivery | FrameRefusal] = []
        self.answers: list[tuple[Answer, Accepted | Rejected]] = []  # to HTTP posts
        self.failures: list[Failure] = []
        self.requests: list[Request] = []
        self.touched: dict[str, None] = {}  # spaces with deliveries, or whose next deadline may be another


def is_frame(data: bytes) -> bool:
    """Return True if a message is a stream's frame: no JSON begins so."""
    return data.startswith(_MARK)


def stream_of(data: bytes) -> str:
    """Return the id of the stream that a frame belongs to. Raises `Rejected` `invalid_frame`."""
    end = data.find(_MARK, 1, _LONGEST + 2)
    try:
        stream = data[1:end].decode() if end > 1 else ""
    except UnicodeDecodeError:
        stream = ""
    if not 0 < len(stream) <= MAX_ENVELOPE_ID:
        raise Rejected(
            "invalid_frame", f"A stream's frame is `#stream_id#data`, its id at most {MAX_ENVELOPE_ID} characters."
        )
    return stream


def about_frame(rejected: Rejected, data: bytes) -> Rejected:
    """Add the stream's id to the rejection of a frame, if the frame has one: a frame has no id of its own."""
    with contextlib.suppress(Rejected):
        rejected.details.setdefault("stream_id", stream_of(data))
    return rejected
