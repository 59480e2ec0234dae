"""Cases of a space's limits through a gateway, over WebSocket and HTTP: one of each family."""

from __future__ import annotations

from typing import Any

from mew_gateway.protocol.ids import MAX_ENVELOPE_ID

from ..kit.gateway import Peer, Site
from .limit import Pair
from .limit_fixture import LimitFixture, chats, joined, unchanged


async def _start(site: Site, agent: Peer, other: Peer, many: int) -> None:
    """Open sequences alternately by envelope and by post."""
    for number in range(many):
        start: dict[str, Any] = {"kind": "reasoning/start", "id": f"s{number}"}
        if number % 2:
            assert (await site.post("agent", start))[0] == 200
        else:
            await agent.send(**start)
        await other.until("reasoning/start")


async def _full_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{open_sequences: 3}") as site:
        agent, other = await joined(site, "agent"), await joined(site, "other")
        await _start(site, agent, other, 3)
        await chats(agent, other)


async def _full_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{open_sequences: 3}") as site:
        agent, other = await joined(site, "agent"), await joined(site, "other")
        await _start(site, agent, other, 3)
        _, before = unchanged(site)
        await agent.send("reasoning/start", id="s3")
        assert (await agent.error("too_many_sequences"))["payload"]["limit"] == 3
        status, told = await site.post("agent", {"kind": "reasoning/start", "id": "s3"})
        assert (status, told["error"], told["limit"]) == (409, "too_many_sequences", 3)
        assert unchanged(site)[1] == before
        await chats(agent, other)
        await agent.send("reasoning/conclusion", context="s0")
        await agent.send("reasoning/start", id="s3")
        assert (await other.until("reasoning/start"))["id"] == "s3"


FULL = Pair(_full_at, _full_past)


async def _ask(human: Peer, agent: Peer, many: int) -> None:
    for number in range(many):
        await human.send("mcp/request", {"method": "tools/list"}, id=f"q{number}", to=["agent"])
        await agent.until("mcp/request")


async def _forgotten_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{open_requests: 3}") as site:
        human, agent = await joined(site, "human"), await joined(site, "agent")
        await _ask(human, agent, 3)
        for number in range(3):
            await agent.send("mcp/response", {"result": {}}, correlation_id=[f"q{number}"])
            assert (await human.until("mcp/response"))["correlation_id"] == [f"q{number}"]


async def _forgotten_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(limits="{open_requests: 3}") as site:
        human, agent = await joined(site, "human"), await joined(site, "agent")
        await _ask(human, agent, 4)
        await agent.send("mcp/response", {"result": {}}, correlation_id=["q0"])
        await agent.error("request_not_found")
        status, told = await site.post("agent", {"kind": "mcp/response", "correlation_id": "q0"})
        assert (status, told["error"]) == (404, "request_not_found")
        await agent.send("mcp/response", {"result": {}}, correlation_id=["q1"])
        assert (await human.until("mcp/response"))["correlation_id"] == ["q1"]
        await chats(agent, human)


FORGOTTEN = Pair(_forgotten_at, _forgotten_past)


async def _interrupted(site: Site, *names: str) -> list[Peer]:
    peers = [await joined(site, name) for name in ("human", "agent")]
    human, agent = peers
    await agent.send("reasoning/start", id="s")
    await human.until("reasoning/start")
    for name in names:
        await human.send("reasoning/interrupt", {"reason": "user_request"}, id=name, to=["agent"], correlation_id=["s"])
        await agent.until("reasoning/interrupt")
    return peers


_ACKS = "interrupts: {ack_deadline: 7s, per_sequence: 2/5s}"


async def _due_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(settings=_ACKS) as site:
        human, agent = await _interrupted(site, "i")
        site.clock.advance(7_000)  # the ack is there before anybody has looked at the clock
        await agent.send("reasoning/interrupt-ack", {"status": "ignored"}, correlation_id=["i"])
        await human.until("reasoning/interrupt-ack")
        await site.pass_time(1)
        await chats(agent, human)
        assert not any(one["kind"] == "system/error" for one in human.seen)


async def _due_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(settings=_ACKS) as site:
        human, agent = await _interrupted(site, "i")
        await site.pass_time(6_999)
        await chats(agent, human)
        assert not any(one["kind"] == "system/error" for one in human.seen)
        await site.pass_time(1)
        late = await human.error("interrupt_ack_timeout")
        assert (late["payload"]["waited_ms"], late["correlation_id"]) == (7_000, ["i"])
        await chats(agent, human, "later")


DUE = Pair(_due_at, _due_past)


async def _pace_at(fixture: LimitFixture) -> None:
    async with fixture.gateway(settings=_ACKS) as site:
        human, agent = await _interrupted(site, "i", "j")
        await chats(human, agent)


async def _pace_past(fixture: LimitFixture) -> None:
    async with fixture.gateway(settings=_ACKS) as site:
        human, agent = await _interrupted(site, "i", "j")
        third: dict[str, Any] = {"payload": {"reason": "user_request"}, "to": ["agent"], "correlation_id": ["s"]}
        _, before = unchanged(site)
        site.clock.advance(1_500)
        await human.send("reasoning/interrupt", id="k", **third)
        assert (await human.error("rate_limited"))["payload"]["retry_after_ms"] == 3_500
        status, told = await site.post("human", {"kind": "reasoning/interrupt", "id": "k", **third})
        assert (status, told["error"], told["retry_after_ms"]) == (429, "rate_limited", 3_500)
        assert unchanged(site)[1] == before
        await chats(human, agent)
        await site.pass_time(3_500)
        await human.send("reasoning/interrupt", id="k", **third)
        assert (await agent.until("reasoning/interrupt"))["id"] == "k"


PACE = Pair(_pace_at, _pace_past)


def _long(length: int) -> dict[str, Any]:
    return {"kind": "chat", "id": "x" * length, "payload": {"text": "hello"}}


async def _id_at(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human = await joined(site, "human")
        await human.send(**_long(MAX_ENVELOPE_ID))
        assert (await human.until("chat"))["id"] == "x" * MAX_ENVELOPE_ID
        assert (await site.post("other", _long(MAX_ENVELOPE_ID)))[0] == 200


async def _id_past(fixture: LimitFixture) -> None:
    async with fixture.gateway() as site:
        human = await joined(site, "human")
        before = unchanged(site)
        await human.send(**_long(MAX_ENVELOPE_ID + 1))
        await human.error("invalid_envelope")
        status, told = await site.post("human", _long(MAX_ENVELOPE_ID + 1))
        assert (status, told["error"]) == (400, "invalid_envelope")
        assert unchanged(site) == before
        await chats(human, human)


ID = Pair(_id_at, _id_past)
