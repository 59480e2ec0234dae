"""Whose turn it is among those who ask over HTTP, and how long their requests last."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.gateway.http import fair_queue as turns
from mew_gateway.gateway.http import record_pages
from mew_gateway.gateway.http.fair_queue import FairQueue
from mew_gateway.gateway.http.responses import json_response
from mew_gateway.journal import base


class Diary:
    """What was done, in order: a pass of the loop is a `|`."""

    def __init__(self) -> None:
        self.told = ""
        self._watching = True
        asyncio.get_running_loop().call_soon(self._passed)

    def _passed(self) -> None:
        self.told += "|"
        if self._watching:
            asyncio.get_running_loop().call_soon(self._passed)

    async def asked(self, ours: FairQueue, who: str, pieces: int, *, reads: bool = False) -> None:
        async with ours.admit(who, reads=reads) as turn:
            for piece in range(pieces):
                if piece:
                    await turn()
                self.told += who

    def close(self) -> list[str]:
        """What was done in each pass in which something was."""
        self._watching = False
        return [done for done in self.told.split("|") if done]


async def test_one_piece_runs_per_pass_and_parties_alternate() -> None:
    ours, diary = FairQueue(), Diary()
    asking = [
        diary.asked(ours, "a", 3),
        diary.asked(ours, "a", 3),
        diary.asked(ours, "b", 2),
        diary.asked(ours, "c", 1),
    ]
    await asyncio.gather(*asking)
    done = diary.close()
    assert {len(pieces) for pieces in done} == {1}, "one piece a pass"
    assert "".join(done) == "abcabaaaa", "who asks for much waits for the others, and they not for it"


async def test_a_later_party_waits_for_few_pieces() -> None:
    ours, diary = FairQueue(), Diary()
    crowd = [asyncio.create_task(diary.asked(ours, "a", 4)) for _ in range(20)]
    while not diary.told.count("a"):
        await asyncio.sleep(0)
    await diary.asked(ours, "b", 1)
    assert diary.told.count("a") <= 3
    await asyncio.gather(*crowd)
    assert diary.told.count("a") == 80


async def test_a_cancelled_request_is_skipped() -> None:
    ours, diary = FairQueue(), Diary()
    tasks = [asyncio.create_task(diary.asked(ours, who, 2)) for who in "abc"]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[1].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await diary.asked(ours, "a", 1)
    assert "".join(diary.close()) == "cca"
    assert not ours._lines, "nothing is kept of who does not ask"
    assert not ours._next


async def test_so_many_of_ones_requests_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST", 2)
    ours = FairQueue()
    async with ours.admit("a"), ours.admit("b"):
        async with ours.admit("a"):
            with pytest.raises(Rejected) as refused:
                await AsyncExitStack().enter_async_context(ours.admit("a"))
            assert (refused.value.code, refused.value.details) == ("rate_limited", {"retry_after_ms": 1_000})
        async with ours.admit("a"):
            pass


async def test_so_many_read_at_a_time_and_the_others_wait() -> None:
    ours, diary = FairQueue(), Diary()
    async with AsyncExitStack() as visits:
        for _ in range(turns.READS):
            await visits.enter_async_context(ours.admit("a", reads=True))
        waiting = asyncio.create_task(diary.asked(ours, "a", 1, reads=True))
        await diary.asked(ours, "a", 1)
        await diary.asked(ours, "b", 1, reads=True)
        assert diary.told.replace("|", "") == "ab"
    await waiting
    assert diary.told.replace("|", "") == "aba"


async def test_an_answer_lasts_until_it_is_taken() -> None:
    """It is handed over in parts, each when the one before is taken: whoever takes none holds the request open."""
    ours, taken = FairQueue(), asyncio.Semaphore(2)
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        await taken.acquire()
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await turns.admit_request(scope, ours, "a", reads=True)
        await json_response(["x" * 200_000])(scope, receive, send)

    answering = asyncio.create_task(turns.AdmissionMiddleware(app)({}, None, send))  # type: ignore[arg-type]
    while len(sent) < 2:
        await asyncio.sleep(0)
    assert ours._lines["a"].reads._value == turns.READS - 1
    for _ in range(3):
        taken.release()
    await answering
    assert not ours._lines
    assert json.loads(b"".join(one.get("body", b"") for one in sent)) == ["x" * 200_000]
    assert [one.get("more_body") for one in sent] == [None, True, True, True, False]


async def test_a_page_is_read_in_pieces_between_which_envelopes_pass(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fifty pages at once are no more than one piece a pass to whoever chats meanwhile."""
    monkeypatch.setattr(record_pages, "CHUNK", 2)
    human, agent = await site.join("human"), await site.join("agent")
    for number in range(40):
        await human.send("chat", {"text": f"{number}"})
        await agent.until("chat", text=f"{number}")
    pages = [asyncio.create_task(site.get("/spaces/demo/history?limit=40", participant="watcher")) for _ in range(50)]
    heard = 0
    while not all(page.done() for page in pages):
        await human.send("chat", {"text": f"meanwhile {heard}"})
        await agent.until("chat", text=f"meanwhile {heard}")
        heard += 1
    assert heard > 20, "it never had to wait for more than a few of a thousand pieces"
    for page in pages:
        status, told = await page
        assert (status, len(told["envelopes"])) == (200, 40)


async def test_a_timeline_takes_a_turn_per_megabyte(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    human = await site.join("human")
    for number in range(10):
        await human.send("chat", {"text": "x" * 600}, id=f"{number}")
        await human.until("chat")
    taken: list[int] = []
    turn = FairQueue._turn

    async def counted(self: FairQueue, line: Any) -> None:
        taken.append(1)
        await turn(self, line)

    monkeypatch.setattr(FairQueue, "_turn", counted)
    assert (await site.get("/spaces/demo/timeline", participant="human"))[0] == 200
    small = len(taken)
    monkeypatch.setattr(base, "READ_BYTES", 1_000)
    assert (await site.get("/spaces/demo/timeline", participant="human"))[0] == 200
    assert len(taken) - small >= 2 * 10 > 2 * small, "ten are read one by one, and told one by one"


async def test_pruning_between_two_turns_is_tolerated(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    human = await site.join("human")
    await human.send("chat", {"text": "x"})
    await human.until("chat")
    monkeypatch.setattr(site.gateway.broker.engine, "records", lambda *_, **__: ())
    status, told = await site.get("/participants/human/messages?since=2020-01-01T00:00:00Z", participant="human")
    assert (status, told["messages"]) == (200, [])


async def test_strangers_are_answered_one_a_pass_among_the_others() -> None:
    ours, diary = FairQueue(), Diary()

    async def stranger() -> None:
        await ours.strangers_turn()
        diary.told += "s"

    await asyncio.gather(*(stranger() for _ in range(300)), diary.asked(ours, "a", 3))
    done = diary.close()
    assert {len(pieces) for pieces in done} == {1}, "one answer a pass"
    assert "".join(done)[:6] == "sasasa", "and who is known waits for one of them at most"
    assert "".join(done).count("s") == 300


async def test_requests_without_a_token_take_turns(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    waited = 0
    turn = FairQueue.strangers_turn

    async def counted(self: FairQueue) -> None:
        nonlocal waited
        waited += 1
        await turn(self)

    monkeypatch.setattr(FairQueue, "strangers_turn", counted)
    assert (await site.get("/spaces/demo/participants"))[0] == 401
    assert (await site.get("/nowhere"))[0] == 404
    assert (await site.get("/spaces/demo/participants", participant="human"))[0] == 200
    assert waited == 2
