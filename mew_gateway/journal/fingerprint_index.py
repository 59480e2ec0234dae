"""Index of ids in an SQLite journal, by fingerprints of four bytes.

A fingerprint is three bytes of a CRC-32 of the id, and one byte for its position in a stretch. A stretch is 256
consecutive positions. All fingerprints of one space in one stretch are one row, whose key is a `Place` (space number
and stretch). A search scans the rows of a space for the three bytes, so it may find an entry of another id: the caller
checks.

An index of the ids themselves costs 1.5 µs an entry if they are in the order of time, and 14 if they are not. This one
costs at most 1; a search reads 4 MB for a million entries, and hardly an entry with another id.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from sys import byteorder
from typing import TypeAlias
from zlib import crc32

from mew_gateway.space.events import Event, Received

from .envelope_ids import id_of, id_of_event

STRETCH = 8  # a stretch is 2**STRETCH positions: a position in it is the last byte of a fingerprint

_SPACE = 40  # bits below the number of a space in a place
_OWN = 3  # bytes of a fingerprint that come from its id
_PLACE_BITS = (1 << STRETCH) - 1
_OWN_BITS = 0xFFFFFFFF ^ _PLACE_BITS
STRETCHES = (1 << _SPACE) - 1  # the bits of a place that are its stretch
Place: TypeAlias = int  # a space's number and a stretch


def place_of(space: int, position: int) -> Place:
    """Return the place of the fingerprints of a space's entry."""
    return space << _SPACE | position >> STRETCH


def stretch_of(place: Place) -> int:
    """Return the stretch of a place."""
    return place & STRETCHES


def span_of(space: int) -> tuple[Place, Place]:
    """Return the first and the last place of a space."""
    return space << _SPACE, (space + 1 << _SPACE) - 1


def fingerprint_of(id: str) -> bytes:
    """Return the three bytes that are stored of an id."""
    return _sum_of(id).to_bytes(4, "big")[:_OWN]


def positions_of(place: Place, stored: bytes, sought: bytes) -> list[int]:
    """Return the positions in a place whose entry or outputs have this fingerprint, newest first."""
    first = stretch_of(place) << STRETCH
    found = {first + stored[at + _OWN] for at in range(0, len(stored), 4) if stored.startswith(sought, at)}
    return sorted(found, reverse=True)


def fingerprints_of(envelopes: Iterable[tuple[int, int, Event | bytes]]) -> dict[Place, bytes]:
    """Return the fingerprints of the envelopes in events and outputs, by place.

    Each envelope comes with its space's number and its position.
    """
    found: dict[Place, array[int]] = {}
    for space, position, one in envelopes:
        id = id_of_event(one) if isinstance(one, Received) else id_of(one) if isinstance(one, bytes) else None
        if id is not None:
            place = space << _SPACE | position >> STRETCH
            sums = found.get(place)
            if sums is None:
                sums = found[place] = array("I")
            sums.append(_sum_of(id) & _OWN_BITS | position & _PLACE_BITS)
    return {place: _bytes(sums) for place, sums in found.items()}


def _sum_of(id: str) -> int:
    return crc32(id.encode("utf-8", "surrogatepass"))


def _bytes(sums: array[int]) -> bytes:
    """Return the sums as bytes, each in the order of `fingerprint_of`."""
    if byteorder == "little":
        sums.byteswap()
    return sums.tobytes()


class FingerprintIndex:
    """The fingerprints of the newest stretch, which is still growing.

    Those of the others are in the journal's table.
    """

    def __init__(self, newest: dict[Place, bytes], last: int) -> None:
        self._newest = newest
        self._stretch = last >> STRETCH

    def to_write(self, added: dict[Place, bytes], last: int) -> list[tuple[Place, bytes]]:
        """Return the rows to write with new fingerprints if `last` is the newest position: those of completed
        stretches.
        """
        stretch = last >> STRETCH
        old = {place: stored for place, stored in added.items() if stretch_of(place) != stretch}
        if stretch != self._stretch:
            for place, stored in self._newest.items():
                old[place] = stored + old.get(place, b"")
        return list(old.items())

    def keep(self, added: dict[Place, bytes], last: int) -> None:
        """Keep the fingerprints of the newest stretch, after those of `to_write` have been written."""
        if last >> STRETCH != self._stretch:
            self._newest, self._stretch = {}, last >> STRETCH
        for place, stored in added.items():
            if stretch_of(place) == self._stretch:
                self._newest[place] = self._newest.get(place, b"") + stored

    def newest(self, space: int) -> tuple[Place, bytes]:
        """Return the newest stretch as a place of the space, with its fingerprints."""
        place = space << _SPACE | self._stretch
        return place, self._newest.get(place, b"")
