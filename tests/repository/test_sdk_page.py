"""docs/sdk.md: every Python block of it is run, in its order and in one namespace."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from mew_gateway import sdk
from mew_gateway.sdk import Client, Participant

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sdk.md"
SPACES = """
gateway:
  listen: 127.0.0.1:0
  journal: {url: "memory:"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: "*"}]}
      calendar: {capabilities: [{kind: [chat, "reasoning/*"]}]}
      publisher: {capabilities: [{kind: "stream/*"}]}
"""


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "page", "asyncio": asyncio, "pytest": pytest}
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), namespace)
    return namespace


async def test_the_tests_on_it_pass(page: dict[str, Any]) -> None:
    tests = [value for name, value in page.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        await test()


async def test_what_it_says_about_asking_and_streams_works_over_sockets(
    page: dict[str, Any], start_gateway: Any, attend: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    async with start_gateway(SPACES) as site:
        peer = await site.join("human")
        async with attend(page["Calendar"](), site, peer, participant="calendar"):
            assert await page["ask"](site.url, site.token("human")) == "10 December"
            assert "birthday Says when somebody has a birthday." in capsys.readouterr().out
        async with Participant(Client(site.url, space="demo", token=site.token("human"))) as human:
            following = asyncio.create_task(page["follow"](human))
            await asyncio.sleep(0)
            await page["publish"](site.url, site.token("publisher"))
            assert await following == ["apples,3\n", b"\x00\x01"]


def test_it_speaks_of_everything_that_the_sdk_exports() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert [name for name in sdk.__all__ if re.search(rf"\b{name}s?\b", page) is None] == []
