"""Upstream's scenarios 2, 3, 5, 7, 8 (TypeScript), 9, 10 and 14: tools, proposals, reasoning and delegation."""

from __future__ import annotations

from typing import Any

TOOLS = """
space: {id: scenario, name: MCP tool execution}
participants:
  calculator-agent: {tokens: [calculator-token], capabilities: [{kind: mcp/response}, {kind: "system/*"}]}
  fulfiller:
    tokens: [fulfiller-token]
    capabilities: [{kind: mcp/request, payload: {method: "tools/*"}}, {kind: mcp/proposal}, {kind: chat}]
  proposer:
    tokens: [proposer-token]
    auto_connect: true
    output_log: ./logs/proposer.log
    capabilities: [{kind: mcp/proposal}, {kind: "system/*"}]
  research-agent:
    tokens: [research-token]
    auto_connect: true
    output_log: ./logs/research-agent.log
    capabilities: [{kind: "reasoning/*"}, {kind: mcp/request, payload: {method: "tools/*"}}, {kind: chat}]
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities: [{kind: mcp/request, payload: {method: "tools/*"}}, {kind: "system/*"}]
defaults: {capabilities: [{kind: "system/*"}]}
"""
BRIDGE = """
space: {id: scenario, name: MCP bridge}
participants:
  filesystem:
    type: mcp-bridge
    tokens: [fs-token]
    auto_start: true
    capabilities: [{kind: mcp/response}, {kind: chat}]
    mcp_server: {command: node, args: [./filesystem-mcp.js, ./test-files]}
    bridge_config: {init_timeout: 30000, reconnect: true, max_reconnects: 3}
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities: [{kind: mcp/request, payload: {method: "tools/*"}}, {kind: mcp/response}, {kind: "system/*"}]
defaults: {capabilities: [{kind: chat}]}
"""
AGENTS = """
space: {id: scenario, name: Agents of the TypeScript kind}
participants:
  typescript-agent:
    tokens: [ts-agent-token]
    env: {MEW_AGENT_CONFIG: '{"mockLLM":true,"autoRespond":true}'}
    capabilities:
      - {kind: chat}
      - {kind: mcp/proposal}
      - {kind: mcp/response}
      - {kind: mcp/request, payload: {method: "!tools/call"}}
      - {kind: mcp/request, payload: {method: tools/list}}
      - {kind: "reasoning/*"}
  fulfiller-agent:
    tokens: [fulfiller-token]
    capabilities: [{kind: mcp/request}, {kind: mcp/response}, {kind: chat}]
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities:
      [{kind: chat}, {kind: mcp/request, payload: {method: "tools/*"}}, {kind: mcp/response}, {kind: capability/grant}]
defaults: {capabilities: [{kind: chat}]}
"""
DELEGATION = """
space: {id: scenario, name: Coordination}
participants:
  coordinator-agent:
    tokens: [coordinator-token]
    capabilities: [{kind: chat}, {kind: mcp/request}, {kind: mcp/response}, {kind: "system/*"}]
  worker-agent:
    tokens: [worker-token]
    capabilities: [{kind: mcp/request, payload: {method: "tools/*"}}, {kind: mcp/response}]
  calculator-agent: {tokens: [calculator-token], capabilities: [{kind: mcp/response}]}
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities: [{kind: chat}, {kind: mcp/request}, {kind: mcp/response}, {kind: "system/*"}]
"""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


async def test_scenario_2_mcp(play: Any, calculator: Any) -> None:
    """2-mcp: tools are listed and called by a post; results, a division by zero and an unknown tool come back
    correlated, though the agent answers with a scalar `correlation_id`, no `to` and no `jsonrpc`."""
    async with play(TOOLS) as scenario:
        await scenario.agent("calculator-agent", calculator)
        to = {"to": ["calculator-agent"]}
        await scenario.accepted("test-client", "mcp/request", {"method": "tools/list", "params": {}}, id="list", **to)
        tools = await scenario.answered("test-client", "list")
        assert [tool["name"] for tool in tools["result"]["tools"]] == ["add", "multiply", "evaluate"]
        for id, asked, result in (
            ("add", call("add", a=5, b=3), 8),
            ("multiply", call("multiply", a=7, b=9), 63),
            ("evaluate", call("evaluate", expression="20 / 4"), 5),
            ("zero", call("evaluate", expression="10 / 0"), "Infinity"),
        ):
            await scenario.accepted("test-client", "mcp/request", asked, id=id, **to)
            assert (await scenario.answered("test-client", id))["result"] == result
        await scenario.accepted("test-client", "mcp/request", call("invalid"), id="invalid", **to)
        assert (await scenario.answered("test-client", "invalid"))["error"]["message"] == "Tool not found: invalid"


async def test_scenario_3_proposals(play: Any, calculator: Any) -> None:
    """3-proposals: a posted proposal reaches the fulfiller, which asks the calculator and tells the proposer in a
    chat: 15, 56, and an error for a tool that is not there. Its request does not name the proposal, as upstream's
    does not: the proposal stays open."""

    async def fulfil(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "mcp/proposal":
            agent.proposer = envelope["from"]
            await agent.send("mcp/request", envelope["payload"], to=["calculator-agent"])
        elif envelope["kind"] == "mcp/response":
            error = envelope["payload"].get("error")
            text = f"Error fulfilling proposal: {error['message']}" if error else str(envelope["payload"]["result"])
            await agent.send("chat", {"text": text}, to=[agent.proposer])

    async with play(TOOLS) as scenario:
        await scenario.agent("calculator-agent", calculator)
        await scenario.agent("fulfiller", fulfil)
        for asked, told in (
            (call("add", a=10, b=5), "15"),
            (call("multiply", a=7, b=8), "56"),
            (call("not-a-tool"), "Error fulfilling proposal: Tool not found: not-a-tool"),
        ):
            await scenario.accepted("proposer", "mcp/proposal", asked)
            chat = await scenario.logged("proposer", "chat", {"text": told})
            assert chat["to"] == ["proposer"]
        _, listed = await scenario.fetch("GET", "/spaces/scenario/proposals", token="proposer-token")
        assert [one["status"] for one in listed["proposals"]] == ["open"] * 3


async def test_scenario_5_reasoning(play: Any, calculator: Any) -> None:
    """5-reasoning: start, thoughts, three calls and a conclusion keep the `context`, and an answer names the chat."""
    async with play(TOOLS) as scenario:
        await scenario.agent("calculator-agent", calculator)

        async def say(kind: str, payload: dict[str, Any], **fields: Any) -> None:
            await scenario.accepted("research-agent", kind, payload, **fields)

        await say("chat", {"text": "What do 5 items at $12 cost with 8% tax?"}, id="question")
        await say("reasoning/start", {"message": "Calculating"}, id="r", correlation_id=["question"])
        here = {"context": "r"}
        for thought, number, asked, result in (
            ("First the base cost", 1, call("multiply", a=5, b=12), 60),
            ("Then the tax", 2, call("multiply", a=60, b=0.08), 4.8),
            ("Then the total", 3, call("add", a=60, b=4.8), 64.8),
        ):
            await say("reasoning/thought", {"message": thought}, **here)
            await say("mcp/request", asked, id=f"call-{number}", to=["calculator-agent"], **here)
            assert (await scenario.answered("research-agent", f"call-{number}"))["result"] == result
        await say("reasoning/conclusion", {"message": "Total cost is $64.80"}, id="end", **here)
        await say("chat", {"text": "The total cost is $64.80"}, correlation_id=["question"])
        await scenario.logged("research-agent", "chat", {"text": "The total cost is $64.80"})
        kinds = [line["kind"] for line in scenario.lines("research-agent") if line.get("context") == "r"]
        assert kinds == ["reasoning/thought", "mcp/request"] * 3 + ["reasoning/conclusion"]


async def test_scenario_7_mcp_bridge(play: Any) -> None:
    """7-mcp-bridge: a participant answers for a file system. Upstream's bridge to an MCP server is a program of its
    own, which this gateway does not start: its part is to carry the requests and the answers."""
    files = {"test.txt": "Test content", "hello.txt": "Hello"}

    async def bridge(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] != "mcp/request":
            return
        asked = envelope["payload"]
        if asked["method"] == "tools/list":
            result: Any = {"tools": [{"name": "read_file"}, {"name": "list_directory"}]}
        elif asked["params"]["name"] == "read_file":
            result = {"content": [{"type": "text", "text": files[asked["params"]["arguments"]["path"]]}]}
        else:
            result = {"content": [{"type": "text", "text": "\n".join(files)}]}
        fields = {"to": [envelope["from"]], "correlation_id": [envelope["id"]]}
        await agent.send("mcp/response", {"jsonrpc": "2.0", "id": 1, "result": result}, **fields)

    async with play(BRIDGE) as scenario:
        await scenario.agent("filesystem", bridge)
        to = {"to": ["filesystem"]}
        await scenario.accepted("test-client", "mcp/request", {"method": "tools/list", "params": {}}, id="1", **to)
        await scenario.accepted("test-client", "mcp/request", call("read_file", path="test.txt"), id="2", **to)
        await scenario.accepted("test-client", "mcp/request", call("list_directory", path="."), id="3", **to)
        tools = (await scenario.answered("test-client", "1"))["result"]["tools"]
        assert [tool["name"] for tool in tools] == ["read_file", "list_directory"]
        assert (await scenario.answered("test-client", "2"))["result"]["content"][0]["text"] == "Test content"
        assert "hello.txt" in (await scenario.answered("test-client", "3"))["result"]["content"][0]["text"]


async def test_scenario_8_typescript_agent(play: Any) -> None:
    """8-typescript-agent: an agent of upstream's SDK answers calls and a chat. The SDK itself is played by
    tests/node; here it is the gateway's part."""

    async def answer(agent: Any, envelope: dict[str, Any]) -> None:
        asked, back = envelope.get("payload", {}), {"to": [envelope["from"]], "correlation_id": [envelope["id"]]}
        if envelope["kind"] == "chat" and envelope["from"] != agent.name:
            await agent.send("reasoning/start", {"message": "thinking"}, id="thinking", correlation_id=[envelope["id"]])
            await agent.send("reasoning/conclusion", {"message": "done"}, context="thinking")
            await agent.send("chat", {"text": "Happy to help"}, **back)
        elif envelope["kind"] == "mcp/request" and asked["method"] == "tools/list":
            await agent.send("mcp/response", {"result": {"tools": [{"name": "calculate"}, {"name": "echo"}]}}, **back)
        elif envelope["kind"] == "mcp/request":
            text = " ".join(str(value) for value in asked["params"]["arguments"].values())
            await agent.send("mcp/response", {"result": {"content": [{"type": "text", "text": text}]}}, **back)

    async with play(AGENTS) as scenario:
        await scenario.agent("typescript-agent", answer)
        to = {"to": ["typescript-agent"]}
        await scenario.accepted(
            "test-client", "mcp/request", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, id="1", **to
        )
        await scenario.accepted(
            "test-client", "mcp/request", call("calculate", operation="add", a=5, b=3), id="2", **to
        )
        await scenario.accepted("test-client", "mcp/request", call("echo", message="Hello"), id="3", **to)
        await scenario.accepted("test-client", "chat", {"text": "Can you help me?", "format": "plain"}, id="4", **to)
        assert len((await scenario.answered("test-client", "1"))["result"]["tools"]) == 2
        assert (await scenario.answered("test-client", "2"))["result"]["content"][0]["text"] == "add 5 3"
        assert (await scenario.answered("test-client", "3"))["result"]["content"][0]["text"] == "Hello"
        await scenario.logged("test-client", "chat", correlation_id=["4"])
        assert "reasoning/start" in [line["kind"] for line in scenario.lines("test-client")]


async def test_scenario_9_typescript_proposals(play: Any, calculator: Any) -> None:
    """9-typescript-proposals: an agent that may not call a tool (`!tools/call`) proposes it, and the client's request
    that names the proposal fulfils it: 16. The agent's own call is refused."""

    async def propose(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "chat" and envelope["from"] != agent.name:
            await agent.send("mcp/request", call("add", a=7, b=9), id="direct", to=["fulfiller-agent"])
            await agent.send("mcp/proposal", call("add", a=7, b=9), id="wanted", to=["fulfiller-agent"])
        elif envelope["kind"] == "mcp/request" and agent.name in envelope["to"]:
            await agent.send("mcp/response", {"result": {"tools": []}}, correlation_id=[envelope["id"]])

    async with play(AGENTS) as scenario:
        agent = await scenario.agent("typescript-agent", propose)
        await scenario.agent("fulfiller-agent", calculator)
        text = {"text": "Can you add 7 and 9 for me?", "format": "plain"}
        await scenario.accepted("test-client", "chat", text, to=["typescript-agent"])
        refused = await agent.until("system/error")
        assert (refused["payload"]["error"], refused["correlation_id"]) == ("capability_violation", ["direct"])
        proposal = await scenario.logged("test-client", "mcp/proposal")
        fulfilment = {"id": "fulfil", "to": proposal["to"], "correlation_id": [proposal["id"]]}
        await scenario.accepted(
            "test-client", "mcp/request", {"jsonrpc": "2.0", "id": 410, **proposal["payload"]}, **fulfilment
        )
        assert (await scenario.answered("test-client", "fulfil"))["result"] == 16
        listing = {"id": "list", "to": ["typescript-agent"]}
        await scenario.accepted("test-client", "mcp/request", {"method": "tools/list", "params": {}}, **listing)
        assert "tools" in (await scenario.answered("test-client", "list"))["result"]


async def test_scenario_10_multi_agent(play: Any, calculator: Any) -> None:
    """10-multi-agent: a coordinator hands a chat's question to a worker, and that to the calculator; the result comes
    back the same way, each answer by whom it was asked of."""

    async def coordinate(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "chat" and envelope["from"] == "test-client":
            await agent.send("mcp/request", call("add", a=4, b=6), id="delegated", to=["worker-agent"])
        elif envelope["kind"] == "mcp/response" and envelope["correlation_id"] == ["delegated"]:
            await agent.send("chat", {"text": f"4 + 6 = {envelope['payload']['result']}"}, to=["test-client"])

    async def forward(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "mcp/request" and agent.name in envelope["to"]:
            asked = {"id": f"forward-{envelope['id']}", "to": ["calculator-agent"]}
            await agent.send("mcp/request", envelope["payload"], **asked)
        elif envelope["kind"] == "mcp/response" and envelope["correlation_id"][0].startswith("forward-"):
            origin = envelope["correlation_id"][0].removeprefix("forward-")
            await agent.send("mcp/response", envelope["payload"], correlation_id=[origin])

    async with play(DELEGATION) as scenario:
        await scenario.agent("coordinator-agent", coordinate)
        await scenario.agent("worker-agent", forward)
        await scenario.agent("calculator-agent", calculator)
        await scenario.accepted("test-client", "chat", {"text": "Please add 4 and 6"}, to=["coordinator-agent"])
        await scenario.logged("test-client", "chat", {"text": "4 + 6 = 10"})
        asked = {"jsonrpc": "2.0", "id": 512, "method": "tools/list", "params": {}}
        await scenario.accepted("test-client", "mcp/request", asked, id="tools", to=["worker-agent"])
        assert len((await scenario.answered("test-client", "tools"))["result"]["tools"]) == 3


async def test_scenario_14_cat_maze(play: Any) -> None:
    """14-cat-maze: a game's server and a narrator that retells its answers. The scenario drives a server and a
    template of upstream's command line, without a gateway; the gateway's part is that the narrator sees requests and
    responses between others, asks by itself, and what it retells names the move."""
    board = "⬛🟩🏡"

    async def game(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "mcp/request":
            back = {"to": [envelope["from"]], "correlation_id": [envelope["id"]]}
            await agent.send("mcp/response", {"result": {"state": {"board": board, "level": 1}}}, **back)

    async def narrate(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "system/welcome":
            await agent.send("mcp/request", call("view"), id="view", to=["calculator-agent"])
        elif envelope["kind"] == "mcp/response":
            text = f"The board: {envelope['payload']['result']['state']['board']}"
            await agent.send("chat", {"text": text}, correlation_id=envelope["correlation_id"])

    async with play(DELEGATION) as scenario:
        await scenario.agent("calculator-agent", game)
        await scenario.agent("coordinator-agent", narrate)
        await scenario.logged("test-client", "chat", correlation_id=["view"])
        await scenario.accepted("test-client", "mcp/request", call("right"), id="move", to=["calculator-agent"])
        told = await scenario.logged("test-client", "chat", correlation_id=["move"])
        assert told["payload"]["text"] == f"The board: {board}"
