"""The calculator: MCP's forms, a refusal for every wrong call, and the same over the wire."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from mew_agents.calculator import Calculator
from mew_agents.phrasebook import Spoken
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import ToolError
from mew_gateway.sdk.tools import Offers

REQUEST = Envelope("mew/v0.4", "r1", "2026-01-01T00:00:00Z", "human", "mcp/request")


async def answer(method: str, params: dict[str, Any]) -> Any:
    return await Offers.of(Calculator()).answer(method, params, REQUEST, me="agent")


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("add", {"a": 2, "b": 3}, "5"),
        ("add", {"a": 0.5, "b": -1}, "-0.5"),
        ("multiply", {"a": 6, "b": 7}, "42"),
        ("multiply", {"a": 2**63, "b": 2**63}, str(2**126)),
        ("evaluate", {"expression": "2 * (3 + 4)"}, "14"),
    ],
)
async def test_a_tool_answers_in_mcps_form(name, arguments, text):
    assert await answer("tools/call", {"name": name, "arguments": arguments}) == {
        "content": [{"type": "text", "text": text}],
        "isError": False,
    }


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("evaluate", {"expression": "9**9**9"}),
        ("evaluate", {"expression": "().__class__"}),
        ("evaluate", {"expression": "'a' * 99999999"}),
        ("add", {"a": 1e308, "b": 1e308}),
        ("multiply", {"a": 1e200, "b": 1e200}),
    ],
)
async def test_what_a_tool_cannot_do_is_its_error_not_the_protocols(name, arguments):
    said = await answer("tools/call", {"name": name, "arguments": arguments})
    assert said["isError"] is True
    assert said["content"][0]["text"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"name": 1},
        {"name": "divide", "arguments": {"a": 1, "b": 2}},
        {"name": "add"},
        {"name": "add", "arguments": {"a": 1}},
        {"name": "add", "arguments": {"a": 1, "b": "2"}},
        {"name": "add", "arguments": {"a": 1, "b": True}},
        {"name": "add", "arguments": {"a": 1, "b": 2, "c": 3}},
        {"name": "add", "arguments": [1, 2]},
        {"name": "evaluate", "arguments": {"expression": ""}},
        {"name": "evaluate", "arguments": {"expression": "1" * 201}},
    ],
)
async def test_wrong_arguments_are_invalid_params(params):
    with pytest.raises(ToolError) as caught:
        await answer("tools/call", params)
    assert caught.value.code == -32602


async def test_every_tool_is_listed_with_a_schema_that_says_what_it_takes():
    listed = {tool["name"]: tool for tool in (await answer("tools/list", {}))["tools"]}
    for tool in listed.values():
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        assert tool["description"]
        assert tool["inputSchema"]["additionalProperties"] is False
    assert listed["add"]["inputSchema"]["required"] == ["a", "b"]
    schema = listed["evaluate"]["inputSchema"]
    jsonschema.validate({"expression": "1+1"}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"expression": "1" * 201}, schema)


async def test_over_the_wire(site, attend):
    human = await site.join("human")

    async def ask(method: str, **params: object) -> dict[str, Any]:
        await human.send("mcp/request", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, to=["agent"])
        return dict((await human.until("mcp/response"))["payload"])

    async with attend(Calculator(), site, human):
        listed = (await ask("tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in listed] == ["add", "multiply", "evaluate"]
        answer = await ask("tools/call", name="evaluate", arguments={"expression": "6 * 7"})
        assert answer["result"] == {"content": [{"type": "text", "text": "42"}], "isError": False}
        assert (await ask("tools/call", name="evaluate", arguments={"expression": "9**9**9"}))["result"]["isError"]
        assert (await ask("tools/call", name="add", arguments={"a": 1}))["error"]["code"] == -32602
        assert (await ask("resources/list"))["error"]["code"] == -32601


@pytest.mark.parametrize(
    ("language", "said", "answer"),
    [
        ("en", "6 * 7", "6 * 7 = 42"),
        ("en", "hello", "I cannot calculate that. Try something like 2 * (3 + 4) or sqrt(2)."),
        ("es", "hola", "Eso no lo puedo calcular. Prueba con algo como 2 * (3 + 4) o sqrt(2)."),
        ("pt", "olá", "Isso eu não consigo calcular. Tente algo como 2 * (3 + 4) ou sqrt(2)."),
    ],
)
async def test_an_expression_in_a_chat_is_evaluated(site, attend, language, said, answer):
    human = await site.join("human")
    async with attend(Calculator(Spoken(language=language)), site, human):
        await human.send("chat", {"text": said}, to=["agent"])
        await human.until("chat", text=answer)
