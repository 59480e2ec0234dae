"""Twenty processes at once on one database: one wins, the others hear why not, and nobody hears of a conflict."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from mew_agents.fluxi.definitions.version import canonical
from mew_agents.fluxi.fsm import Event, State

from ...kit.workers import Killed, Worker, Workers
from ..bookings import ASKED, KEYED, booking
from ..ledger import Ledger, ledger_at
from ..outside import Mood, Outside

TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"
CROWD = 20
LATER = 3 * 60_000


class Crowd:
    """Twenty processes on one database, and what they share outside of it."""

    def __init__(self, members: list[Worker], url: str, outside: Outside) -> None:
        self.members = members
        self.outside = outside
        self._url = url

    async def all(self, command: str, **options: Any) -> list[Any]:
        """Everybody does the same at once; what a list holds for each member is theirs."""

        def own(place: int) -> dict[str, Any]:
            return {name: one[place] if isinstance(one, list) else one for name, one in options.items()}

        return await asyncio.gather(*(one.do(command, **own(place)) for place, one in enumerate(self.members)))

    async def ledger(self) -> Ledger:
        return await ledger_at(self._url)


class Place:
    """Where crowds gather: one database, one folder."""

    def __init__(self, workers: Workers, url: str, folder: Path) -> None:
        self._workers = workers
        self._url = url
        self._folder = folder

    @asynccontextmanager
    async def crowd(self, effect: dict[str, Any] = KEYED, *moods: Mood, ahead: int = 0) -> AsyncIterator[Crowd]:
        async with AsyncExitStack() as stack:
            members = [await stack.enter_async_context(self._workers.start()) for _ in range(CROWD)]
            crowd = Crowd(members, self._url, Outside(self._folder))
            await crowd.all("open", **self._setting(effect, moods), ahead=ahead)
            yield crowd

    async def die(self, effect: dict[str, Any], *moods: Mood, fault: str) -> None:
        """Somebody books, and is killed on the way."""
        async with self._workers.start(**self._setting(effect, moods), fault=fault) as worker:
            await worker.do("say", id="m0", text=TEXT)
            await worker.do("relay")
            with pytest.raises(Killed):
                await worker.do("say", id="m1", text="dale")

    def _setting(self, effect: dict[str, Any], moods: tuple[Mood, ...]) -> dict[str, Any]:
        definition = canonical(booking(effect))
        return {"url": self._url, "folder": str(self._folder), "definition": definition, "moods": moods}


@pytest.fixture
def place(workers: Workers, database_url: str, tmp_path: Path) -> Place:
    return Place(workers, database_url, tmp_path / "world")


async def test_twenty_want_the_same_appointment_and_one_work_opens(place: Place) -> None:
    async with place.crowd() as crowd:
        who = [f"person-{number}" for number in range(CROWD)]
        results = await crowd.all("say", id="m0", text=TEXT, sender=who, place=who)
        ledger = await crowd.ledger()
    assert Counter(result["reason_code"] for result in results) == {"confirm_execution": 1, "conflict": CROWD - 1}
    assert len(ledger.stored) == 1
    proposals = Counter((row.status, row.reason) for row in ledger.proposals.values())
    assert proposals == {("opened", None): 1, ("discarded", "conflict"): CROWD - 1}


@pytest.mark.parametrize("ids", ["one message id", "twenty message ids"])
async def test_one_yes_that_twenty_processes_handle_at_once_is_one_claim_and_one_call(place: Place, ids: str) -> None:
    async with place.crowd() as crowd:
        await crowd.members[0].do("say", id="m0", text=TEXT)
        await crowd.members[0].do("relay")
        chosen: Any = "m1" if ids == "one message id" else [f"m{number + 1}" for number in range(CROWD)]
        results = await crowd.all("say", id=chosen, text="dale")
        again = await crowd.all("say", id="m1", text="dale")
        ledger = await crowd.ledger()
    assert len(ledger.claims) == len(crowd.outside.effects.lines) == len(crowd.outside.calls.lines) == 1
    assert [work.state for work in ledger.stored.values()] == [State.COMPLETED]
    assert [row.status for row in ledger.contexts.values()] == ["consumed"]
    told = Counter(result["reason_code"] for result in results)
    assert told["completed"] >= 1
    assert told.keys() <= {"completed", "executing", "frozen_executing", "nothing_to_confirm"}
    if ids == "one message id":
        assert [row.message_id for row in ledger.inbox] == ["m0", "m1"]
        assert {result["reason_code"] for result in again} == {"completed"}
    else:
        assert told["completed"] == 1
        assert len(ledger.inbox) == CROWD + 1


async def test_a_second_claim_is_refused_on_record_and_calls_nothing(place: Place) -> None:
    async with place.crowd(KEYED, "busy") as crowd:
        first = crowd.members[0]
        await first.do("say", id="m0", text=TEXT)
        await first.do("relay")
        assert (await first.do("say", id="m1", text="dale"))["reason_code"] == "retrying"
        (work,) = await first.do("works")
        (question,) = (await crowd.ledger()).contexts
        assert await crowd.all("claim_again", work=work["work_id"], context=question) == [False] * CROWD
        ledger = await crowd.ledger()
        assert len(crowd.outside.calls.lines) == 1
        assert len(ledger.claims) == 1
        failed = [one for one in ledger.events[work["work_id"]] if one.type is Event.EFFECT_CLAIM_FAILED]
        assert len(failed) == CROWD
        # The claim that holds is carried out all the same.
        await crowd.all("wait", ms=10_000)
        assert (await first.do("works"))[0]["state"] == State.COMPLETED
    assert len(crowd.outside.effects.lines) == 1


@pytest.mark.parametrize(("effect", "asked"), [(KEYED, 0), (ASKED, 1)], ids=["keyed", "asked"])
async def test_of_twenty_that_find_a_left_attempt_one_finds_out(place: Place, effect: Any, asked: int) -> None:
    await place.die(effect, fault="effect.send.after")
    async with place.crowd(effect, ahead=LATER) as crowd:
        await crowd.all("wait", ms=0)
        ledger = await crowd.ledger()
    (claim,) = ledger.claims.values()
    assert (claim.status, claim.attempts, claim.fence) == ("completed", 1, 2)
    assert len(crowd.outside.effects.lines) == 1
    assert len(crowd.outside.questions.lines) == asked
    # Of a tool that honours keys, the same bytes once more.
    assert len(crowd.outside.calls.lines) == 2 - asked


async def test_what_twenty_relays_bring_arrives_once_and_in_order(place: Place) -> None:
    async with place.crowd() as crowd:
        who = [f"person-{number}" for number in range(CROWD)]
        for number, text in enumerate(("hola", TEXT, "mejor a las 18", "¿cómo va?")):
            await crowd.all("say", id=f"m{number}", text=text, sender=who, place=who)
        await crowd.all("relay")
        ledger = await crowd.ledger()
    assert len(ledger.outbox) == 4 * CROWD
    assert {row.status for row in ledger.outbox} == {"done"}
    assert max(Counter(one["message_id"] for one in crowd.outside.carried.lines).values()) == 1
    for one in who:
        queued = [row.message_id for row in ledger.outbox if row.conversation_id == one]
        assert [said["message_id"] for said in crowd.outside.replies.lines if said["recipient"] == one] == queued


async def test_twenty_messages_in_one_conversation_are_taken_one_after_the_other(place: Place) -> None:
    said = [TEXT, "mejor a las 18", "¿cómo va?", "no", "con Souza", "hola", "a las 9", "dale", "el lunes", "a las 25"]
    async with place.crowd() as crowd:
        for half in ("a", "b"):
            await crowd.all("say", id=[f"{half}{number}" for number in range(CROWD)], text=said * 2)
            await crowd.all("relay")
        ledger = await crowd.ledger()
    assert len(ledger.inbox) == len(ledger.outbox) == 2 * CROWD
    assert all(row.status == "done" for row in ledger.inbox)
    assert [one["message_id"] for one in crowd.outside.replies.lines] == [row.message_id for row in ledger.outbox]


async def test_twenty_people_book_at_once_and_each_has_their_appointment(place: Place) -> None:
    async with place.crowd() as crowd:
        who = [f"person-{number}" for number in range(CROWD)]
        times = [f"el {3 + number % 2} de diciembre a las {9 + number // 2}" for number in range(CROWD)]
        text = [f"Quiero un turno con el Dr. Souza {time}" for time in times]
        await crowd.all("say", id="m0", text=text, sender=who, place=who)
        await crowd.all("relay")
        results = await crowd.all("say", id="m1", text="dale", sender=who, place=who)
        ledger = await crowd.ledger()
    assert Counter(result["reason_code"] for result in results) == {"completed": CROWD}
    assert [work.state for work in ledger.stored.values()] == [State.COMPLETED] * CROWD
    assert len(crowd.outside.effects.lines) == len({one["key"] for one in crowd.outside.effects.lines}) == CROWD
