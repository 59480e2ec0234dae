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


def welcomed(driver: Any, label: str) -> dict[str, Any]:
    """The proposals in the welcome of a new connection."""
    payload = json.loads(driver.join(label)[0].data)["payload"]
    return payload["proposals"]  # type: ignore[no-any-return]


def test_welcome_lists_open_proposals(driver: Any) -> None:
    driver.join("worker")
    params = {"name": "add", "arguments": {"a": 1}}
    driver.at(1_000).say("worker", "mcp/proposal", "p1", {"method": "tools/call", "params": params}, to=["calculator"])
    driver.at(3_000)
    assert welcomed(driver, "human") == {
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


def test_welcome_lists_the_newest_hundred_proposals(driver: Any) -> None:
    driver.join("worker")
    for n in range(101):
        driver.say("worker", "mcp/proposal", f"p{n}", LIST)
    proposals = welcomed(driver, "human")
    assert [one["id"] for one in proposals["open"]] == [f"p{n}" for n in range(1, 101)]
    assert proposals["count"] == 101


def test_welcome_lists_as_many_proposals_as_fit_an_outbox(driver: Any) -> None:
    driver.join("worker")
    driver.join("admin")
    for n in range(6):
        for name in ("worker", "admin"):
            driver.say(name, "mcp/proposal", f"{name}{n}", {"method": "m" * 80_000})
    told = json.loads(driver.join("human")[0].data)
    proposals = told["payload"]["proposals"]
    assert [one["id"] for one in proposals["open"]] == ["admin4", "worker5", "admin5"]
    assert proposals["count"] == 12
    assert len(json.dumps(told)) < 300_000


def test_closed_proposal_keeps_a_shortened_method(driver: Any) -> None:
    driver.join("worker")
    driver.say("worker", "mcp/proposal", "p1", {"method": "m" * 300})
    driver.say("worker", "mcp/withdraw", "w1", correlation_id=["p1"])
    assert driver.space.state.decided["p1"].method == "m" * 199 + "…"


def test_a_welcome_leaves_long_parameters_out(driver: Any, errors: Callable[..., list[str]]) -> None:
    driver.join("worker")
    long = {"method": "tools/call", "params": {"text": "x" * 20_000}}
    driver.say("worker", "mcp/proposal", "p1", long)
    (entry,) = welcomed(driver, "human")["open"]
    assert entry["params_omitted"] is True
    assert "params" not in entry
    other = {"method": "tools/call", "params": {"text": "x" * 19_999}}
    assert errors(driver.say("human", "mcp/request", "q1", other, correlation_id=["p1"])) == ["proposal_mismatch"]
    assert errors(driver.say("human", "mcp/request", "q2", long, correlation_id=["p1"])) == []


def test_open_proposals_are_bounded_in_bytes(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "human"):
        driver.join(name)
    long = {"method": "tools/call", "params": {"text": "x" * 1_000_000}}
    for n in range(4):
        assert errors(driver.say("worker", "mcp/proposal", f"p{n}", long)) == []
    assert errors(driver.say("worker", "mcp/proposal", "p4", long)) == ["too_many_proposals"]
    assert errors(driver.say("human", "mcp/proposal", "p5", long)) == []
    driver.say("worker", "mcp/withdraw", "w1", correlation_id=["p0"])
    assert errors(driver.say("worker", "mcp/proposal", "p4", long)) == []


def test_one_oversized_proposal_is_accepted_alone(driver: Any, errors: Callable[..., list[str]]) -> None:
    driver.join("worker")
    assert errors(driver.say("worker", "mcp/proposal", "p1", {"method": "m", "params": {"x": "x" * 5_000_000}})) == []


def test_closed_proposals_are_bounded_and_keep_no_parameters(
    make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    driver = make_driver(bounds=Bounds(closed_sequences=2))
    for name in ("worker", "human"):
        driver.join(name)
    for n in range(3):
        driver.say("worker", "mcp/proposal", f"p{n}", {"method": "m", "params": {"n": n}})
        driver.say("worker", "mcp/withdraw", f"w{n}", correlation_id=[f"p{n}"])
    decided = driver.space.state.decided
    assert [(one.id, one.status, one.closed_by, one.params) for one in decided.values()] == [
        ("p1", "withdrawn", "w1", None),
        ("p2", "withdrawn", "w2", None),
    ]
    assert errors(driver.say("worker", "mcp/withdraw", "w3", correlation_id=["p0"])) == ["proposal_not_found"]
    assert errors(driver.say("worker", "mcp/withdraw", "w4", correlation_id=["p1"])) == ["proposal_closed"]
    driver.verify()


def test_rejection_keeps_a_shortened_reason(driver: Any) -> None:
    for name in ("worker", "admin"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", LIST)
    driver.say("admin", "mcp/reject", "j1", {"reason": "x" * 300}, correlation_id=["p1"])
    rejection = driver.space.state.decided["p1"].rejection
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
    driver: Any, errors: Callable[..., list[str]], ends: tuple[str, str, str, Any, dict[str, Any]] | None, reason: str
) -> None:
    for name in ("human", "worker", "boss", "admin"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1")
    driver.say("worker", "mcp/proposal", "p1", LIST, context="r1")
    if ends is None:
        driver.leave("worker")
        told = driver.at(30_000).pass_deadlines()
    else:
        label, kind, id, payload, fields = ends
        told = driver.say(label, kind, id, payload, **fields)
    assert "proposal_voided" in errors(told)
    refusal = json.loads(driver.say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])[0].data)["payload"]
    assert (refusal["error"], refusal["status"], refusal["reason"]) == ("proposal_closed", "voided", reason)
    assert welcomed(driver, "human#2")["count"] == 0


def test_a_new_proposal_names_the_rejected_one(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("human", "worker"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", LIST)
    driver.say("human", "mcp/reject", "j1", {"reason": "unsafe"}, correlation_id=["p1"])
    refusal = json.loads(driver.say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])[0].data)["payload"]
    assert (refusal["error"], refusal["by"], refusal["reason"]) == ("proposal_rejected", "human", "unsafe")
    assert errors(driver.say("worker", "mcp/proposal", "p2", LIST, correlation_id=["p1"])) == []
    assert errors(driver.say("human", "mcp/request", "q2", LIST, correlation_id=["p2"])) == []


def test_fulfiller_is_recorded(driver: Any) -> None:
    for name in ("worker", "human"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", LIST)
    driver.at(5).say("human", "mcp/request", "q1", LIST, correlation_id=["p1"])
    proposal = driver.space.state.decided["p1"]
    assert (proposal.status, proposal.fulfiller, proposal.closed_by) == ("fulfilled", "human", "q1")
    assert proposal.closed_at == driver.now
    assert driver.space.state.requests["q1"].proposers == ("worker",)


def test_many_proposals_share_one_deadline(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(proposal_expiry=10_000)
    driver.join("worker")
    for n in range(50):
        driver.at(n).say("worker", "mcp/proposal", f"p{n}", LIST)
        driver.say("worker", "mcp/withdraw", f"w{n}", correlation_id=[f"p{n}"])
    assert len(driver.space.state.deadlines) == 1
    driver.at(5_000).say("worker", "mcp/proposal", "last", LIST)
    assert driver.at(10_000).pass_deadlines() == []  # of what is long withdrawn
    assert driver.space.deadline is not None
    assert driver.space.deadline - driver.now == 5_000
    assert driver.at(14_999).pass_deadlines() == []
    (told,) = driver.at(15_000).pass_deadlines()
    assert json.loads(told.data)["payload"]["error"] == "proposal_expired"
    assert driver.space.deadline is None
    driver.verify()


def test_shorter_expiry_applies_to_new_proposals(
    make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    driver = make_driver(proposal_expiry=10_000)
    driver.join("worker")
    driver.say("worker", "mcp/proposal", "p1", LIST)
    driver.reconfigure(make_driver(proposal_expiry=1_000).space.state.settings)
    driver.say("worker", "mcp/proposal", "p2", LIST)
    assert errors(driver.at(1_000).pass_deadlines()) == ["proposal_expired"]
    assert list(driver.space.state.proposals) == ["p1"]
    assert errors(driver.at(10_000).pass_deadlines()) == ["proposal_expired"]
    assert not driver.space.state.deadlines
    driver.verify()


def test_the_history_shows_an_end_to_those_who_saw_the_beginning(make_driver: Callable[..., Any]) -> None:
    driver = make_driver(routing="addressed", observers=["watcher"], proposal_expiry=1_000)
    for name in ("worker", "solver"):
        driver.join(name)
    driver.say("worker", "mcp/proposal", "p1", LIST, to=["human"])
    driver.say("worker", "mcp/proposal", "p2", LIST)
    first, second = driver.at(1_000).pass_deadlines()
    assert isinstance(first, Deliver) and isinstance(second, Deliver)
    assert first.audience is not None
    assert {"human", "worker", "watcher"} <= set(first.audience)
    assert "solver" not in first.audience
    assert second.audience is None


def test_reused_sequence_id_voids_only_its_own_proposals(driver: Any, errors: Callable[..., list[str]]) -> None:
    for name in ("worker", "worker#2", "human"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1")
    driver.at(1).say("worker", "mcp/proposal", "p1", LIST, context="r1")
    assert errors(driver.at(2).say("worker", "reasoning/conclusion", "e1", context="r1")) == ["proposal_voided"]
    driver.at(3).say("worker#2", "reasoning/start", "r1", {"message": "again"})
    driver.at(4).say("worker", "mcp/proposal", "p2", LIST, context="r1")
    driver.say("human", "reasoning/interrupt", "i1", {"reason": "user_request"}, to=["worker"], correlation_id=["r1"])
    acked = driver.say("worker", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(acked) == ["proposal_voided"]
    assert [one.void for one in driver.space.state.decided.values()] == ["ended", "interrupted"]


@pytest.mark.parametrize("kind", ["mcp/withdraw", "mcp/reject"])
def test_validation_off_still_checks_kinds_the_gateway_acts_on(
    kind: str, make_driver: Callable[..., Any], errors: Callable[..., list[str]]
) -> None:
    driver = make_driver(validation="off")
    driver.join("worker")
    driver.say("worker", "mcp/proposal", "p1", LIST)
    refused = errors(driver.say("worker", kind, "x1", {"reason": 5}, correlation_id=["p1"]))
    assert refused == (["invalid_payload"] if kind == "mcp/reject" else [])  # nothing is read of a withdrawal
