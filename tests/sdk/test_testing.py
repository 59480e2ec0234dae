"""The space without sockets: as real as a space is, and the same every time."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Agent, Chat, Client, Disconnected, Participant, Stopped, tool
from mew_gateway.sdk.testing import START, Space
from tests.sdk.conftest import ANYTHING, begin, payload_of, said


class Thinker(Agent):
    async def on_chat(self, chat: Chat) -> None:
        async with self.run(correlation_id=chat.id, policy="soft-stop") as run:
            await run.thought("hm")
            run.conclude("done")

    @tool
    async def wait(self) -> None:
        await asyncio.Event().wait()


async def play() -> list[Any]:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Thinker())
        await human.send("chat", {"text": "go"}, to=["agent"])
        await space.advance(1.5)
        await space.drop("agent")
        await human.send("chat", {"text": "again"}, to=["agent"])
        await space.settle()
        return [msgspec.to_builtins(one) for one in space.envelopes]


async def test_the_same_test_sees_the_same_every_time() -> None:
    first = await play()
    assert first == await play()
    assert [one["kind"] for one in first].count("reasoning/conclusion") == 2
    assert first[-1]["ts"] == "2027-01-15T08:00:01.500Z"


async def test_deadlines_pass_in_their_order_while_time_is_moved() -> None:
    """An agent that does not answer an interrupt: the gateway's 30 seconds, and an agent's own time-out."""

    class Deaf(Agent):
        def take_interrupt(self, interrupt: Any) -> None:
            pass

        async def on_chat(self, chat: Chat) -> None:
            async with self.run():
                await asyncio.Event().wait()

    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Deaf())
        await human.send("chat", {"text": "go"}, to=["agent"])
        await space.settle()
        run = said(space, "reasoning/start")[0].id
        await human.send("reasoning/interrupt", {"reason": "user_request"}, to=["agent"], correlation_id=[run])
        await space.advance(29.9)
        assert said(space, "system/error") == []
        await space.advance(60)
        error = said(space, "system/error")[0]
        assert (error.payload["error"], error.ts) == ("interrupt_ack_timeout", "2027-01-15T08:00:30.000Z")
        assert space.machine.state.settled != {}


async def test_who_is_invited_joins_with_the_token_and_who_is_not_does_not() -> None:
    async with Space({"human": ANYTHING}) as space:
        human = await space.join("human")
        listening = human.listen()
        await human.send("space/invite", {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]})
        async for item in listening:
            if isinstance(item, Envelope) and item.kind == "space/invite-ack":
                token = payload_of(item)["token"]
                break
        assert said(space, "space/invite-ack")[0].payload["token"] is None  # the history never has it
        guest = await space.join(token)
        assert guest.me == "guest"
        await guest.send("chat", {"text": "hi"})
        with pytest.raises(Stopped, match="No participant"):
            await space.join("stranger")


async def test_who_was_kicked_stays_out_until_readmitted() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Thinker())
        await human.send("space/kick", {"participant_id": "agent"})
        await space.settle()
        assert list(human.participants) == []
        with pytest.raises(Stopped):
            await space.join("agent")
        await human.send("space/invite", {"participant_id": "agent"})
        await space.join("agent")


async def test_an_agent_that_breaks_fails_the_test_that_ran_it() -> None:
    class Broken(Agent):
        async def _take(self, item: Any) -> None:
            raise KeyError("broken")

    async def run() -> None:
        async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
            await space.run(Broken())
            await space.join("human")

    with pytest.raises(ExceptionGroup) as caught:
        await run()
    assert caught.group_contains(KeyError)


async def test_addressed_routing_hides_from_those_it_is_not_for_and_from_their_replay() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING, "other": ANYTHING}, routing="addressed") as space:
        human = await space.join("human")
        async with space.client("agent") as agent, space.client("other") as other:
            for client in (agent, other):
                for link in [one for one in space._links.values() if one.participant == client.welcome.you.id]:
                    link.abort()
            await human.send("chat", {"text": "for you"}, to=["agent"])
            await human.send("chat", {"text": "for all"})
            assert await chats(agent, space) == ["for you", "for all"]
            assert await chats(other, space) == ["for all"]


async def chats(client: Client, space: Space) -> list[str]:
    await space.settle()
    items = [await client.receive() for _ in range(client._received.statistics().current_buffer_used)]
    return [payload_of(item)["text"] for item in items if isinstance(item, Envelope) and item.kind == "chat"]


async def test_time_moves_only_when_it_is_told_to() -> None:
    async with Space({"human": ANYTHING}) as space, space.client("human") as client:
        slept = await begin(space, client.sleep(10_000))
        await space.advance(9.999)
        assert not slept.done()
        await space.advance(0.001)
        assert slept.done()
        assert client.wall() == START + 10_000


async def test_when_the_space_ends_whoever_waits_is_told() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Thinker())
        asking = await begin(space, human.call("agent", "wait"))
    with pytest.raises(Disconnected):
        await asking


async def test_a_participant_of_ones_own_may_be_used() -> None:
    class Named(Participant):
        @tool
        def name(self) -> str:
            return self.me

    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        async with Named(space.client("agent")):
            assert (await human.call("agent", "name")).text == "agent"
