"""`mew watch`: live, readable, filtered, and connected again after the gateway was away."""

from __future__ import annotations

import contextlib
import json
import re
import signal
from typing import Any


async def test_thoughts_stand_under_their_sequence(site: Any, mew: Any, join: Any) -> None:
    async with mew.started("watch") as watch, join(site, "agent") as agent:
        await watch.line("demo as human; here:", err=True)
        human = await site.join("human")
        sequence = await agent.start("a tour of 200 cities")
        await agent.client.send("reasoning/thought", {"message": "length 900\nlength 850"}, context=sequence)
        await human.send("reasoning/interrupt", {"reason": "redirect"}, to=["agent"], correlation_id=[sequence])
        await agent.acknowledge(await agent.interrupt(), "stopping", "at once")
        await agent.conclude(sequence)
        clock = r"^\d\d:\d\d:\d\d agent +"
        assert re.match(clock + rf"┌ a tour of 200 cities  …{sequence[-8:]}$", await watch.line("┌"))
        assert re.match(clock + "│  length 900$", await watch.line("│"))
        assert re.match(" +length 850$", await watch.line("850"))
        assert "human          ■ interrupts agent (redirect)" in await watch.line("interrupts")
        assert re.match(clock + "■ stopping: at once  after", await watch.line("stopping"))
        assert re.match(clock + r"└ the tour is 812 long  \(interrupted, 1 thought, ", await watch.line("└"))
        watch.signal(signal.SIGINT)
        assert (await watch.end()).status == 0


async def test_presence_refusals_and_requests(site: Any, mew: Any) -> None:
    async with mew.started("watch", "--as", "agent") as watch:
        await watch.line("demo as agent", err=True)
        other = await site.join("other")
        assert "other          ● joins" in await watch.line("joins")
        await other.send("mcp/request", {"method": "tools/list"}, to=["agent"], id="ask")
        assert "→ agent request tools/list" in await watch.line("request")
        agent = await site.join("agent")
        await agent.send("mcp/response", {"result": {"tools": []}}, to=["other"], correlation_id=["ask"])
        assert '→ other response {"tools": []}' in await watch.line("response")
        await agent.send("chat", {"text": "hi"}, to=["nobody"])
        assert "✗ participant_not_found" in await watch.line("✗")
        await site.leave(other)
        assert "other          ○ leaves" in await watch.line("leaves")


async def test_json_is_one_envelope_a_line_and_filters_choose(site: Any, mew: Any, join: Any) -> None:
    options = ["--json", "--kind", "reasoning/*", "--kind", "chat", "--from", "agent", "--no-thoughts"]
    async with mew.started("watch", *options) as watch, join(site, "agent") as agent:
        await watch.line("demo as human", err=True)
        human = await site.join("human")
        await human.send("chat", {"text": "not from the agent"})
        sequence = await agent.start()
        await agent.client.send("reasoning/thought", {"message": "hidden"}, context=sequence)
        await agent.client.send("x/y", {"message": "of another kind"})
        await agent.client.send("chat", {"text": "héllo \x9b"})
        assert json.loads(await watch.line(""))["kind"] == "reasoning/start"
        line = await watch.line("")
        assert json.loads(line)["payload"] == {"text": "héllo \x9b"} and "\x9b" not in line


async def test_one_sequence_and_what_is_said_about_it(site: Any, mew: Any, join: Any) -> None:
    async with join(site, "agent") as agent:
        other, sequence = await agent.start(), await agent.start()
        async with mew.started("watch", "--sequence", sequence[-8:]) as watch:
            await watch.line("agent is thinking since", sequence[-8:], err=True)
            human = await site.join("human")
            await agent.client.send("reasoning/thought", {"message": "elsewhere"}, context=other)
            await agent.client.send("reasoning/thought", {"message": "here"}, context=sequence + "/step")
            await human.send("reasoning/interrupt", {"reason": "error"}, to=["agent"], correlation_id=[sequence])
            await agent.acknowledge(await agent.interrupt(), "ignored")
            assert "here" in await watch.line("")
            assert "interrupts agent" in await watch.line("")
            assert "ignored" in await watch.line("")


async def test_it_comes_back_and_says_so(start_gateway: Any, mew: Any, tmp_path: Any) -> None:
    async with contextlib.AsyncExitStack() as commands:
        async with start_gateway() as site:
            port = site.url.rpartition(":")[2]
            watch = await commands.enter_async_context(mew.started("watch"))
            await watch.line("demo as human", err=True)
        await watch.line("The connection ended: 1012", err=True)
        text = (tmp_path / "spaces.yaml").read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}")
        async with start_gateway(text) as site:
            await watch.line("connected again", err=True)
            peer = await site.join("other")
            await peer.send("chat", {"text": "here we are again"})
            await watch.line("here we are again")
            watch.signal(signal.SIGINT)
            assert (await watch.end()).status == 0


async def test_a_wrong_token_or_pattern_ends_it_with_a_sentence(site: Any, typed: Any) -> None:
    done = await typed("watch", MEW_TOKEN="not-the-token-of-anybody")
    assert done.status == 1 and "The gateway knows no such token in space 'demo'" in done.err
    done = await typed("watch", "--kind", "/(/")
    assert done.status == 2 and "--kind[0]: /(/ is not an RE2 expression" in done.err
