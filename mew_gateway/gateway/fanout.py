"""From effects to sockets: a frame is encoded once, a connection is written once a tick (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Mapping

from .ports import Link


def header(size: int) -> bytes:
    """The header of an unmasked, unfragmented text frame (RFC 6455 §5.2)."""
    if size < 126:
        return bytes((0x81, size))
    if size < 65536:
        return b"\x81\x7e" + size.to_bytes(2, "big")
    return b"\x81\x7f" + size.to_bytes(8, "big")


class Fanout:
    """The deliveries of one space in one tick. Those in a row to the same connections are joined once for all."""

    __slots__ = ("_links", "_parts", "_to", "_waiting")

    def __init__(self, links: Mapping[int, Link]) -> None:
        self._links = links
        self._to: tuple[int, ...] = ()
        self._parts: list[bytes] = []
        self._waiting: dict[int, list[bytes]] = {}

    def put(self, connections: tuple[int, ...], data: bytes) -> None:
        """Queue an envelope's bytes for these connections."""
        if connections is not self._to:
            self._settle()
            self._to = connections
        self._parts.append(header(len(data)))
        self._parts.append(data)

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
        for connection, pieces in waiting.items():
            self._write(connection, pieces[0] if len(pieces) == 1 else b"".join(pieces))

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
