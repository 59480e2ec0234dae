"""What keeps its place among the envelopes and is not journalled: a stream's frames, answers on the spot."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.journal.base import Draft
from mew_gateway.protocol.ids import MAX_ENVELOPE_ID

_MARK = b"#"
_LONGEST = 4 * MAX_ENVELOPE_ID  # bytes that a stream's id may have in UTF-8


class Frame(NamedTuple):
    """A chunk of a stream, `#id#data`, whole and as it came (§3.10.3)."""

    space: str
    participant: str
    connection: int
    stream: str
    data: bytes
    is_text: bool


class Reply(NamedTuple):
    """The answer to what never reaches the journal, for one connection."""

    space: str
    connection: int
    data: bytes


Aside: TypeAlias = Frame | Reply


class Asides:
    """Those that wait until the drafts before them are handled, however late the journal commits."""

    __slots__ = ("_handled", "_submitted", "_waiting")

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, Aside]] = deque()
        self._submitted = self._handled = 0

    def part(self, arrived: Sequence[Draft | Aside]) -> list[Draft]:
        """The drafts among what arrived; the asides wait for those before them."""
        drafts: list[Draft] = []
        for one in arrived:
            if isinstance(one, Draft):
                drafts.append(one)
            else:
                self._waiting.append((self._submitted + len(drafts), one))
        self._submitted += len(drafts)
        return drafts

    def rejoin(self, arrived: Sequence[Draft | Aside]) -> None:
        """What was parted last was not submitted after all: nothing of it waits any more."""
        for one in arrived:
            if isinstance(one, Draft):
                self._submitted -= 1
            else:
                self._waiting.pop()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def is_idle(self) -> bool:
        """Whether every draft is handled."""
        return self._handled == self._submitted

    def next_handled(self) -> None:
        """One more draft is handled."""
        self._handled += 1

    def due(self) -> Iterator[Aside]:
        """Those with no draft before them any more, in order; each waits no longer."""
        while self._waiting and self._waiting[0][0] <= self._handled:
            yield self._waiting.popleft()[1]


def is_frame(data: bytes) -> bool:
    """Whether a message is a stream's frame: no JSON begins so."""
    return data.startswith(_MARK)


def stream_of(data: bytes) -> str:
    """The id of the stream that a frame belongs to. Raises `Rejected` `invalid_frame`."""
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
    """The rejection of a frame, naming the stream if the frame does: a frame has no id by which to tell it."""
    with contextlib.suppress(Rejected):
        rejected.details.setdefault("stream_id", stream_of(data))
    return rejected
