"""The table in docs/interruption.md is the one that decides; `pytest --rewrite-transcripts` writes it anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution import policy, policy_page
from mew_gateway.sdk.execution.policy import POLICIES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "interruption.md"
_TABLE = re.compile(r"(?<=<!-- table: class-policy -->\n).*?(?=<!-- end of table -->)", re.DOTALL)


def test_the_table_is_the_one_that_decides(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(_TABLE.findall(page)) == 1
    if request.config.getoption("--rewrite-transcripts"):
        PAGE.write_text(_TABLE.sub(lambda _: policy_page.markdown(), page), encoding="utf-8")
    else:
        assert _TABLE.findall(page) == [policy_page.markdown()]


def test_it_has_a_cell_for_every_class_and_policy() -> None:
    header, _, *rows = [line.strip("| ").split(" | ") for line in policy_page.markdown().splitlines()]
    assert header == ["class", *POLICIES]
    assert sorted(row[0].strip("`") for row in rows) == sorted(CLASSES)
    assert all(len(row) == len(header) for row in rows)


def test_another_rule_is_another_table(monkeypatch: pytest.MonkeyPatch) -> None:
    before = policy_page.markdown()
    refused = policy.TABLE["cancel", "non-interruptible"]
    monkeypatch.setitem(policy.TABLE, ("cancel", "soft-stop"), refused)
    assert policy_page.markdown() != before
    for rule in policy.TABLE.values():
        assert f"`{rule.status}`" in before
        assert f"`{rule.outcome}`" in before
