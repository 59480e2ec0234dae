"""The core as its shell sees it: runs on the wire, what the gateway says of them, and refusals that change nothing."""

from __future__ import annotations

from copy import deepcopy

import msgspec
import pytest

from mew_gateway.errors import MewError
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Lose, Send
from mew_gateway.sdk.execution.events import (
    Accepted,
    BoundaryLeft,
    CheckpointReached,
    Closed,
    Event,
    Held,
    Listed,
    Refused,
    SpanEnded,
    Welcomed,
)
from tests.execution.conftest import NOW, asked, began, ended, ends, notes, only, play, said, sends, span, thought


def test_a_run_opens_with_its_root_span():
    ((*_, start),) = play(began(message="thinking", correlation_id=("chat-1",), caused_by="i0", payload={"extra": 1}))
    assert start == Send(
        at=NOW,
        id="r",
        kind="reasoning/start",
        payload={
            "extra": 1,
            "message": "thinking",
            "span": {
                "span_id": "r:root",
                "execution_id": "r",
                "interruptible": True,
                "policy": "soft-stop",
                "kind": "think",
            },
            "caused_by": "i0",
        },
        correlation_id=("chat-1",),
    )


def test_a_new_trace_says_what_made_room_for_it():
    (effects,) = play(began(caused_by="i0", user="ana"))
    (begun,) = notes(effects, "run_begun")
    assert (begun.trace_id, begun.cause_id, begun.data) == ("r", "i0", {"user": "ana", "caused_by": "i0"})


def test_a_thought_and_a_conclusion_are_in_the_context_of_the_run():
    _, spoken, _, last = play(
        began(), thought(), BoundaryLeft("r", "r:root"), ended(message="42", payload={"tour": [1]})
    )
    (one,) = sends(spoken, "reasoning/thought")
    assert (one.context, one.payload) == ("r", {"message": "thought t1", "span_id": "r:root", "n": 1})
    (end,) = sends(last, "reasoning/conclusion")
    assert (end.id, end.context) == ("r:end", "r")
    assert end.payload == {
        "tour": [1],
        "message": "42",
        "outcome": "completed",
        "interrupted": False,
        "partial": False,
    }


def test_thoughts_are_counted_over_the_whole_run_and_name_their_checkpoint():
    core = Core()
    play(began(policy="checkpointed"), thought(), CheckpointReached("r", "r:root", "k1", {}), core=core)
    (one,) = sends(core.handle(thought("t2"), NOW), "reasoning/thought")
    assert (one.payload["n"], one.payload["checkpoint_id"]) == (2, "k1")


def test_a_start_that_did_not_arrive_is_said_again():
    first, again = play(began(), Welcomed((), complete=True))
    assert tuple(only(Send, first)) == again


def test_a_conclusion_that_did_not_arrive_is_said_again():
    *_, end, again = play(began(), ended(message="42"), Welcomed((Listed("r", "new"),), complete=True))
    assert tuple(only(Send, end)) == again


def test_what_an_earlier_life_left_open_is_concluded_once():
    core = Core()
    (effects,) = play(Welcomed((Listed("old", "c-old"),), complete=True), core=core)
    (end,) = only(Send, effects)
    assert (end.id, end.kind, end.context) == ("c-old", "reasoning/conclusion", "old")
    assert end.payload["outcome"] == "abandoned"
    assert core.handle(Welcomed((Listed("old", "another"),), complete=True), NOW + 9) == (end,)


def test_a_list_that_is_not_whole_proves_no_loss():
    assert play(began(), Accepted("r"), Welcomed((), complete=False))[-1] == ()


def test_a_listed_run_goes_on_until_it_is_missed():
    *_, listed, missing = play(began(), Welcomed((Listed("r", "c"),), complete=True), Welcomed((), complete=True))
    assert listed == ()
    assert ends(missing) == [("r:root", "sequence_lost", "boundary")]


@pytest.mark.parametrize("code", ["capability_violation", "too_many_sequences", "rate_limited", "sequence_lost"])
def test_a_run_that_may_not_begin_does_not_go_on_unseen(code):
    _, lost, again = play(began(), Refused("r", code), Refused("r", code))
    assert ends(lost) == [("r:root", code, "boundary")]
    assert again == ()


def test_a_run_whose_id_somebody_else_has_taken_is_lost():
    lost = play(began(), Refused("r", "duplicate_id", yours=False))[-1]
    assert ends(lost) == [("r:root", "duplicate_id", "boundary")]


@pytest.mark.parametrize(
    ("policy", "how"), [("soft-stop", "boundary"), ("hard-stop", "await"), ("checkpointed", "back")]
)
def test_a_run_that_is_lost_ends_by_its_policies_leaves_first(policy, how):
    core = Core()
    *_, lost = play(began("r", policy), span("below", policy), Closed("r"), core=core)
    assert ends(lost) == [("below", "sequence_closed", how)]
    assert ends(core.handle(SpanEnded("r", "below", "interrupted"), NOW + 9)) == [("r:root", "sequence_closed", how)]


def test_what_may_not_be_interrupted_goes_on_in_a_run_that_is_given_up_and_not_in_one_that_never_began():
    begun = began("r", "hard-stop"), span("firm", "non-interruptible")
    core = Core()
    *_, given_up = play(*begun, Accepted("r"), Closed("r"), core=core)
    assert (ends(given_up), only(Lose, given_up)) == ([], [])
    assert ends(core.handle(SpanEnded("r", "firm", "returned"), NOW)) == [("r:root", "sequence_closed", "await")]
    assert only(Lose, play(*begun, Refused("r", "halted"))[-1]) == [Lose("r", "halted", ("firm",))]


@pytest.mark.parametrize("code", ["cannot_ack", "participant_not_found", "duplicate_id"])
def test_a_notice_refuses_nothing(code):
    assert play(began(), Refused("r", code))[-1] == ()


@pytest.mark.parametrize("code", ["sequence_closed", "sequence_not_found", "not_sequence_owner", "sequence_lost"])
def test_a_refused_thought_ends_the_run_if_the_sequence_is_gone(code):
    assert ends(play(began(), thought("t1"), Refused("t1", code))[-1]) == [("r:root", code, "boundary")]
    assert play(began(), thought("t1"), Refused("t1", "rate_limited"))[-1] == ()
    assert play(began(), thought("t1"), Refused("somebody-elses", code))[-1] == ()


def test_a_run_that_another_connection_ended():
    assert ends(play(began(), Closed("r"))[-1]) == [("r:root", "sequence_closed", "boundary")]
    assert play(Closed("r"), began(), ended(), Closed("r"))[-1] == ()


@pytest.mark.parametrize(
    "event",
    [
        began("open"),
        began("over"),
        began("new", limit=-1),
        span("a", run="open"),
        span("b", run="open", parent="gone"),
        span("b", run="open", parent="a", side_effect="irreversible"),
        span("b", run="stopping"),
        thought(run="over"),
        BoundaryLeft("open", "gone"),
        CheckpointReached("over", "over:root", "k", {}),
        Held("open", "gone", "k"),
        SpanEnded("open", "gone", "returned"),
        SpanEnded("open", "open:root", "returned"),
        ended("over"),
        ended("never"),
    ],
    ids=lambda event: f"{type(event).__name__} {event.run}",
)
def test_a_body_that_speaks_out_of_turn_changes_nothing(event: Event):
    core = Core()
    play(
        began("open"), span("a", run="open"), began("over"), ended("over"), began("stopping"),
        asked("i1", run="stopping"), asked("i2", "queue", "open", input="later"), core=core,
    )  # fmt: skip
    before = deepcopy(core.state)
    with pytest.raises(MewError):
        core.handle(event, NOW)
    assert core.state == before


def test_a_core_knows_its_runs_also_when_they_have_ended():
    core = Core()
    play(began(), began("s"), ended(), core=core)
    assert (core.knows("r"), core.knows("s"), core.knows("t")) == (True, True, False)


def test_nothing_waits_for_time_unless_something_does():
    core = Core()
    assert core.deadline is None
    play(began(limit=500), span("a", limit=200), began("n", "non-interruptible", limit=300), core=core)
    assert core.deadline == NOW + 201  # the earliest
    core.handle(SpanEnded("r", "a", "returned"), NOW)
    assert core.deadline == NOW + 302


def test_what_goes_in_and_comes_out_survives_being_written_down():
    core = Core()
    for event in (began(state={"n": [1, {"m": None}]}), asked(class_="override", input={"do": ["this"]}), said()):
        assert msgspec.json.decode(msgspec.json.encode(event), type=Event) == event
        core.handle(event, NOW)
