"""docs/langgraph.md: its space runs as printed, its options are those there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from mew_agents.fluxi.participant.host_options import HostOptions
from mew_agents.graphs.options import GraphOptions

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "langgraph.md").read_text(encoding="utf-8")
GATEWAY = 'gateway:\n  listen: 127.0.0.1:0\n  journal: {url: "memory:"}\n'


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found is not None
    return found[1]


async def test_the_space_of_the_page_talks_as_printed(start_gateway: Any) -> None:
    async with start_gateway(GATEWAY + block("yaml").replace("office", "demo")) as site:
        human = await site.join("human")
        if not any(one["id"] == "onboarding" for one in human.seen[0]["payload"]["participants"]):
            await human.until("system/presence", event="join")
        for words in ("hola", "Ana", "25 años"):
            await human.send("chat", {"text": words}, to=["onboarding"])
            while (said := await human.until("chat"))["from"] != "onboarding":
                pass
            assert f"→ human {said['payload']['text']}\n" in PAGE
        thoughts = [one["payload"]["message"] for one in human.seen if one["kind"] == "reasoning/thought"]
        assert len(thoughts) == 8
        for thought in thoughts:
            assert f"│  {thought}\n" in PAGE


def test_every_option_of_its_own_is_named() -> None:
    hosts = {field.name for field in msgspec.structs.fields(HostOptions)}
    own = {field.name for field in msgspec.structs.fields(GraphOptions)} - hosts
    rows = re.findall(r"^\| (`.*?) \|", PAGE, flags=re.MULTILINE)
    assert own <= {name for row in rows for name in re.findall(r"`(\w+)`", row)}
