"""Requests that go straight or as proposals, and every way they end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Agent, Participant, ProposalRejected, Refused, Stopped, TimedOut, ToolError, TooSlow, tool
from mew_gateway.sdk._transport.memory_link import MemoryLink
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import ANYTHING, begin, payload_of, said


class Adder(Agent):
    def __init__(self) -> None:
        super().__init__()
        self.ended: list[str] = []

    @tool
    def add(self, a: int, b: int) -> int:
        """Adds."""
        return a + b

    @tool(read_only=True)
    async def wait(self) -> None:
        """Never answers."""
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.append("wait")


@pytest.mark.requirement("mew/3.1.2:response-correlates", "mew/8.2:tools")
async def test_a_request_goes_straight_where_a_capability_lets_it(space: Space) -> None:
    human = await space.join("human")
    await space.run(Adder())
    assert (await human.call("agent", "add", {"a": 2, "b": 3})).text == "5"
    request, response = said(space, "mcp/request")[0], said(space, "mcp/response")[0]
    assert request.to == ["agent"]
    assert request.payload == {
        "jsonrpc": "2.0",
        "id": request.id,
        "method": "tools/call",
        "params": {"name": "add", "arguments": {"a": 2, "b": 3}},
    }
    assert response.correlation_id == [request.id]


@pytest.mark.requirement(
    "mew/3.2:propose-where-restricted", "mew/8.2:restrictions-are-respected", "mew/3.2.1:proposer-sees-the-outcome"
)
async def test_it_becomes_a_proposal_where_none_does_and_is_followed_to_its_answer(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    await space.run(Adder())
    asking = await begin(space, novice.call("agent", "add", {"a": 2, "b": 3}))
    proposal = said(space, "mcp/proposal")[0]
    assert (proposal.to, "id" in proposal.payload) == (["agent"], False)
    assert not asking.done()
    result = await human.fulfil(proposal)
    assert result["content"][0]["text"] == (await asking).text == "5"
    assert said(space, "mcp/withdraw") == []


async def test_the_payload_decides_whether_it_goes_straight() -> None:
    reads: list[dict[str, Any]] = [
        {"kind": "mcp/request", "payload": {"method": "tools/list"}},
        {"kind": "mcp/proposal"},
    ]
    async with Space({"agent": ANYTHING, "reader": reads}) as space:
        reader = await space.join("reader")
        await space.run(Adder())
        assert [one.name for one in await reader.tools("agent")] == ["add", "wait"]
        task = await begin(space, reader.call("agent", "add", {"a": 1, "b": 1}))
        assert [one.kind for one in space.envelopes if one.sender == "reader"] == ["mcp/request", "mcp/proposal"]
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_who_may_do_neither_is_told_at_once() -> None:
    async with Space({"mute": [{"kind": "chat"}]}) as space:
        mute = await space.join("mute")
        with pytest.raises(Refused, match="neither request nor propose") as caught:
            await mute.request("agent", "ping")
        assert caught.value.code == "capability_violation"
        assert [one.sender for one in space.envelopes] == ["system:gateway"] * 2


@pytest.mark.requirement("mew/3.6.1:grant-is-acknowledged", "mew/5.2:welcome-is-authoritative")
async def test_a_grant_turns_the_next_proposal_into_a_request_and_is_acknowledged(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    await space.run(Adder())
    assert not novice.may("mcp/request", {"method": "tools/list"}, to=["agent"])
    grant = await human.send(
        "capability/grant", {"recipient": "novice", "capabilities": [{"kind": "mcp/request"}]}, to=["novice"]
    )
    await space.settle()
    assert said(space, "capability/grant-ack")[0].correlation_id == [grant]
    assert (await novice.call("agent", "add", {"a": 1, "b": 1})).text == "2"


async def test_a_capability_that_went_meanwhile_makes_it_a_proposal_after_all(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    grant = {"recipient": "novice", "capabilities": [{"kind": "mcp/request"}]}
    await human.send("capability/grant", grant)
    await space.settle()
    revoking = asyncio.create_task(human.send("capability/revoke", grant))  # it is sent first
    asking = asyncio.create_task(novice.request("agent", "ping"))
    await revoking
    await space.settle()
    assert said(space, "system/error")[0].payload["error"] == "capability_violation"
    assert len(said(space, "mcp/proposal")) == 1
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.requirement("mew/3.3.2:rejection-closes-nothing", "mew/3.3.3:unknown-reasons")
async def test_the_first_rejection_ends_it(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    asking = await begin(space, novice.request("agent", "ping"))
    await human.send("mcp/reject", {"reason": "a word of our own"}, correlation_id=[said(space, "mcp/proposal")[0].id])
    with pytest.raises(ProposalRejected, match="human rejected the proposal: a word of our own") as caught:
        await asking
    assert (caught.value.by, caught.value.reason) == ("human", "a word of our own")


async def test_a_proposal_nobody_takes_up_is_withdrawn_when_its_time_is_over(space: Space) -> None:
    await space.join("human")
    novice = await space.join("novice")
    asking = await begin(space, novice.request("agent", "ping", timeout=60_000))
    await space.advance(59)
    assert not asking.done()
    await space.advance(1)
    with pytest.raises(TimedOut, match="within 60 s"):
        await asking
    withdrawal = said(space, "mcp/withdraw")[0]
    assert withdrawal.correlation_id == [said(space, "mcp/proposal")[0].id]
    assert withdrawal.payload == {"reason": "timeout"}


async def test_a_request_nobody_answers_is_cancelled_and_its_target_stops(space: Space) -> None:
    human = await space.join("human")
    agent = Adder()
    await space.run(agent)
    asking = await begin(space, human.call("agent", "wait", timeout=1_000))
    await space.advance(1)
    with pytest.raises(TimeoutError):
        await asking
    await space.settle()
    cancelled = said(space, "mcp/request")[-1]
    assert cancelled.payload["method"] == "notifications/cancelled"
    assert cancelled.payload["params"]["requestId"] == said(space, "mcp/request")[0].id
    assert agent.ended == ["wait"]
    (answer,) = said(space, "mcp/response")
    assert answer.payload["error"]["data"]["status"] == "stopping"


async def test_whoever_is_cancelled_takes_back_what_he_asked(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    agent = Adder()
    await space.run(agent)
    tasks = [await begin(space, novice.request("agent", "ping")), await begin(space, human.call("agent", "wait"))]
    for task in tasks:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(result, asyncio.CancelledError) for result in results)
    await space.settle()
    assert said(space, "mcp/withdraw")[0].payload == {"reason": "no_longer_needed"}
    assert agent.ended == ["wait"]


async def test_a_proposal_that_was_fulfilled_is_not_withdrawn(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    await space.run(Adder())
    asking = await begin(space, novice.call("agent", "wait", timeout=1_000))
    fulfilling = await begin(space, human.fulfil(said(space, "mcp/proposal")[0], timeout=5_000))
    await space.advance(1)
    with pytest.raises(TimedOut):
        await asking
    assert said(space, "mcp/withdraw") == []
    fulfilling.cancel()
    await asyncio.gather(fulfilling, return_exceptions=True)


async def test_the_gateways_end_of_a_proposal_is_told() -> None:
    async with Space({"novice": [{"kind": "mcp/proposal"}], "agent": ANYTHING}, proposal_expiry=60_000) as space:
        novice = await space.join("novice")
        asking = await begin(space, novice.request("agent", "ping", timeout=600_000))
        await space.advance(61)
        with pytest.raises(Refused) as caught:
            await asking
        assert caught.value.code == "proposal_expired"


async def test_nobody_of_that_name_is_told_at_once(space: Space) -> None:
    human = await space.join("human")
    with pytest.raises(Refused) as caught:
        await human.request("nobody", "ping")
    assert (caught.value.code, caught.value.details["participants"]) == ("participant_not_found", ["nobody"])


@pytest.mark.requirement("mew/3.5.6:requests-in-contexts", "mew/3:addressed-whatever-the-context")
async def test_a_request_in_a_context_is_answered_like_any_other(space: Space) -> None:
    human = await space.join("human")
    await space.run(Adder())
    assert (await human.call("agent", "add", {"a": 1, "b": 1}, context="some/where")).text == "2"
    assert said(space, "mcp/request")[0].context == "some/where"


@pytest.mark.requirement("mew/3.8.1:foreign-welcomes")
async def test_a_welcome_for_somebody_else_is_none_for_us(space: Space) -> None:
    novice = await space.join("novice")
    link = novice.client._outgoing.link
    assert isinstance(link, MemoryLink)
    foreign = {"you": {"id": "human", "capabilities": ANYTHING}, "participants": [{"id": "ghost"}]}
    link.put(encode(id="w", now=0, sender="system:gateway", kind="system/welcome", payload=foreign, to=("human",)))
    await space.settle()
    assert novice.me == "novice"
    assert not novice.may("mcp/request", {})
    assert list(novice.participants) == []


async def test_it_may_be_asked_to_propose(space: Space) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    asking = await begin(space, human.request("agent", "ping", propose=True))
    assert said(space, "mcp/request") == []
    await agent.send("mcp/reject", {}, correlation_id=[said(space, "mcp/proposal")[0].id])
    with pytest.raises(ProposalRejected, match=r"rejected the proposal\."):
        await asking


async def test_some_of_that_name_are_waited_for(space: Space) -> None:
    human = await space.join("human")
    await space.run(Adder())
    assert await human.request(["nobody", "agent"], "ping") == {}


async def test_an_answer_that_is_an_error_is_raised(space: Space) -> None:
    human = await space.join("human")
    await space.run(Adder())
    with pytest.raises(ToolError) as caught:
        await human.request("agent", "prompts/list")
    assert caught.value.code == -32601


@pytest.mark.requirement("mew/4.3:validate")
@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"error": {"code": -5, "message": "no", "data": 1}}, -5),
        ({"error": "no"}, -32603),
        ({"error": {"code": "x", "message": 7}}, -32603),
        ({"result": {"content": "text"}}, -32603),
        ({"result": [1]}, -32603),
    ],
)
async def test_a_malformed_answer_is_an_error_and_never_a_surprise(
    space: Space, answer: dict[str, Any], code: int
) -> None:
    human = await space.join("human")
    async with space.client("agent") as raw:
        asking = await begin(space, human.call("agent", "add"))
        await raw.send("mcp/response", answer, to=["human"], correlation_id=[said(space, "mcp/request")[0].id])
        with pytest.raises(ToolError) as caught:
            await asking
    assert caught.value.code == code


async def test_only_who_was_asked_answers(space: Space) -> None:
    """§4.3: this gateway refuses a stranger's answer; another may let it through."""
    human = await space.join("human")
    asking = await begin(space, human.request("agent", "ping"))
    id = said(space, "mcp/request")[0].id
    answer = {"result": 1}
    human.take(Envelope("mew/v0.4", "x", "2026", "novice", "mcp/response", ["human"], [id], None, answer))
    await space.settle()
    assert not asking.done()
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_sending_waits_for_the_gateways_yes_or_no(space: Space) -> None:
    novice = await space.join("novice")
    id = await novice.send("chat", {"text": "hi"})
    assert said(space, "chat")[0].id == id
    with pytest.raises(Refused) as caught:
        await novice.send("space/kick", {"participant_id": "human"})
    assert caught.value.code == "capability_violation"
    assert caught.value.details["attempted_kind"] == "space/kick"
    with pytest.raises(ValueError, match="bytes"):
        await novice.send("chat", {"text": "x" * 1_100_000})


@pytest.mark.requirement("mew/8.2:presence-is-tracked")
async def test_who_is_here_follows_presence(space: Space) -> None:
    human = await space.join("human")
    assert list(human.participants) == []
    novice = await space.join("novice")
    assert list(human.participants) == ["novice"]
    assert human.participants["novice"].capabilities == list(space.settings.participants["novice"].capabilities)
    assert list(novice.participants) == ["human"]
    await human.send("space/kick", {"participant_id": "novice"})
    await space.settle()
    assert list(human.participants) == []


async def test_whoever_waits_is_told_that_the_connection_is_over_for_good(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    listening = novice.listen()
    asking = await begin(space, novice.request("agent", "ping"))
    await human.send("space/kick", {"participant_id": "novice"})
    with pytest.raises(Stopped, match="Kicked") as caught:
        await asking
    assert caught.value.code == 4503
    with pytest.raises(Stopped, match="Kicked"):
        [item async for item in listening]


async def test_a_listener_that_does_not_read_is_told_that_it_missed_something(space: Space) -> None:
    human = await space.join("human")
    listening = human.listen(buffer=2)
    for text in ("one", "two", "three"):
        await human.send("chat", {"text": text})
    assert [payload_of(await anext(listening))["text"] for _ in range(2)] == ["one", "two"]
    with pytest.raises(TooSlow, match="More than 2"):
        await anext(listening)


async def test_it_uses_a_client_that_is_connected_and_leaves_it_so(space: Space) -> None:
    client = space.client("human")
    await client.connect()
    async with Participant(client) as human:
        assert human.me == "human"
    await client.send("chat", {"text": "still here"})
    await space.settle()
    assert said(space, "chat")
    await client.aclose()


async def test_sending_waits_for_no_answer(space: Space) -> None:
    human, novice = await space.join("human"), await space.join("novice")
    asked = await novice.send("mcp/proposal", {"method": "ping"}, to="agent")
    assert asked == said(space, "mcp/proposal")[0].id
    assert isinstance(await human.send("mcp/request", {"method": "ping"}, to="agent"), str)
    assert isinstance(await human.send("stream/request", {"direction": "upload"}, to="gateway"), str)
    assert said(space, "mcp/withdraw") == []


async def test_a_notification_is_not_answered(space: Space) -> None:
    human = await space.join("human")
    assert await human.request("agent", "notifications/initialized") is None
    assert "id" not in payload_of(said(space, "mcp/request")[0])


async def test_a_lone_name_is_one_name(space: Space) -> None:
    human = await space.join("human")
    await human.send("chat", {"text": "hi"}, to="agent", correlation_id="abc")
    assert (said(space, "chat")[0].to, said(space, "chat")[0].correlation_id) == (["agent"], ["abc"])
    assert human.may("chat", {"text": "hi"}, to="agent")
    async with human.open_stream(target="agent") as stream:
        assert stream.fields["target"] == ["agent"]
