"""`mew call` and `mew tools`: direct calls if allowed, else proposals that are followed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

import pytest
from msgspec import Meta

from mew_gateway.sdk import Client, Participant, ToolFailed, tool

from .conftest import Typed


class Calculator(Participant):
    @tool
    def add(self, a: int, b: int = 1) -> int:
        """Adds two numbers."""
        return a + b

    @tool
    def label(self, text: Annotated[str, Meta(max_length=9)], size: Annotated[int, Meta(ge=1, le=5)] = 1) -> str:
        """Repeats a text."""
        return text * size

    @tool
    def fail(self) -> None:
        """Never works."""
        raise ToolFailed("out of order")


@pytest.fixture
async def calculator(team: Any) -> AsyncIterator[Calculator]:
    client = Client(team.url, space=team.space, token=team.token("mute"))
    async with Calculator(client) as running:
        yield running


async def test_a_tool_is_called_with_typed_arguments(team: Any, typed: Any, calculator: Any) -> None:
    listed = await typed("tools")
    row = next(row for row in listed.out.splitlines() if "add" in row)
    assert "mute" in row and "a: integer" in row and "Adds two numbers." in row
    assert "b: integer, may be left out" in listed.out
    done = await typed("call", "mute", "add", "a=2", "b=3")
    assert (done.status, done.out, done.err) == (0, "5\n", "")
    failed = await typed("call", "mute", "fail", "--json")
    assert failed.status == 1 and failed.json()["failure"]["message"] == "out of order"
    wrong = await typed("call", "mute", "add", "a=two")
    assert (wrong.status, wrong.err) == (2, "a must be an integer, got 'two'.\n")


async def test_bounds_are_listed(typed: Typed, calculator: Any) -> None:
    listed = (await typed("tools", "mute")).out
    assert "text: string up to 9 characters" in listed and "size: integer 1 to 5, may be left out" in listed


async def test_a_call_asks_for_no_schema_unless_it_is_refused(team: Any, typed: Typed, calculator: Any) -> None:
    admin = await team.join("admin")
    assert (await typed("call", "mute", "add", "a=2", "b=3")).out == "5\n"
    assert [one["payload"]["method"] for one in await requests(admin)] == ["tools/call"]
    assert (await typed("call", "mute", "label", "text=12", "size=2")).out == "1212\n"
    assert [one["payload"]["method"] for one in await requests(admin)] == ["tools/call", "tools/list", "tools/call"]
    unknown = await typed("call", "mute", "ad", "a=2")
    assert unknown.status == 1 and "Unknown tool: ad. There are: add" in unknown.err


async def requests(peer: Any) -> list[Any]:
    """The requests that it has heard of by now, and not told of before."""
    return [one for one in await peer.settle() if one["kind"] == "mcp/request"]


async def test_call_without_the_capability_is_proposed_and_followed(team: Any, mew: Any, calculator: Any) -> None:
    async with mew.started("call", "mute", "add", "--arguments", '{"a": 40, "b": 2}', "--as", "agent") as command:
        hint = await command.line("proposed: a participant that may do it says", err=True)
        done = await mew("approve", hint.rpartition("approve ")[2].strip("`\n"), "--json")
        assert done.json()["result"]["content"][0]["text"] == "42"
        called = await command.end()
    assert (called.status, called.out) == (0, "42\n")
    assert "human approves it" in called.err


async def test_a_rejection_ends_it(team: Any, mew: Any, calculator: Any) -> None:
    async with mew.started("call", "mute", "add", "--arguments", '{"a": 1}', "--propose") as command:
        hint = await command.line("proposed:", err=True)
        await mew("reject", hint.rpartition("approve ")[2].strip("`\n"), "--reason", "disagree", "--as", "admin")
        called = await command.end()
    assert called.status == 6 and "admin rejected the proposal: disagree." in called.err


async def test_a_person_who_calls_answers_nobody(team: Any, mew: Any, calculator: Any) -> None:
    """Requests to the person are for its other connections: a passing command does not answer them."""
    admin = await team.join("admin")
    async with mew.started("call", "mute", "add", "--arguments", '{"a": 1}', "--propose") as command:
        await command.line("proposed:", err=True)
        await admin.send("mcp/request", {"method": "tools/list"}, to=["human"], id="ask")
        (proposal,) = (await mew("proposals", "--json")).json()["proposals"]
        await mew("approve", proposal["id"], "--no-wait", "--as", "admin")
        assert (await command.end()).out == "2\n"
    heard = await admin.settle()
    assert not [one for one in heard if one.get("correlation_id") == ["ask"]]
