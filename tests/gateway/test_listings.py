"""What a space knows, listed: for everybody where all is visible, and no more than was shown where it is addressed
(docs/protocol.md §6)."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.gateway.http import listings
from mew_gateway.gateway.http.listings import Listing

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
spaces:
  demo:
    routing: ROUTING
    participants:
      human: {capabilities: [{kind: "**"}, {kind: reasoning/interrupt, payload: {class: emergency}}]}
      agent: {capabilities: [{kind: "**"}]}
      other: {capabilities: [{kind: chat}]}
      auditor: {observe: true}
"""
VISIBLE, ADDRESSED = (SPACES.replace("ROUTING", routing) for routing in ("visible", "addressed"))


async def listed(site: Any, what: str, who: str) -> Any:
    status, body = await site.get(f"/spaces/demo/{what}", participant=who)
    assert status == 200, body
    return next(iter(body.values())) if len(body) == 1 else body


async def told(site: Any, who: str, kind: str, **fields: Any) -> dict[str, Any]:
    status, body = await site.post(who, {"kind": kind, "payload": {}, **fields})
    assert status in (200, 201), body
    return dict(body)


def of(rows: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next(one for one in rows if one["id"] == name)


async def test_participants_say_how_each_stands(start_gateway: Any) -> None:
    async with start_gateway(VISIBLE) as site:
        agent = await site.join("agent")
        await told(site, "human", "participant/pause", to=["agent"], id="rest", payload={"timeout_seconds": 60})
        await told(site, "human", "space/kick", payload={"participant_id": "other"})
        rows = await listed(site, "participants", "human")
        paused = of(rows, "agent")
        assert (paused["present"], paused["connections"]) == (True, 1)
        assert [(one["id"], one["by"]) for one in paused["state"]["pauses"]] == [("rest", "human")]
        assert paused["state"]["pauses"][0]["until"] > paused["state"]["pauses"][0]["at"]
        assert not paused["state"]["kicked"]
        assert of(rows, "other")["state"]["kicked"]
        assert of(rows, "human") | {"capabilities": []} == {
            "id": "human",
            "present": False,
            "connections": 0,
            "capabilities": [],
            "state": {"kicked": False, "ends_in_ms": None, "pauses": [], "halts": [], "invited": None},
        }
        await told(site, "human", "participant/shutdown", to=["agent"])
        assert 0 < of(await listed(site, "participants", "human"), "agent")["state"]["ends_in_ms"] <= 2000
        await agent.socket.close()


async def test_an_invitee_is_listed_with_its_inviter(start_gateway: Any) -> None:
    async with start_gateway(VISIBLE) as site:
        payload = {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]}
        await told(site, "human", "space/invite", payload=payload)
        guest = of(await listed(site, "participants", "human"), "guest")
        assert guest["capabilities"] == [{"kind": "chat"}]
        assert (guest["state"]["invited"]["by"], guest["state"]["invited"]["joined"]) == ("human", False)


async def test_an_emergency_shows_as_a_halt(start_gateway: Any) -> None:
    async with start_gateway(VISIBLE) as site:
        await site.join("agent")
        await told(site, "agent", "reasoning/start", id="run")
        payload = {"reason": "error", "message": "stop", "class": "emergency"}
        fields = {"to": ["agent"], "correlation_id": ["run"], "payload": payload}
        await told(site, "human", "reasoning/interrupt", id="alarm", **fields)
        halts = of(await listed(site, "participants", "other"), "agent")["state"]["halts"]
        assert [(one["interrupt"], one["sequence"]) for one in halts] == [("alarm", "run")]
        assert [one["interrupts"] for one in await listed(site, "sequences", "other")] == [["alarm"]]


async def test_proposals_open_and_decided(start_gateway: Any) -> None:
    async with start_gateway(VISIBLE) as site:
        call = {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}}
        for id in ("first", "second"):
            await told(site, "agent", "mcp/proposal", id=id, payload=call)
        await told(site, "human", "mcp/reject", correlation_id=["first"], id="no", payload={"reason": "unsafe"})
        await told(site, "human", "mcp/request", correlation_id=["second"], id="yes", to=["agent"], payload=call)
        site.clock.advance(1000)
        rows = await listed(site, "proposals", "other")
        rejected, done = rows
        assert (done["id"], done["status"], done["closed_by"], done["fulfiller"]) == (
            "second", "fulfilled", "yes", "human",
        )  # fmt: skip
        assert (rejected["id"], rejected["status"], rejected["closed_by"]) == ("first", "rejected", "no")
        assert rejected["rejection"] == {"by": "human", "reason": "unsafe"}
        await told(site, "agent", "mcp/proposal", id="third", payload=call, correlation_id=["first"])
        site.clock.advance(1000)
        _, body = await site.get("/spaces/demo/proposals?open=true", participant="other")
        (waiting,) = body["proposals"]
        assert (waiting["id"], waiting["status"], waiting["age_ms"]) == ("third", "open", 1000)
        assert (waiting["method"], waiting["params"]) == (call["method"], call["params"])
        assert waiting["expires_in_ms"] == 86_400_000 - 1000


async def test_grants_and_what_was_taken(start_gateway: Any) -> None:
    async with start_gateway(VISIBLE) as site:
        payload = {"recipient": "other", "capabilities": [{"kind": "x/*"}], "reason": "today"}
        await told(site, "human", "capability/grant", id="gift", payload=payload)
        await told(site, "human", "capability/revoke", payload={"recipient": "agent", "capabilities": [{"kind": "**"}]})
        body = await listed(site, "grants", "auditor")
        (grant,) = body["grants"]
        assert (grant["id"], grant["granter"], grant["recipient"], grant["reason"]) == (
            "gift", "human", "other", "today",
        )  # fmt: skip
        assert (grant["capabilities"], grant["expires_at"], grant["acked"]) == ([{"kind": "x/*"}], None, False)
        assert body["revocations"] == [{"participant": "agent", "capabilities": [{"kind": "**"}]}]


async def test_where_routing_is_addressed_only_parties_and_observers_learn_it(start_gateway: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        await site.join("agent")
        await told(site, "agent", "reasoning/start", id="run", to=["human"], payload={"message": "between us"})
        fields = {"to": ["agent"], "correlation_id": ["run"]}
        await told(site, "human", "reasoning/interrupt", id="stop", **fields, payload={"reason": "timeout"})
        await told(site, "agent", "mcp/proposal", id="ours", to=["human"], payload={"method": "tools/list"})
        await told(site, "agent", "mcp/proposal", id="all", payload={"method": "tools/list"})
        await told(site, "human", "participant/pause", to=["agent"], id="rest")
        grant = {"recipient": "agent", "capabilities": [{"kind": "x/*"}], "reason": "between us"}
        await told(site, "human", "capability/grant", id="gift", to=["agent"], payload=grant)
        for who, knows in (("agent", True), ("auditor", True), ("other", False)):
            (sequence,) = await listed(site, "sequences", who)
            assert (sequence["id"], sequence["owner"]) == ("run", "agent")  # every welcome says so much
            assert sequence["message"] == ("between us" if knows else None), who
            assert sequence["interrupts"] == (["stop"] if knows else []), who
            assert [one["id"] for one in await listed(site, "interrupts", who)] == (["stop"] if knows else []), who
            proposals = [one["id"] for one in await listed(site, "proposals", who)]
            assert proposals == (["ours", "all"] if knows else ["all"]), who
            agent = of(await listed(site, "participants", who), "agent")
            assert (agent["present"], agent["state"] is not None, agent["connections"]) == (
                True, knows, 1 if knows else None,
            )  # fmt: skip
            assert (await listed(site, "grants", who))["grants"][0]["reason"] == ("between us" if knows else None), who


@pytest.mark.parametrize("query", ["open=maybe", "limit=0"])
async def test_a_wrong_query_is_refused(site: Any, query: str) -> None:
    status, body = await site.get(f"/spaces/demo/proposals?{query}", participant="human")
    assert (status, body["error"]) == (400, "bad_request")


async def test_an_invited_participant_reads_too(start_gateway: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        status, body = await site.post("human", {"kind": "space/invite", "payload": {"participant_id": "guest"}})
        assert status == 201, body
        for what in ("participants", "sequences", "interrupts", "proposals", "grants", "timeline", "history"):
            assert (await site.get(f"/spaces/demo/{what}", token=body["token"]))[0] == 200, what


async def test_records_are_filtered_in_pieces_while_the_space_goes_on(
    start_gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "_SCANNED", 2)
    async with start_gateway(VISIBLE) as site:
        for nth in range(7):
            await told(site, "agent", "reasoning/start", id=f"run{nth}")
            told_to = {"to": ["agent"], "correlation_id": [f"run{nth}"]}
            await told(site, "human", "reasoning/interrupt", id=f"stop{nth}", payload={"reason": "timeout"}, **told_to)
        turns = 0

        async def turn() -> None:
            nonlocal turns
            turns += 1
            await told(site, "agent", "reasoning/start", id=f"between{turns}")

        machine = site.gateway.broker.engine["demo"].machine
        listing = Listing(machine, "human", now=site.clock.now(), limit=1_000, turn=turn)
        rows: list[Any] = list((await listing.sequences(only_open=False))["sequences"])
        assert [(row.id, row.interrupts) for row in rows] == [(f"run{nth}", [f"stop{nth}"]) for nth in range(7)]
        assert turns == 3
        assert len(list((await listing.interrupts())["interrupts"])) == 7
        assert turns == 6


async def test_a_listing_goes_on_before_its_newest_rows(site: Any) -> None:
    for nth in range(5):
        await told(site, "agent", "reasoning/start", id=f"run{nth}")

    async def ids(query: str) -> list[str]:
        _, body = await site.get(f"/spaces/demo/sequences?{query}", participant="human")
        return [row["id"] for row in body["sequences"]]

    assert await ids("limit=2") == ["run3", "run4"]
    assert await ids("limit=2&skip=2") == ["run1", "run2"]
    assert await ids("limit=2&skip=4") == ["run0"]
    assert await ids("limit=2&skip=9") == []
    assert (await site.get("/spaces/demo/sequences?skip=-1", participant="human"))[0] == 400
