"""What the seam promises, asked of every implementation."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from mew_gateway.errors import Unavailable
from mew_gateway.journal.base import READ_BYTES, Draft, Entry, Output, Record, Snapshot
from mew_gateway.journal.retention import interrupting_subject, sequence_subject
from mew_gateway.space.events import (
    Configured,
    Connected,
    DeadlinePassed,
    DeliveredLate,
    Disconnected,
    Event,
    Received,
    Restarted,
    Stalled,
)
from mew_gateway.space.settings import Participant, SpaceSettings

from ..kit.broker import note_entries
from .conftest import named, places


@pytest.fixture
def committed():
    return []


@pytest.fixture
def journal(opener, committed):
    journal = opener()
    note_entries(journal, committed.append)
    return journal


def chat(text: str, *, space: str = "main", time: int = 1000) -> Draft:
    return Draft(space, time, Received("alice", 7, 123, text.encode()))


def output(position: int, nth: int, data: bytes = b"{}", *, space: str = "main") -> Output:
    return Output(position, nth, space, data, None, False)


def texts(found: Iterable[Entry | Record]) -> list[str]:
    """What was said in entries, or in the entries of records."""
    events = [item.event if isinstance(item, Entry) else item.entry.event for item in found]
    return [event.data.decode() for event in events if isinstance(event, Received)]


def test_append_returns_entries_in_order_with_one_counter(journal, committed):
    journal.append([chat("a"), chat("b", space="other", time=1001)], [])
    journal.append([chat("c", time=1002)], [])

    assert [[entry.position for entry in entries] for entries in committed] == [[1, 2], [3]]
    assert [entry.space for entry in committed[0]] == ["main", "other"]
    assert [entry.time for entries in committed for entry in entries] == [1000, 1001, 1002]
    assert list(journal.read(0)) == [entry for entries in committed for entry in entries]
    assert journal.poll() == (), "a local journal returns its entries at once"


def test_every_kind_of_event_is_stored_and_read(journal):
    settings = SpaceSettings("main", {"alice": Participant("alice", ({"kind": "chat"},))})
    events: list[Event] = [
        Configured(settings, 1, "epoch"),
        Restarted(),
        Connected(1, "alice"),
        Received("alice", 1, 2**32 - 1, '{"text":"¿qué?"}'.encode()),
        DeadlinePassed(),
        Stalled(2_500),
        DeliveredLate(3, 4),
        Disconnected(1),
    ]
    journal.append([Draft("main", 5, event) for event in events], [])
    assert [entry.event for entry in journal.read(0)] == events


def test_append_of_nothing_returns_nothing(journal, committed):
    journal.append([], [])
    assert committed == []
    assert list(journal.read(0)) == []


def test_outputs_alone_are_recorded_and_commit_no_entry(journal, committed):
    journal.append([chat("a")], [])
    journal.append([], [output(1, 0, b"welcome")])
    assert len(committed) == 1
    assert journal.records("main")[0].outputs == (output(1, 0, b"welcome"),)


def test_outputs_keep_their_order_audience_and_refusal(journal):
    journal.append([chat("a")], [])
    outputs = (
        Output(1, 0, "main", b"0", None, False),
        Output(1, 1, "main", b"1", ("alice", 'b"ob'), True),
        Output(1, 2, "main", b"2", (), False),
    )
    journal.append([chat("b")], outputs[::-1])
    assert [record.outputs for record in journal.records("main")] == [outputs, ()]


def test_an_output_is_recorded_once(journal):
    journal.append([chat("a")], [])
    journal.append([], [output(1, 0, b"first")])
    journal.append([], [output(1, 0, b"again"), output(1, 1, b"second")])
    (record,) = journal.records("main")
    assert [found.data for found in record.outputs] == [b"first", b"second"]


def test_read_starts_after_a_position(journal):
    journal.append([chat(text) for text in "abcd"], [])
    assert texts(list(journal.read(2))) == ["c", "d"]
    assert list(journal.read(4)) == []
    assert list(journal.read(9)) == []


def test_append_is_possible_during_a_read(journal):
    journal.append([chat(text) for text in "abc"], [])
    reading = journal.read(0)
    first = next(reading)
    journal.append([chat("d")], [])
    assert texts([first, *reading])[:3] == ["a", "b", "c"]
    assert texts(list(journal.read(0))) == ["a", "b", "c", "d"]


def test_latest_is_none_at_first(journal):
    assert journal.latest() is None


def test_a_snapshot_replaces_the_states_it_names_and_keeps_the_others(journal):
    journal.append([chat("a"), chat("b", space="other", time=1001)], [])
    journal.save(Snapshot(2, 1001, {"main": b"m1", "other": b"o1"}))
    journal.append([chat("c", time=1002)], [])
    journal.save(Snapshot(3, 1002, {"main": b"m2"}))
    assert journal.latest() == Snapshot(3, 1002, {"main": b"m2", "other": b"o1"})


def test_a_snapshot_may_hold_a_space_without_entries(journal):
    journal.save(Snapshot(0, 0, {"quiet": b""}))
    assert journal.latest() == Snapshot(0, 0, {"quiet": b""})


@pytest.mark.parametrize(
    ("after", "limit", "expected"),
    [(0, 1000, "aceg"), (0, 2, "ac"), (1, 2, "ce"), (2, 1000, "ceg"), (7, 5, ""), (0, 0, "")],
)
def test_records_are_of_one_space_after_a_position(journal, after, limit, expected):
    journal.append([chat(text, space="main" if text in "aceg" else "other") for text in "abcdefg"], [])
    assert texts(journal.records("main", after=after, limit=limit)) == list(expected)


@pytest.mark.parametrize(
    ("position", "limit", "expected"),
    [(None, 1000, "aceg"), (None, 2, "eg"), (7, 2, "ce"), (6, 1000, "ace"), (1, 5, ""), (None, 0, "")],
)
def test_before_returns_the_newest_of_a_space_in_order(journal, position, limit, expected):
    journal.append([chat(text, space="main" if text in "aceg" else "other") for text in "abcdefg"], [])
    assert texts(journal.before("main", position=position, limit=limit)) == list(expected)


def test_records_stop_at_the_byte_limit_after_at_least_one(journal):
    quarter = "x" * (READ_BYTES // 4 - 100)
    journal.append([chat(quarter) for _ in range(6)] + [chat(4 * quarter + "x" * 500)] + [chat("small")] * 3, [])
    assert places(journal.records("main")) == [1, 2, 3, 4]
    assert places(journal.records("main", after=4)) == [5, 6]
    assert places(journal.records("main", after=6)) == [7]
    assert places(journal.records("main", after=7)) == [8, 9, 10]
    assert places(journal.records("main", after=10)) == []
    assert places(journal.before("main")) == [8, 9, 10]
    assert places(journal.before("main", position=8)) == [7]
    assert places(journal.before("main", position=7)) == [3, 4, 5, 6]
    assert places(journal.before("main", position=3)) == [1, 2]
    assert [entry.position for entry in journal.read(0)] == [*range(1, 11)]


def test_outputs_count_towards_the_byte_limit(journal):
    journal.append([chat("a"), chat("b"), chat("c")], [])
    journal.append([], [output(1, nth, b"x" * (READ_BYTES // 2)) for nth in (0, 1)])
    assert places(journal.records("main")) == [1]
    assert len(journal.records("main")[0].outputs) == 2
    assert places(journal.records("main", after=1)) == [2, 3]
    assert places(journal.before("main")) == [2, 3]


def test_history_of_a_space_with_rare_entries(journal):
    for burst in range(5):
        journal.append([chat(f"rare {burst}", space="rare")], [])
        journal.append([chat("noise")] * 700, [output(701 * burst + 1, 0, b"out", space="rare")])
    assert texts(journal.records("rare")) == [f"rare {burst}" for burst in range(5)]
    assert texts(journal.before("rare", limit=2)) == ["rare 3", "rare 4"]
    assert [len(record.outputs) for record in journal.records("rare")] == [1] * 5
    assert len(journal.records("main", limit=5000)) == 3500


def test_an_unknown_space_has_no_history(journal):
    assert list(journal.records("nowhere")) == []
    assert list(journal.before("nowhere")) == []


def called(id: str, *, space: str = "main", time: int = 1000) -> Draft:
    return chat(f'{{"id":"{id}","kind":"chat","payload":{{"id":"inner"}}}}', space=space, time=time)


def test_an_envelope_is_found_by_its_id_newest_first(journal):
    journal.append([called("a"), called("b"), called("a", space="other"), called("a"), chat("no envelope")], [])
    journal.append([], [output(2, 0, b'{"id":"gw-1"}'), output(2, 1, b'{"id":"a"}'), output(5, 0, b"")])
    assert named(journal.find("main", "a"), "a") == [4, 2, 1]
    assert named(journal.find("other", "a"), "a") == [3]
    assert named(journal.find("main", "gw-1"), "gw-1") == [2]
    assert named(journal.find("other", "gw-1"), "gw-1") == []
    assert named(journal.find("main", "inner"), "inner") == named(journal.find("nowhere", "a"), "a") == []


def test_find_returns_an_entry_and_its_outputs_once(journal):
    journal.append([called("a")], [])
    journal.append([], [output(1, 0, b'{"id":"a"}'), output(1, 1, b'{"id":"a"}')])
    journal.append([], [output(1, 1, b'{"id":"again"}')])
    assert named(journal.find("main", "a"), "a") == [1]
    assert named(journal.find("main", "again"), "again") == []


def test_find_omits_pruned_entries(journal):
    journal.append([called("a"), called("a"), called("b")], [])
    journal.append([], [output(1, 0, b'{"id":"gw-1"}')])
    journal.save(Snapshot(3, 1000, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=1) == 1
    assert named(journal.find("main", "a"), "a") == [2]
    assert named(journal.find("main", "gw-1"), "gw-1") == []


def test_find_skips_entries_pruned_during_the_search(journal):
    journal.append([called("a"), called("a"), called("a"), called("b")], [])
    journal.save(Snapshot(4, 1000, {"main": b"state"}))
    looking = journal.find("main", "a")
    assert next(looking).entry.position == 3
    assert journal.prune(older_than=2**50, limit=2) == 2
    assert list(looking) == []


def test_prune_deletes_nothing_without_a_snapshot(journal):
    journal.append([chat("a")], [])
    assert journal.prune(older_than=2**50, limit=10) == 0


def test_prune_deletes_oldest_entries_up_to_a_time_and_limit(journal):
    journal.append([chat(text, time=1000 + n) for n, text in enumerate("abcdef")], [])
    journal.append([], [output(1, 0), output(2, 0), output(3, 0)])
    journal.save(Snapshot(6, 1005, {"main": b"state"}))

    assert journal.prune(older_than=1000, limit=10) == 0
    assert journal.prune(older_than=1004, limit=2) == 2
    assert texts(journal.records("main")) == ["c", "d", "e", "f"]
    assert journal.records("main")[0].outputs == (output(3, 0),)
    assert journal.prune(older_than=1004, limit=10) == 2
    assert texts(list(journal.read(0))) == ["e", "f"]


def said(n: int, **fields: Any) -> Draft:
    return Draft("main", 1000 + n, Received("alice", 1, n, json.dumps({"id": f"e{n}", **fields}).encode()))


def test_prune_keeps_an_interrupted_sequence(journal):
    told = [
        said(1, kind="chat"),
        Draft("main", 1002, Received("alice", 1, 2, b'{"id":"run","kind":"reasoning/start"}')),
        said(3, kind="reasoning/thought", context="run/below"),
        said(4, kind="reasoning/interrupt", correlation_id=["run"]),
        said(5, kind="reasoning/interrupt-ack", correlation_id=["e4"]),
        said(6, kind="reasoning/thought", context="elsewhere"),
        said(7, kind="reasoning/conclusion", context="elsewhere", payload={"timeline": "3:abc"}),
        said(8, kind="reasoning/thought", context="open"),
        said(9, kind="chat"),
    ]
    journal.append(told, [])
    journal.retain("main", [sequence_subject("alice", "run"), "e4"])
    journal.append([], [Output(9, 0, "main", b'{"id":"gw-1","correlation_id":["e4"]}', None, False)])
    journal.save(Snapshot(9, 1009, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=100, open_ids={"main": [sequence_subject("alice", "open")]}) == 9
    kept = [2, 3, 4, 5, 7, 8, 9]
    assert places(journal.records("main")) == kept
    assert named(journal.find("main", "e3"), "e3") == [3]
    assert (journal.pruned, journal.prune(older_than=2**50, limit=100)) == (9, 0)
    assert [entry.position for entry in journal.read(0)] == kept
    assert places(journal.before("main", limit=2)) == [8, 9]
    journal.append([chat("next")], [])
    assert places(journal.records("main", after=7)) == [8, 9, 10]


def by(who: str, n: int, **fields) -> Draft:
    data = json.dumps({"id": f"e{n}", **fields}).encode()
    return Draft("main", 1000 + n, Received(who, 1, n, data))


def test_prune_deletes_what_only_names_an_interrupted_sequence(journal):
    told = [
        by("agent", 1, kind="reasoning/start"),
        by("agent", 2, kind="chat", correlation_id=["e1"]),
        by("other", 3, kind="chat", context="e1"),
        by("agent", 4, kind="mcp/request", context="e1/below"),
        by("agent", 5, kind="reasoning/thought", context="e1"),
        by("human", 6, kind="reasoning/interrupt", correlation_id=["e1"]),
        by("other", 7, kind="chat", correlation_id=["e6"]),
        by("human", 8, kind="participant/resume", correlation_id=["e6"]),
        by("other", 9, kind="mcp/request", context="e1"),
        by("other", 10, kind="mcp/response", correlation_id=["e9"]),
        by("other", 11, kind="reasoning/cancel", correlation_id=["e6"]),
        by("other", 6, kind="chat"),
        by("other", 1, kind="reasoning/start"),
    ]
    journal.append(told, [])
    journal.append([], [Output(5, 0, "main", b'{"id":"gw-1","correlation_id":["e5"]}', None, True)])
    journal.append([], [Output(12, 0, "main", b'{"id":"gw-2","correlation_id":["e6"]}', None, False)])  # about itself
    journal.retain("main", [sequence_subject("agent", "e1"), "e6"])
    journal.save(Snapshot(13, 1013, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=100) == 13
    assert places(journal.records("main")) == [1, 4, 6, 8]  # 5 was refused


def test_prune_keeps_owner_envelopes_and_answers_of_an_interrupted_sequence(journal):
    kinds = ("chat", "acme/lamp", "stream/close", "capability/grant", "participant/status", "space/invite")
    told = [by("agent", 1, kind="reasoning/start")]
    told += [by("agent", n, kind=kind, context="e1/below") for n, kind in enumerate(kinds, start=2)]
    told += [
        by("agent", 8, kind="mcp/proposal", context="e1"),
        by("agent", 9, kind="mcp/request", context="e1", to=["tool", "other"]),
        by("agent", 10, kind="mcp/request", context="e1"),
        by("agent", 11, kind="mcp/proposal", context="e1"),
        by("agent", 12, kind="mcp/request", context="e1", to=["gone"]),
        by("human", 13, kind="mcp/request", correlation_id=["e8"], to=["tool"]),  # fulfils it
        by("tool", 14, kind="mcp/response", correlation_id=["e13"]),
        by("tool", 15, kind="mcp/response", correlation_id=["e9"]),
        by("human", 16, kind="mcp/response", correlation_id=["e10"]),
        by("human", 17, kind="mcp/reject", correlation_id=["e11"]),
        by("other", 18, kind="chat"),
        by("human", 19, kind="mcp/request", correlation_id=["e8"]),  # from here on they only name it
        by("tool", 20, kind="mcp/response", correlation_id=["e9"]),
        by("tool", 21, kind="mcp/response", correlation_id=["e10"]),
        by("human", 22, kind="mcp/reject", correlation_id=["e11"]),
        by("other", 23, kind="chat", correlation_id=["e9"]),
    ]
    journal.append(told, [])
    left = b'{"id":"gw-1","kind":"system/error","correlation_id":["e12"],"payload":{"participants":["gone"]}}'
    lost = b'{"id":"gw-2","kind":"system/error","payload":{"owner":"agent","sequence_id":"e1"}}'
    journal.append([Draft("main", 2000, Restarted())], [])
    journal.append([], [Output(24, 0, "main", left, None, False), Output(24, 1, "main", lost, None, False)])
    journal.retain("main", [sequence_subject("agent", "e1")])
    journal.save(Snapshot(24, 2000, {"main": b"state"}))
    while journal.prune(older_than=2**50, limit=3):
        pass
    assert places(journal.records("main")) == [*range(1, 18), 24]


def test_release_deletes_the_oldest_of_the_largest_holder(journal):
    told = [by("agent", n, kind="reasoning/start", text="x" * 1000) for n in range(1, 9)]
    told += [by("human", n, kind="reasoning/interrupt", correlation_id=["e1"]) for n in range(9, 11)]
    journal.append(told, [])
    journal.retain("main", [*(sequence_subject("agent", f"e{n}") for n in range(1, 9)), "e9", "e10"])
    journal.save(Snapshot(10, 1010, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=100) == 10
    assert journal.release(most=100_000, limit=10) is None
    released = journal.release(most=5_000, limit=10)
    assert (released.holder, released.entries) == (("main", "agent"), 4)
    assert released.size > 4_000
    assert journal.release(most=5_000, limit=10) is None
    assert places(journal.records("main")) == [5, 6, 7, 8, 9, 10]
    assert journal.release(most=0, limit=1).entries == 1
    while journal.release(most=100, limit=10):
        pass
    assert places(journal.records("main")) == [10]
    assert named(journal.find("main", "e5"), "e5") == []


def test_size_is_that_of_the_held_entries(journal):
    empty = journal.size
    journal.append([chat("x" * 10_000) for _ in range(20)], [])
    full = journal.size
    assert full >= empty + 200_000
    journal.save(Snapshot(20, 1000, {"main": b"state"}))
    journal.prune(older_than=2**50, limit=20)
    assert journal.size < full - 150_000


def test_prune_keeps_entries_after_the_snapshot(journal, committed):
    journal.append([chat(text) for text in "abcd"], [])
    journal.save(Snapshot(2, 1000, {"main": b"state"}))
    assert journal.prune(older_than=2**50, limit=10) == 2
    assert texts(list(journal.read(2))) == ["c", "d"]
    journal.append([chat("e")], [])
    assert committed[-1][0].position == 5
    assert texts(journal.before("main", limit=9)) == ["c", "d", "e"]


def test_close_is_idempotent_and_append_then_fails(journal, committed):
    journal.close()
    journal.close()
    with pytest.raises(Unavailable, match="closed"):
        journal.append([chat("a")], [])
    assert committed == []


def test_prune_keeps_what_interrupted_without_an_interrupt(journal):
    told = [
        by("agent", 1, kind="reasoning/start"),
        by("human", 2, kind="chat", to=["agent"]),
        by("agent", 3, kind="chat/acknowledge", to=["human"], correlation_id=["e2"]),
        by("agent", 4, kind="chat/acknowledge", to=["human"], correlation_id=["e2"]),
        by("agent", 5, kind="reasoning/conclusion", context="e1"),
        by("human", 6, kind="chat", to=["agent"]),
        Draft("main", 1007, Received("human", 1, 7, b'{"id":"e2","kind":"chat"}')),
    ]
    journal.append(told, [])
    journal.retain("main", [sequence_subject("agent", "e1"), interrupting_subject("e2")])
    journal.save(Snapshot(7, 1007, {"main": b"state"}))
    for _ in range(4):  # also where the answer is in another part than the question
        journal.prune(older_than=2**50, limit=2)
    assert places(journal.records("main")) == [1, 2, 3, 5]
