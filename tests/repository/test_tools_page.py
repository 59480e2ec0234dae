"""docs/tools.md: its Python is run, and the tool that it teaches keeps the contract."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mew_agents.tools.local import LocalTools

NOW = 1_800_000_000_000  # Friday, 15 January 2027, 08:00 UTC
PAGE = Path(__file__).resolve().parents[2] / "docs" / "tools.md"


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "page"}
    for block in re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        exec(compile(block, PAGE.name, "exec"), namespace)
    return namespace


async def test_what_it_books_without_a_space(page: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mew_gateway.sdk.client.time.time_ns", lambda: NOW * 1_000_000)
    assert "consulta 1" in await page["book"]()


async def test_the_tool_it_teaches_keeps_the_contract(page: dict[str, Any]) -> None:
    with LocalTools({"theatre": page["Theatre"](clock=lambda: NOW)}) as tools:

        async def ask(tool: str, fields: dict[str, Any], **arguments: Any) -> tuple[str, str]:
            effect = {"attempt": 1, "fence": 1, "deadline": NOW, **fields}
            answer = await tools.call(f"theatre/{tool}", arguments, effect)
            return answer["structuredContent"]["status"], answer["content"][0]["text"]

        assert await ask("take_seat", {"key": "a"}, name="Ada") == ("applied", "Seat 1 is yours.")
        again = "Seat 1 is yours. (As answered before: nothing was done this time.)"
        assert await ask("take_seat", {"key": "a"}, name="Ada") == ("applied", again)
        assert (await ask("seat_status", {"key": "b", "fence": 2}, key="b"))[0] == "not_applied"
        assert (await ask("take_seat", {"key": "b", "fence": 1}, name="Eva"))[0] == "not_applied"
        assert await ask("take_seat", {"key": "b", "fence": 2}, name="Eva") == ("applied", "Seat 2 is yours.")
        assert await ask("take_seat", {"key": "c"}, name="Zoe") == ("not_applied", "All seats are taken.")
