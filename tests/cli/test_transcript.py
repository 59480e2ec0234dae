"""The transcript: a line an envelope, whatever its payload, on a terminal and in a pipe."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from mew_gateway.cli.printing.terminal import show
from mew_gateway.cli.record.transcript import Transcript
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.kinds import KINDS

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
FIELDS = (
    "text",
    "message",
    "reason",
    "status",
    "outcome",
    "error",
    "event",
    "participant",
    "method",
    "params",
    "class",
    "capabilities",
    "timeout_seconds",
    "target",
    "expires_at",
)


def envelope(kind: str, payload: dict[str, Any] | None, **fields: Any) -> Envelope:
    return Envelope(
        protocol="mew/v0.4",
        id=fields.pop("id", "e"),
        ts=fields.pop("ts", "2026-01-01T10:00:00Z"),
        sender=fields.pop("sender", "solver"),
        kind=kind,
        payload=payload,
        **fields,
    )


def printed(transcript: Transcript, item: Envelope, *, width: int | None = None) -> str:
    """What is printed: on a terminal so wide, or in a pipe."""
    line = transcript.line(item)
    output = io.StringIO()
    console = Console(file=output, width=width or 200, force_terminal=width is not None, color_system=None, emoji=False)
    if line is not None:
        console.print(line)
    return output.getvalue()


@settings(deadline=None)
@given(
    kind=st.sampled_from([*KINDS, "system/error", "system/presence", "system/welcome", "x/y"]),
    payload=st.none() | st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4),
    context=st.none() | st.sampled_from(["run", "run/step", "\x1b"]),
)
def test_transcript_formats_any_envelope_without_control_characters(
    kind: str, payload: dict[str, Any] | None, context: str | None
) -> None:
    transcript = Transcript()
    transcript.line(envelope("reasoning/start", {}, id="run"))
    item = envelope(kind, payload, context=context, correlation_id=["run"], to=["human"], ts="\x1b[31m")
    assert "\x1b" not in printed(transcript, item)
    assert "\x1b" not in printed(transcript, item, width=60)


def test_in_a_pipe_nothing_is_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    line = Transcript().line(envelope("chat", {"text": "x" * 300}))
    assert line is not None
    show(line)
    assert capsys.readouterr().out.endswith("x" * 300 + "\n")


def test_a_wrapped_thought_keeps_its_bar() -> None:
    transcript = Transcript()
    transcript.line(envelope("reasoning/start", {"message": "a tour"}, id="run"))
    text = printed(transcript, envelope("reasoning/thought", {"message": "many words " * 12}, context="run"), width=60)
    rows = text.splitlines()
    assert len(rows) > 2 and all("│ " in row for row in rows)
    assert all(len(row.rstrip()) <= 60 for row in rows)


@pytest.mark.parametrize(
    ("kind", "payload", "shown"),
    [
        ("chat", {"text": "hello"}, "solver         → human hello"),
        ("reasoning/cancel", {"reason": "enough"}, "solver         └ enough  (cancelled, 0 thoughts, 0 ms)"),
        ("system/error", {"error": "fenced", "message": "Conclude it."}, "gateway        ✗ fenced: Conclude it."),
        (
            "mcp/proposal",
            {"method": "tools/call", "params": {"name": "add", "arguments": {"a": 1}}},
            "solver         ? proposes → human add(a=1)  waits for approval e",
        ),
        ("mcp/reject", {"reason": "unsafe"}, "solver         ✗ rejects the proposal run: unsafe"),
        (
            "capability/grant",
            {"recipient": "agent", "capabilities": [{"kind": "mcp/*"}], "reason": "trust"},
            "solver         + lets agent send mcp/*: trust  e",
        ),
        (
            "capability/revoke",
            {"recipient": "agent", "grant_id": "g1"},
            "solver         − takes the grant g1 from agent",
        ),
        ("space/invite", {"participant_id": "new"}, "solver         + invites new"),
        ("space/kick", {"participant_id": "new", "reason": "x"}, "solver         − sends new out: x"),
        ("participant/pause", {"timeout_seconds": 60}, "solver         ‖ pauses human for 1 min 0 s  e"),
        ("participant/resume", {}, "solver         ▶ lets human go on (run)"),
        (
            "stream/open",
            {"stream_id": "s-1", "owner": "agent", "description": "a log"},
            "solver         ≈ s-1 of agent is open (a log)",
        ),
        ("stream/close", {"stream_id": "s-1", "reason": "complete"}, "solver         ≈ closes s-1: complete"),
        ("chat/acknowledge", {"status": "read"}, "solver         ✓ has seen run (read)"),
        ("x/y", {"a": 1}, 'solver         → human x/y {"a": 1}'),
        ("mcp/response", {"error": {"code": -1}}, 'solver         → human response {"code": -1}'),
    ],
)
def test_lines(kind: str, payload: dict[str, Any], shown: str) -> None:
    transcript = Transcript()
    transcript.line(envelope("reasoning/start", {}, id="run"))
    item = envelope(kind, payload, context="run", to=["human"], correlation_id=["run"])
    assert printed(transcript, item).rstrip()[9:] == shown


def test_transcript_shows_a_foreign_cancel_as_an_interrupt() -> None:
    transcript = Transcript()
    transcript.line(envelope("reasoning/start", {}, id="run"))
    line = printed(transcript, envelope("reasoning/cancel", {"reason": "enough"}, context="run", sender="human"))
    assert "human          ■ cancels a sequence of solver: enough" in line


def emergency(id: str, target: str = "payer", class_: str = "emergency") -> Envelope:
    payload = {"reason": "error", "class": class_}
    return envelope("reasoning/interrupt", payload, id=id, to=[target], correlation_id=["run"], sender="guardian")


def test_transcript_reports_a_resume_that_lifts_no_halt() -> None:
    transcript = Transcript()
    printed(transcript, emergency("e1"))
    printed(transcript, emergency("c1", class_="cancel"))

    def resumed(*to: str, names: list[str] | None = None, **payload: str) -> str:
        item = envelope("participant/resume", payload, to=list(to), correlation_id=names, sender="human")
        return printed(transcript, item).rstrip()[9:]

    told = resumed("payer", reason="please")
    assert told == "human          ‖ lifts every pause of payer: please; still halted: payer (e1)"
    assert resumed("payer", names=["p1"]) == "human          ‖ lifts p1 of payer; still halted: payer (e1)"
    assert resumed("other") == "human          ▶ lets other go on"
    printed(transcript, emergency("e2"))
    assert resumed("payer", names=["e1"]) == "human          ‖ lifts e1 of payer; still halted: payer (e2)"
    assert resumed("payer", "other") == "human          ‖ lifts every pause of payer, other; still halted: payer (e2)"
    assert resumed("payer", names=["e2"]) == "human          ▶ lets payer go on (e2)"
    assert resumed("payer") == "human          ▶ lets payer go on"


def test_replace_takes_the_halts_that_the_gateway_lists() -> None:
    transcript = Transcript()
    plain = envelope("participant/resume", {}, to=["payer"], sender="human")
    printed(transcript, emergency("e1"))
    printed(transcript, emergency("e1", "other"))
    transcript.halts.replace("payer", ["e8", "e9"])
    assert "still halted: payer (e8, e9)" in printed(transcript, plain)
    transcript.halts.replace("payer", [])
    assert "lets payer go on" in printed(transcript, plain)
    item = envelope("participant/resume", {}, to=["other"], sender="human")
    assert "still halted: other (e1)" in printed(transcript, item)


def test_an_approval_and_an_emergency_are_called_so() -> None:
    transcript = Transcript()
    transcript.line(envelope("mcp/proposal", {"method": "x"}, id="wish"))
    line = printed(
        transcript, envelope("mcp/request", {"method": "x"}, sender="human", correlation_id=["wish"], to=["a"])
    )
    assert "human          ✓ approves → a method x" in line
    line = printed(
        transcript, envelope("reasoning/interrupt", {"class": "emergency"}, to=["a"], correlation_id=["run"])
    )
    assert "halts a (emergency)" in line


def test_a_thought_names_its_run_if_two_are_open() -> None:
    transcript = Transcript()
    thought = envelope("reasoning/thought", {"message": "hm"}, context="00000000-run-1")
    printed(transcript, envelope("reasoning/start", {}, id="00000000-run-1"))
    assert "run-1" not in printed(transcript, thought)
    printed(transcript, envelope("reasoning/start", {}, id="00000000-run-2"))
    assert "hm  00000000-run-1" in printed(transcript, thought)
