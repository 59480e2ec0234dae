"""README's examples, run to their ends as they are printed, with everything that a person waits for in between."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shlex
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.config import load
from mew_gateway.gateway.broker.clock import GatewayClock
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.host import load as agent_class
from mew_gateway.sdk.options import options_from

from .conftest import Typed, typed_now

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
QUICKER: dict[str, dict[str, Any]] = {"solver": {"cities": 40, "seed": 7, "stall_seconds": 0.3}}


def commands(heading: str) -> list[tuple[list[str], str]]:
    """The commands of the first console block below a heading, without `.venv/bin/mew`, and what is said to each."""
    _, _, below = README.partition(f"\n## {heading}\n")
    (block,) = re.findall(r"```console\n(\$ \.venv/bin/mew .*?)```", below.partition("\n## ")[0], flags=re.DOTALL)
    found: list[tuple[list[str], str]] = []
    for line in block.splitlines():
        if line.startswith("› "):
            words, said = found[-1]
            found[-1] = (words, f"{said}{line.removeprefix('› ')}\n")
        else:
            found.append((shlex.split(line.removeprefix("$ .venv/bin/mew ")), ""))
    return found


@pytest.fixture
async def served(start_gateway: Any, tmp_path: Path) -> AsyncIterator[Any]:
    """The spaces that `make run` serves, with their agents in this process."""
    text = (ROOT / "spaces.yaml").read_text(encoding="utf-8")
    unhosted = re.sub(r"^ +(agent|options): .*\n", "", text, flags=re.MULTILINE).replace(
        "127.0.0.1:8080", "127.0.0.1:0"
    )
    async with start_gateway(unhosted, clocks=lambda floor: GatewayClock(floor=floor)) as site:
        agents = [asyncio.create_task(one) for one in _agents(text, site, tmp_path)]
        try:
            yield site
        finally:
            for task in agents:
                task.cancel()
            await asyncio.gather(*agents, return_exceptions=True)


def _agents(text: str, site: Any, folder: Path) -> Iterator[Any]:
    (folder / "hosted.yaml").write_text(text, encoding="utf-8")
    for space, described in load(folder / "hosted.yaml").spaces.items():
        for name, hosted in described.hosted.items():
            kind = agent_class(str(hosted.agent))
            agent = kind(options_from({**hosted.options, **QUICKER.get(name, {})}, kind.Options))
            state = str(folder / ".mew" / "agents" / space / name)
            yield agent.serve(Environment(site.url, space, site.token(name, space), state=state))


async def here(site: Any, space: str, *names: str) -> Any:
    """Somebody who sees everything in a space; these have joined it."""
    watcher = await site.join("guardian", space=space)
    away = set(names) - {one["id"] for one in watcher.seen[0]["payload"]["participants"]}
    while away:
        away.discard((await watcher.until("system/presence", event="join"))["payload"]["participant"]["id"])
    return watcher


async def said(watcher: Any, sender: str, kind: str = "chat") -> str:
    """What that one says next."""
    while True:
        with contextlib.suppress(json.JSONDecodeError):  # a stream's frame
            envelope = await watcher.until(kind)
            if envelope["from"] == sender:
                payload = envelope["payload"]
                return str(payload.get("text", payload.get("message")))


async def test_commands_suggested_by_the_demo_work(served: Any, typed: Typed, mew: Any) -> None:
    typing = [words for words, _ in commands("Try it yourself") if "office" not in words and words[0] != "fluxi"]
    watch, ask, interrupt, speak, turn, timeline = typing
    seen = await here(served, "demo", "solver", "speaker")
    async with mew.started(*watch) as watching:
        await watching.sees("here:")
        answered = await typed(*ask, "--wait", "60")
        assert answered.status == 0 and "The best round trip I found is" in answered.out
        assert await said(seen, "solver", "reasoning/conclusion") in answered.out
        assert (await typed(*ask)).status == 0
        await said(seen, "solver", "reasoning/thought")
        stopped = await typed(*interrupt)
        assert stopped.status == 0 and "solver concluded (interrupted)" in stopped.out
        await typed(*speak)
        await said(seen, "speaker", "reasoning/start")
        await typed(*turn)
        while "mañana" not in await said(seen, "speaker", "reasoning/start"):
            pass
        record = (await typed(*timeline)).out
        assert "Find a short tour" in record and "no, mejor mañana" in record
        await watching.line("no, mejor mañana")
        watching.signal(signal.SIGINT)
        assert (await watching.end()).status == 0


async def test_commands_tried_in_the_office_book_and_register(served: Any, typed: Typed) -> None:
    typing = [words for words, _ in commands("Try it yourself") if "office" in words or words[0] == "fluxi"]
    _, wish, yes, register, works = typing
    seen = await here(served, "office", "fluxi", "flows", "calendar")
    assert (await typed(*wish)).status == 0
    while "Le confirmo" not in await said(seen, "fluxi"):
        assert (await typed(*yes)).status == 0
    assert "COMPLETED" in (await typed(*works)).out
    assert (await typed(*register)).status == 0
    assert "?" in await said(seen, "flows")


def test_a_booking_works_without_a_gateway(typed: Typed) -> None:
    del typed  # its folder is where it is typed
    (chat, lines), (works, _), (work, _) = commands("Book an appointment")
    asked = typed_now(*chat, said=lines)
    assert asked.status == 0
    while "Le confirmo" not in asked.out + asked.err:
        asked = typed_now(*chat, said="sí\n")
        assert asked.status == 0 and asked.out
    assert "COMPLETED" in typed_now(*works).out
    (row,) = typed_now(*works, "--json").json()["works"]
    shown = typed_now(*work[:-1], row["work_id"])
    assert shown.status == 0 and "10:30" in shown.out


def test_a_dialogue_goes_as_it_is_printed(typed: Typed) -> None:
    del typed
    (chat, lines), (listed, _), (replayed, _) = commands("Let a dialogue wait")
    talked = typed_now(*chat, said=lines)
    assert talked.status == 0 and "80" in talked.out
    assert typed_now(*listed).status == 0
    assert typed_now(*replayed).status == 0
