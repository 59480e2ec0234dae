"""Where in an SQLite journal an id may be: four bytes an id, three of its own and its place in a stretch.

An index of the ids themselves costs 1.5 µs an entry where they are in the order of time and 14 where they are not;
this costs 1 at most, and to look for one reads 4 MB for a million entries, and hardly an entry that is not meant.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from sys import byteorder
from typing import TypeAlias
from zlib import crc32

from mew_gateway.space.events import Event, Received

from .identity import id_of, id_of_event

STRETCH = 8  # a stretch is 2**STRETCH positions: a place in it is the last byte of a print

_SPACE = 40  # bits below the number of a space in a place
_OWN = 3  # bytes of a print that are its id's
_PLACE_BITS = (1 << STRETCH) - 1
_OWN_BITS = 0xFFFFFFFF ^ _PLACE_BITS
STRETCHES = (1 << _SPACE) - 1  # the bits of a place that are its stretch
Place: TypeAlias = int  # a space's number and a stretch


def place_of(space: int, position: int) -> Place:
    """Where the prints of a space's entry are kept."""
    return space << _SPACE | position >> STRETCH


def stretch_of(place: Place) -> int:
    """The stretch of a place."""
    return place & STRETCHES


def span_of(space: int) -> tuple[Place, Place]:
    """The first and the last place of a space."""
    return space << _SPACE, (space + 1 << _SPACE) - 1


def print_of(id: str) -> bytes:
    """What is kept of an id: its print's first three bytes."""
    return _sum_of(id).to_bytes(4, "big")[:_OWN]


def positions_of(place: Place, prints: bytes, sought: bytes) -> list[int]:
    """Where among the entries of a place one with this print is or is followed from, newest first."""
    first = stretch_of(place) << STRETCH
    found = {first + prints[at + _OWN] for at in range(0, len(prints), 4) if prints.startswith(sought, at)}
    return sorted(found, reverse=True)


def prints_of(said: Iterable[tuple[int, int, Event | bytes]]) -> dict[Place, bytes]:
    """The prints of the envelopes in events and outputs; each comes with its space's number and its position."""
    found: dict[Place, array[int]] = {}
    for space, position, one in said:
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
    """Each in the order of `print_of`."""
    if byteorder == "little":
        sums.byteswap()
    return sums.tobytes()


class Prints:
    """The prints of the newest stretch, which grows; those of the others are in the journal's table."""

    def __init__(self, newest: dict[Place, bytes], last: int) -> None:
        self._newest = newest
        self._stretch = last >> STRETCH

    def due(self, noted: dict[Place, bytes], last: int) -> list[tuple[Place, bytes]]:
        """What has to be written with new prints, when `last` is the newest position: whatever is not of its
        stretch."""
        stretch = last >> STRETCH
        old = {place: prints for place, prints in noted.items() if stretch_of(place) != stretch}
        if stretch != self._stretch:
            for place, prints in self._newest.items():
                old[place] = prints + old.get(place, b"")
        return list(old.items())

    def keep(self, noted: dict[Place, bytes], last: int) -> None:
        """What was due is written: the rest is kept here."""
        if last >> STRETCH != self._stretch:
            self._newest, self._stretch = {}, last >> STRETCH
        for place, prints in noted.items():
            if stretch_of(place) == self._stretch:
                self._newest[place] = self._newest.get(place, b"") + prints

    def newest(self, space: int) -> tuple[Place, bytes]:
        """The newest stretch as a place of the space, and the prints there."""
        place = space << _SPACE | self._stretch
        return place, self._newest.get(place, b"")
