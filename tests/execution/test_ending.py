"""How spans and runs end: leaves first, each by its own policy, one conclusion, and then a new trace."""

from __future__ import annotations

import pytest

from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Effect, End, Follow, Send
from mew_gateway.sdk.execution.events import Closed, SpanEnded, TimePassed
from tests.execution.conftest import NOW, asked, began, ended, notes, only, play, sends, span, thought


def conclusion_of(effects: tuple[Effect, ...]) -> Send:
    """The one conclusion among effects."""
    (said,) = sends(effects, "reasoning/conclusion")
    return said


def test_the_conclusion_names_the_interrupt():
    end = conclusion_of(play(began(), asked(), ended("r", "interrupted", payload={"tour": [2]}))[-1])
    assert (end.id, end.context) == ("r:end", "r")
    assert end.payload == {
        "tour": [2],
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "i1",
        "policy_applied": "soft-stop",
        "partial": True,
    }


def test_a_body_that_came_to_its_end_is_whole_even_if_a_stop_was_on_its_way():
    end = conclusion_of(play(began(), asked(), ended())[-1])
    assert (end.payload["outcome"], end.payload["partial"], end.payload["interrupt_id"]) == ("completed", False, "i1")


@pytest.mark.parametrize(
    ("how", "outcome"),
    [("returned", "completed"), ("failed", "failed"), ("cancelled", "cancelled"), ("interrupted", "interrupted")],
)
def test_how_a_body_ends_is_the_outcome_unless_it_says_another(how, outcome):
    assert conclusion_of(play(began(), ended(how=how))[-1]).payload["outcome"] == outcome
    assert conclusion_of(play(began(), ended(how=how, outcome="enough"))[-1]).payload["outcome"] == "enough"


def test_the_fields_of_the_conclusion_are_the_cores():
    forged = dict.fromkeys(
        ("outcome", "interrupted", "interrupt_id", "policy_applied", "rolled_back_to", "timeline", "message"), "x"
    )
    end = play(began(), ended(how="failed", message="said", payload={**forged, "partial": False, "mine": 1}))[-1]
    assert conclusion_of(end).payload == {
        "outcome": "failed",
        "interrupted": False,
        "message": "said",
        "partial": False,  # this one is the body's to say
        "mine": 1,
    }
    (note,) = notes(end, "run_concluded")
    assert note.data == {"outcome": "failed", "interrupted": False, "partial": False}


def test_the_head_of_the_timeline_travels_in_the_conclusion():
    assert conclusion_of(play(began(), ended(timeline="7:abc"))[-1]).payload["timeline"] == "7:abc"


def test_an_interrupted_trace_is_sealed_and_another_begins():
    end = play(began(), asked(), ended(how="interrupted"))[-1]
    (sealed,), (idle,) = notes(end, "trace_sealed"), notes(end, "idle")
    assert (sealed.trace_id, sealed.cause_id) == ("r", "i1")
    assert (idle.trace_id, idle.cause_id, idle.data) == ("i1:idle", "i1", {"after": "r"})


def test_a_trace_that_nobody_interrupted_is_not_sealed():
    end = play(began(), asked(class_="queue", input="later"), ended())[-1]
    assert notes(end, "trace_sealed") == notes(end, "idle") == []


def test_an_override_is_followed_before_what_was_queued():
    end = play(
        began(), asked("i1", "queue", input="later"), asked("i2", "override", input="instead"), ended(how="interrupted")
    )[-1]
    (follow,) = only(Follow, end)
    assert [one.input for one in follow.inputs] == ["instead", "later"]
    assert [(one.interrupt.id, one.when) for one in follow.inputs] == [("i2", "instead"), ("i1", "after")]


def test_the_leaves_end_first_each_by_its_own_policy():
    core = Core()
    *_, told = play(
        began(policy="checkpointed", state={"n": 0}),
        span("a", "hard-stop"),
        span("b", "soft-stop", parent="a"),
        span("c", "checkpointed", state={"m": 1}),
        asked(),
        core=core,
    )
    assert [(one.span, one.how) for one in only(End, told)] == [("b", "boundary"), ("c", "back")]
    ends = [only(End, core.handle(SpanEnded("r", id, "interrupted"), NOW)) for id in ("b", "c", "a")]
    assert [[(one.span, one.how) for one in some] for some in ends] == [[("a", "await")], [], [("r:root", "back")]]


@pytest.mark.parametrize("policy", ["hard-stop", "checkpointed"])
def test_who_does_not_end_in_its_second_is_taken_for_ended(policy):
    core = Core()
    play(began(policy=policy), asked(), core=core)  # at NOW + 1
    assert core.deadline == NOW + 1_001
    assert core.handle(TimePassed(), NOW + 1_000) == ()
    late = core.handle(TimePassed(), NOW + 1_001)
    assert conclusion_of(late).payload["interrupt_id"] == "i1"
    assert core.deadline is None
    assert core.state.runs == {}


def test_a_soft_stop_has_all_the_time_it_needs():
    core = Core()
    play(began(), asked(), core=core)
    assert core.deadline is None


def test_what_ends_early_takes_what_is_within_it_along_leaves_first():
    end = play(began(), span("a"), span("b", parent="a"), ended(how="failed"))[-1]
    moves = [(note.span_id, note.data["to"]) for note in notes(end, "span_state")]
    assert moves == [("b", "cancelled"), ("a", "cancelled"), ("r:root", "failed")]


def test_only_the_run_that_was_put_back_says_so():
    core = Core()
    play(began(), span("a", "checkpointed"), asked("i1", scope="span"), core=core)
    core.handle(SpanEnded("r", "a", "interrupted"), NOW)
    core.handle(thought(), NOW)
    end = conclusion_of(core.handle(ended(), NOW))
    assert "rolled_back_to" not in end.payload


def test_a_lost_run_ends_without_a_word():
    end = play(began(), asked(class_="queue", input="later"), Closed("r"), ended())[-1]
    assert only(Send, end) == []
    assert len(only(Follow, end)) == 1  # what somebody was promised still follows
