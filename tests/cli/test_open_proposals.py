"""Open proposals from the gateway's list and from envelopes, in any order; and their preview."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from mew_gateway.cli.proposals import preview
from mew_gateway.cli.proposals.open_proposals import OpenProposals
from mew_gateway.protocol.envelope import Envelope


def said(kind: str, sender: str = "human", *, id: str = "e", about: str | None = None, **payload: Any) -> Envelope:
    correlation = None if about is None else [about]
    return Envelope("mew/v0.4", id, "2026-01-01T10:00:00Z", sender, kind, ["calculator"], correlation, None, payload)


def row(id: str, status: str = "open", **fields: Any) -> dict[str, Any]:
    usual = {"proposer": "agent", "to": ["calculator"], "method": "tools/list", "params": None, "age_ms": 5_000}
    return {
        "id": id,
        "status": status,
        "expires_in_ms": 60_000,
        "fulfiller": None,
        "rejection": None,
        **usual,
        **fields,
    }


def events(news: list[Any]) -> list[tuple[str, str, str | None]]:
    return [(one.outcome, one.proposal.id, one.by) for one in news]


def test_a_decided_proposal_is_removed_with_its_outcome() -> None:
    proposals = OpenProposals(lambda: 10_000)
    for id in ("one", "two", "three", "four"):
        assert events(proposals.take(said("mcp/proposal", "agent", id=id, method="x"))) == [("proposed", id, "agent")]
    assert events(proposals.take(said("mcp/request", "admin", about="one"))) == [("fulfilled", "one", "admin")]
    (withdrawn,) = proposals.take(said("mcp/withdraw", "agent", about="two", reason="no_longer_needed"))
    assert (withdrawn.outcome, withdrawn.reason) == ("withdrawn", "no_longer_needed")
    assert events(proposals.take(said("system/error", "system:gateway", about="three", error="proposal_voided"))) == [
        ("voided", "three", None)
    ]
    assert proposals.take(said("system/error", "system:gateway", about="four", error="proposal_mismatch")) == []
    assert [one.id for one in proposals.waiting] == ["four"]


def test_a_rejection_closes_it() -> None:
    proposals = OpenProposals(lambda: 0)
    for id in ("one", "two"):
        proposals.take(said("mcp/proposal", "agent", id=id, method="x"))
    (rejected,) = proposals.take(said("mcp/reject", "human", about="one", reason="busy"))
    assert (rejected.outcome, rejected.by, rejected.reason) == ("rejected", "human", "busy")
    (event,) = proposals.fill([row("two", "rejected", rejection={"by": "admin", "reason": "unsafe"})])
    assert (event.outcome, event.by, event.reason) == ("rejected", "admin", "unsafe")
    assert proposals.waiting == []


def test_fill_catches_up_and_reopens_nothing() -> None:
    proposals = OpenProposals(lambda: 10_000)
    assert events(proposals.fill([row("old", "fulfilled"), row("one"), row("two")])) == [
        ("proposed", "one", "agent"),
        ("proposed", "two", "agent"),
    ]
    assert [one.since for one in proposals.waiting] == [5_000, 5_000]
    proposals.take(said("mcp/request", "admin", about="one"))
    # The list is older than the envelope.
    late = proposals.fill([row("one"), row("two", "fulfilled", fulfiller="human")])
    assert events(late) == [("fulfilled", "two", "human")]
    assert proposals.waiting == []


def test_a_proposal_is_shown_although_its_id_was_used() -> None:
    proposals = OpenProposals(lambda: 0)
    proposals.take(said("mcp/proposal", "mallory", id="p-1", method="x"))
    proposals.take(said("mcp/withdraw", "mallory", about="p-1"))
    assert events(proposals.take(said("mcp/proposal", "agent", id="p-1", method="x"))) == [("proposed", "p-1", "agent")]
    assert proposals.fill([row("p-1", "withdrawn", proposer="mallory"), row("p-1")]) == []
    assert [one.proposer for one in proposals.waiting] == ["agent"]


def shown(renderable: Any, *, width: int = 80) -> str:
    text = io.StringIO()
    Console(width=width, file=text, color_system=None).print(renderable)
    return text.getvalue()


def test_preview_is_complete_or_says_that_it_is_cut() -> None:
    call = {"name": "wipe", "arguments": {"disk": "/dev/sda", "force": True}, "_meta": {"token": 1}}
    assert (
        preview.summary("tools/call", call)
        == 'wipe(disk="/dev/sda", force=true) and other parameters: _meta={"token": 1}'
    )
    assert preview.summary("resources/read", {"uri": "a\x1b[2J"}) == 'resources/read(uri="a\\\\u001b[2J")'.replace(
        "\\\\", "\\"
    )
    assert preview.summary("tools/call", {"name": "now"}) == "now"
    assert preview.summary("tools/call", ["odd"]) == 'tools/call(params=["odd"])'
    text = shown(preview.details("tools/call", {"name": "write", "arguments": {"text": "x" * 5_000}}))
    assert text.count("x") < 410 and "5,002 characters: --json has them all" in " ".join(text.split())


def test_preview_shows_only_the_arguments_as_arguments() -> None:
    call = {"name": "add", "arguments": {"a": 1_000_000, "b": 1}, "a": 2, "_meta": {"mew/effect": "odd", "x": 1}}
    event = 'add(a=1000000, b=1) and other parameters: a=2, _meta={"mew/effect": "odd", "x": 1}'
    assert preview.summary("tools/call", call) == event
    lines = shown(preview.details("tools/call", call)).splitlines()
    assert [line.rstrip() for line in lines[:5]] == [
        "add",
        "  a = 1000000",
        "  b = 1",
        "  other parameters, which are no arguments:",
        "    a     = 2",
    ]
    assert "odd" in lines[5]
    assert preview.summary("tools/call", {"name": "add", "arguments": [1]}).startswith("add() and other parameters: ")
    assert preview.summary("add", {"a": 1}) == "method add(a=1)"  # no tool of that name


EFFECT = {"key": "0605", "attempt": 1, "fence": 0, "deadline": 1}


def test_what_the_proposer_says_of_its_proposal_is_shown_as_its_word() -> None:
    evidence = {"person": "ana", "work_id": "w", "said": [{"slot": "amount", "words": "fifty"}]}
    meta = {"mew/effect": {**EFFECT, "attempt": 2}, "mew/evidence": evidence}
    call = {"name": "refund", "arguments": {"amount": 50}, "_meta": meta}
    lines = [line.rstrip() for line in shown(preview.details("tools/call", call, about="a refund")).splitlines()]
    assert lines == [
        "refund",
        "  amount = 50",
        "  the proposer says:",
        "  ─ for ana",
        "  ─ amount: “fifty”",
        "  ─ to be done once, if the tool keeps to that; this is attempt 2",
        "  ─ about: a refund",
    ]
    assert "the proposer says" not in shown(preview.details("tools/call", {"name": "now"}))


@pytest.mark.parametrize(
    "effect", [{}, {"key": ""}, {"key": "k"}, {**EFFECT, "attempt": 0}, {**EFFECT, "fence": "1"}, {**EFFECT, "key": 5}]
)
def test_an_effect_that_no_tool_would_keep_is_no_promise(effect: dict[str, Any]) -> None:
    text = shown(preview.details("tools/call", {"name": "refund", "_meta": {"mew/effect": effect}}))
    assert "once" not in text and "other parameters" in text and "mew/effect" in text


def test_nothing_hides_in_what_is_told_in_words() -> None:
    meta = {"mew/effect": {**EFFECT, "force": True}, "mew/evidence": {"person": "ana", "limit": 5}}
    told = preview.summary("tools/call", {"name": "refund", "_meta": meta})
    assert told == 'refund() and other parameters: _meta={"mew/effect": {"force": true}, "mew/evidence": {"limit": 5}}'
    assert preview.summary("tools/call", {"name": "refund", "_meta": {"mew/effect": EFFECT}}) == "refund"


def test_no_name_and_no_value_looks_like_another_argument() -> None:
    arguments = {
        "a = 2, b": 1,
        "a\nb": 3,
        "a\u3164": 4,
        "text": "x\n  b = 5\r\t\x1b[2J\u2028",
        "long": f"{'y' * 73}  b = 6",
    }
    call = {"name": "add(a=2)", "arguments": arguments}
    for width in (30, 60, 80, 200):
        lines = shown(preview.details("tools/call", call), width=width).splitlines()
        names = [line[:4] for line in lines[1:] if line.startswith("  ") and line[2] != " "]
        assert names == ['  "a', '  "a', '  "a', "  te", "  lo"]
        assert not any(line.lstrip().startswith("b =") and line.index("b") < 4 for line in lines)
    event = preview.summary("tools/call", call)
    assert event.startswith('"add(a=2)"("a = 2, b"=1, "a\\nb"=3, "a\\u3164"=4, text="x\\n  b = 5\\r\\t\\u001b[2J')
    assert "\n" not in event and "\x1b" not in event
    text = shown(preview.details("tools/call", call))
    assert "│   b = 5\\r\\t\\u001b[2J\\u2028" in text


def test_preview_states_the_length_of_cut_text() -> None:
    call = {"name": "n" * 300, "arguments": {"k" * 300: "v" * 300, **{f"a{i}": "w" * 50 for i in range(300)}}}
    event = preview.summary("tools/call", call)
    assert event.count("300 characters)") == 2 and "302 characters)" in event and event.endswith("and 297 more)")
    text = shown(preview.details("tools/call", call), width=200)
    assert "and 201 more: --json has them all" in text
    text = shown(preview.details("tools/call", {"name": "n", "arguments": {"a": "\n" * 300}}))
    assert len(text.splitlines()) < 30 and "300 characters: --json has them all" in text


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_long_name_hides_no_value(width: int) -> None:
    arguments = {"a" * 79: 1, "amount": 1_000_000, "to": "mallory"}
    text = shown(preview.details("tools/call", {"name": "pay", "arguments": arguments}), width=width)
    assert "(79 characters)" in text
    assert "amount" in text and "1000000" in text and '"mallory"' in text
