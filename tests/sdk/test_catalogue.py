"""The catalogue: asks late, asks once, and again when somebody has changed."""

from __future__ import annotations

from mew_gateway.sdk import Agent, tool
from mew_gateway.sdk.testing import Space
from tests.sdk.conftest import ANYTHING, begin, said


class Clock(Agent):
    @tool
    def now(self) -> str:
        """What time it is."""
        return "now"


def asked(space: Space) -> list[str]:
    return [one.to[0] for one in said(space, "mcp/request") if one.payload["method"] == "tools/list"]


async def test_nobody_is_asked_before_somebody_wants_to_know_and_then_once(space: Space) -> None:
    human = await space.join("human")
    await space.run(Clock())
    assert asked(space) == []
    assert [(one.name, one.participant) for one in await human.catalogue.tools()] == [("now", "agent")]
    assert [one.name for one in await human.catalogue.find("now")] == ["now"]
    assert await human.catalogue.find("later") == []
    assert asked(space) == ["agent"]


async def test_two_who_want_to_know_at_once_share_the_question(space: Space) -> None:
    human = await space.join("human")
    await space.run(Clock())
    tasks = [await begin(space, human.catalogue.of("agent")) for _ in range(3)]
    assert [len(await task) for task in tasks] == [1, 1, 1]
    assert asked(space) == ["agent"]


async def test_who_does_not_answer_has_no_tools(space: Space) -> None:
    human = await space.join("human")
    silent = space.client("agent")
    await silent.connect()
    await space.settle()
    asking = await begin(space, human.catalogue.tools())
    await space.advance(5)
    assert await asking == []
    assert await human.catalogue.tools() == []
    assert asked(space) == ["agent"]
    await silent.aclose()


async def test_who_may_not_ask_does_not_and_proposes_nothing(space: Space) -> None:
    novice = await space.join("novice")
    await space.run(Clock())
    assert await novice.catalogue.tools() == []
    assert await novice.catalogue.of("nobody") == []
    assert said(space, "mcp/proposal") == []


async def test_who_comes_back_or_changes_is_asked_again_once_it_has_settled(space: Space) -> None:
    human = await space.join("human")
    await space.run(Clock())
    await human.catalogue.tools()
    await space.drop("agent")
    for _ in range(3):
        grant = {"recipient": "agent", "capabilities": [{"kind": "chat"}]}
        await human.send("capability/grant", grant)
    await space.settle()
    assert asked(space) == ["agent"]
    await space.advance(1)
    assert asked(space) == ["agent", "agent"]
    assert [one.name for one in await human.catalogue.tools()] == ["now"]
    assert asked(space) == ["agent", "agent"]


async def test_who_has_left_has_no_tools_any_more() -> None:
    async with Space({"human": ANYTHING, "agent": ANYTHING}) as space:
        human = await space.join("human")
        await space.run(Clock())
        assert await human.catalogue.tools() != []
        await human.send("space/kick", {"participant_id": "agent"})
        await space.settle()
        assert await human.catalogue.tools() == []
        assert await human.catalogue.of("agent") == []
