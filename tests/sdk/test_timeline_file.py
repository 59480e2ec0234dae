"""The timeline's stores: what both do, and what only a file has: others who touch it, a full disk, damage."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from mew_gateway.errors import Misconfigured
from mew_gateway.sdk.timeline.base import CorruptTimeline, Head, Timeline, TimelineUnavailable, every
from mew_gateway.sdk.timeline.entry import GENESIS, Row
from mew_gateway.sdk.timeline.memory import TimelineMemory
from mew_gateway.sdk.timeline.sqlite import InUse, TimelineFile, TimelineReader, open_timeline
from mew_gateway.sdk.timeline.verify import faults

Opener = Callable[[], Timeline]


def row(n: int, **changes: Any) -> Row:
    fields: dict[str, Any] = {"at": n, "kind": "thought", "execution_id": "life", "data": {"n": n}}
    return Row(**{**fields, **changes})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "timeline.db"


@pytest.fixture(params=["memory", "file"])
def opener(request: pytest.FixtureRequest, path: Path) -> Iterator[Opener]:
    """Opens a timeline of either sort; again, the same one."""
    opened: list[Timeline] = []

    def opening() -> Timeline:
        kept = list(every(opened[-1])) if opened and request.param == "memory" else []
        for timeline in opened:
            timeline.close()
        opened.append(TimelineMemory(kept) if request.param == "memory" else TimelineFile(path))
        return opened[-1]

    yield opening
    for timeline in opened:
        timeline.close()


@pytest.fixture
def file(path: Path) -> Iterator[TimelineFile]:
    timeline = TimelineFile(path)
    yield timeline
    timeline.close()


def foreign(path: Path, statements: str) -> None:
    """Another program at the file."""
    connection = apsw.Connection(str(path))
    try:
        connection.execute(statements)
    finally:
        connection.close()


UNGUARDED = "drop trigger no_update; drop trigger no_delete; drop trigger in_order;"


def verified(path: Path) -> list[tuple[int, str]]:
    with TimelineReader(path) as reader:
        return [(fault.seq, fault.what) for fault in faults(every(reader), newest=reader.newest)]


# Both.


def test_an_empty_timeline(opener):
    timeline = opener()
    assert (timeline.head, timeline.newest) == (Head(0, GENESIS), 0)
    assert list(timeline.read()) == []
    assert timeline.unsettled() == ()


def test_what_is_appended_is_read_back_in_order(opener):
    timeline = opener()
    full = row(2, trace_id="run", span_id="span", cause_id="i1", data={"deep": [1, {"é": None}], "x": 0.1})
    appended = timeline.append([row(1), full]) + timeline.append([row(3)])
    assert list(timeline.read()) == appended
    assert [entry.seq for entry in appended] == [1, 2, 3]
    assert timeline.head == (3, appended[-1].hash)
    assert (appended[1].span_id, appended[1].data) == ("span", full.data)
    assert list(faults(every(timeline), newest=timeline.newest)) == []


def test_nothing_appended_is_nothing_changed(opener):
    timeline = opener()
    timeline.append([row(1)])
    head = timeline.head
    assert timeline.append([]) == []
    assert timeline.head == head


def test_reading_takes_up_behind_a_seq_and_stops_at_a_limit(opener):
    timeline = opener()
    timeline.append([row(n) for n in range(1, 8)])
    assert [entry.seq for entry in timeline.read(after=2, limit=3)] == [3, 4, 5]
    assert [entry.seq for entry in every(timeline, after=5)] == [6, 7]


def test_a_timeline_goes_on_where_it_was_left(opener):
    first = opener().append([row(1), row(2)])
    timeline = opener()
    assert timeline.head == (2, first[-1].hash)
    timeline.append([row(3)])
    assert list(faults(every(timeline), newest=3)) == []


def test_the_emergencies_that_stand_are_known_when_it_is_opened_again(opener):
    opener().append(
        [
            row(1, kind="halted", cause_id="i1", data={"interrupt": "i1"}),
            row(2, kind="halted", cause_id="i2", data={"interrupt": "i2"}),
            row(3, kind="resumed", cause_id="i1"),
        ]
    )
    (standing,) = opener().unsettled()
    assert (standing.seq, standing.data) == (2, {"interrupt": "i2"})


def test_a_closed_timeline_takes_nothing(opener):
    timeline = opener()
    timeline.close()
    timeline.close()
    with pytest.raises(TimelineUnavailable, match="is closed"):
        timeline.append([row(1)])


def test_two_threads_append_under_one_lock(opener):
    timeline, lock = opener(), threading.Lock()

    def work() -> None:
        for n in range(20):
            with lock:
                timeline.append([row(n), row(n)])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert timeline.head.seq == 80
    assert list(faults(every(timeline), newest=80)) == []


# Only a file: append-only.


@pytest.mark.parametrize(
    "statement",
    [
        "update events set data = '{}' where seq = 2",
        "update events set seq = 9 where seq = 2",
        "delete from events where seq = 3",
        "delete from events",
        "replace into events select * from events where seq = 2",
        "insert or replace into events values (2, 1, 'k', 'e', null, null, null, '{}', '')",
        "insert into events values (2, 1, 'k', 'e', null, null, null, '{}', '') on conflict do update set kind = 'k'",
        "insert into events values (9, 1, 'k', 'e', null, null, null, '{}', '')",
        "insert into events values (0, 1, 'k', 'e', null, null, null, '{}', '')",
    ],
)
def test_the_store_refuses_whatever_is_no_appending(file, path, statement):
    before = file.append([row(1), row(2), row(3)])
    with pytest.raises(apsw.ConstraintError, match="the timeline is append-only"):
        foreign(path, statement)
    assert list(file.read()) == before


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("update events set data = '{\"n\":99}' where seq = 3", [(3, "changed")]),
        ("update events set data = '{ \"n\": 3}' where seq = 3", [(3, "changed")]),
        ("update events set data = 'no JSON' where seq = 3", [(3, "changed")]),
        ("update events set data = '[3]' where seq = 3", [(3, "changed")]),
        ("update events set at = 0 where seq = 5", [(5, "changed")]),
        ("delete from events where seq in (2, 3)", [(2, "missing")]),
        ("delete from events where seq > 3", [(4, "missing")]),
        ("delete from events", [(1, "missing")]),
        ("delete from events where seq = 2; update events set seq = seq - 1 where seq > 2", [(2, "missing")]),
        (
            "update events set seq = -seq where seq > 2; update events set seq = 1 - seq where seq < 0;"
            "insert into events values (3, 1, 'k', 'e', null, null, null, '{}', 'f')",
            [(3, "added")],
        ),
        ("insert into events values (6, 1, 'k', 'e', null, null, null, '{}', 'f')", [(6, "changed")]),
        (
            "update events set seq = 0 where seq = 2; update events set seq = 2 where seq = 4;"
            "update events set seq = 4 where seq = 0",
            [(4, "reordered"), (2, "reordered")],
        ),
    ],
)
def test_tampering_behind_the_triggers_is_found(path, statements, expected):
    timeline = TimelineFile(path)
    timeline.append([row(n) for n in range(1, 6)])
    timeline.close()
    foreign(path, UNGUARDED + statements)
    assert verified(path) == expected


def test_an_entry_appended_by_somebody_else_that_chains_but_was_not_counted(path):
    timeline = TimelineFile(path)
    timeline.append([row(1)])
    timeline.append([row(2)])
    timeline.close()
    foreign(path, UNGUARDED + "update sqlite_sequence set seq = 1")
    assert verified(path) == [(2, "added")]


def test_an_agent_goes_on_behind_lost_entries_and_the_loss_stays_on_record(path):
    timeline = TimelineFile(path)
    timeline.append([row(n) for n in range(1, 6)])
    timeline.close()
    foreign(path, "drop trigger no_delete; delete from events where seq > 3")
    timeline = TimelineFile(path)
    assert [entry.seq for entry in timeline.append([row(6)])] == [6]
    timeline.close()
    assert verified(path) == [(4, "missing")]


def test_an_agent_whose_file_somebody_appends_to_notices(file, path):
    file.append([row(1)])
    foreign(path, "insert into events values (2, 1, 'k', 'e', null, null, null, '{}', 'f')")
    with pytest.raises(CorruptTimeline, match="append-only"):
        file.append([row(2)])


@pytest.mark.parametrize("trigger", ["no_update", "no_delete", "in_order"])
@pytest.mark.parametrize("left", ["", "create trigger {} before update on events when 0 begin select 1; end"])
def test_triggers_that_are_gone_or_were_disarmed_are_put_back(path, caplog, trigger, left):
    timeline = TimelineFile(path)
    timeline.append([row(1), row(2)])
    timeline.close()
    foreign(path, f"drop trigger {trigger}; {left.format(trigger)}")
    with TimelineReader(path) as reader:
        assert reader.unguarded == (trigger,)
    timeline = TimelineFile(path)
    assert timeline.unguarded == ()
    (told,) = caplog.records
    assert (told.levelname, f"({trigger}): they are back" in told.message) == ("WARNING", True)
    for statement in ("update events set at = 0", "delete from events", "replace into events select * from events"):
        with pytest.raises(apsw.ConstraintError, match="the timeline is append-only"):
            foreign(path, statement)
    timeline.append([row(3)])
    timeline.close()


def test_a_timeline_that_nobody_touched_is_opened_without_a_word(path, caplog):
    for n in (0, 1, 100, 101, 250):
        timeline = TimelineFile(path)
        assert timeline.unguarded == ()
        timeline.append([row(n) for n in range(n)])
        timeline.close()
    TimelineFile(path).close()
    assert caplog.records == []


@pytest.mark.parametrize(
    ("statements", "told"),
    [
        ("update events set at = 0 where seq = 51", "Entry 51 does not follow from entry 50"),
        ("update events set at = 0 where seq = 150", "Entry 150, the last, does not follow"),
        ("delete from events where seq in (100, 101)", "Entries 100 to 101 are missing"),
        ("delete from events where seq > 140", "Entries 141 to 150 are missing"),
        ("delete from events where seq < 100", "Entries 1 to 99 are missing"),
        ("delete from events", "Entries 1 to 150 are missing"),
    ],
)
def test_an_agent_whose_newest_entries_were_tampered_with_says_so_and_goes_on(path, caplog, statements, told):
    timeline = TimelineFile(path)
    timeline.append([row(n) for n in range(1, 151)])
    timeline.close()
    foreign(path, UNGUARDED + statements)
    timeline = TimelineFile(path)
    assert [record.levelname for record in caplog.records] == ["WARNING", "ERROR"]
    assert told in caplog.records[1].message
    assert timeline.append([row(151)])[0].seq == 151
    timeline.close()
    assert verified(path)


def test_old_entries_are_for_a_verification_to_check(path, caplog):
    timeline = TimelineFile(path)
    timeline.append([row(n) for n in range(1, 151)])
    timeline.close()
    foreign(path, UNGUARDED + "update events set at = 0 where seq = 49")
    TimelineFile(path).close()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert verified(path) == [(49, "changed")]


# Only a file: processes, disks, other files.


def test_only_one_agent_has_a_state_folder(file, path):
    with pytest.raises(Misconfigured, match=r"Another agent is running with the state folder .*state"):
        TimelineFile(path)
    file.close()
    TimelineFile(path).close()


def test_only_the_owner_reads_what_an_agent_did(file, path):
    file.append([row(1)])
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(one.stat().st_mode) for one in path.parent.iterdir()} == {0o600}


def test_a_reader_sees_what_the_agent_appends_meanwhile(file, path):
    file.append([row(1)])
    with TimelineReader(path) as reader:
        assert [entry.seq for entry in reader.read()] == [1]
        file.append([row(2)])
        assert [entry.seq for entry in reader.read(after=1)] == [2]


def test_a_still_reader_does_not_see_what_comes_later(file, path):
    file.append([row(1)])
    with TimelineReader(path) as reader, reader.still():
        assert reader.newest == 1
        file.append([row(2)])
        assert [entry.seq for entry in every(reader)] == [1]


def test_a_reader_finds_the_newest_entries_and_those_of_a_cause(file, path):
    file.append([row(n, kind="input" if n % 2 else "thought", cause_id=f"i{n % 3}") for n in range(1, 8)])
    with TimelineReader(path) as reader:
        assert reader.head == file.head
        assert [entry.seq for entry in reader.last(3)] == [5, 6, 7]
        assert [entry.seq for entry in reader.last(2, besides="input")] == [4, 6]
        assert [entry.seq for entry in reader.caused_by("i1")] == [1, 4, 7]
        assert list(reader.caused_by("i9")) == []


KILLED = """
import os, signal, sys
from pathlib import Path
from mew_gateway.sdk.timeline.entry import Row
from mew_gateway.sdk.timeline.sqlite import TimelineFile
timeline = TimelineFile(Path(sys.argv[1]))
timeline.append([Row(at=n, kind="thought", execution_id="life") for n in range(3)])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_after_a_kill_another_process_reads_the_log_and_the_agent_goes_on(path):
    assert subprocess.run([sys.executable, "-c", KILLED, str(path)]).returncode == -signal.SIGKILL
    assert path.with_name("timeline.db-wal").stat().st_size > 0
    path.with_name("timeline.db-shm").unlink()
    assert verified(path) == []
    timeline = TimelineFile(path)
    assert timeline.append([row(4)])[0].seq == 4
    timeline.close()


def test_a_full_disk_loses_nothing_and_is_told(file):
    file.append([row(1)])
    limit = file._connection.pragma("max_page_count", 12)
    assert limit == 12
    with pytest.raises(TimelineUnavailable, match="cannot grow: free some disk space"):
        file.append([row(2), row(3, data={"long": "x" * 100_000})])
    assert (file.head.seq, file.newest) == (1, 1)
    file._connection.pragma("max_page_count", 1_000_000)
    assert [entry.seq for entry in file.append([row(2), row(3)])] == [2, 3]
    assert list(faults(every(file), newest=3)) == []


def test_a_timeline_that_is_not_there_is_told(path):
    with pytest.raises(TimelineUnavailable, match="cannot be opened: check that it is there, and a file"):
        TimelineReader(path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(TimelineUnavailable, match="cannot be opened: Not a directory"):
        TimelineFile(tmp_path / "file" / "deeper" / "timeline.db")


@pytest.mark.parametrize("opening", [TimelineFile, TimelineReader])
def test_another_file_is_refused_and_left_alone(tmp_path, opening):
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("no database " * 100)
    foreign(other, "create table mine (x)")
    before = other.read_bytes()
    for path in (text, other):
        with pytest.raises(CorruptTimeline, match="is not an agent's timeline"):
            opening(path)
    assert other.read_bytes() == before


def test_another_format_is_refused(path):
    TimelineFile(path).close()
    foreign(path, "pragma user_version = 7")
    with pytest.raises(CorruptTimeline, match="has format 7, this version reads format 1"):
        TimelineFile(path)


def test_a_damaged_file_is_told(path):
    timeline = TimelineFile(path)
    timeline.append([row(n, data={"x": "y" * 1000}) for n in range(50)])
    timeline.close()
    with path.open("r+b") as damaged:
        damaged.seek(4096 * 3)
        damaged.write(os.urandom(4096 * 8))
    with TimelineReader(path) as reader, pytest.raises(CorruptTimeline, match="is damaged"):
        list(every(reader))


async def test_a_successor_waits_for_the_one_that_has_it(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "state" / "timeline.db"
    before = TimelineFile(path)
    with pytest.raises(InUse, match="Another agent is running"):
        await open_timeline(path, patience=0.0)
    with caplog.at_level("INFO"):
        opening = asyncio.create_task(open_timeline(path))
        async with asyncio.timeout(60):
            while "waiting for the agent that has the state folder" not in caplog.text:
                await asyncio.sleep(0)
        assert not opening.done()
        before.close()
        async with asyncio.timeout(60):
            after = await opening
    after.close()
