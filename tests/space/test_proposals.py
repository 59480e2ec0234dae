"""Proposals: what is remembered of them, and who is told (docs/protocol.md §4, §7). The rules are in `transcripts`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from mew_gateway.space.effects import Deliver
from mew_gateway.space.settings import Bounds

LIST = {"method": "tools/list"}
STOP = {"reason": "error", "class": "emergency", "message": "stop"}


def welcomed(stage: Any, label: str) -> dict[str, Any]:
    """The proposals in the welcome of a new connection."""
    payload = json.loads(stage.join(label)[0].data)["payload"]
    return payload["proposals"]  # type: ignore[no-any-return]


def test_welcome_lists_open_proposals(stage: Any) -> None:
    stage.join("worker")
    params = {"name": "add", "arguments": {"a": 1}}
    stage.at(1_000).say("worker", "mcp/proposal", "p1", {"method": "tools/call", "params": params}, to=["calculator"])
    stage.at(3_000)
    assert welcomed(stage, "human") == {
        "open": [
            {
                "id": "p1",
                "proposer": "worker",
                "to": ["calculator"],
                "method": "tools/call",
                "params": params,
                "age_ms": 2_000,
                "expires_in_ms": 86_398_000,
            }
        ],
        "count": 1,
    }


def test_welcome_lists_the_newest_hundred_proposals(stage: Any) -> None:
    stage.join("worker")
    for n in range(101):
        stage.say("worker", "mcp/proposal", f"p{n}", LIST)
    proposals = welcomed(stage, "human")
    assert [one["id"] for one in proposals["open"]] == [f"p{n}" for n in range(1, 101)]
    assert proposals["count"] == 101


def test_welcome_lists_as_many_proposals_as_fit_an_outbox(stage: Any) -> None:
    stage.join("worker")
    stage.join("admin")
    for n in range(6):
        for name in ("worker", "admin"):
            stage.say(name, "mcp/proposal", f"{name}{n}", {"method": "m" * 80_000})
    told = json.loads(stage.join("human")[0].data)
    proposals = told["payload"]["proposals"]
    assert [one["id"] for one in proposals["open"]] == ["admin4", "worker5", "admin5"]
    assert proposals["count"] == 12
    assert len(json.dumps(told)) < 300_000


def test_closed_proposal_keeps_a_shortened_method(stage: Any) -> None:
    stage.join("worker")
    stage.say("worker", "mcp/proposal", "p1", {"method": "m" * 300})
    stage.say("worker", "mcp/withdraw", "w1", correlation_id=["p1"])
    assert stage.space.state.decided["p1"].method == "m" * 199 + "…"


def test_a_welcome_leaves_long_parameters_out(stage: Any, errors: Callable[..., list[str]]) -> None:
    stage.join("worker")
    long = {"method": "tools/call", "params": {"text": "x" * 20_000}}
    stage.say("worker", "mcp/proposal", "p1", long)
    (entry,) = welcomed(stage, "human")["open"]
    assert entry["params_omitted"] is True
    assert "params" not in entry
    other = {"method": "tools/call", "params": {"text": "x" * 19_999}}
    assert errors(stage.say("human", "mcp/request", "q1", other, correlation_id=["p1"])) == ["proposal_mismatch"]
    assert errors(stage.say("human", "mcp/request", "q2", long, correlation_id=["p1"])) == []


def test_open_proposals_are_bounded_in_bytes(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "human"):
        stage.join(name)
    long = {"method": "tools/call", "params": {"text": "x" * 1_000_000}}
    for n in range(4):
        assert errors(stage.say("worker", "mcp/proposal", f"p{n}", long)) == []
    assert errors(stage.say("worker", "mcp/proposal", "p4", long)) == ["too_many_proposals"]
    assert errors(stage.say("human", "mcp/proposal", "p5", long)) == []
    stage.say("worker", "mcp/withdraw", "w1", correlation_id=["p0"])
    assert errors(stage.say("worker", "mcp/proposal", "p4", long)) == []


def test_one_oversized_proposal_is_accepted_alone(stage: Any, errors: Callable[..., list[str]]) -> None:
    stage.join("worker")
    assert errors(stage.say("worker", "mcp/proposal", "p1", {"method": "m", "params": {"x": "x" * 5_000_000}})) == []


def test_closed_proposals_are_bounded_and_keep_no_parameters(
    make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    stage = make_stage(bounds=Bounds(closed_sequences=2))
    for name in ("worker", "human"):
        stage.join(name)
    for n in range(3):
        stage.say("worker", "mcp/proposal", f"p{n}", {"method": "m", "params": {"n": n}})
        stage.say("worker", "mcp/withdraw", f"w{n}", correlation_id=[f"p{n}"])
    decided = stage.space.state.decided
    assert [(one.id, one.status, one.closed_by, one.params) for one in decided.values()] == [
        ("p1", "withdrawn", "w1", None),
        ("p2", "withdrawn", "w2", None),
    ]
    assert errors(stage.say("worker", "mcp/withdraw", "w3", correlation_id=["p0"])) == ["proposal_not_found"]
    assert errors(stage.say("worker", "mcp/withdraw", "w4", correlation_id=["p1"])) == ["proposal_closed"]
    stage.verify()


def test_rejection_keeps_a_shortened_reason(stage: Any) -> None:
    for name in ("worker", "admin"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", LIST)
    stage.say("admin", "mcp/reject", "j1", {"reason": "x" * 300}, correlation_id=["p1"])
    rejection = stage.space.state.decided["p1"].rejection
    assert (rejection.by, rejection.reason) == ("admin", "x" * 199 + "…")


@pytest.mark.parametrize(
    ("ends", "reason"),
    [
        (("worker", "reasoning/conclusion", "e1", {}, {"context": "r1"}), "ended"),
        (("boss", "reasoning/interrupt", "i1", STOP, {"to": ["worker"], "correlation_id": ["r1"]}), "halted"),
        (("admin", "space/kick", "k1", {"participant_id": "worker"}, {}), "removed"),
        (None, "left"),
    ],
)
def test_nobody_fulfils_the_proposal_of_a_gone_caller(
    stage: Any, errors: Callable[..., list[str]], ends: tuple[str, str, str, Any, dict[str, Any]] | None, reason: str
) -> None:
    for name in ("human", "worker", "boss", "admin"):
        stage.join(name)
    stage.say("worker", "reasoning/start", "r1")
    stage.say("worker", "mcp/proposal", "p1", LIST, context="r1")
    if ends is None:
        stage.leave("worker")
        told = stage.at(30_000).pass_deadlines()
    else:
        label, kind, id, payload, fields = ends
        told = stage.say(label, kind, id, payload, **fields)
    assert "proposal_voided" in errors(told)
    refusal = json.loads(stage.say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])[0].data)["payload"]
    assert (refusal["error"], refusal["status"], refusal["reason"]) == ("proposal_closed", "voided", reason)
    assert welcomed(stage, "human#2")["count"] == 0


def test_a_new_proposal_names_the_rejected_one(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "worker"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", LIST)
    stage.say("human", "mcp/reject", "j1", {"reason": "unsafe"}, correlation_id=["p1"])
    refusal = json.loads(stage.say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])[0].data)["payload"]
    assert (refusal["error"], refusal["by"], refusal["reason"]) == ("proposal_rejected", "human", "unsafe")
    assert errors(stage.say("worker", "mcp/proposal", "p2", LIST, correlation_id=["p1"])) == []
    assert errors(stage.say("human", "mcp/request", "q2", LIST, correlation_id=["p2"])) == []


def test_fulfiller_is_recorded(stage: Any) -> None:
    for name in ("worker", "human"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", LIST)
    stage.at(5).say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])
    proposal = stage.space.state.decided["p1"]
    assert (proposal.status, proposal.fulfiller, proposal.closed_by) == ("fulfilled", "human", "q1")
    assert proposal.closed_at == stage.now
    assert stage.space.state.requests["q1"].proposers == ("worker",)


def test_many_proposals_share_one_deadline(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(proposal_expiry=10_000)
    stage.join("worker")
    for n in range(50):
        stage.at(n).say("worker", "mcp/proposal", f"p{n}", LIST)
        stage.say("worker", "mcp/withdraw", f"w{n}", correlation_id=[f"p{n}"])
    assert len(stage.space.state.deadlines) == 1
    stage.at(5_000).say("worker", "mcp/proposal", "last", LIST)
    assert stage.at(10_000).pass_deadlines() == []  # of what is long withdrawn
    assert stage.space.deadline is not None
    assert stage.space.deadline - stage.now == 5_000
    assert stage.at(14_999).pass_deadlines() == []
    (told,) = stage.at(15_000).pass_deadlines()
    assert json.loads(told.data)["payload"]["error"] == "proposal_expired"
    assert stage.space.deadline is None
    stage.verify()


def test_shorter_expiry_applies_to_new_proposals(
    make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    stage = make_stage(proposal_expiry=10_000)
    stage.join("worker")
    stage.say("worker", "mcp/proposal", "p1", LIST)
    stage.reconfigure(make_stage(proposal_expiry=1_000).space.state.settings)
    stage.say("worker", "mcp/proposal", "p2", LIST)
    assert errors(stage.at(1_000).pass_deadlines()) == ["proposal_expired"]
    assert list(stage.space.state.proposals) == ["p1"]
    assert errors(stage.at(10_000).pass_deadlines()) == ["proposal_expired"]
    assert not stage.space.state.deadlines
    stage.verify()


def test_the_history_shows_an_end_to_those_who_saw_the_beginning(make_stage: Callable[..., Any]) -> None:
    stage = make_stage(routing="addressed", observers=["watcher"], proposal_expiry=1_000)
    for name in ("worker", "solver"):
        stage.join(name)
    stage.say("worker", "mcp/proposal", "p1", LIST, to=["human"])
    stage.say("worker", "mcp/proposal", "p2", LIST)
    first, second = stage.at(1_000).pass_deadlines()
    assert isinstance(first, Deliver) and isinstance(second, Deliver)
    assert first.audience is not None
    assert {"human", "worker", "watcher"} <= set(first.audience)
    assert "solver" not in first.audience
    assert second.audience is None


def test_reused_sequence_id_voids_only_its_own_proposals(stage: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "worker#2", "human"):
        stage.join(name)
    stage.say("worker", "reasoning/start", "r1")
    stage.at(1).say("worker", "mcp/proposal", "p1", LIST, context="r1")
    assert errors(stage.at(2).say("worker", "reasoning/conclusion", "e1", context="r1")) == ["proposal_voided"]
    stage.at(3).say("worker#2", "reasoning/start", "r1", {"message": "again"})
    stage.at(4).say("worker", "mcp/proposal", "p2", LIST, context="r1")
    stage.say("human", "reasoning/interrupt", "i1", {"reason": "user_request"}, to=["worker"], correlation_id=["r1"])
    acked = stage.say("worker", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(acked) == ["proposal_voided"]
    assert [one.void for one in stage.space.state.decided.values()] == ["ended", "interrupted"]


@pytest.mark.parametrize("kind", ["mcp/withdraw", "mcp/reject"])
def test_validation_off_still_checks_kinds_the_gateway_acts_on(
    kind: str, make_stage: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    stage = make_stage(validation="off")
    stage.join("worker")
    stage.say("worker", "mcp/proposal", "p1", LIST)
    refused = errors(stage.say("worker", kind, "x1", {"reason": 5}, correlation_id=["p1"]))
    assert refused == (["invalid_payload"] if kind == "mcp/reject" else [])  # nothing is read of a withdrawal
