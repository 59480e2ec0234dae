"""`kill -9` of a writing gateway: what was committed is there, in order, whole, and the next one may start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mew_gateway.journal.base import Draft
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

# Commits of one to seven numbered entries for ever, each position printed when the journal says it is durable.
# The log's limit is low, so that the kill also falls into checkpoints.
WRITER = """
import sys
from itertools import count
from mew_gateway.journal.base import Draft, Output
from mew_gateway.journal.sqlite import SqliteJournal
from mew_gateway.space.events import Received

journal = SqliteJournal(sys.argv[1], synchronous="normal", log_limit=200_000)
number = 0
for size in count():
    drafts = []
    for _ in range(size % 7 + 1):
        number += 1
        data = b"%d " % number * 60
        drafts.append(Draft(f"space{number % 3}", number, Received("alice", 1, number, data)))
    outputs = [Output(at, 0, "", b"%d" % at, None, False) for at in (number - len(drafts),) if at]
    entries = journal.append(drafts, outputs)
    sys.stdout.write("".join(f"{entry.position}\\n" for entry in entries))
    sys.stdout.flush()
"""


@pytest.mark.parametrize("patience", [1, 300, 3000])
def test_every_position_that_was_reported_is_there(tmp_path, patience):
    path = str(tmp_path / "journal.db")
    reported = write_and_die(path, patience)
    assert len(reported) >= patience

    journal = SqliteJournal(path, synchronous="normal")
    entries = list(journal.read(0))

    assert [entry.position for entry in entries] == list(range(1, len(entries) + 1))
    assert reported == list(range(1, len(reported) + 1))
    assert len(entries) >= len(reported)
    for entry in entries:
        assert entry.space == f"space{entry.position % 3}"
        number = entry.position
        assert entry.time == number
        assert entry.event == Received("alice", 1, number, b"%d " % number * 60)
    assert sizes_of_commits(len(entries)) == len(entries), "half a commit"
    for space in ("space0", "space1", "space2"):
        records = journal.records(space, limit=len(entries))
        assert [record.entry for record in records] == [entry for entry in entries if entry.space == space]
        assert all(output.data == b"%d" % output.position for record in records for output in record.outputs)

    committed = journal.append([Draft(entries[0].space, entries[0].time, entries[0].event)], [])
    assert committed[0].position == len(entries) + 1
    journal.close()


def write_and_die(path: str, patience: int) -> list[int]:
    """Run the writer, kill it when it has reported so many positions; all that it reported."""
    with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(patience)]
        writer.kill()
        lines += writer.stdout.readlines()
    return [int(line) for line in lines if line.endswith(b"\n")]


def sizes_of_commits(entries: int) -> int:
    """The number of entries that the smallest row of whole commits with at least `entries` holds."""
    total = size = 0
    while total < entries:
        total += size % 7 + 1
        size += 1
    return total
