"""The ids that are remembered, beside a list of them that is searched: the same is known, whatever is used again."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.space.events import Received
from mew_gateway.space.limits.remembered_ids import Chunk, Dedup, Outline
from mew_gateway.space.settings import Bounds

BOUNDS = Bounds(remembered_ids=4, remembered_for=10)
ENVELOPE = Envelope(protocol="mew/v0.4", id="x", ts="", sender="human", kind="chat")
IDS = ("a", "b")
CONNECTIONS = (0, 1, 2, 7)
DIGESTS = (0, 1, 2, 0xFFFFFFFF)


class Use(NamedTuple):
    """An id, and where it came from."""

    id: str
    connection: int
    digest: int

    def event(self) -> Received:
        return Received("human", self.connection, self.digest, b"", ENVELOPE)


class Step(NamedTuple):
    """What happens: an id is used `after` milliseconds, perhaps although it is known; perhaps the gateway restarts."""

    use: Use
    after: int
    is_checked: bool
    restarts: bool


USES = st.builds(Use, st.sampled_from(IDS), st.sampled_from(CONNECTIONS), st.sampled_from(DIGESTS))
STEPS = st.builds(Step, USES, st.sampled_from([0, 1, 30]), st.booleans(), st.sampled_from([False, False, True]))


class Searched:
    """The same memory, in chunks of `remembered_ids` uses, that looks at every one of them."""

    def __init__(self) -> None:
        self.chunks: list[tuple[list[Use], int]] = []
        self.open: list[Use] = []

    @property
    def uses(self) -> list[Use]:
        return [use for chunk, _ in self.chunks for use in chunk] + self.open

    def has(self, sought: Use) -> bool:
        same = [use for use in self.uses if use.id == sought.id]
        return any(
            use.digest == sought.digest or (use.connection == sought.connection and use.connection != 0) for use in same
        )

    def add(self, use: Use, now: int) -> None:
        self.open.append(use)
        if len(self.open) < BOUNDS.remembered_ids:
            return
        self.chunks.append((self.open, now))
        self.open = []
        while self.is_first_forgotten(now):
            del self.chunks[0]

    def is_first_forgotten(self, now: int) -> bool:
        chunk, until = self.chunks[0]
        behind = len(self.uses) - len(chunk)
        is_old = until + BOUNDS.remembered_for <= now and behind >= BOUNDS.remembered_ids
        return is_old or behind >= 8 * BOUNDS.remembered_ids


def restored(dedup: Dedup) -> Dedup:
    """What comes back from a snapshot."""
    outlines = msgspec.msgpack.decode(msgspec.msgpack.encode(dedup.outlines()), type=dict[str, Outline])
    chunks = msgspec.msgpack.decode(msgspec.msgpack.encode(dedup.chunks()), type=dict[str, Chunk])
    return Dedup(outlines, chunks)


def known(dedup: Dedup | Searched) -> list[Use]:
    """Every use that would be refused."""
    every = [Use(id, connection, digest) for id in IDS for connection in CONNECTIONS for digest in DIGESTS]
    if isinstance(dedup, Searched):
        return [use for use in every if dedup.has(use)]
    return [use for use in every if dedup.has(use.event(), use.id)]


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(STEPS, min_size=1, max_size=80))
def test_dedup_agrees_with_a_linear_search(steps: list[Step]) -> None:
    dedup, searched, now = Dedup({}, {}), Searched(), 0
    for use, after, is_checked, restarts in steps:
        now += after
        if restarts:
            dedup = restored(dedup)
        if not (is_checked and searched.has(use)):
            dedup.add(use.event(), use.id, now, BOUNDS)
            searched.add(use, now)
        assert known(dedup) == known(searched)
        assert len(dedup) == len(searched.uses)


@given(st.integers(1, 60))
def test_forgotten_id_leaves_nothing_in_the_index(many: int) -> None:
    dedup = Dedup({}, {})
    for nth in range(many):
        dedup.add(Use("a", nth % 3, nth).event(), "a", 0, BOUNDS)
    for nth in range(20 * BOUNDS.remembered_ids):
        dedup.add(Use("b", 0, nth).event(), "b", 0, BOUNDS)
    (used,) = dedup._ids.values()
    assert {*used._origins} == {"b"}
