"""A client that nobody here wrote the sockets of (Node's `ws`) plays upstream's part against a real `mew serve`."""

from __future__ import annotations

import asyncio
import json
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from mew_gateway.protocol.kinds import is_reserved
from mew_gateway.schemas import shapes

from ..kit.commands import Mew

PATIENCE = 60.0  # seconds for the whole play
SPACES = """\
gateway: {listen: "127.0.0.1:0"}
spaces:
  harbour:
    participants:
      ana: {capabilities: [{kind: chat}, {kind: ["mcp/*", "capability/*", "space/*", "stream/*"]}]}
      bob: {capabilities: [{kind: chat}]}
      calculator: {agent: mew_agents.calculator:Calculator}
"""

Steps = dict[str, dict[str, Any]]


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[str]:
    """`mew serve` in a folder of its own; its address."""
    (folder / "spaces.yaml").write_text(SPACES, encoding="utf-8")
    async with Mew(folder).started("serve") as serve:
        await serve.line("MEW gateway ready")
        yield json.loads((folder / ".mew" / "gateway.json").read_text())["url"]
        serve.signal(signal.SIGTERM)
        await serve.end()


@pytest.fixture(scope="module")
def steps(node: Any, tmp_path_factory: pytest.TempPathFactory) -> Steps:
    """The play, by its steps: what the program printed at each."""
    folder = tmp_path_factory.mktemp("harbour")

    async def play() -> tuple[int | None, str, str]:
        async with served(folder) as url:
            tokens = {
                name: (folder / ".mew" / "tokens" / "harbour" / f"{name}.token").read_text().strip()
                for name in ("ana", "bob")
            }
            told = json.dumps({"url": url.replace("http", "ws", 1), "space": "harbour", "tokens": tokens})
            player = await asyncio.create_subprocess_exec(
                *node.command("play.js"), env=node.environ, stdin=PIPE, stdout=PIPE, stderr=PIPE
            )
            async with asyncio.timeout(PATIENCE):
                out, complaint = await player.communicate(told.encode())
            return player.returncode, out.decode(), complaint.decode()

    status, out, complaint = asyncio.run(play())
    assert status == 0, f"{complaint}\nafter:\n{out}"
    return {step.pop("step"): step for step in map(json.loads, out.splitlines())}


@pytest.mark.requirement("mew/3.8.1:welcome-first", "mew/5.2:token-decides", "mew/3.6.4:names-are-resolved")
def test_it_joins_with_a_frame_under_a_name_of_its_own_making(steps: Steps) -> None:
    joined = steps["ana joins"]
    assert joined["first"] == "system/welcome"
    assert joined["alias"].startswith("client-")
    assert joined["welcome"]["to"] == [joined["alias"]]  # for the client
    assert joined["welcome"]["payload"]["you"]["id"] == "ana"  # for who reads
    assert joined["welcome"]["payload"]["you"]["capabilities"][0] == {"kind": "chat"}
    assert steps["a ping is answered"] == {"data": "still there?"}


@pytest.mark.requirement("mew/3.6.4:delivery-to-the-runtime-id")
def test_everybody_sees_a_chat_and_its_sender_sees_it_as_its_own(steps: Steps) -> None:
    assert steps["ana sees her own chat"]["envelope"]["from"] == steps["ana joins"]["alias"]
    assert steps["bob sees it"]["envelope"]["from"] == "ana"
    answer = steps["ana is answered under her alias"]["envelope"]
    assert (answer["from"], answer["to"]) == ("bob", [steps["ana joins"]["alias"]])


@pytest.mark.requirement("mew/3.1.2:response-correlates", "mew/8.2:tools")
def test_it_calls_a_tool(steps: Steps) -> None:
    answer = steps["a tool answers"]["envelope"]
    assert answer["from"] == "calculator"
    assert answer["to"] == [steps["ana joins"]["alias"]]
    assert answer["correlation_id"] == [steps["a tool answers"]["call"]]
    assert answer["payload"]["id"] == 1
    assert answer["payload"]["result"]["content"] == [{"type": "text", "text": "42"}]


@pytest.mark.requirement("mew/3.6.1:grant-is-added", "mew/3.6.1:grant-is-welcomed", "mew/3.8.2:violation")
def test_what_it_may_not_send_is_refused_until_it_is_granted(steps: Steps) -> None:
    refused = steps["bob may not call"]["envelope"]["payload"]
    assert refused["error"] == "capability_violation"
    assert refused["attempted_kind"] == "mcp/request"
    assert refused["your_capabilities"] == [{"kind": "chat"}]
    welcome = steps["bob is welcomed anew"]["envelope"]["payload"]
    assert welcome["you"] == {"id": "bob", "capabilities": [{"kind": "chat"}, {"kind": "mcp/request"}]}
    assert steps["ana sees his thanks"]["envelope"]["correlation_id"] == [steps["bob is welcomed anew"]["grant"]]
    assert steps["bob may call"]["envelope"]["payload"]["result"]["content"][0]["text"] == "42"


@pytest.mark.requirement("mew/3.10.1:gateway-answers-open", "mew/3.10.3:boundaries", "mew/3.10.4:nothing-after-close")
def test_a_stream_carries_text_and_bytes_as_they_are_and_ends(steps: Steps) -> None:
    opened = steps["a stream opens"]["envelope"]["payload"]
    mark = f"#{opened['stream_id']}#".encode()
    assert opened["owner"] == "ana"
    assert steps["bob reads text"] == {
        "frame": (mark + '{"at":1,"value":"21,5 °C"}'.encode()).decode("latin1"),
        "binary": False,
    }
    assert steps["bob reads bytes"] == {"frame": (mark + bytes([0, 255, 35, 10, 128])).decode("latin1"), "binary": True}
    assert steps["bob may not write"]["envelope"]["payload"]["error"] == "unauthorized_stream_write"
    assert steps["the stream closes"]["envelope"]["id"] == steps["the stream closes"]["request"]
    assert steps["nothing more of it"]["envelope"]["payload"]["error"] == "stream_not_found"


def test_who_is_invited_joins_with_the_token_that_the_inviter_got(steps: Steps) -> None:
    ack = steps["a guest is invited"]["envelope"]["payload"]
    assert (ack["status"], ack["participant_id"], ack["token"]) == ("created", "guest", "string")
    welcome = steps["the guest joins"]["welcome"]["payload"]
    invitation = welcome["you"].pop("invitation")
    assert invitation and welcome["you"] == {"id": "guest", "capabilities": [{"kind": "chat"}]}
    assert {one["id"] for one in welcome["participants"]} == {"ana", "bob", "calculator"}
    assert steps["ana hears the guest"]["envelope"]["from"] == "guest"
    gone = steps["ana sees it go"]["envelope"]["payload"]["participant"]
    assert gone == {"id": "guest", "invitation": invitation}


@pytest.mark.requirement("mew/4.2:blocked-without-a-match")
def test_it_may_not_do_more_and_strangers_may_do_nothing(steps: Steps) -> None:
    assert steps["bob may not kick"]["envelope"]["payload"]["error"] == "capability_violation"
    assert steps["a stranger is shut out"]["code"] == 4501


def test_it_leaves(steps: Steps) -> None:
    assert steps["ana leaves"]["code"] == 1000
    assert steps["bob sees her go"]["envelope"]["payload"] == {"event": "leave", "participant": {"id": "ana"}}


def test_all_it_saw_is_what_the_schemas_say(steps: Steps) -> None:
    seen = [one for step in steps.values() for key, one in step.items() if key in ("envelope", "welcome")]
    assert any(is_reserved(envelope["kind"]) for envelope in seen)
    for envelope in seen:
        jsonschema.Draft202012Validator(shapes.kind(envelope["kind"])).validate(envelope)
