"""What tools answer late, again or never: each outcome moves the Work once (docs/fluxi.md §4)."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.definitions.version import canonical
from mew_agents.fluxi.fsm import Event, State

from ...kit.workers import Worker, Workers
from ..bookings import ASKED, KEYED, PLAIN, booking
from ..ledger import Ledger, ledger_at
from ..outside import Mood, Outside

TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"
LATER = 3 * 60_000


class Office:
    """Where somebody books: one database, one world; processes come and go."""

    def __init__(self, workers: Workers, url: str, folder: Path) -> None:
        self._workers = workers
        self._url = url
        self._folder = folder
        self.outside = Outside(folder)

    def open(self, *effects: dict[str, Any], moods: tuple[Mood, ...] = (), **options: Any) -> Any:
        definition = canonical(booking(*effects))
        return self._workers.start(
            url=self._url, folder=str(self._folder), definition=definition, moods=moods, **options
        )

    async def ledger(self) -> Ledger:
        return await ledger_at(self._url)

    @property
    def effects(self) -> int:
        return len(self.outside.effects.lines)

    @property
    def calls(self) -> int:
        return len(self.outside.calls.lines)


@pytest.fixture
def office(workers: Workers, database_url: str, tmp_path: Path) -> Office:
    return Office(workers, database_url, tmp_path / "world")


async def book(worker: Worker) -> Any:
    """The two messages of a booking; what the yes comes to."""
    await worker.do("say", id="m0", text=TEXT)
    await worker.do("relay")
    return await worker.do("say", id="m1", text="dale")


@pytest.mark.parametrize(("effect", "source"), [(KEYED, "history"), (ASKED, "reconciled")], ids=["keyed", "asked"])
async def test_a_worker_that_stood_still_finds_its_write_fenced_and_kept(
    office: Office, effect: dict[str, Any], source: str
) -> None:
    async with office.open(effect, fault="effect.send.after=hang") as slow, office.open(effect) as quick:
        stopped = await slow.do("process")
        booked = asyncio.create_task(book(slow))
        while not office.effects:
            await asyncio.sleep(0.01)
        # It has done it, and stands still before it can say so.
        await quick.do("wait", ms=LATER)
        assert (await quick.do("works"))[0]["state"] == State.COMPLETED
        before = await office.ledger()
        os.kill(stopped, signal.SIGCONT)
        await booked
        after = await office.ledger()
        assert (await slow.do("say", id="m1", text="dale"))["reason_code"] == "completed"
    assert office.effects == 1
    assert [row.source for row in after.effects] == [source]
    assert after.events == before.events
    assert after.claims == before.claims
    assert len(after.outbox) == len(before.outbox)
    (attempt,) = after.attempts
    assert read(attempt.late)["outcome"] == "applied"


async def test_a_late_answer_ends_the_doubt_once(office: Office) -> None:
    async with office.open(PLAIN, moods=("late",)) as worker:
        assert (await book(worker))["kind"] == "in_doubt"
        (call,) = office.outside.calls.lines
        for _ in range(2):
            assert await worker.do("answered", request=call["request"], outcome="applied")
        assert not await worker.do("answered", request="nobody's", outcome="applied")
        assert (await worker.do("say", id="m1", text="dale"))["reason_code"] == "completed"
    ledger = await office.ledger()
    assert [row.outcome for row in ledger.effects] == ["applied"]
    assert office.calls == office.effects == 1


async def test_a_timeout_with_late_success_is_reconciled_once(office: Office) -> None:
    async with office.open(ASKED, moods=("late",)) as worker:
        assert (await book(worker))["kind"] == "completed"
        await worker.do("wait", ms=LATER)
    ledger = await office.ledger()
    assert [(row.outcome, row.source, row.attempt) for row in ledger.effects] == [("applied", "reconciled", 1)]
    assert office.calls == office.effects == len(office.outside.questions.lines) == 1


async def test_what_fails_twice_and_then_succeeds_is_three_attempts_with_one_key(office: Office) -> None:
    async with office.open(KEYED, moods=("busy", "busy")) as worker:
        assert (await book(worker))["reason_code"] == "retrying"
        calls = []
        # 2 s, then 4 s, and not a moment earlier.
        for ms in (1_999, 1, 3_999, 1):
            await worker.do("wait", ms=ms)
            calls.append(office.calls)
        assert calls == [1, 2, 2, 3]
        assert (await worker.do("say", id="m1", text="dale"))["reason_code"] == "completed"
    ledger = await office.ledger()
    assert [(row.attempt, row.outcome) for row in ledger.attempts] == [
        (1, "not_applied"),
        (2, "not_applied"),
        (3, "applied"),
    ]
    assert len({one["key"] for one in office.outside.calls.lines}) == 1
    assert office.effects == 1


async def test_what_fails_as_often_as_it_may_be_tried_is_told_to_have_failed(office: Office) -> None:
    async with office.open(KEYED, moods=("busy",) * 5) as worker:
        await book(worker)
        for _ in range(5):
            await worker.do("wait", ms=LATER)
        assert (await worker.do("say", id="m1", text="dale"))["kind"] == "failed"
    ledger = await office.ledger()
    assert [work.state for work in ledger.stored.values()] == [State.FAILED]
    assert (office.calls, office.effects) == (3, 0)


async def test_after_a_fatal_error_another_yes_does_nothing(office: Office) -> None:
    async with office.open(KEYED, moods=("refused",)) as worker:
        assert (await book(worker))["kind"] == "failed"
        before = await office.ledger()
        assert (await worker.do("say", id="m2", text="sí"))["reason_code"] == "nothing_to_confirm"
        await worker.do("wait", ms=LATER)
    after = await office.ledger()
    assert [work.state for work in after.stored.values()] == [State.FAILED]
    assert (office.calls, office.effects) == (1, 0)
    assert after.events == before.events
    assert after.claims == before.claims


async def test_when_the_second_effect_fails_the_first_stays_and_the_work_says_which(office: Office) -> None:
    async with office.open(KEYED, KEYED, moods=("applied", "refused")) as worker:
        result = await book(worker)
    ledger = await office.ledger()
    assert (result["kind"], result["data"]["effect_id"], result["data"]["effects_done"]) == (
        "failed",
        "effect-1",
        ["effect-0"],
    )
    assert {row.effect_id: row.outcome for row in ledger.effects} == {"effect-0": "applied", "effect-1": "not_applied"}
    ((work_id, work),) = ledger.stored.items()
    assert work.state is State.FAILED
    failed = ledger.events[work_id][-1]
    assert failed.type is Event.WORK_FAILED
    assert failed.delta["note"]["effects_done"] == ["effect-0"]
    assert (office.calls, office.effects) == (2, 1)


async def test_when_the_first_effect_fails_the_second_is_never_called(office: Office) -> None:
    async with office.open(KEYED, KEYED, moods=("refused",)) as worker:
        assert (await book(worker))["data"]["effects_done"] == []
        await worker.do("wait", ms=LATER)
    ledger = await office.ledger()
    assert sorted(row.status for row in ledger.claims.values()) == ["aborted", "aborted"]
    assert (office.calls, office.effects) == (1, 0)
