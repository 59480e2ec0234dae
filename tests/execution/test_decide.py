"""What comes of an interrupt: the table's answers, confidences, reach, and what is kept for afterwards."""

from __future__ import annotations

import pytest

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import End, Follow, Note, Pause, Send
from mew_gateway.sdk.execution.events import Closed
from mew_gateway.sdk.execution.policy import POLICIES, TABLE
from tests.execution.conftest import NOW, ack, asked, began, ended, notes, only, play, span, thought

CELLS = list(TABLE)
WAYS = {"soft-stop": "boundary", "hard-stop": "await", "checkpointed": "back"}


@pytest.mark.parametrize(("class_", "policy"), CELLS)
def test_every_cell_in_the_middle_of_a_thought(class_, policy):
    rule = TABLE[class_, policy]
    _, effects = play(began(policy=policy), asked(class_=class_, input="input"))
    said = ack(effects)
    assert (said["status"], said["class"], said["outcome"]) == (rule.status, class_, rule.outcome)
    assert (said["policy_applied"], said["span_id"]) == (policy, "r:root")
    assert said.get("reason_code") == rule.reason_code
    assert ("stop_by" in said) == (rule.outcome == "halt_after_span")
    assert [one.how for one in only(End, effects)] == ([WAYS[policy]] if rule.directive == "end" else [])
    assert len(only(Pause, effects)) == (rule.directive == "pause")


@pytest.mark.parametrize(("class_", "policy"), CELLS)
def test_every_cell_at_a_boundary(class_, policy):
    _, _, effects = play(began(policy=policy), thought(), asked(class_=class_, input="input"))
    assert ack(effects)["status"] == TABLE[class_, policy].at_boundary


@pytest.mark.parametrize(("class_", "policy"), CELLS)
def test_every_cell_keeps_its_input_for_after_the_run_if_it_says_so(class_, policy):
    *_, end = play(began(policy=policy), asked(class_=class_, input="input"), ended(how="interrupted"))
    followed = [(one.when, one.input) for follow in only(Follow, end) for one in follow.inputs]
    rule = TABLE[class_, policy]
    # What was to be clarified and never came to it is said afterwards.
    when = "after" if rule.directive == "pause" else rule.follows
    assert followed == ([] if when is None else [(when, "input")])


@pytest.mark.parametrize("class_", CLASSES)
@pytest.mark.parametrize("policy", POLICIES)
def test_an_interrupt_without_input_is_followed_by_nothing(class_, policy):
    *effects, end = play(began(policy=policy), asked(class_=class_), ended(how="interrupted"))
    assert only(Follow, end) == []
    assert notes(effects[-1], "queued") == notes(end, "queued") == []


@pytest.mark.parametrize("class_", ["cancel", "override"])
def test_a_stop_in_mid_thought_allows_one_more_thought(class_):
    _, effects, last, none = play(began(), asked(class_=class_), thought("t1"), thought("t2"))
    assert ack(effects)["status"] == "completing_thought"
    assert [one.id for one in only(Send, last)] == ["t1"]
    assert none == ()


def test_what_took_no_time_to_decide_says_so():
    (decided,) = notes(play(began(), asked())[-1], "decided")
    assert decided.data["latency_ms"] == 0


def test_the_ack_goes_to_who_asked_before_anything_is_done():
    effects = play(began(), asked())[-1]
    kinds = [type(one) for one in effects if not isinstance(one, Note)]
    assert kinds == [Send, End]
    (answer,) = only(Send, effects)
    assert (answer.to, answer.correlation_id, answer.id, answer.at) == (("human",), ("i1",), "ack-i1", NOW + 1)


@pytest.mark.parametrize("events", [(), (began(), ended())])
def test_nothing_left_to_stop(events):
    effects = play(*events, asked())[-1]
    assert ack(effects) == {
        "status": "ignored",
        "class": "cancel",
        "outcome": "rejected",
        "reason_code": "not_active",
    }
    assert [note.trace_id for note in only(Note, effects)] == [None, None]


@pytest.mark.parametrize(
    ("confidence", "class_", "acted"),
    [
        (0.0, "cancel", None),
        (0.399, "queue", None),
        (0.4, "cancel", "queue"),
        (0.4, "emergency", "cancel"),
        (0.749, "clarification", "queue"),
        (0.749, "emergency", "cancel"),
        (0.75, "override", "override"),
        (0.75, "emergency", "emergency"),
    ],
)
def test_confidence_weakens_what_was_inferred(confidence, class_, acted):
    said = ack(play(began(), asked(class_=class_, confidence=confidence, input="x"))[-1])
    if acted is None:
        assert (said["status"], said["reason_code"]) == ("ignored", "low_confidence")
    else:
        assert said["class"] == acted


def test_an_emergency_that_is_not_from_the_wire_halts_only_if_it_is_sure():
    core = Core()
    play(began(), *(asked(f"a{n}", "emergency", source="alert", confidence=n / 100) for n in (10, 39, 74)), core=core)
    assert core.state.halts == {}
    core.handle(asked("a75", "emergency", source="alert", confidence=0.75), NOW)
    assert list(core.state.halts) == ["a75"]


def test_an_emergency_leaves_out_what_is_lost():
    effects = play(began("s"), began("r"), Closed("s"), asked(class_="emergency"))[-1]
    assert [note.trace_id for note in notes(effects, "decided")] == ["r"]


def test_an_alert_is_decided_and_recorded_and_not_answered():
    effects = play(began(), asked(source="alert"))[-1]
    assert only(Send, effects) == []
    assert [note.kind for note in only(Note, effects)] == ["interruption", "decided", "span_state"]
    assert only(End, effects) != []


def test_an_answer_is_for_one_source_and_sender_and_run():
    core = Core()
    play(began(), began("s"), asked("i1", "queue", source="alert"), core=core)
    first = core.handle(asked("i1", "queue"), NOW)
    assert ack(first)["outcome"] == "queued"
    assert core.handle(asked("i1", "queue"), NOW + 9) == tuple(only(Send, first))
    assert ack(core.handle(asked("i1", "queue", sender="boss"), NOW))["outcome"] == "queued"
    assert ack(core.handle(asked("i1", "queue", "s"), NOW))["span_id"] == "s:root"


def test_what_is_remembered_is_bounded():
    core = Core()
    core.handle(began(), NOW)
    for n in range(1_100):
        core.handle(asked(f"i{n}"), NOW)
    assert len(core.state.answers) == 1_000
    assert ("i99", "wire", "human", "r") not in core.state.answers
    for n in range(300):
        play(began(f"x{n}"), ended(f"x{n}"), core=core)
    assert len(core.state.conclusions) == 200


def test_a_full_queue_refuses_what_waits_and_never_a_stop():
    core = Core()
    play(began(), *(asked(f"q{n}", "queue", input=n) for n in range(64)), core=core)
    assert ack(core.handle(asked("q64", "queue", input=64), NOW))["reason_code"] == "queue_full"
    stopped = core.handle(asked("i1", "override", input="instead"), NOW)
    assert (ack(stopped)["status"], ack(stopped)["reason_code"]) == ("completing_thought", "queue_full")
    assert len(only(End, stopped)) == 1
    (follow,) = only(Follow, core.handle(ended(how="interrupted"), NOW))
    assert [one.input for one in follow.inputs] == list(range(64))


def test_what_is_refused_and_has_no_input_is_not_called_queued():
    effects = play(began(policy="non-interruptible"), asked(class_="override", on_reject="queue"))[-1]
    assert ack(effects)["outcome"] == "rejected"


def test_the_body_gets_a_state_of_its_own():
    core = Core()
    play(began(policy="checkpointed", state={"found": []}), core=core)
    (directive,) = only(End, core.handle(asked(class_="override", input="x"), NOW))
    assert directive.state == {"found": []}
    directive.state["found"].append("what its body does now is nobody else's")
    (follow,) = only(Follow, core.handle(ended(how="interrupted"), NOW))
    assert follow.inputs[0].state == {"found": []}


def test_long_words_are_cut_on_the_timeline_alone():
    effects = play(began(), asked(message="x" * 500, class_="queue", input="x" * 500))[-1]
    (note,) = notes(effects, "interruption")
    assert len(note.data["message"]) == 200
    (kept,) = only(Follow, play(began(), asked(class_="queue", input="x" * 500), ended())[-1])[0].inputs
    assert len(kept.input) == 500


def test_a_span_that_is_meant_alone_keeps_its_run():
    core = Core()
    _, _, effects, said = play(began(), span("a", "hard-stop"), asked(scope="span"), thought(), core=core)
    assert ack(effects) | {"outcome": "stopped"} == ack(effects)
    assert ack(effects)["status"] == "continuing"
    assert [one.span for one in only(End, effects)] == ["a"]
    assert len(only(Send, said)) == 1
    assert core.state.runs["r"].stop is None
