"""From effects to sockets: a frame is encoded once, a connection is written once a tick (docs/architecture.md)."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping

import msgspec

from mew_gateway.protocol.codec import names_in, rename

from ..interfaces import Link

_TEXT, _BINARY = b"\x81", b"\x82"  # FIN and the opcode
TEXT = _TEXT[0]
LINE_BREAKS = bytes.maketrans(b"\r\n", b"  ")


def header(size: int, *, is_text: bool = True) -> bytes:
    """The header of an unmasked, unfragmented text or binary frame (RFC 6455 §5.2)."""
    first = _TEXT if is_text else _BINARY
    if size < 126:
        return first + size.to_bytes(1, "big")
    if size < 65536:
        return first + b"\x7e" + size.to_bytes(2, "big")
    return first + b"\x7f" + size.to_bytes(8, "big")


def messages_in(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The first byte and the message of each WebSocket frame that a link is given: whole ones, without a mask."""
    at = 0
    while at < len(data):
        size, start = data[at + 1], at + 2
        if size > 125:
            start += 2 if size == 126 else 8
            size = int.from_bytes(data[at + 2 : start], "big")
        yield data[at], data[start : start + size]
        at = start + size


def line_of(message: bytes, *, is_text: bool) -> bytes:
    """Return a message as a line of JSON, without its line break."""
    if not message.startswith(b"#"):  # a line break in JSON stands between tokens only
        return message.translate(LINE_BREAKS)
    stream, _, chunk = message[1:].partition(b"#")
    content = {"text": chunk.decode()} if is_text else {"base64": base64.b64encode(chunk).decode()}
    return msgspec.json.encode({"stream_id": stream.decode(), **content})


class Fanout:
    """The deliveries of one space in one tick. Those in a row to the same connections are joined once for all.

    `aliases` has, by connection, a participant's id and what the connection calls itself instead.
    """

    __slots__ = ("_aliases", "_links", "_parts", "_to", "_waiting")

    def __init__(self, links: Mapping[int, Link], aliases: Mapping[int, tuple[str, str]]) -> None:
        self._links = links
        self._aliases = aliases
        self._to: tuple[int, ...] = ()
        self._parts: list[bytes] = []
        self._waiting: dict[int, list[bytes]] = {}

    def put(self, connections: tuple[int, ...], data: bytes) -> None:
        """Queue an envelope's bytes for these connections."""
        if self._aliases:
            connections = self._put_renamed(connections, data)
        self._put(connections, header(len(data)), data)

    def put_frame(self, connections: tuple[int, ...], data: bytes, *, is_text: bool) -> None:
        """Queue a stream's frame for these connections, as it came."""
        self._put(connections, header(len(data), is_text=is_text), data)

    def flush(self) -> None:
        """Write what is queued, one write a connection."""
        if not self._waiting:  # all went to the same connections: nothing to join a second time
            if self._parts:
                joined = b"".join(self._parts)
                self._parts = []
                for connection in self._to:
                    self._write(connection, joined)
            return
        self._settle()
        waiting, self._waiting = self._waiting, {}
        shared: dict[tuple[int, ...], bytes] = {}  # by the pieces: who is sent the same shares what may have to wait
        for connection, pieces in waiting.items():
            key = tuple(map(id, pieces))
            data = shared.get(key)
            if data is None:
                data = shared[key] = pieces[0] if len(pieces) == 1 else b"".join(pieces)
            self._write(connection, data)

    def _put(self, connections: tuple[int, ...], head: bytes, data: bytes) -> None:
        if connections is not self._to:
            self._settle()
            self._to = connections
        self._parts += (head, data)

    def _put_renamed(self, connections: tuple[int, ...], data: bytes) -> tuple[int, ...]:
        """Queue an envelope for those to whom it speaks of an alias of theirs; the others are left."""
        renamed: dict[int, bytes] = {}
        whom = names_in(data)  # once for all: there may be many who are called something else, and much to read
        for connection in connections:
            if connection in self._aliases and self._aliases[connection][0] in whom:
                renamed[connection] = rename(data, *self._aliases[connection])
        if not renamed:
            return connections
        for connection, spoken in renamed.items():
            self._put((connection,), header(len(spoken)), spoken)
        return tuple(other for other in connections if other not in renamed)

    def _settle(self) -> None:
        if self._parts:
            joined = b"".join(self._parts)
            self._parts = []
            for connection in self._to:
                self._waiting.setdefault(connection, []).append(joined)

    def _write(self, connection: int, data: bytes) -> None:
        link = self._links.get(connection)
        if link is not None:
            link.write(data)
