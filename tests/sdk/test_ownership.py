"""Ids that others take: an envelope is ours by sender and content, and an answer counts from whom we asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from mew_gateway.errors import Rejected
from mew_gateway.sdk import Agent, Participant, Refused, tool
from mew_gateway.sdk._transport.memory_link import MemoryLink
from mew_gateway.sdk.testing import Space
from tests.kit.gateway import TIMEOUT
from tests.sdk.conftest import _cancel_everything, begin, said

TO_HERSELF: list[dict[str, Any]] = [
    {"kind": ["chat", "mcp/proposal", "mcp/withdraw"]},
    {"kind": "mcp/request", "to": "mallory"},
]
PEOPLE: dict[str, list[dict[str, Any]]] = {
    "human": [{"kind": "*"}],
    "novice": [{"kind": ["chat", "mcp/proposal", "mcp/withdraw"]}],
    "agent": [{"kind": "chat"}],
    "mallory": TO_HERSELF,
}
FORGED: dict[str, Any] = {"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": "forged"}]}}
ADD = {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 2, "b": 3}}}


class Adder(Agent):
    @tool
    def add(self, a: int, b: int) -> int:
        """Adds."""
        return a + b

    @tool
    async def wait(self) -> None:
        """Never answers."""
        await asyncio.Event().wait()


@pytest.fixture
async def space() -> AsyncIterator[Space]:
    guard = asyncio.get_running_loop().call_later(TIMEOUT, _cancel_everything)
    async with Space(PEOPLE) as space:
        await space.run(Adder())
        yield space
    guard.cancel()


async def hostile(space: Space) -> Participant:
    """Mallory, who answers what she likes."""
    mallory = Participant(space.client("mallory"), answers=False)
    await space._stack.enter_async_context(mallory)
    await space.settle()
    return mallory


def refuse_once(space: Space, name: str) -> Callable[[], str]:
    """The next envelope of a participant is refused for a second, as by the gateway's rates; its id."""
    ids: list[str] = []
    take = space.take

    def refusing(link: MemoryLink, data: bytes, *, text: bool) -> None:
        if link.participant != name or ids:
            take(link, data, text=text)
            return
        ids.append(json.loads(data)["id"])
        space._refuse(link, Rejected("rate_limited", "Later.", correlation=ids[0], retry_after_ms=1_000))

    space.take = refusing  # type: ignore[method-assign]
    return lambda: ids[0]


async def test_an_answer_to_a_request_of_somebody_elses_under_our_id_is_none(space: Space) -> None:
    human, mallory = await space.join("human"), await hostile(space)
    refused = refuse_once(space, "human")
    asking = await begin(space, human.call("agent", "add", {"a": 2, "b": 3}))
    await mallory.client.send("mcp/request", ADD, to="mallory", id=refused())
    await mallory.client.send("mcp/response", FORGED, to="human", correlation_id=refused())
    await space.advance(2)
    assert (await asking).text == "5"


async def test_what_is_sent_again_under_a_taken_id_goes_out_under_a_fresh_one(space: Space) -> None:
    human, mallory = await space.join("human"), await hostile(space)
    refused = refuse_once(space, "human")
    asking = await begin(space, human.call("agent", "add", {"a": 2, "b": 3}))
    await mallory.client.send("mcp/request", ADD, to="mallory", id=refused())
    await space.advance(2)
    assert (await asking).text == "5"
    theirs, ours = said(space, "mcp/request")
    assert (theirs.sender, theirs.id, ours.sender) == ("mallory", refused(), "human")
    assert ours.id != refused()
    await mallory.client.send("mcp/response", FORGED, to="human", correlation_id=refused())
    await space.settle()


async def test_a_send_is_taken_only_when_ours_is(space: Space) -> None:
    human, mallory = await space.join("human"), await hostile(space)
    refused = refuse_once(space, "human")
    sending = await begin(space, human.send("chat", {"text": "mine"}))
    await mallory.client.send("mcp/request", ADD, to="mallory", id=refused())
    await space.settle()
    assert not sending.done()
    await space.advance(2)
    assert await sending == said(space, "chat")[0].id != refused()


async def test_a_proposal_of_somebody_elses_under_our_id_is_not_followed(space: Space) -> None:
    human, novice, mallory = await space.join("human"), await space.join("novice"), await hostile(space)
    refused = refuse_once(space, "novice")
    asking = await begin(space, novice.call("agent", "add", {"a": 2, "b": 3}))
    await mallory.client.send("mcp/proposal", ADD, to="mallory", id=refused())
    await mallory.client.send("mcp/request", ADD, to="mallory", id="done", correlation_id=refused())
    await mallory.client.send("mcp/response", FORGED, to="novice", correlation_id="done")
    await human.client.send("mcp/reject", {"reason": "of mallory's"}, correlation_id=refused())
    await space.advance(2)
    assert not asking.done()
    await human.fulfil(said(space, "mcp/proposal")[-1])
    assert (await asking).text == "5"


async def test_nobody_answers_for_whom_was_removed(space: Space) -> None:
    human = await space.join("human")
    asking = await begin(space, human.call("agent", "wait"))
    await human.send("space/kick", {"participant_id": "agent"})
    with pytest.raises(Refused, match="removed: agent was removed"):
        await asking
