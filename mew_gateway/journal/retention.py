"""Which entries a journal keeps when it is pruned: the one rule of all journals (docs/interruption.md §2.7).

The record of an interrupted sequence is kept: what its owner did in it, its interrupts, and their answers. What only
names it is not: an agent would fill the disk by naming its own interrupted sequence in everything it says. Each kept
entry counts as its sender's. When a bound on all of them is passed, whoever has most gives up the oldest (`release`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from typing import NamedTuple, TypeAlias

import msgspec

Subject: TypeAlias = tuple[str, str]  # a space, and the id of an envelope in it
Holder: TypeAlias = tuple[str, str]  # a space, and a participant in it; "" for the gateway

# Kinds that belong to a sequence by their context, and those that belong to what they correlate to.
_WITHIN = ("reasoning/", "mcp/")
_ABOUT_IT = ("reasoning/interrupt", "reasoning/interrupt-ack", "reasoning/cancel", "participant/resume")


class Said(NamedTuple):
    """An envelope of an entry: the participant's own (`sender`), or one that the gateway said because of it (""). A
    refusal among these means that the participant's own was refused."""

    position: int
    space: str
    sender: str
    data: bytes
    is_refusal: bool = False


class Kept(NamedTuple):
    """An entry that is kept, and whose it counts as."""

    position: int
    holder: Holder
    size: int  # bytes


class Released(NamedTuple):
    """What a participant had to give up: the oldest entries that were kept as its own."""

    holder: Holder
    entries: int
    size: int  # bytes


class _About(msgspec.Struct, gc=False):
    id: str
    kind: str = ""
    context: str | None = None
    correlation_id: list[str] | None = None
    payload: msgspec.Raw = msgspec.Raw(b"")


_about = msgspec.json.Decoder(_About)


def kept(
    said: Iterable[Said],
    *,
    open_ids: Mapping[str, Collection[str]],
    retained: Callable[[Set[Subject]], Set[Subject]],
) -> dict[int, Kept]:
    """Return the entries that are not to be deleted, or not yet, by position.

    `said` are their envelopes. An entry is kept if one of them is a part of the record of something that is `retained`
    (asked for those of some subjects that are) or open, and if one is a conclusion that holds the head of an agent's
    timeline. What was refused is part of nothing.
    """
    said = list(said)
    refused = {one.position for one in said if one.is_refusal}
    subjects: dict[int, set[Subject]] = {}
    positions: set[int] = set()
    entries: dict[int, Kept] = {}
    for one in said:
        earlier = entries.get(one.position)
        holder = earlier.holder if earlier is not None and earlier.holder[1] else (one.space, one.sender)
        size = len(one.data) + (0 if earlier is None else earlier.size)
        entries[one.position] = Kept(one.position, holder, size)
        if one.position in refused:
            continue
        found = {(one.space, id) for id in subjects_of(one.data, is_gateways=not one.sender)}
        subjects.setdefault(one.position, set()).update(found)
        if holds_a_head(one.data) or any(id in open_ids.get(one.space, ()) for _, id in found):
            positions.add(one.position)
    known = retained({one for found in subjects.values() for one in found})
    positions |= {position for position, found in subjects.items() if found & known}
    return {position: entries[position] for position in positions}


def subjects_of(data: bytes, *, is_gateways: bool) -> Iterator[str]:
    """The ids of what an envelope is a part of the record of; none if it cannot be read."""
    try:
        about = _about.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return
    yield about.id
    if about.context is not None and (is_gateways or about.kind.startswith(_WITHIN)):
        yield about.context.partition("/")[0]
    if is_gateways or about.kind in _ABOUT_IT:
        yield from about.correlation_id or ()


def to_release(held: Mapping[Holder, int], *, most: int) -> tuple[Holder, int] | None:
    """Who has to give up how many bytes, so that all together have at most `most`: whoever holds most, down to what the
    next one holds. None if nobody has to."""
    excess = sum(held.values()) - most
    if excess <= 0:
        return None
    first, second = [*sorted(held, key=lambda holder: (-held[holder], holder)), None][:2]
    assert first is not None
    return first, min(excess, max(held[first] - (0 if second is None else held[second]), 1))


def holds_a_head(data: bytes) -> bool:
    """Whether an envelope is a conclusion that holds the head of its agent's timeline."""
    if b'"timeline"' not in data:
        return False
    try:
        about = _about.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False
    return about.kind == "reasoning/conclusion" and b'"timeline"' in bytes(about.payload)
