"""Answers that are lists of rows: encoded while they are taken, a row or a few at a time (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from .open_requests import VISIT, Connection, Visit

PIECE = 65_536  # bytes encoded and sent in a turn, or one row
ROWS = 50  # rows encoded in a turn: half a millisecond

# The lists of an answer by the names of its fields, in their order. A row is made when it is asked for.
Lists: TypeAlias = Mapping[str, Iterable[msgspec.Struct]]

_encoder = msgspec.json.Encoder()


class RowEncoder:
    """Encodes the lists of an answer into `buffer`, which has less than `PIECE` bytes and one row."""

    def __init__(self, lists: Lists) -> None:
        self.buffer = bytearray()
        self.is_whole = False  # everything is encoded
        self._writing = _write(lists, self.buffer)

    def encode(self) -> None:
        """Encode what is encoded in a turn."""
        for _ in range(ROWS):
            if self.is_whole or len(self.buffer) >= PIECE:
                return
            self.is_whole = next(self._writing, True)

    def take(self) -> bytes:
        """Remove and return the next piece."""
        with memoryview(self.buffer) as view:
            piece = bytes(view[:PIECE])
        del self.buffer[: len(piece)]
        return piece


def _write(lists: Lists, buffer: bytearray) -> Iterator[bool]:
    """Append the JSON of the lists to the buffer, a row in each step; yield False after each."""
    before = b"{"
    for name, rows in lists.items():
        buffer += before + _encoder.encode(name) + b":["
        before = b""
        for row in rows:
            buffer += before
            _encoder.encode_into(row, buffer, -1)
            before = b","
            yield False
        before = b"],"
    buffer += b"]}"


class RowsResponse(Response):
    """Response of lists. Its rows are made and encoded when those before are taken.

    It ends early if `is_allowed` is false before a piece: the asker may see no more of it. Its length is told if it is
    encoded in one turn.
    """

    media_type = "application/json"

    def __init__(self, lists: Lists, *, is_allowed: Callable[[], bool]) -> None:
        self._rows = RowEncoder(lists)
        self._is_allowed = is_allowed
        self.status_code = 200
        self.background = None
        self.init_headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        rows, visit, connection = self._rows, scope[VISIT], Connection(scope, receive)
        assert isinstance(visit, Visit)
        if connection.is_gone:  # while the request waited for its first turn
            await connection.closed()
            return
        rows.encode()
        visit.hold(len(rows.buffer))
        visit.begin(connection.abort)
        if rows.is_whole:
            self.headers["Content-Length"] = str(len(rows.buffer))
        elif scope["method"] == "HEAD":
            rows.is_whole = True
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        while not connection.is_gone:
            piece = rows.take()
            visit.hold(len(rows.buffer))
            has_more = bool(rows.buffer) or not rows.is_whole
            await send({"type": "http.response.body", "body": piece, "more_body": has_more})
            if not has_more:
                return
            await send({"type": "http.response.body", "body": b"", "more_body": True})  # returns when that is taken
            await visit.turn()
            if not self._is_allowed():
                connection.abort()
            elif not connection.is_gone:
                rows.encode()
                visit.hold(len(rows.buffer))
        await connection.closed()
