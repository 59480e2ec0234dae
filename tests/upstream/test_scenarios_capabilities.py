"""Upstream's scenarios 4, 8 (grant), 13 and 17: capabilities at run time, participant controls, invitations."""

from __future__ import annotations

from typing import Any

CAPABILITIES = """
space: {id: scenario, name: Dynamic capabilities}
participants:
  calculator-agent: {tokens: [calculator-token], capabilities: [{kind: mcp/response}, {kind: "system/*"}]}
  coordinator:
    tokens: [admin-token]
    auto_connect: true
    output_log: ./logs/coordinator.log
    capabilities: [{kind: capability/grant}, {kind: capability/revoke}, {kind: "system/*"}]
  limited-agent:
    tokens: [limited-token]
    auto_connect: true
    output_log: ./logs/limited-agent.log
    capabilities: [{kind: chat}, {kind: mcp/request, payload: {method: "tools/*"}}]
defaults: {capabilities: [{kind: chat}]}
"""
GRANT = """
space: {id: scenario, name: Capability grant}
participants:
  test-agent:
    tokens: [agent-token]
    capabilities: [{kind: mcp/proposal}, {kind: mcp/response}, {kind: chat}, {kind: capability/grant-ack}]
  file-server: {tokens: [file-server-token], capabilities: [{kind: mcp/response}, {kind: chat}]}
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities:
      - {kind: chat}
      - {kind: mcp/request, payload: {method: "tools/*"}}
      - {kind: mcp/response}
      - {kind: capability/grant}
      - {kind: "system/*"}
"""
CONTROLS = """
space: {id: scenario, name: Participant lifecycle controls}
participants:
  control-agent:
    tokens: [control-token]
    capabilities: [{kind: chat}, {kind: participant/status}, {kind: "participant/*"}, {kind: "system/*"}]
  test-client:
    tokens: [test-token]
    auto_connect: true
    output_log: ./logs/test-client.log
    capabilities: [{kind: "participant/*"}, {kind: chat}, {kind: "system/*"}]
"""
INVITE = """
space: {id: scenario, name: Space invite}
participants:
  admin:
    tokens: [admin-token]
    auto_connect: true
    output_log: ./logs/admin.log
    capabilities: [{kind: chat}, {kind: space/invite}, {kind: mcp/response}, {kind: mcp/proposal}]
  observer:
    tokens: [observer-token]
    auto_connect: true
    output_log: ./logs/observer.log
    capabilities: [{kind: chat}, {kind: mcp/response}]
defaults: {capabilities: [{kind: chat}]}
"""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


async def test_scenario_4_capabilities(play: Any, calculator: Any) -> None:
    """4-capabilities: `system/register` is a 400 and a `system/error`; tools may be listed and called.

    Upstream then relays a revocation of anybody's. Here whoever neither granted nor holds it is refused; a grant
    takes effect, and its own revocation takes it back: what the scenario skips as not implemented.
    """
    async with play(CAPABILITIES) as scenario:
        await scenario.agent("calculator-agent", calculator)
        register = {"id": "register", "kind": "system/register", "payload": {"capabilities": []}}
        status, answer = await scenario.post("limited-agent", register)
        assert status == 400
        assert "system/register is reserved for the gateway" in answer["message"]
        error = await scenario.logged("limited-agent", "system/error", correlation_id=["register"])
        assert "system/register is reserved for the gateway" in error["payload"]["message"]
        to = {"to": ["calculator-agent"]}
        await scenario.accepted("limited-agent", "mcp/request", {"method": "tools/list", "params": {}}, id="list", **to)
        assert "tools" in (await scenario.answered("limited-agent", "list"))["result"]
        await scenario.accepted("limited-agent", "mcp/request", call("add", a=5, b=3), id="add", **to)
        assert (await scenario.answered("limited-agent", "add"))["result"] == 8
        tools = {"kind": "mcp/request", "payload": {"method": "tools/*"}}
        revoke = {"kind": "capability/revoke", "payload": {"recipient": "limited-agent", "capabilities": [tools]}}
        status, answer = await scenario.post("coordinator", revoke)
        assert (status, answer["error"]) == (403, "not_granter")
        given = {"recipient": "limited-agent", "capabilities": [{"kind": "capability/revoke"}]}
        await scenario.accepted("coordinator", "capability/grant", given, id="grant")
        own = {"recipient": "limited-agent", "capabilities": [tools]}
        await scenario.accepted("limited-agent", "capability/revoke", own)  # its own, as it now may
        await scenario.logged("limited-agent", "capability/revoke")
        status, answer = await scenario.post("limited-agent", {"kind": "mcp/request", "payload": call("add", a=5, b=3)})
        assert (status, answer["error"]) == (403, "capability_violation")


async def test_scenario_8_grant(play: Any) -> None:
    """8-grant: the client grants what an agent had proposed and fulfils the proposal; the agent acknowledges the grant
    and calls by itself. Nobody but the recipient says `capability/grant-ack`."""
    files: dict[str, str] = {}

    async def serve(agent: Any, envelope: dict[str, Any]) -> None:
        if envelope["kind"] == "mcp/request" and agent.name in envelope["to"]:
            arguments = envelope["payload"]["params"]["arguments"]
            files[arguments["path"]] = arguments["content"]
            back = {"to": [envelope["from"]], "correlation_id": [envelope["id"]]}
            await agent.send("mcp/response", {"result": {"content": []}}, **back)

    async def work(agent: Any, envelope: dict[str, Any]) -> None:
        write = {"to": ["file-server"]}
        if envelope["kind"] == "system/welcome" and not agent.welcomed:
            agent.welcomed = True
            await agent.send("mcp/proposal", call("write_file", path="foo.txt", content="foo"), **write)
        elif envelope["kind"] == "capability/grant" and agent.name in envelope["to"]:
            await agent.send("capability/grant-ack", {"status": "accepted"}, correlation_id=[envelope["id"]])
            await agent.send("mcp/request", call("write_file", path="bar.txt", content="bar"), id="direct", **write)

    async with play(GRANT) as scenario:
        await scenario.agent("file-server", serve)
        agent = await scenario.agent("test-agent")
        agent.welcomed, agent._answer = False, work
        await work(agent, agent.seen[0])
        proposal = await scenario.logged("test-client", "mcp/proposal")
        client = await scenario.agent("test-client", headers=True)  # the scenario's sender does both
        write = {"kind": "mcp/request", "to": ["file-server"]}
        granted = {**write, "payload": {"method": "tools/call", "params": {"name": "write_file"}}}
        payload = {"recipient": "test-agent", "capabilities": [granted], "reason": "scenario 8"}
        await client.send("capability/grant", payload, id="grant", to=["test-agent"])
        fulfilment = {"to": proposal["to"], "correlation_id": [proposal["id"]]}
        await client.send(
            "mcp/request", {"jsonrpc": "2.0", "id": 200, **proposal["payload"]}, id="fulfil", **fulfilment
        )
        await scenario.answered("test-client", "fulfil")
        await scenario.answered("test-client", "direct")
        assert files == {"foo.txt": "foo", "bar.txt": "bar"}
        acks = [line for line in scenario.lines("test-client") if line["kind"] == "capability/grant-ack"]
        assert [(ack["from"], ack["correlation_id"]) for ack in acks] == [("test-agent", ["grant"])]


async def test_scenario_13_participant_controls(play: Any) -> None:
    """13-participant-controls: clear, restart, compact, pause and its end, shutdown, each answered with a status that
    names it. The pause ends by the gateway, which says so; what the agent itself would resume is not paused any more.
    """
    words = {"clear": "cleared", "restart": "restarted", "pause": "paused", "shutdown": "shutting_down"}

    async def control(agent: Any, envelope: dict[str, Any]) -> None:
        kind, _, what = envelope["kind"].partition("/")
        if kind != "participant" or agent.name not in envelope.get("to", []):
            return
        back = {"to": [envelope["from"]], "correlation_id": [envelope["id"]]}
        usage = {"tokens": 0, "max_tokens": 20_000, "messages_in_context": 0}
        reason = envelope["payload"].get("reason")
        if what == "compact":
            await agent.send("participant/status", {"status": "compacting", **usage}, **back)
            await agent.send("participant/compact-done", {"status": "skipped"}, **back)
            await agent.send("participant/status", {"status": "compacted", **usage}, **back)
        elif what == "resume":
            await agent.send("participant/status", {"status": "active", **usage}, **back)
        else:
            status = f"{words[what]}:{reason}" if reason else words[what]
            await agent.send("participant/status", {"status": status, **usage}, **back)

    async def status(word: str, id: str) -> None:
        await scenario.logged("test-client", "participant/status", {"status": word}, correlation_id=[id])

    async with play(CONTROLS) as scenario:
        agent = await scenario.agent("control-agent", control)
        to = {"to": ["control-agent"]}
        await scenario.accepted("test-client", "participant/clear", {"reason": "test_clear"}, id="clear", **to)
        await status("cleared:test_clear", "clear")
        await scenario.accepted("test-client", "participant/restart", {}, id="restart", **to)
        await status("restarted", "restart")
        compact = {"reason": "test_compact", "target_tokens": 5120}
        await scenario.accepted("test-client", "participant/compact", compact, id="compact", **to)
        await status("compacting", "compact")
        await scenario.logged("test-client", "participant/compact-done", correlation_id=["compact"])
        await status("compacted", "compact")
        pause = {"reason": "test_pause", "timeout_seconds": 2}
        await scenario.accepted("test-client", "participant/pause", pause, id="pause", **to)
        await status("paused:test_pause", "pause")
        await agent.send("chat", {"text": "paused"})
        assert (await agent.until("system/error"))["payload"]["error"] == "paused"
        await scenario.site.pass_time(2000)
        resumed = await scenario.logged("test-client", "participant/resume", correlation_id=["pause"])
        assert (resumed["from"], resumed["to"]) == ("system:gateway", ["control-agent"])
        await status("active", resumed["id"])
        await agent.send("participant/resume", {"reason": "timeout"}, to=["test-client"], correlation_id=["pause"])
        assert (await agent.until("system/error"))["payload"]["error"] == "pause_not_found"  # upstream's agent says it
        await scenario.accepted("test-client", "participant/shutdown", {"reason": "test_shutdown"}, id="shutdown", **to)
        await status("shutting_down:test_shutdown", "shutdown")


async def test_scenario_17_space_invite(play: Any) -> None:
    """17-space-invite: a post invites and is answered with the token, which the inviter's connection gets too and
    nobody else; the invited posts with what it was given; a second invitation, a configured id, a path for a name and
    no payload are refused.

    Upstream's inviter gives away `mcp/proposal`, which it does not hold: refused here, and given to it in this file.
    """
    async with play(INVITE) as scenario:
        given = [{"kind": "chat"}, {"kind": "mcp/proposal"}, {"kind": "mcp/response"}]
        invite = {"participant_id": "new-agent", "initial_capabilities": given, "reason": "test"}
        status, answer = await scenario.post("admin", {"id": "invite", "kind": "space/invite", "payload": invite})
        assert (status, answer["status"]) == (201, "created")
        token = answer["token"]
        ack = await scenario.logged("admin", "space/invite-ack")
        assert ack["payload"]["token"] == token
        await scenario.logged("observer", "system/presence", {"event": "invited"})
        hello = {"kind": "chat", "payload": {"text": "Hello from the invited"}}
        status, answer = await scenario.post("new-agent", hello, token=token)
        assert (status, answer["status"]) == (200, "accepted")
        proposal = {
            "kind": "mcp/proposal",
            "to": ["admin"],
            "payload": {"jsonrpc": "2.0", "id": 1, **call("test_tool")},
        }
        status, answer = await scenario.post("new-agent", proposal, token=token)
        assert (status, answer["status"]) == (200, "accepted")
        for name, code, refusal in (
            ("new-agent", 409, "already_exists"),
            ("observer", 409, "already_exists"),
            ("../../../etc/passwd", 400, "invalid characters"),
            ("foo/bar", 400, "invalid characters"),
        ):
            payload = {"participant_id": name, "initial_capabilities": [{"kind": "chat"}]}
            status, answer = await scenario.post("admin", {"kind": "space/invite", "payload": payload})
            assert status == code
            assert refusal in answer["error"] + answer["message"]
        assert (await scenario.post("admin", {"kind": "space/invite"}))[0] == 400
        await scenario.logged("observer", "mcp/proposal")
        assert token not in str(scenario.lines("observer"))
        assert "space/invite-ack" not in [line["kind"] for line in scenario.lines("observer")]
