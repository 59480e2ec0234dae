"""The chain, and what `faults` finds when somebody tampers with it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_gateway.sdk.timeline.entry import GENESIS, Entry, Row, chained, link, unsettled
from mew_gateway.sdk.timeline.verify import Fault, faults

JSON: Any = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def row(n: int, **changes: Any) -> Row:
    fields: dict[str, Any] = {"at": 1000 + n, "kind": "thought", "execution_id": "life", "data": {"n": n}}
    return Row(**{**fields, **changes})


def chain(rows: Sequence[Row]) -> list[Entry]:
    entries: list[Entry] = []
    for seq, one in enumerate(rows, 1):
        entries.append(chained(entries[-1].hash if entries else GENESIS, seq, one))
    return entries


def whole(length: int) -> list[Entry]:
    return chain([row(n) for n in range(1, length + 1)])


def replace(entry: Entry, **changes: Any) -> Entry:
    return msgspec.structs.replace(entry, **changes)


def counted(entries: Sequence[Entry]) -> list[Entry]:
    """The entries with their numbers given anew, as whoever tampers would to hide it."""
    return [replace(entry, seq=seq) for seq, entry in enumerate(entries, 1)]


def found(entries: Sequence[Entry], newest: int | None = None) -> list[tuple[int, str]]:
    return [(fault.seq, fault.what) for fault in faults(entries, newest=newest)]


chains = st.builds(
    lambda kinds, data: chain([row(n, kind=kind, data=data) for n, kind in enumerate(kinds)]),
    st.lists(st.sampled_from(["input", "thought", "decided"]), min_size=1, max_size=90),
    st.dictionaries(st.text(), JSON, max_size=3),
)


@st.composite
def tampered(draw: st.DrawFn, *, least: int = 1) -> tuple[list[Entry], int]:
    """A whole chain, and the index of one of its entries; behind it there are at least `least` - 1 others."""
    entries = draw(chains.filter(lambda found: len(found) >= least))
    return entries, draw(st.integers(0, len(entries) - least))


CHANGES = st.sampled_from(
    [
        {"at": 5},
        {"kind": "other"},
        {"execution_id": "another"},
        {"trace_id": "t"},
        {"span_id": "s"},
        {"cause_id": "c"},
        {"data": {"forged": True}},
    ]
)


@given(chains)
def test_a_chain_that_nobody_touched_is_whole(entries):
    assert found(entries, len(entries)) == []


@given(tampered(), CHANGES)
def test_a_changed_entry_is_found(case, change):
    entries, k = case
    entries[k] = replace(entries[k], **change)
    assert found(entries, len(entries)) == [(k + 1, "changed")]


@given(tampered())
def test_a_changed_hash_is_found(case):
    entries, k = case
    entries[k] = replace(entries[k], hash="f" * 64)
    assert found(entries, len(entries)) == [(k + 1, "changed")]


@given(tampered(), CHANGES)
def test_an_entry_changed_together_with_its_hash_is_found(case, change):
    entries, k = case
    entries[k] = replace(entries[k], hash="f" * 64, **change)
    assert found(entries, len(entries)) == [(k + 1, "changed")]


@given(tampered(least=2), CHANGES)
def test_an_entry_whose_hash_was_computed_anew_does_not_fit_the_one_behind_it(case, change):
    entries, k = case
    forged = replace(entries[k], **change)
    previous = entries[k - 1].hash if k else GENESIS
    entries[k] = replace(forged, hash=link(previous, forged.seq, forged))
    (fault,) = faults(entries, newest=len(entries))
    assert (fault.seq, fault.what) == (k + 2, "changed")
    assert f"or entry {k + 1} with its hash" in fault.sentence or fault.seq == len(entries)


@given(tampered(), st.integers(1, 70))
def test_missing_entries_are_found(case, count):
    entries, k = case
    newest = len(entries)
    del entries[k : k + count]
    assert found(entries, newest) == [(k + 1, "missing")]


@given(tampered(least=3), st.integers(1, 60))
def test_missing_entries_are_found_when_those_behind_were_counted_anew(case, count):
    entries, k = case
    count = min(count, len(entries) - k - 2)  # two must be left, one to show where the other stood
    left = counted(entries[:k] + entries[k + count :])
    assert found(left) == [(k + 1, "missing")]


@given(tampered(), st.booleans(), st.integers(0, 3))
def test_entries_put_in_between_are_found(case, is_chained, count):
    entries, k = case
    put: list[Entry] = []
    for n in range(k + 1, k + 2 + count):
        previous = put[-1].hash if put else entries[k - 1].hash if k else GENESIS
        forged = chained(previous, n, row(0, kind="forged"))
        put.append(forged if is_chained else replace(forged, hash="e" * 64))
    more_of_them = counted(entries[:k] + put + entries[k:])
    assert found(more_of_them, len(entries)) == [(one.seq, "added") for one in put]
    assert found(more_of_them, len(more_of_them)) == [(one.seq, "added") for one in put]


@given(tampered(), st.integers(0, 89))
def test_an_entry_said_twice_is_found(case, at):
    entries, k = case
    at = k + 1 + min(at, len(entries) - k - 1)
    assert found([*entries[:at], entries[k], *entries[at:]], len(entries)) == [(k + 1, "added")]


@given(tampered(least=2), st.integers(1, 60))
def test_two_that_changed_places_are_found(case, distance):
    entries, k = case
    other = min(k + distance, len(entries) - 1)
    entries[k], entries[other] = replace(entries[other], seq=k + 1), replace(entries[k], seq=other + 1)
    assert sorted(found(entries, len(entries))) == [(k + 1, "reordered"), (other + 1, "reordered")]


@given(chains, st.booleans())
def test_an_appended_entry_is_found_where_it_is_known_how_many_there_were(entries, is_chained):
    forged = chained(entries[-1].hash, len(entries) + 1, row(0))
    more = [*entries, forged if is_chained else replace(forged, hash="e" * 64)]
    assert found(more, len(entries)) == [(len(more), "added")]


def test_an_appended_entry_that_does_not_chain_is_found_anyway():
    entries = whole(5)
    (fault,) = faults([*entries, chained(GENESIS, 6, row(6))], newest=6)
    assert fault == Fault(6, "changed", "Entry 6, the last, does not follow from the rest: changed, or added.")


def test_two_faults_are_both_found():
    entries = whole(300)
    entries[200] = replace(entries[200], at=0)
    del entries[20:30]
    assert found(entries, 301) == [(21, "missing"), (201, "changed"), (301, "missing")]


def test_a_chain_can_be_checked_from_an_entry_that_is_taken_for_true():
    entries = whole(10)
    assert list(faults(entries[4:], newest=10, after=entries[3])) == []
    entries[6] = replace(entries[6], at=0)
    assert [fault.seq for fault in faults(entries[4:], newest=12, after=entries[3])] == [7, 11]
    assert [fault.seq for fault in faults(entries[5:], newest=10, after=entries[3])] == [5, 7]
    assert [fault.seq for fault in faults([], newest=5, after=entries[3])] == [5]


def test_a_gap_hides_what_stands_behind_it_and_says_so():
    entries = whole(5)
    del entries[2]
    assert [fault.sentence for fault in faults(entries)] == ["Entry 3 is missing, so that entry 4 cannot be checked."]


def test_a_chain_taken_up_again_behind_lost_entries_needs_no_excuse():
    entries = whole(3)
    on = chained(entries[-1].hash, 6, row(6))
    assert [fault.sentence for fault in faults([*entries, on])] == ["Entries 4 to 5 are missing."]


def test_nothing_but_garbage_is_told_entry_by_entry():
    garbage = [replace(entry, hash="d" * 64) for entry in whole(4)]
    assert {what for _, what in found(garbage)} == {"changed"}


def test_no_entries_where_there_were_some():
    assert found([], 3) == [(1, "missing")]
    assert found([], 0) == []


@given(st.lists(st.dictionaries(st.text(), JSON, max_size=3), min_size=1, max_size=3))
def test_anybody_can_compute_the_chain_from_its_description(data):
    previous = GENESIS
    for entry in chain([row(n, data=one, trace_id="é\n") for n, one in enumerate(data)]):
        head = [entry.seq, entry.at, entry.kind, entry.execution_id, entry.trace_id, entry.span_id, entry.cause_id]
        text = msgspec.json.encode(entry.data, order="deterministic").decode()
        assert json.loads(text) == entry.data
        lines = f"{previous}\n{json.dumps(head, ensure_ascii=False, separators=(',', ':'))}\n{text}"
        previous = hashlib.sha256(lines.encode()).hexdigest()
        assert entry.hash == previous


def test_the_order_of_keys_is_no_part_of_an_entry():
    assert link(GENESIS, 1, row(1, data={"a": 1, "b": 2})) == link(GENESIS, 1, row(1, data={"b": 2, "a": 1}))


def test_what_is_not_json_is_no_entry():
    with pytest.raises(TypeError):
        chained(GENESIS, 1, row(1, data={"x": object()}))


def test_the_emergencies_that_stand_are_those_that_nobody_resumed():
    said = [("halted", "i1"), ("halted", "i2"), ("resumed", "i1"), ("resumed", "i3"), ("halted", "i3")]
    entries = chain([row(n, kind=kind, cause_id=cause) for n, (kind, cause) in enumerate(said)])
    assert [entry.cause_id for entry in unsettled(entries)] == ["i2", "i3"]
