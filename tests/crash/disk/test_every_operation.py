"""Whatever the disk refuses, and when: nothing is delivered that is not kept, nothing is lost, nothing comes twice."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import apsw
import pytest

from mew_gateway.journal.schema import Synchronous
from mew_gateway.space.events import Connected, DeadlinePassed, Disconnected, Received

from .faulty_disk import FAULTS, Disk, Fault, Operation
from .story import Story, replayed

IS_TORTURE = "MEW_TORTURE" in os.environ
POINTS = 4  # of the operations that can fail, how many do: all of them under torture
RETRIES = 2  # while the disk fails


class Outage:
    """What happens to the disk: the `nth` operation that can fail does; and those behind it, if it is `lasting`, until
    it was tried in vain a few times."""

    def __init__(self, disk: Disk, fault: Fault, *, nth: int | None, lasting: bool, scratch: Path) -> None:
        self._disk = disk
        self._fault = fault
        self._nth = nth
        self._lasting = lasting
        self._scratch = scratch
        self._retries = 0
        self.candidates = 0
        self.undecided = 0  # times that a crash would have brought back what was refused

    def strike(self, operation: Operation) -> apsw.Error | None:
        error = self._fault(operation)
        if error is None:
            return None
        nth, self.candidates = self.candidates, self.candidates + 1
        is_hit = self._nth is not None and (nth >= self._nth if self._lasting else nth == self._nth)
        return error if is_hit else None

    def meanwhile(self, story: Story) -> None:
        """Nothing can be accepted at the moment; what would a crash leave?"""
        if self._retries == 0:
            with self._disk.spared():
                self.undecided += replayed(story.path, self._scratch).state != story.state()
        self._retries += 1
        if self._retries > RETRIES:
            self._disk.heal()


@pytest.mark.parametrize("synchronous", ["normal", "full"])
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "until healed"])
@pytest.mark.parametrize("name", FAULTS)
def test_at_every_operation(disk: Disk, tmp_path: Path, name: str, lasting: bool, synchronous: Synchronous) -> None:
    def tell(nth: int | None) -> Outage:
        outage = Outage(disk, FAULTS[name], nth=nth, lasting=lasting, scratch=tmp_path / "crashed")
        folder = tmp_path / str(nth)
        folder.mkdir()
        story = Story(folder / "journal.db", synchronous=synchronous, meanwhile=outage.meanwhile)
        try:
            disk.arm(outage.strike)
            story.run()
            disk.heal()
            story.settle()
            check(story, tmp_path / "crashed")
        finally:
            disk.heal()
            story.close()
            shutil.rmtree(folder)
        return outage

    total = tell(None).candidates
    step = 1 if IS_TORTURE else -(-total // POINTS)
    first = len(name + synchronous) % step  # not everywhere the same: the variants strike at different operations
    for nth in range(first, total, step):
        outage = tell(nth)
        assert disk.failed
        # A commit that could not be synced, on a disk that then takes nothing more, can be undone by nobody.
        can_undo = not lasting or disk.failed[0].kind != "sync" or name == "unsyncable"
        assert outage.undecided == 0 or not can_undo


def check(story: Story, scratch: Path) -> None:
    """What was delivered is what is kept, once, in order; and the state is its replay."""
    found = replayed(story.path, scratch)
    assert found.state == story.state()
    assert found.entries == story.entries[-len(found.entries) :]
    assert [entry.position for entry in story.entries] == list(range(1, len(story.entries) + 1))
    kept = [entry.event.envelope.id for entry in story.entries if isinstance(entry.event, Received)]
    assert len(kept) == len(set(kept))
    assert sorted(kept) == sorted(id for person in story.people for id in person.said)
    for heard in story.heard:
        assert len(heard) == len(set(heard))
        said = [id for id in heard if id in kept]
        assert said == [id for id in kept if id in said]
        assert set(heard) <= {*kept, *found.told}
    assert [person.told for person in story.people] == [person.mistakes for person in story.people]
    events = [entry.event for entry in story.entries]
    assert sum(isinstance(event, DeadlinePassed) for event in events) == 1
    came = [event.connection for event in events if isinstance(event, Connected)]
    left = [event.connection for event in events if isinstance(event, Disconnected)]
    assert len(came) == 3
    assert sorted(set(came) & set(left)) == came[1:]  # b, twice; whoever was turned away never came
