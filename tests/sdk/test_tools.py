"""Tools and resources: from a function to MCP's lists, and from a call to the function and back."""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Agent, Chat, Participant, ToolError, ToolFailed, ToolResult, resource, tool
from mew_gateway.sdk.testing import Space
from mew_gateway.sdk.tools import Offers

REQUEST = Envelope("mew/v0.4", "r1", "2026-01-01T00:00:00Z", "human", "mcp/request")


Item = Annotated[str, msgspec.Meta(description="what")]


class Size(msgspec.Struct):
    """How big."""

    width: Annotated[int, msgspec.Meta(ge=1)]
    unit: str = "cm"


class Shop:
    @tool
    def order(
        self, item: Annotated[str, msgspec.Meta(description="what")], size: Size, count: int = 1
    ) -> dict[str, Any]:
        """Orders
        something.

        A second paragraph is for who reads the code.
        """
        return {"item": item, "width": size.width, "count": count}

    @tool(name="shop-hours", description="When it is open.")
    async def hours(self) -> str:
        return "always"

    @tool
    def who(self, asking: Envelope, tags: list[str] = []) -> str:  # noqa: B006
        return f"{asking.sender} {tags}"

    @tool
    def fail(self, how: str) -> None:
        if how == "failed":
            raise ToolFailed("out of stock")
        if how == "error":
            raise ToolError(-32001, "closed")
        raise ValueError("a secret")

    @tool
    def rich(self) -> ToolResult:
        return ToolResult([{"type": "image", "data": "", "mimeType": "image/png"}], {"a": 1})

    @tool
    def nothing(self) -> None:
        pass

    @tool
    def unsayable(self) -> object:
        return object()

    @resource("shop://stock", mime_type="text/plain")
    def stock(self) -> str:
        """What there is."""
        return "apples"

    @resource("shop://logo")
    async def logo(self) -> bytes:
        return b"\x00\xff"

    @resource("shop://prices", name="prices")
    def prices(self) -> dict[str, int]:
        return {"apples": 3}


async def ask(method: str, **params: Any) -> Any:
    return await Offers.of(Shop()).answer(method, params, REQUEST, me="shop")


async def call(name: str, **arguments: Any) -> Any:
    return await ask("tools/call", name=name, arguments=arguments)


async def test_a_tool_is_listed_with_its_summary_and_the_schema_of_its_type_hints() -> None:
    listed = (await ask("tools/list"))["tools"]
    assert [one["name"] for one in listed] == ["order", "shop-hours", "who", "fail", "rich", "nothing", "unsayable"]
    order, hours, who = listed[:3]
    assert (order["description"], hours["description"]) == ("Orders something.", "When it is open.")
    schema = order["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["item"] == {"type": "string", "description": "what"}
    assert (schema["required"], schema["properties"]["count"]["default"]) == (["item", "size"], 1)
    jsonschema.validate({"item": "pen", "size": {"width": 2}}, schema)
    for wrong in ({}, {"item": "pen", "size": {"width": 0}}, {"item": "pen", "size": {"width": 1}, "colour": "red"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)
    assert list(who["inputSchema"]["properties"]) == ["tags"]  # the request is no argument


async def test_a_cursor_is_taken_and_everything_is_on_the_first_page() -> None:
    assert await ask("tools/list", cursor="x") == await ask("tools/list")
    assert "nextCursor" not in await ask("resources/list", cursor="x")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("shop-hours", {}, {"content": [{"type": "text", "text": "always"}], "isError": False}),
        ("who", {}, {"content": [{"type": "text", "text": "human []"}], "isError": False}),
        ("nothing", {}, {"content": [], "isError": False}),
        (
            "order",
            {"item": "pen", "size": {"width": 2}},
            {
                "content": [{"type": "text", "text": '{"item":"pen","width":2,"count":1}'}],
                "isError": False,
                "structuredContent": {"item": "pen", "width": 2, "count": 1},
            },
        ),
        (
            "rich",
            {},
            {
                "content": [{"type": "image", "data": "", "mimeType": "image/png"}],
                "isError": False,
                "structuredContent": {"a": 1},
            },
        ),
        ("fail", {"how": "failed"}, {"content": [{"type": "text", "text": "out of stock"}], "isError": True}),
    ],
)
async def test_what_a_tool_returns_is_mcps_result(name: str, arguments: dict[str, Any], expected: Any) -> None:
    assert await call(name, **arguments) == expected


async def test_a_failure_may_have_a_structured_form_too() -> None:
    offers = Offers()
    offers.tool(lambda: ToolResult([], {"status": "not_applied"}, is_error=True), name="refuse")
    answer = await offers.answer("tools/call", {"name": "refuse"}, REQUEST, me="shop")
    assert answer == {"content": [], "isError": True, "structuredContent": {"status": "not_applied"}}


async def test_a_fault_of_the_tools_own_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    for name, arguments in (("fail", {"how": "raised"}), ("unsayable", {})):
        answer = await call(name, **arguments)
        assert answer["isError"] is True
        assert "secret" not in answer["content"][0]["text"]
    assert "a secret" in caplog.text


@pytest.mark.parametrize(
    ("params", "path"),
    [
        ({"name": "order", "arguments": {"item": "pen", "size": {"width": "2"}}}, "$.size.width"),
        ({"name": "order", "arguments": {"item": "pen", "size": {"width": 0}}}, "$.size.width"),
        ({"name": "order", "arguments": {"item": "pen"}}, "size"),
        ({"name": "order", "arguments": {"item": 1, "size": {"width": 1}}}, "$.item"),
        ({"name": "order", "arguments": []}, "$.arguments"),
        ({"name": "nope"}, "There are: order"),
        ({"arguments": {}}, "name"),
        ({}, "name"),
    ],
)
async def test_wrong_arguments_are_invalid_params_with_the_path_of_the_fault(params: Any, path: str) -> None:
    with pytest.raises(ToolError) as caught:
        await ask("tools/call", **params)
    assert caught.value.code == -32602
    assert path in caught.value.message


async def test_a_tool_may_choose_its_own_json_rpc_error() -> None:
    with pytest.raises(ToolError) as caught:
        await call("fail", how="error")
    assert (caught.value.code, caught.value.message) == (-32001, "closed")


async def test_resources_are_listed_and_read() -> None:
    assert (await ask("resources/list"))["resources"] == [
        {"uri": "shop://stock", "name": "stock", "description": "What there is.", "mimeType": "text/plain"},
        {"uri": "shop://logo", "name": "logo"},
        {"uri": "shop://prices", "name": "prices"},
    ]
    stock, logo, prices = [
        (await ask("resources/read", uri=f"shop://{name}"))["contents"][0] for name in ("stock", "logo", "prices")
    ]
    assert stock == {"uri": "shop://stock", "mimeType": "text/plain", "text": "apples"}
    assert logo == {"uri": "shop://logo", "blob": "AP8="}
    assert prices["text"] == '{"apples":3}'
    with pytest.raises(ToolError) as caught:
        await ask("resources/read", uri="shop://nothing")
    assert caught.value.code == -32002


async def test_the_handshake_says_what_there_is() -> None:
    answer = await ask("initialize", protocolVersion="2025-03-26")
    assert answer["protocolVersion"] == "2025-03-26"
    assert answer["capabilities"] == {"tools": {}, "resources": {}}
    assert answer["serverInfo"]["name"] == "shop"
    assert await ask("ping") == {}
    nothing = Offers()
    assert (await nothing.answer("initialize", {}, REQUEST, me="x"))["capabilities"] == {}
    assert not nothing.answers("tools/list")
    with pytest.raises(ToolError, match="Method not found"):
        await ask("tools/unheard-of")


def test_what_cannot_be_a_tool_is_refused_when_it_is_offered() -> None:
    offers = Offers()

    def anything(*things: int) -> None: ...

    def unknown(a: "Missing") -> None: ...  # type: ignore[name-defined]  # noqa: F821, UP037

    for function, reason in ((anything, "by name"), (unknown, "type hints")):
        with pytest.raises(TypeError, match=reason):
            offers.tool(function)
    offers.tool(len_of)
    with pytest.raises(ValueError, match="already"):
        offers.tool(len_of)
    offers.resource("a://b")(len_of)
    with pytest.raises(ValueError, match="already"):
        offers.resource("a://b")(len_of)


def len_of(text: str) -> int:
    """How long it is."""
    return len(text)


def test_a_method_that_is_overridden_without_the_mark_is_no_tool() -> None:
    class Closed(Shop):
        async def hours(self) -> str:
            return "never"

    offers = Offers.of(Closed())
    assert "shop-hours" not in offers._tools
    assert "order" in offers._tools


async def test_a_participant_offers_its_marked_methods_and_what_is_added(space: Space) -> None:
    class Reader(Participant):
        @tool
        def mine(self) -> str:
            return f"of {self.me}"

    human = await space.join("human")
    async with Reader(space.client("agent")) as reader:
        reader.tool(len_of)

        @reader.tool(name="twice")
        def double(n: int) -> int:
            return 2 * n

        @reader.resource("mem://note")
        def note() -> str:
            return "a note"

        assert [(one.name, one.participant) for one in await human.tools("agent")] == [
            ("mine", "agent"),
            ("len_of", "agent"),
            ("twice", "agent"),
        ]
        assert (await human.call("agent", "mine")).text == "of agent"
        assert (await human.call("agent", "twice", {"n": 21})).text == "42"
        assert [one.uri for one in await human.resources("agent")] == ["mem://note"]
        assert [one.data for one in await human.read("agent", "mem://note")] == ["a note"]
        assert double(1) == 2 and note() == "a note"


async def test_what_an_agents_tools_do_not_answer_goes_to_its_hook(space: Space) -> None:
    class Mixed(Agent):
        @tool
        def ready(self) -> str:
            return "made"

        async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:
            if method == "resources/list":
                return {"resources": [{"uri": "by://hand"}, {"no": "uri"}]}
            return await super().on_request(method, params, envelope)

    human = await space.join("human")
    await space.run(Mixed())
    assert (await human.call("agent", "ready")).text == "made"
    assert [one.uri for one in await human.resources("agent")] == ["by://hand"]
    with pytest.raises(ToolError, match="Method not found"):
        await human.request("agent", "prompts/list")


async def test_an_answer_that_fits_no_frame_is_answered_all_the_same(space: Space) -> None:
    class Long(Agent):
        @tool
        def much(self) -> str:
            return "x" * 1_100_000

    human = await space.join("human")
    await space.run(Long())
    with pytest.raises(ToolError, match="cannot be sent"):
        await human.call("agent", "much")


async def test_pages_are_followed_and_a_circle_of_them_ends(space: Space) -> None:
    class Paged(Agent):
        async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:
            page = {None: "b", "b": "c", "c": "b"}[params.get("cursor")]
            return {"tools": [{"name": f"before-{page}"}], "nextCursor": page}

    human = await space.join("human")
    await space.run(Paged())
    assert [one.name for one in await human.tools("agent")] == ["before-b", "before-c", "before-b"]


async def test_an_answer_that_the_gateway_refuses_is_answered_all_the_same(space: Space) -> None:
    class Deep(Agent):
        @tool
        def nested(self) -> dict[str, Any]:
            value: dict[str, Any] = {}
            for _ in range(70):
                value = {"a": value}
            return value

    human = await space.join("human")
    await space.run(Deep())
    with pytest.raises(ToolError, match="cannot be sent"):
        await human.call("agent", "nested")


async def test_of_two_answers_to_one_request_the_second_is_nobodys_fault(
    space: Space, caplog: pytest.LogCaptureFixture
) -> None:
    human, one, two = await space.join("human"), await space.join("novice"), await space.join("novice")
    for participant in (one, two):
        participant.tool(len_of)
    assert (await human.call("novice", "len_of", {"text": "four"})).text == "4"
    await space.settle()
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


class Waits(Agent):
    @tool
    async def forsaken(self) -> str:
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        future.cancel()
        return await future

    @tool
    def promptly(self) -> str:
        raise asyncio.CancelledError

    @resource("a://b")
    async def read(self) -> str:
        return await self.forsaken()

    async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:
        return await self.forsaken()

    async def on_chat(self, chat: Chat) -> None:
        await self.forsaken()


async def test_what_was_cancelled_elsewhere_is_a_failure_and_does_not_end_the_agent(space: Space) -> None:
    human = await space.join("human")
    await space.run(Waits())
    await human.send("chat", {"text": "hi"}, to="agent")
    for tool_name in ("forsaken", "promptly"):
        with pytest.raises(ToolFailed, match="its log says why"):
            await human.call("agent", tool_name)
    for method, params in (("resources/read", {"uri": "a://b"}), ("prompts/list", {})):
        with pytest.raises(ToolError, match="Internal error"):
            await human.request("agent", method, params)
    assert "agent" in human.participants


@pytest.mark.parametrize(
    "function", [lambda text: text, functools.partial(asyncio.sleep, delay=0), type("Size", (Size,), {})]
)
async def test_whatever_can_be_called_is_a_tool_if_it_is_named(space: Space, function: Any) -> None:
    human, agent = await space.join("human"), await space.join("agent")
    with pytest.raises(TypeError, match="Name it"):
        agent.tool(5)  # type: ignore[call-overload]
    agent.tool(function, name="it")
    assert [one.name for one in await human.tools("agent")] == ["it"]


def test_a_tool_may_be_called_as_the_type_of_its_argument() -> None:
    offers = Offers()
    offers.tool(volume, name="Size")
    assert offers.answers("tools/list")


def volume(size: Size) -> int:
    return size.width**3


volume.__name__ = "Size"


class Unit(msgspec.Struct):
    """How it is measured."""

    name: Literal["celsius", "fahrenheit"]


@pytest.mark.parametrize(
    "given", [{"unit": "kelvin"}, {"several": [["kelvin"]]}, {"nested": {"name": "kelvin"}}], ids=list
)
async def test_a_value_that_is_none_of_several_is_told_them(given: dict[str, Any]) -> None:
    def measure(
        unit: Literal["celsius", "fahrenheit"] = "celsius",
        several: list[list[Literal["celsius", "fahrenheit"]]] | None = None,
        nested: Unit | None = None,
    ) -> str:
        """Measures."""
        return f"{unit}{several}{nested}"

    offers = Offers.of(object())
    offers.tool(measure)
    with pytest.raises(ToolError, match=r"'kelvin' - at .*; it is one of 'celsius', 'fahrenheit'"):
        await offers.answer("tools/call", {"name": "measure", "arguments": given}, REQUEST, me="weather")
