"""Resume with `after`: what a participant missed, in order, byte for byte, and nothing twice (docs/protocol.md §1)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
import websockets

from mew_gateway.gateway.broker.rate_limiter import READS
from mew_gateway.gateway.broker.spaces import resume_search as resumption
from mew_gateway.protocol.cursors import cursor_of
from mew_gateway.space.events import Connected

from ..kit.gateway import TIMEOUT


class Returned:
    """A connection that came back: what it was sent, raw."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    async def next(self) -> bytes:
        async with asyncio.timeout(TIMEOUT):
            data = await self.socket.recv()
        return data.encode() if isinstance(data, str) else data

    async def told(self) -> dict[str, Any]:
        return dict(json.loads(await self.next()))

    async def welcome(self) -> dict[str, Any]:
        envelope = await self.told()
        assert envelope["kind"] == "system/welcome"
        return dict(envelope["payload"])

    async def replayed(self) -> list[dict[str, Any]]:
        """The welcome is taken, and as many envelopes as it says."""
        resume = (await self.welcome())["resume"]
        return [await self.told() for _ in range(resume["count"])]


@pytest.fixture
async def come_back() -> Any:
    """`await come_back(site, "agent", after=id)`: a connection that names the last envelope it had."""
    sockets: list[Any] = []

    async def coming(site: Any, participant: str, *, after: str) -> Returned:
        url = f"{site.url.replace('http', 'ws')}/ws?space={site.space}&after={after}"
        headers = {"Authorization": f"Bearer {site.token(participant)}"}
        socket = await websockets.connect(url, additional_headers=headers, max_size=None)
        sockets.append(socket)
        return Returned(socket)

    yield coming
    for socket in sockets:
        await socket.close()


async def say(peer: Any, *texts: str, **fields: Any) -> list[dict[str, Any]]:
    """Chats, each taken back as it was delivered."""
    said = []
    for text in texts:
        await peer.send("chat", {"text": text}, **fields)
        said.append(await peer.until("chat", text=text))
    return said


def texts(envelopes: list[dict[str, Any]]) -> list[str]:
    return [one["payload"]["text"] for one in envelopes if one["kind"] == "chat"]


@pytest.mark.requirement("mew/3.8.1:welcome-first")
async def test_missed_envelopes_follow_the_welcome_byte_for_byte(site: Any, come_back: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    (last,) = await say(human, "before")
    await agent.until("chat", text="before")
    await site.leave(agent)
    odd = b'{ "protocol": "mew/v0.4", "id":"odd-1","ts":"2026-01-01T00:00:00Z", "from":"human","kind":"chat",' + (
        b'"x-extra": [1.50, "\\u00e9"],\n "payload":{"text":"odd"}}'
    )
    await human.raw(odd)
    await human.until("chat", text="odd")
    await say(human, "after")
    back = await come_back(site, "agent", after=last["id"])
    welcome = await back.welcome()
    assert welcome["resume"] == {"after": last["id"], "count": 3}
    leave = await back.told()
    assert leave["payload"] == {"event": "leave", "participant": {"id": "agent"}}
    assert await back.next() == odd
    assert (await back.told())["payload"]["text"] == "after"
    await say(human, "live")
    assert (await back.told())["payload"]["text"] == "live"


async def test_the_others_see_the_join_as_ever(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    (last,) = await say(human, "before")
    await come_back(site, "agent", after=last["id"])
    joined = await human.until("system/presence", event="join")
    assert joined["payload"]["participant"]["id"] == "agent"


async def test_nothing_is_lost_and_nothing_comes_twice_while_others_talk(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    (last,) = await say(human, "n0")
    returned = []
    for number in range(1, 60):
        await human.send("chat", {"text": f"n{number}"})
        if number % 15 == 0:
            returned.append(asyncio.ensure_future(come_back(site, "agent", after=last["id"])))
    for coming in returned:
        back = await coming
        got = texts(await back.replayed())
        while len(got) < 59:
            envelope = await back.told()
            got += texts([envelope])
        assert got == [f"n{number}" for number in range(1, 60)]
    await human.until("chat", text="n59")  # whoever has not read cannot say goodbye


async def test_an_id_that_several_used_means_the_first_of_them(site: Any, come_back: Any) -> None:
    """Rather twice than not at all: which of them it had, only the one who comes back knows."""
    human, other = await site.join("human"), await site.join("other")
    await say(human, "one", id="1")
    await say(human, "two")
    await say(other, "three", id="1")
    await say(human, "four")
    back = await come_back(site, "agent", after="1")
    assert texts(await back.replayed()) == ["two", "three", "four"]


async def test_the_bytes_tell_which_of_them_it_had(site: Any, come_back: Any) -> None:
    human, other, agent = await site.join("human"), await site.join("other"), await site.join("agent")
    raw: dict[str, bytes] = {}
    for peer, text, fields in ((human, "one", {"id": "1"}), (human, "two", {}), (other, "three", {"id": "1"})):
        await say(peer, text, **fields)
        while (data := (await agent.socket.recv()).encode()) and json.loads(data)["payload"].get("text") != text:
            pass
        raw[text] = data
    await say(human, "four")
    for text, behind in (("one", ["two", "three", "four"]), ("three", ["four"])):
        back = await come_back(site, "agent", after=cursor_of("1", raw[text]))
        assert texts(await back.replayed()) == behind
    unknown = await come_back(site, "agent", after=cursor_of("1", b"other bytes"))
    assert texts(await unknown.replayed()) == ["two", "three", "four"], "then the first, rather twice than not at all"


async def test_one_that_was_hidden_is_none_of_them(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human, other = await site.join("human"), await site.join("other")
        await say(human, "hidden", id="1", to=["other"])
        await say(human, "before")
        await say(other, "shown", id="1")
        await say(human, "behind")
        back = await come_back(site, "agent", after="1")
        assert texts(await back.replayed()) == ["behind"]


async def test_an_id_that_was_used_often_names_the_first(site: Any, come_back: Any) -> None:
    human, other = await site.join("human"), await site.join("other")
    await say(human, "one", id="1")
    await say(other, "two", id="1")
    back = await come_back(site, "agent", after="1")
    assert texts(await back.replayed()) == ["two"]


async def said_and_refused(site: Any, *, id: str, refusals: int) -> Any:
    """Somebody says something, and somebody else is refused under the same id, so often."""
    human, agent = await site.join("human"), await site.join("agent")
    await say(human, "before", id=id)
    await agent.until("chat", text="before")
    for _ in range(refusals):
        await agent.send("space/kick", {"participant_id": "human"}, id=id)
        await agent.error("capability_violation")
    return human


async def test_refused_envelopes_are_no_places_of_an_id(site: Any, come_back: Any) -> None:
    """Anybody can be refused as often as it likes: that keeps nobody from what it missed, and costs it nothing."""
    human = await said_and_refused(site, id="1", refusals=5)
    await say(human, "missed")
    meter = site.gateway.broker._sessions.limiter("demo", "agent", 0)
    before = meter._reads._level
    back = await come_back(site, "agent", after="1")
    assert "missed" in texts(await back.replayed())
    assert before - meter._reads._level < 1_000 * 2 * 250


async def test_looking_at_what_was_refused_before_has_its_cost(site: Any, come_back: Any) -> None:
    agent = await site.join("agent")
    for _ in range(5):
        await agent.send("space/kick", {"participant_id": "human"}, id="1")
        await agent.error("capability_violation")
    await say(await site.join("human"), "behind", id="1")
    meter, now = site.gateway.broker._sessions.limiter("demo", "agent", 0), site.gateway.broker.now
    before = meter._reads._level
    await (await come_back(site, "agent", after="1")).replayed()
    assert before - meter._reads._level >= 1_000 * (250 + 6)
    assert meter.read(READS - 2 * (250 + 6) + 1, now)
    back = await come_back(site, "agent", after="1")
    assert (await back.welcome())["resume"] == {"after": "1", "count": None}


async def test_looking_up_has_a_rate(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    (last, _) = await say(human, "before", "missed")
    meter = site.gateway.broker._sessions.limiter("demo", "agent", 0)
    assert texts(await (await come_back(site, "agent", after=last["id"])).replayed()) == ["missed"]
    assert meter.read(READS - 2 * 250, site.gateway.broker.now)  # nearly all that there is
    back = await come_back(site, "agent", after=last["id"])
    assert (await back.welcome())["resume"] == {"after": last["id"], "count": None}
    assert (await back.told())["payload"]["error"] == "history_unavailable"


async def test_a_refused_resend_is_not_the_envelope(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    await say(human, "one", id="x")
    await say(human, "two")
    await human.send("chat", {"text": "one"}, id="x")
    await human.error("duplicate_id")
    back = await come_back(site, "agent", after="x")
    assert texts(await back.replayed()) == ["two"]


async def test_a_refusal_is_given_again_to_its_sender_only(site: Any, come_back: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    (last,) = await say(human, "before")
    await agent.send("space/kick", {"participant_id": "human"}, id="bad")
    await agent.error("capability_violation")
    mine = await (await come_back(site, "agent", after=last["id"])).replayed()
    assert [(one["kind"], one["correlation_id"]) for one in mine] == [("system/error", ["bad"])]
    theirs = await (await come_back(site, "human", after=last["id"])).replayed()
    assert [one["kind"] for one in theirs] == []


async def test_after_may_name_a_gateway_envelope_within_an_entry(site: Any, come_back: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    for nth in ("a", "b"):
        await human.send(
            "reasoning/interrupt",
            {"reason": "timeout", "message": "long"},
            id=nth,
            to=["agent"],
            correlation_id=["run"],
        )
        await human.until("reasoning/interrupt")
    await site.pass_time(30_000)  # one entry, two notices
    first = await human.until("system/error", error="interrupt_ack_timeout")
    second = await human.until("system/error", error="interrupt_ack_timeout")
    back = await come_back(site, "human", after=first["id"])
    assert [one["id"] for one in await back.replayed()] == [second["id"]]


async def test_after_ones_own_welcome(site: Any, come_back: Any) -> None:
    agent, human = await site.join("agent"), await site.join("human")
    await say(human, "hello")
    back = await come_back(site, "agent", after=agent.seen[0]["id"])
    assert texts(await back.replayed()) == ["hello"]


@pytest.mark.parametrize("after", ["nothing", "x" * 201, "%00", "x" * 3000])
async def test_an_unknown_envelope(site: Any, come_back: Any, after: str) -> None:
    human = await site.join("human")
    await say(human, "before")
    back = await come_back(site, "agent", after=after)
    assert (await back.welcome())["resume"]["count"] is None
    error = await back.told()
    assert error["payload"]["error"] == "history_unavailable"
    await say(human, "live")
    assert (await back.told())["payload"]["text"] == "live"


async def test_a_pending_interrupt_comes_once(site: Any, come_back: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    start = await human.until("reasoning/start")
    await site.leave(agent)
    await human.send("reasoning/interrupt", {"reason": "timeout"}, id="stop", to=["agent"], correlation_id=["run"])
    stop = await human.until("reasoning/interrupt")
    back = await come_back(site, "agent", after=start["id"])
    assert [one["id"] for one in await back.replayed() if one["kind"] == "reasoning/interrupt"] == ["stop"]
    await say(human, "live")
    assert (await back.told())["payload"] == {"text": "live"}
    again = await come_back(site, "agent", after=stop["id"])
    replayed = await again.replayed()
    assert "stop" not in [one["id"] for one in replayed]
    assert (await again.told())["id"] == "stop"  # not replayed: pending, so given


async def test_a_restart_in_between(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway() as site:
        human = await site.join("human")
        (last,) = await say(human, "before")
        await say(human, "missed")
    async with start_gateway() as site:
        human = await site.join("human")
        await say(human, "missed too")
        back = await come_back(site, "agent", after=last["id"])
        replayed = await back.replayed()
        assert texts(replayed) == ["missed", "missed too"]
        assert [one["payload"]["event"] for one in replayed if one["kind"] == "system/presence"] == ["leave", "join"]


async def test_pruned_envelopes_cannot_be_resent(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    (last,) = await say(human, "before")
    (kept,) = await say(human, "after")
    site.gateway.broker.engine.save()
    position = next(site.gateway.broker.engine.find("demo", last["id"])).entry.position
    assert site.gateway.broker.engine.prune(older_than=2**62, limit=position) == position
    assert (await (await come_back(site, "agent", after=last["id"])).welcome())["resume"]["count"] is None
    assert (await (await come_back(site, "other", after=kept["id"])).welcome())["resume"]["count"] == 1  # its join


async def test_an_immediate_refusal_is_a_place_to_resume_from(site: Any, come_back: Any) -> None:
    human, agent = await site.join("human"), await site.join("agent")
    await say(human, "before")
    await agent.raw("no JSON")
    refusal = await agent.error("invalid_json")
    await say(human, "missed")
    back = await come_back(site, "agent", after=refusal["id"])
    assert "missed" in texts(await back.replayed())
    later = refusal["id"].replace("gw-at-", "gw-at-9")
    assert (await (await come_back(site, "agent", after=later)).welcome())["resume"]["count"] is None


async def test_envelopes_before_a_gap_cannot_be_resent(site: Any, come_back: Any) -> None:
    """An interrupted sequence is kept, what came after it is not: nobody takes the one for all of it."""
    human, agent = await site.join("human"), await site.join("agent")
    await agent.send("reasoning/start", {}, id="run")
    await human.until("reasoning/start")
    stop = {"reason": "error", "message": "stop"}
    await human.send("reasoning/interrupt", stop, id="stop", to=["agent"], correlation_id=["run"])
    await agent.until("reasoning/interrupt")
    await say(human, "pruned")
    spaces = site.gateway.broker.engine
    spaces.save()
    assert spaces.prune(older_than=2**62, limit=1_000)
    _, told = await site.get("/spaces/demo/timeline", participant="human")
    kinds = [event["kind"] for event in told["events"]]
    assert {"reasoning/start", "reasoning/interrupt"} <= set(kinds) and "chat" not in kinds
    assert (await (await come_back(site, "agent", after="stop")).welcome())["resume"]["count"] is None


async def test_more_than_fits_cannot_be_given(start_gateway: Any, come_back: Any, monkeypatch: Any) -> None:
    text = MANY.replace("OUTBOX", "65536")
    async with start_gateway(text) as site:
        human = await site.join("human")
        (last,) = await say(human, "before")
        await say(human, *("x" * 10_000 for _ in range(3)))
        assert (await (await come_back(site, "agent", after=last["id"])).welcome())["resume"]["count"] == 3
        await say(human, "y" * 3_000)
        assert (await (await come_back(site, "agent", after=last["id"])).welcome())["resume"]["count"] is None
        monkeypatch.setattr(resumption, "MOST", 7)
        (last,) = await say(human, "again")
        await say(human, *"abcdefg")
        assert (await (await come_back(site, "agent", after=last["id"])).welcome())["resume"]["count"] == 7
        await say(human, "h")
        assert (await (await come_back(site, "agent", after=last["id"])).welcome())["resume"]["count"] is None


async def test_addressed_routing_hides_what_it_hid(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human, agent = await site.join("human"), await site.join("agent")
        (last,) = await say(human, "for all")
        await say(human, "for one", to=["agent"])
        await agent.until("chat", text="for one")
        await say(agent, "from one", to=["human"])
        for who, expected in (
            ("agent", ["for one", "from one"]),
            ("other", []),
            ("auditor", ["for one", "from one"]),
        ):
            back = await come_back(site, who, after=last["id"])
            assert texts(await back.replayed()) == expected, who


async def test_an_id_that_was_hidden_is_unknown(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human = await site.join("human")
        await say(human, "for all", id="1")
        await say(human, "then")
        await site.leave(human)
        human = await site.join("human")
        await say(human, "for one", id="1", to=["agent"])
        (secret,) = await say(human, "for one too", to=["agent"])
        back = await come_back(site, "other", after="1")  # the newest of that id that it could see
        assert texts(await back.replayed()) == ["then"]
        assert (await (await come_back(site, "other", after=secret["id"])).welcome())["resume"]["count"] is None


async def test_hidden_big_envelopes_cost_more_to_read_too(start_gateway: Any, come_back: Any, monkeypatch: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human = await site.join("human")
        (last,) = await say(human, "for all")
        await say(human, *("x" * 40_000 for _ in range(3)), to=["agent"])
        monkeypatch.setattr(resumption, "MOST", 3 * 10)  # each as much as ten
        assert (await (await come_back(site, "other", after=last["id"])).welcome())["resume"]["count"] == 0
        monkeypatch.setattr(resumption, "MOST", 3 * 10 - 1)
        assert (await (await come_back(site, "other", after=last["id"])).welcome())["resume"]["count"] is None


async def test_addressed_envelopes_stay_hidden_later(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human = await site.join("human")
        (last,) = await say(human, "for all")
        await say(human, "for one", to=["agent"])
        clock = site.clock
    clock.advance(1)
    async with start_gateway(ADDRESSED.replace("addressed", "visible"), clock=clock) as site:
        human = await site.join("human")
        await say(human, "seen by all", to=["agent"])
        back = await come_back(site, "other", after=last["id"])
        assert texts(await back.replayed()) == ["seen by all"]


async def test_two_resuming_at_once_get_their_own(start_gateway: Any, come_back: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        human = await site.join("human")
        (last,) = await say(human, "for all")
        await say(human, "for agent", to=["agent"])
        await say(human, "for other", to=["other"])
        agent, other = await asyncio.gather(
            come_back(site, "agent", after=last["id"]), come_back(site, "other", after=last["id"])
        )
        assert texts(await agent.replayed()) == ["for agent"]
        assert texts(await other.replayed()) == ["for other"]


async def test_the_journal_records_what_was_resent(site: Any, come_back: Any) -> None:
    human = await site.join("human")
    (last,) = await say(human, "before")
    await say(human, "after")
    await (await come_back(site, "agent", after=last["id"])).replayed()
    records = site.gateway.broker.engine.records("demo", after=0, limit=100)
    joined = [record.entry.event for record in records if isinstance(record.entry.event, Connected)]
    assert joined[-1].resumed is not None
    assert (joined[-1].resumed.after, joined[-1].resumed.count) == (last["id"], 1)
    assert joined[-1].resumed.since < joined[-1].resumed.until


MANY = """
gateway: {listen: "127.0.0.1:0", journal: {url: "memory:"}, limits: {outbox_bytes: OUTBOX, frame_bytes: 16384}}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}]}
      agent: {capabilities: [{kind: chat}]}
"""

ADDRESSED = """
gateway: {listen: "127.0.0.1:0", state_dir: state}
spaces:
  demo:
    routing: addressed
    participants:
      human: {capabilities: [{kind: chat}]}
      agent: {capabilities: [{kind: chat}]}
      other: {capabilities: [{kind: chat}]}
      auditor: {observe: true}
"""
