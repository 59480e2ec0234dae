"""Promises that cross parts: a halt holds, nothing is starved, an attempt that was not made does not count."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from mew_agents.durable import Crash, Database, Failpoints
from mew_agents.durable.failpoints import Fault
from mew_agents.fluxi import Answer, Call, Conversation, Fluxi, Message, PolicyContext, Prepared, Result, Witness
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.interpreter.base import ProposedWork
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.points import POINTS
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.work import Work

from .bookings import KEYED, PLAIN, START, ZONE, Slow, booking
from .ledger import broken
from .outside import Doubles, Mood, Outside

TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"
HERE = Conversation("clinic", "c")


class Site:
    """One database with a clock and a world; `open` gives a Fluxi on it, as another process would."""

    def __init__(self, url: str, folder: Path, *definitions: Definition, moods: Sequence[Mood] = ()) -> None:
        self.url, self.definitions, self.now = url, definitions, START
        self.outside = Outside(folder / "world")
        self.tools = Doubles(self.outside, moods)
        self.numbers = 0

    @asynccontextmanager
    async def open(self, **options: Any) -> AsyncIterator[Fluxi]:
        chosen = {"tools": self.tools, "definitions": self.definitions, "clock": lambda: self.now, **options}
        fluxi = await Fluxi.open(self.url, **chosen)
        try:
            yield fluxi
        finally:
            fluxi.close()

    async def say(self, fluxi: Fluxi, text: str, *, here: Conversation = HERE, **more: Any) -> Result:
        self.now += timedelta(seconds=1)
        self.numbers += 1
        message = Message(message_id=f"m{self.numbers}", sender=more.pop("sender", "ana"), text=text, **more)
        return await fluxi.handle(message, PolicyContext(now=self.now, timezone=ZONE), here)

    async def work(self, fluxi: Fluxi, work_id: str | None) -> Work:
        assert work_id is not None
        assert await fluxi.database.read(broken) == []
        found = await fluxi.database.read(lambda connection: fluxi.desk.records(connection).work(work_id))
        assert found is not None
        return found


class Proposing(Doubles):
    """What it may not call it proposes, and nobody decides."""

    def prepare(self, call: Call) -> Prepared:
        return replace(super().prepare(call), proposed=True)

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        return Answer(outcome="unknown", code="proposed")


async def test_an_emergency_holds_over_a_doubt_that_ends(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(PLAIN, KEYED), moods=["late"])
    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        assert (await site.say(fluxi, "sí")).kind == "in_doubt"
        assert work_id is not None
        await fluxi.operators.suspend(work_id, by="guardian")
        (call,) = site.outside.calls.lines
        await fluxi.arrivals.answered(call["request"], Answer(outcome="applied", code="late"))
        assert (await site.work(fluxi, work_id)).suspended_reason == "halted"
        assert len(site.outside.calls.lines) == 1  # the second effect waits for the end of the emergency
        await fluxi.operators.resume(work_id, by="guardian", reason="halted")
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED
        assert len(site.outside.effects.lines) == 2


async def test_a_doubt_that_came_during_an_emergency_is_there_behind_it(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(PLAIN), moods=["late"])
    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        assert work_id is not None

        class Guardian(Witness):
            def attempt(self, effect_id: str, *, limit: float) -> Any:
                return halted()

        @asynccontextmanager
        async def halted() -> AsyncIterator[None]:
            await fluxi.operators.suspend(work_id, by="guardian")
            yield

        message = Message(message_id="yes", sender="ana", text="sí")
        await fluxi.handle(message, PolicyContext(now=site.now + timedelta(seconds=1), timezone=ZONE), HERE, Guardian())
        assert (await site.work(fluxi, work_id)).suspended_reason == "halted"
        await fluxi.operators.resume(work_id, by="guardian", reason="halted")
        assert (await site.work(fluxi, work_id)).suspended_reason == "in_doubt"


async def test_what_was_not_sent_before_an_emergency_is_not_sent_during_it(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    points = Failpoints(POINTS)
    async with site.open(failpoints=points) as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        points.arm(Fault("effect.send.before", 1, "raise"))
        with pytest.raises(Crash):
            await site.say(fluxi, "sí")
    async with site.open() as fluxi:
        assert work_id is not None
        await fluxi.operators.suspend(work_id, by="guardian")
        site.now += timedelta(minutes=5)
        await fluxi.schedule.run_due()
        assert site.outside.calls.lines == []
        await fluxi.operators.resume(work_id, by="guardian", reason="halted")
        site.now += timedelta(minutes=5)
        await fluxi.schedule.run_due()
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED
        assert len(site.outside.effects.lines) == 1


async def test_works_that_wait_for_a_person_hold_up_no_others_retry(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED, KEYED, policies={"concurrency": "many"}), moods=["busy"])
    async with site.open(tools=Proposing(site.outside)) as fluxi:
        for number in range(101):
            here = Conversation(f"clinic-{number}", "c")
            await site.say(fluxi, TEXT, here=here)
            await site.say(fluxi, "sí", here=here)
    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        assert (await site.say(fluxi, "sí")).reason_code == "retrying"
        due = await fluxi.schedule.next_due()
        assert due is not None
        assert due > fluxi.desk.now
        site.now += timedelta(minutes=2)
        await fluxi.schedule.run_due()
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED


async def test_a_process_meets_the_works_of_a_newer_definition(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    async with site.open() as old, site.open(definitions=[booking(KEYED, confirmation={"ttl": "3d"})]) as new:
        work_id = (await site.say(new, TEXT)).work_id
        assert (await site.say(old, "sí")).kind == "completed"
        assert (await site.work(old, work_id)).state is State.COMPLETED


async def test_what_fails_holds_up_nothing_else(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED), moods=["busy"])

    class Broken(Slow):
        async def interpret(self, *_: Any) -> Any:
            raise RuntimeError("no interpreter may do this")

    elsewhere = Conversation("clinic", "elsewhere")
    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        await site.say(fluxi, "sí")
    async with site.open(interpreter=Broken(site.outside)) as fluxi:
        with pytest.raises(RuntimeError):
            await site.say(fluxi, TEXT, here=elsewhere, sender="eva")
        site.now += timedelta(minutes=2)
        await fluxi.schedule.run_due()
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED


async def test_an_attempt_that_was_stopped_before_it_was_sent_does_not_count(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking({**KEYED, "retry": {"attempts": 1}}))

    class Away(Witness):
        def attempt(self, effect_id: str, *, limit: float) -> Any:
            raise ConnectionError("the gateway is away")

    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        for _ in range(3):
            with pytest.raises(ConnectionError):
                await fluxi.effects.carry_out(await _confirmed(site, fluxi, work_id), Away())
            site.now += timedelta(minutes=2)
        await fluxi.schedule.run_due()
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED
        assert len(site.outside.calls.lines) == 1


async def _confirmed(site: Site, fluxi: Fluxi, work_id: str | None) -> str:
    """The Work, claimed but not carried out: the process ended right behind the turn."""
    assert work_id is not None
    if (await site.work(fluxi, work_id)).state is not State.EXECUTING:
        points = Failpoints(POINTS, Fault("turn.after", 1, "raise"))
        async with site.open(failpoints=points) as dying:
            with pytest.raises(Crash):
                await site.say(dying, "sí")
    return work_id


async def test_a_yes_that_was_said_before_the_question_is_no_answer_to_it(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    async with site.open() as fluxi:
        early = site.now
        await site.say(fluxi, TEXT)
        late = await fluxi.handle(
            Message(message_id="early", sender="ana", text="sí"), PolicyContext(now=early, timezone=ZONE), HERE
        )
        assert late.reason_code == "question_not_out"
        assert (await site.say(fluxi, "sí")).kind == "completed"


async def test_a_cancelled_request_that_had_expired_is_not_reopened(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    async with site.open() as fluxi:
        work_id = (await site.say(fluxi, TEXT)).work_id
        site.now += timedelta(hours=1)
        await fluxi.schedule.run_due()
        assert (await site.say(fluxi, "cancelar")).reason_code == "cancelled"
        assert (await site.say(fluxi, "sí")).reason_code == "nothing_to_confirm"
        assert (await site.work(fluxi, work_id)).state is State.EXPIRED


async def test_whoever_says_something_else_after_it_expired_does_not_book_the_old(
    database_url: str, tmp_path: Path
) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    async with site.open() as fluxi:
        await site.say(fluxi, TEXT)
        site.now += timedelta(minutes=35)
        assert (await site.say(fluxi, "mejor a las 18")).reason_code == "expired"
        assert (await site.say(fluxi, "sí")).reason_code == "nothing_to_confirm"
        assert site.outside.calls.lines == []


async def test_ones_own_expired_request_does_not_stand_in_the_way(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(KEYED))
    async with site.open() as fluxi:
        first = await site.say(fluxi, TEXT)
        site.now += timedelta(minutes=35)
        again = await site.say(fluxi, TEXT)
        assert again.kind == "request_confirmation"
        assert again.work_id != first.work_id
        assert (await site.work(fluxi, first.work_id)).state is State.EXPIRED


async def test_a_yes_to_somebody_elses_question_answers_no_question_of_ones_own(
    database_url: str, tmp_path: Path
) -> None:
    site = Site(database_url, tmp_path, booking(KEYED, policies={"concurrency": "many"}))
    async with site.open() as fluxi:
        hers = await site.say(fluxi, TEXT)
        await site.say(fluxi, "Quiero un turno con el Dr. Souza el viernes a las 10", sender="eva")
        assert (await site.say(fluxi, "sí", sender="eva", answers=hers.context_id)).reason_code == "not_yours"
        assert site.outside.calls.lines == []


async def test_what_could_not_be_undone_may_be_tried_again(database_url: str, tmp_path: Path) -> None:
    undo = {"tool": "world/keyed", "args": {"key": {"key": "effect-0"}}}
    site = Site(database_url, tmp_path, booking({**KEYED, "compensate": undo}), moods=["applied", "refused"])
    async with site.open() as fluxi:
        await site.say(fluxi, TEXT)
        work_id = (await site.say(fluxi, "sí")).work_id
        assert work_id is not None
        first = await fluxi.operators.compensate(work_id, "effect-0", by="eva")
        assert first is not None
        assert first.reason_code == "undoing_failed"
        again = await fluxi.operators.compensate(work_id, "effect-0", by="eva")
        assert again is not None
        assert again.reason_code == "undone"
        with pytest.raises(Refused, match="being undone"):
            await fluxi.operators.compensate(work_id, "effect-0", by="eva")
        assert (await site.work(fluxi, work_id)).state is State.COMPLETED


async def test_what_a_tool_said_stays_with_an_attempt_that_nobody_can_judge(database_url: str, tmp_path: Path) -> None:
    site = Site(database_url, tmp_path, booking(PLAIN), moods=["lost"])
    async with site.open() as fluxi:
        await site.say(fluxi, TEXT)
        work_id = (await site.say(fluxi, "sí")).work_id
        await site.work(fluxi, work_id)

        def look(connection: Connection) -> tuple[Any, Any]:
            records = fluxi.desk.records(connection)
            (claim,) = records.claims(str(work_id))
            (attempt,) = records.attempts(claim.claim_id)
            doubt = next(one for one in records.history(str(work_id)) if one.type is Event.EFFECT_IN_DOUBT)
            return attempt.answer, doubt.delta["note"]

        answer, note = await fluxi.database.read(look)
        assert (answer["code"], answer["message"]) == ("timeout", "no answer")
        assert (note["reason"], note["message"]) == ("timeout", "no answer")


@pytest.mark.parametrize(("retry", "then"), [(True, State.COMPLETED), (False, State.FAILED)])
async def test_a_late_refusal_of_the_last_attempt_is_believed(
    database_url: str, tmp_path: Path, *, retry: bool, then: State
) -> None:
    site = Site(database_url, tmp_path, booking(PLAIN), moods=["lost"])
    async with site.open() as fluxi:
        await site.say(fluxi, TEXT)
        work_id = (await site.say(fluxi, "sí")).work_id
        (call,) = site.outside.calls.lines
        answer = Answer(outcome="not_applied", code="busy", message="busy", retry=retry)
        await fluxi.arrivals.answered(call["request"], answer)
        site.now += timedelta(minutes=5)
        await fluxi.schedule.run_due()
        await fluxi.schedule.run_due()
        assert (await site.work(fluxi, work_id)).state is then


async def test_the_first_message_is_read_before_the_transaction_that_takes_it(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grammars are compiled at the first reading: other processes must not wait for that."""
    writing, read = 0, list[bool]()

    class Watched(Rules):
        def propose(self, *arguments: Any) -> ProposedWork | None:
            read.append(writing > 0)
            return super().propose(*arguments)

    write = Database._write

    def counted(self: Database, *arguments: Any) -> Any:
        nonlocal writing
        writing += 1
        try:
            return write(self, *arguments)
        finally:
            writing -= 1

    monkeypatch.setattr(Database, "_write", counted)
    site = Site(database_url, tmp_path, booking())
    async with site.open(interpreter=Watched()) as fluxi:
        await site.say(fluxi, "hola")
        await site.say(fluxi, "hola")
    assert read == [False, True, True]
