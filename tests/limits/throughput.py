"""Cases of the limits on a participant's rates, on the inbox, and on the age and size of history."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.gateway import server
from mew_gateway.gateway.broker.rate_limiter import FLOOD
from mew_gateway.gateway.websocket.connection import Connection
from mew_gateway.journal.sqlite import SqliteJournal

from ..kit.gateway import TIMEOUT, Peer, Site
from .limit import Pair
from .limit_fixture import LimitFixture, chats, joined, unchanged, weighing
from .wire import aliased

_RATE, _BURST = 3, 6  # a third of a second is no whole number of milliseconds
_PACE = f"{{envelopes_per_second: {_RATE}, envelopes_burst: {_BURST}}}"


async def _say(peer: Peer) -> None:
    await peer.send("chat", {"text": "hi"})
    await peer.until("chat")


async def _is_limited(peer: Peer, expected: int) -> None:
    """Assert that the next envelope is refused with this `retry_after_ms`."""
    await peer.send("chat", {"text": "too much"}, id=f"too much {len(peer.seen)}")
    told = await peer.error("rate_limited")
    assert told["payload"]["retry_after_ms"] == expected
    assert told["correlation_id"][0].startswith("too much")


async def _spent(site: Site) -> Peer:
    """Return a participant that has used its burst: by two connections, by posts, and in frames of a stream."""
    human, again = await joined(site, "human"), await aliased(site)
    await _say(human)
    await again.send("chat", {"text": "hi"})
    await human.until("chat")
    for _ in range(2):
        status, _ = await site.post("human", {"kind": "chat", "payload": {"text": "hi"}})
        assert status == 200
        await human.until("chat")
    for peer in (human, again):
        await peer.raw("#stream-9#data")
        await peer.error("stream_not_found")
    return human


async def _burst_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_PACE) as site:
        await _spent(site)
        assert set(site.gateway.counters.refused) == {"stream_not_found"}


async def _burst_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_PACE) as site:
        human = await _spent(site)
        before = unchanged(site)
        await _is_limited(human, 334)
        await human.raw("#stream-9#data")
        frame = await human.error("rate_limited")
        assert (frame["payload"]["stream_id"], frame["payload"]["retry_after_ms"]) == ("stream-9", 334)
        await human.raw("garbage")
        await human.error("rate_limited")
        for body in ({"kind": "chat", "payload": {"text": "x"}}, b"#stream-9#data", b"garbage"):
            status, told = await site.post("human", body)
            assert (status, told["error"], told["retry_after_ms"]) == (429, "rate_limited", 334)
        assert unchanged(site) == before
        other = await joined(site, "other")
        await chats(other, human)  # who has a bucket of its own
        await human.send("reasoning/conclusion", {"message": "never crowded out"})
        await human.until("reasoning/conclusion")
        await site.leave(human)
        await _is_limited(await joined(site, "human"), 334)  # nobody is faster for having come anew


BURST = Pair(_burst_at, _burst_past)


async def _rate_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_PACE) as site:
        human = await _spent(site)
        for wait in (334, 333, 333, 334, 333, 333):  # three a second, for ever
            site.clock.advance(wait)
            await _say(human)
        assert "rate_limited" not in site.gateway.counters.refused


async def _rate_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_PACE) as site:
        human = await _spent(site)
        await _is_limited(human, 334)
        site.clock.advance(333)
        await _is_limited(human, 1)
        site.clock.advance(1)
        await _say(human)
        site.clock.advance(1_000_000)  # what is not used is kept up to the burst, and no further
        for _ in range(_BURST):
            await _say(human)
        await _is_limited(human, 334)


RATE = Pair(_rate_at, _rate_past)

_BYTES = 2_048


def _heavy(size: int, id: str, kind: str = "chat") -> str:
    return weighing(size, "human", kind, id, {"status": "ignored"}, pad="text").decode()


async def _bytes_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=f"{{bytes_per_second: {_BYTES}, frame_bytes: {_BYTES}}}") as site:
        human = await joined(site, "human")
        await human.raw(_heavy(_BYTES, "whole"))
        await human.until("chat")
        site.clock.advance(1_000)
        await human.raw(_heavy(_BYTES // 2, "half"))
        await human.until("chat")
        status, _ = await site.post("human", b"#stream-9#".ljust(_BYTES // 2, b"x"))
        assert status == 404  # no such stream: but not too much


async def _bytes_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=f"{{bytes_per_second: {_BYTES}, frame_bytes: {_BYTES}}}") as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await human.raw(_heavy(_BYTES, "whole"))
        await human.until("chat")
        await other.until("chat")
        before = unchanged(site)
        await human.raw(_heavy(1_023, "more"))
        assert (await human.error("rate_limited"))["payload"]["retry_after_ms"] == 500
        status, told = await site.post("human", b"#stream-9#".ljust(1_025, b"x"))
        assert (status, told["retry_after_ms"]) == (429, 501)
        await human.raw("#stream-9#".ljust(1_025, "x"))
        assert (await human.error("rate_limited"))["payload"]["retry_after_ms"] == 501
        assert unchanged(site) == before
        await human.raw(_heavy(_BYTES, "urgent", "reasoning/interrupt-ack"))
        await human.error("unknown_interrupt")  # it has bytes of its own
        await human.raw(_heavy(600, "urgent, too", "reasoning/interrupt-ack"))
        await human.error("rate_limited")
        site.clock.advance(500)
        await human.raw(_heavy(1_023, "more"))
        await human.until("chat")
        await other.until("chat")
        site.clock.advance(1_000)
        await chats(human, other)


BYTES = Pair(_bytes_at, _bytes_past)


_SLOW = "{envelopes_per_second: 1, envelopes_burst: 1}"


async def _floods(human: Peer, site: Site, until: int) -> None:
    """It says two things each half second, of which one at least is too much; at last, after so many milliseconds."""
    passed = 0
    while True:
        for nth in range(2):
            await human.send("chat", {"text": "more"}, id=f"{site.clock.now()}-{nth}")
        if passed == until:
            return
        while (await human.error("rate_limited"))["correlation_id"] != [f"{site.clock.now()}-1"]:
            pass
        step = min(500, until - passed)
        site.clock.advance(step)
        passed += step


async def _flood_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_SLOW) as site:
        human = await joined(site, "human")
        await _floods(human, site, FLOOD - 1)
        await human.error("rate_limited")
        site.clock.advance(1_001)  # it pauses: what comes then is the beginning of another
        await _floods(human, site, FLOOD - 1)
        await human.error("rate_limited")
        assert not site.gateway.counters.closed


async def _flood_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits=_SLOW) as site:
        human, other = await joined(site, "human"), await joined(site, "other")
        await _floods(human, site, FLOOD)
        assert (await human.closed())[0] == 4029
        status, told = await site.post("human", {"kind": "chat", "payload": {"text": "x"}})
        assert (status, told["retry_after_ms"]) == (429, FLOOD)
        await other.until("system/presence", event="leave")
        await chats(other, other)


FLOODED = Pair(_flood_at, _flood_past)


def _messages(many: int) -> list[tuple[bytes, bool]]:
    return [(json.dumps({"kind": "chat", "payload": {"text": str(number)}}).encode(), True) for number in range(many)]


async def _inbox_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{inbox: 4}") as site:
        human, broker = await joined(site, "human"), site.gateway.broker
        (number,) = broker._sessions
        answers: list[Any] = []
        broker.receive(number, _messages(3))
        assert not broker._inbox._paused
        broker.post("demo", "human", _messages(1)[0][0], answers.append)
        assert len(broker._inbox) == 4
        for text in ("0", "1", "2", "0"):
            await human.until("chat", text=text)
        assert answers


async def _inbox_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{inbox: 4}") as site:
        human, broker = await joined(site, "human"), site.gateway.broker
        other = await joined(site, "other")
        (number, *_) = broker._sessions
        broker.receive(number, _messages(4))
        (link,) = broker._inbox._paused  # its socket is not read
        assert isinstance(link, Connection)
        assert not link._transport.is_reading()
        answers: list[Any] = []
        with pytest.raises(Rejected) as posted:
            broker.post("demo", "other", _messages(1)[0][0], answers.append)
        with pytest.raises(Rejected) as framed:
            broker.post_frame("demo", "other", b"#stream-9#data", is_text=True)
        assert (posted.value.code, framed.value.code) == ("journal_unavailable", "journal_unavailable")
        assert not answers
        for text in ("0", "1", "2", "3"):
            await other.until("chat", text=text)
        assert link._transport.is_reading()
        await chats(human, other)


INBOX = Pair(_inbox_at, _inbox_past)

_KEPT = '{url: "sqlite:state/journal.db", keep: 1h}'
_HOUR = 3_600_000


async def _aged(fixture: LimitFixture, site: Site) -> Peer:
    """Something was said an hour ago, less a millisecond; nothing has been saved since."""
    human = await joined(site, "human")
    await human.send("reasoning/start", {}, id="kept with the state")
    await human.send("chat", {"text": "old"}, id="old")
    await human.until("chat")
    site.clock.advance(_HOUR - 1)
    await human.send("chat", {"text": "young"}, id="young")
    await human.until("chat")
    return human


async def _history(site: Site) -> list[str]:
    _, body = await site.get("/spaces/demo/history?after=0", participant="human")
    return [one["envelope"]["id"] for one in body["envelopes"] if one["envelope"]["kind"] == "chat"]


async def _keep_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(server, "_PRUNE_EVERY", 0.01)
    async with fixture.gateway(journal=_KEPT) as site:
        await _aged(fixture, site)
        site.clock.advance(1)
        await _pruned(fixture, site)
        assert await _history(site) == ["old", "young"]


async def _keep_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(server, "_PRUNE_EVERY", 0.01)
    async with fixture.gateway(journal=_KEPT) as site:
        human = await _aged(fixture, site)
        site.clock.advance(2)
        async with asyncio.timeout(TIMEOUT):
            while await _history(site) != ["young"]:
                await asyncio.sleep(0)
        assert list(site.gateway.broker.engine["demo"].machine.state.sequences) == ["kept with the state"]
        await chats(human, human)
    async with fixture.gateway(journal=_KEPT) as site:
        assert list(site.gateway.broker.engine["demo"].machine.state.sequences) == ["kept with the state"]


async def _pruned(fixture: LimitFixture, site: Site) -> None:
    """The gateway has looked for what is too old, twice from its beginning."""
    looked: list[int] = []
    spaces = site.gateway.broker.engine
    prune = spaces.prune

    def looking(**asked: int) -> int:
        looked.append(prune(**asked))
        return looked[-1]

    fixture.patches.setattr(spaces, "prune", looking)
    async with asyncio.timeout(TIMEOUT):
        while looked[-2:] != [0, 0]:
            await asyncio.sleep(0)


KEEP = Pair(_keep_at, _keep_past)

_SMALL = '{url: "sqlite:state/journal.db", max_size: 1048576}'
_LONG = "x" * 50_000


async def _size_at(fixture: LimitFixture) -> None:
    fixture.patches.setattr(server, "_PRUNE_EVERY", 0.01)
    async with fixture.gateway(journal=_SMALL) as site:
        fixture.patches.setattr(SqliteJournal, "size", 1_048_576)
        await chats(human := await joined(site, "human"), human)
        before = await _history(site)
        await _pruned(fixture, site)
        assert await _history(site) == before


async def _size_past(fixture: LimitFixture) -> None:
    fixture.patches.setattr(server, "_PRUNE_EVERY", 0.01)
    fixture.patches.setattr(server, "_PRUNED_AT_ONCE", 5)
    async with fixture.gateway(journal=_SMALL) as site:
        human = await joined(site, "human")
        await human.send("reasoning/start", {}, id="kept with the state")
        about = ["kept with the state"]
        await human.send("reasoning/interrupt", {"reason": "timeout"}, id="stop", to=["human"], correlation_id=about)
        for number in range(40):  # which name what was interrupted, and are deleted like all others
            await human.send("chat", {"text": _LONG}, id=f"long-{number}", correlation_id=about)
            await human.until("chat")
        async with asyncio.timeout(TIMEOUT):
            while site.gateway.broker.engine.size > 1_048_576:
                await asyncio.sleep(0.01)
        held = await _history(site)
        assert "long-0" not in held and "long-39" in held
        for id in ("kept with the state", "stop"):
            assert list(site.gateway.broker.engine.find("demo", id)) != []
        assert list(site.gateway.broker.engine["demo"].machine.state.sequences) == ["kept with the state"]


SIZE = Pair(_size_at, _size_past)
