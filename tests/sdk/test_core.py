"""The core: decisions about single situations, then properties over any order of events."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Effect, Follow, Lose, Send, Stop
from mew_gateway.sdk.execution.events import (
    Accepted,
    Began,
    BoundaryLeft,
    BoundaryReached,
    Closed,
    Ended,
    Ending,
    Event,
    Interrupted,
    Listed,
    Refused,
    Welcomed,
)
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.runs import NotRunning

NOW = 1_700_000_000_000


def began(run: str = "r", policy: Any = "soft-stop") -> Began:
    return Began(run, f"span-{run}", policy, message="thinking", correlation_id=("chat-1",))


def asked(id: str = "i1", class_: str = "cancel", run: str = "r", input: Any = None) -> Interrupted:
    return Interrupted(Interrupt(id, "human", run, class_, "user_request", input, input), f"ack-{id}")


def thought(id: str = "t1", run: str = "r") -> BoundaryReached:
    return BoundaryReached(run, id, f"thought {id}")


def play(*events: Event, core: Core | None = None) -> list[tuple[Effect, ...]]:
    core = core or Core()
    return [core.handle(event, NOW + n) for n, event in enumerate(events)]


def ack(effects: tuple[Effect, ...]) -> dict[str, Any]:
    """The payload of the one ack among effects."""
    (send,) = [one for one in effects if isinstance(one, Send) and one.kind == "reasoning/interrupt-ack"]
    return send.payload


def test_a_run_opens_with_its_root_span():
    ((start,),) = play(began())
    assert start == Send(
        at=NOW,
        id="r",
        kind="reasoning/start",
        payload={
            "message": "thinking",
            "span": {"span_id": "span-r", "interruptible": True, "policy": "soft-stop", "kind": "think"},
        },
        correlation_id=("chat-1",),
    )


def test_nothing_is_interruptible_by_default():
    ((start,),) = play(Began("r", "span-r"))
    assert isinstance(start, Send)
    assert start.payload["span"]["interruptible"] is False
    assert start.payload["span"]["policy"] == "non-interruptible"


def test_a_thought_and_a_conclusion_are_in_the_context_of_the_run():
    _, (said,), _, (last,) = play(
        began(), thought(), BoundaryLeft("r"), Ended("r", "c", "returned", "42", payload={"tour": [1]})
    )
    assert isinstance(said, Send)
    assert isinstance(last, Send)
    assert (said.kind, said.context, said.payload["n"]) == ("reasoning/thought", "r", 1)
    assert (last.id, last.kind, last.context) == ("c", "reasoning/conclusion", "r")
    assert last.payload == {
        "tour": [1],
        "message": "42",
        "outcome": "completed",
        "interrupted": False,
        "partial": False,
    }


@pytest.mark.parametrize("class_", ["cancel", "override", "emergency"])
def test_a_stop_in_mid_thought_allows_one_more_thought(class_):
    core = Core()
    _, effects, last, none = play(began(), asked(class_=class_), thought("t1"), thought("t2"), core=core)
    assert ack(effects) == {
        "status": "completing_thought",
        "class": class_,
        "outcome": "stopped",
        "policy_applied": "soft-stop",
        "span_id": "span-r",
    }
    assert effects[1] == Stop("r", asked(class_=class_).interrupt)
    assert [one.id for one in last if isinstance(one, Send)] == ["t1"]
    assert none == ()


def test_the_ack_goes_to_who_asked_and_names_the_interrupt():
    effects = play(began(), asked())[-1]
    assert isinstance(effects[0], Send)
    assert (effects[0].to, effects[0].correlation_id) == (("human",), ("i1",))


def test_a_stop_at_a_boundary_allows_none():
    _, _, effects, none = play(began(), thought("t1"), asked(), thought("t2"))
    assert ack(effects)["status"] == "stopping"
    assert none == ()


def test_between_boundaries_a_thought_is_under_way_again():
    effects = play(began(), thought("t1"), BoundaryLeft("r"), asked())[-1]
    assert ack(effects)["status"] == "completing_thought"


def test_a_second_stop_is_acked_and_the_first_governs():
    *_, second, third, end = play(
        began(), asked("i1"), asked("i2"), thought(), asked("i3"), Ended("r", "c", "interrupted")
    )
    assert [type(one) for one in second] == [Send]
    assert third[0].kind == "reasoning/interrupt-ack"  # type: ignore[union-attr]
    assert ack(third)["status"] == "stopping"
    assert end[0].payload["interrupt_id"] == "i1"  # type: ignore[union-attr]


def test_the_conclusion_names_the_interrupt():
    *_, (end,) = play(began(), asked(), Ended("r", "c", "interrupted", payload={"tour": [2]}))
    assert isinstance(end, Send)
    assert end.payload == {
        "tour": [2],
        "outcome": "interrupted",
        "interrupted": True,
        "interrupt_id": "i1",
        "policy_applied": "soft-stop",
        "partial": True,
    }


def test_a_body_that_came_to_its_end_is_whole_even_if_a_stop_was_on_its_way():
    *_, (end,) = play(began(), asked(), Ended("r", "c", "returned"))
    assert isinstance(end, Send)
    assert (end.payload["outcome"], end.payload["partial"]) == ("completed", False)
    assert end.payload["interrupt_id"] == "i1"


@pytest.mark.parametrize(
    ("how", "outcome"), [("failed", "failed"), ("cancelled", "cancelled"), ("interrupted", "interrupted")]
)
def test_how_a_body_ends_is_the_outcome_unless_it_says_another(how, outcome):
    assert play(began(), Ended("r", "c", how))[-1][0].payload["outcome"] == outcome  # type: ignore[union-attr]
    said = play(began(), Ended("r", "c", how, outcome="enough"))[-1][0]
    assert said.payload["outcome"] == "enough"  # type: ignore[union-attr]


def test_the_fields_of_the_conclusion_are_the_cores():
    forged = {"outcome": "x", "interrupted": True, "interrupt_id": "x", "message": "x", "partial": False}
    *_, (end,) = play(began(), Ended("r", "c", "failed", "said", payload=forged))
    assert isinstance(end, Send)
    assert end.payload["outcome"] == "failed"
    assert end.payload["interrupted"] is False
    assert end.payload["message"] == "said"
    assert end.payload["partial"] is False  # this one is the body's to say


@pytest.mark.parametrize("class_", ["cancel", "override", "emergency"])
def test_a_run_that_is_not_interruptible_ignores_a_stop(class_):
    _, effects, said = play(began(policy="non-interruptible"), asked(class_=class_, input="x"), thought())
    assert ack(effects)["status"] == "ignored"
    assert ack(effects)["outcome"] == "rejected"
    assert ack(effects)["reason_code"] == "non_interruptible"
    assert len(effects) == len(said) == 1


@pytest.mark.parametrize("policy", ["soft-stop", "non-interruptible"])
@pytest.mark.parametrize("class_", ["queue", "clarification"])
def test_queueing_interrupts_nothing_and_follows_in_order(policy, class_):
    core = Core()
    _, one, two, said, end = play(
        began(policy=policy),
        asked("i1", class_, input="first"),
        asked("i2", class_, input="second"),
        thought(),
        Ended("r", "c", "returned"),
        core=core,
    )
    assert (ack(one)["status"], ack(one)["outcome"], ack(two)["status"]) == ("continuing", "queued", "continuing")
    assert len(one) == len(said) == 1
    assert isinstance(end[1], Follow)
    assert [(one.when, one.input) for one in end[1].inputs] == [("after", "first"), ("after", "second")]


def test_an_override_is_followed_before_what_was_queued():
    *_, end = play(
        began(),
        asked("i1", "queue", input="later"),
        asked("i2", "override", input="instead"),
        Ended("r", "c", "interrupted"),
    )
    assert isinstance(end[0], Send)
    assert isinstance(end[1], Follow)
    assert [one.input for one in end[1].inputs] == ["instead", "later"]


def test_an_interrupt_without_input_is_followed_by_nothing():
    *_, end = play(began(), asked("i1", "queue"), asked("i2", "override"), Ended("r", "c", "interrupted"))
    assert len(end) == 1


@pytest.mark.parametrize("events", [(), (began(), Ended("r", "c", "returned"))])
def test_nothing_left_to_stop(events):
    effects = play(*events, asked())[-1]
    assert len(effects) == 1
    assert ack(effects) == {
        "status": "ignored",
        "class": "cancel",
        "outcome": "rejected",
        "reason_code": "not_active",
    }


def test_a_known_interrupt_gets_the_same_ack_again():
    core = Core()
    first = core.handle(Began("r", "s", "soft-stop"), NOW) and core.handle(asked(), NOW)
    again = core.handle(Interrupted(asked().interrupt, "another-id"), NOW + 5_000)
    assert again == first[:1]
    core.handle(Ended("r", "c", "interrupted"), NOW)
    assert core.handle(asked(), NOW + 9_000) == first[:1]


def test_what_an_earlier_life_left_open_is_concluded():
    core = Core()
    listed = Welcomed((Listed("old", "c-old"),), complete=True)
    ((end,),) = play(listed, core=core)
    assert isinstance(end, Send)
    assert (end.id, end.kind, end.context) == ("c-old", "reasoning/conclusion", "old")
    assert end.payload["outcome"] == "abandoned"
    again = core.handle(Welcomed((Listed("old", "another"),), complete=True), NOW + 9)
    assert again == (end,)


def test_a_conclusion_that_did_not_arrive_is_said_again():
    *_, end, again = play(began(), Ended("r", "c", "returned", "42"), Welcomed((Listed("r", "new"),), complete=True))
    assert again == end


def test_a_start_that_did_not_arrive_is_said_again():
    (start,), again = play(began(), Welcomed((), complete=True))
    assert again == (start,)


def test_a_run_that_the_gateway_lost_ends_without_a_word():
    core = Core()
    *_, lost, late, said, end = play(
        began(),
        Accepted("r"),
        asked("i1", "queue", input="later"),
        Welcomed((), complete=True),
        asked("i2"),
        thought(),
        Ended("r", "c", "interrupted"),
        core=core,
    )
    assert lost == (Lose("r", "sequence_lost"),)
    assert ack(late)["reason_code"] == "not_active"
    assert said == ()
    assert [type(one) for one in end] == [Follow]  # what somebody was promised still follows


def test_a_list_that_is_not_whole_proves_no_loss():
    assert play(began(), Accepted("r"), Welcomed((), complete=False))[-1] == ()


def test_a_listed_run_goes_on():
    *_, listed, missing = play(began(), Welcomed((Listed("r", "c"),), complete=True), Welcomed((), complete=True))
    assert listed == ()
    assert missing == (Lose("r", "sequence_lost"),)  # it had been accepted: the list said so


@pytest.mark.parametrize("code", ["capability_violation", "too_many_sequences", "rate_limited", "sequence_lost"])
def test_a_run_that_may_not_begin_does_not_go_on_unseen(code):
    assert play(began(), Refused("r", code))[-1] == (Lose("r", code),)
    assert play(began(), Refused("r", code), Refused("r", code))[-1] == ()


@pytest.mark.parametrize("code", ["cannot_ack", "participant_not_found", "duplicate_id"])
def test_a_notice_refuses_nothing(code):
    assert play(began(), Refused("r", code))[-1] == ()


def test_a_refused_thought_ends_the_run_only_if_the_sequence_is_gone():
    assert play(began(), thought("t1"), Refused("t1", "rate_limited"))[-1] == ()
    assert play(began(), thought("t1"), Refused("t1", "sequence_closed"))[-1] == (Lose("r", "sequence_closed"),)
    assert play(began(), Refused("somebody-elses", "sequence_closed"))[-1] == ()


def test_a_run_that_another_connection_ended():
    assert play(began(), Closed("r"))[-1] == (Lose("r", "sequence_closed"),)
    assert play(Closed("r"), began(), Ended("r", "c", "returned"), Closed("r"))[-1] == ()


@pytest.mark.parametrize(
    "event", [thought(), BoundaryLeft("r"), Ended("r", "c", "returned"), began("taken"), began("over")]
)
def test_a_body_that_speaks_out_of_turn_changes_nothing(event):
    core = Core()
    play(began("taken"), began("over"), Ended("over", "c", "returned"), core=core)
    before = copy.deepcopy(vars(core))
    with pytest.raises(NotRunning):
        core.handle(event, NOW)
    assert vars(core) == before


# Any order of events.

_RUNS = ("a", "b")
_WHAT = ("began", "boundary", "boundary", "left", "ended", "asked", "asked", "asked", "welcomed", "other")
_HOW: tuple[Ending, ...] = ("returned", "interrupted", "failed", "cancelled")
_CODES = ("capability_violation", "sequence_closed", "cannot_ack", "duplicate_id")

# What happens, to which run, and two choices that each kind of event reads its own way.
_OPENED = [("began", "a", 1, 0), ("began", "b", 0, 0)]

_steps = st.lists(
    st.tuples(
        st.sampled_from(
            ["began", "began", "boundary", "boundary", "left", "ended", "asked", "asked", "asked", "welcomed", "other"]
        ),
        st.sampled_from(_RUNS),
        st.integers(0, 4),
        st.integers(0, 3),
    ),
    min_size=10,
    max_size=40,
)


def _event(n: int, what: str, run: str, one: int, two: int) -> Event:
    """The n-th event. Ids for new envelopes are fresh, as the shell's are; interrupts may arrive again."""
    match what:
        case "began":
            return Began(run, f"s{n}", "non-interruptible" if one == 0 else "soft-stop")
        case "boundary":
            return BoundaryReached(run, f"t{n}", "thought")
        case "left":
            return BoundaryLeft(run)
        case "ended":
            return Ended(run, f"c{n}", _HOW[two])
        case "asked":
            interrupt = Interrupt(f"i{one}{two}{run}", "human", run, CLASSES[one], input=f"input {one}{two}")
            return Interrupted(interrupt, f"ack{n}")
        case "welcomed":
            listed = tuple(Listed(id, f"w{n}{id}") for id in _RUNS[:two])
            return Welcomed(listed, complete=one > 1)
        case _:
            return (Accepted(run), Refused(run, _CODES[two]), Closed(run), Accepted(run), Accepted(run))[one]


_histories = _steps.map(lambda steps: [_event(n, *step) for n, step in enumerate(_OPENED + steps)])


def _run_history(history: list[Event]) -> list[tuple[Event, tuple[Effect, ...]]]:
    """What happened; what a body may not say then is left out."""
    core, happened = Core(), []
    for n, event in enumerate(history):
        with contextlib.suppress(NotRunning):
            happened.append((event, core.handle(event, NOW + n)))
    return happened


@settings(max_examples=300, deadline=None)
@given(_histories)
def test_every_interrupt_gets_one_ack_and_keeps_it(history):
    happened = _run_history(history)
    acks: dict[str, Send] = {}
    for event, effects in happened:
        answers = [one for one in effects if isinstance(one, Send) and one.kind == "reasoning/interrupt-ack"]
        assert len(answers) == isinstance(event, Interrupted)
        for answer in answers:
            assert isinstance(event, Interrupted)
            assert acks.setdefault(event.interrupt.id, answer) == answer


@settings(max_examples=300, deadline=None)
@given(_histories)
def test_a_run_has_one_conclusion_and_nothing_after_it(history):
    happened = _run_history(history)
    conclusions: dict[str, Send] = {}
    lost: set[str] = set()
    for event, effects in happened:
        for effect in effects:
            if isinstance(effect, Lose):
                lost.add(effect.run)
            elif isinstance(effect, Send) and effect.kind == "reasoning/conclusion":
                assert effect.context is not None
                assert conclusions.setdefault(effect.context, effect) == effect
            elif isinstance(effect, Send) and effect.context is not None:
                assert effect.context not in conclusions
        if isinstance(event, Ended) and event.run not in lost:
            assert conclusions[event.run].id == event.id


@settings(max_examples=300, deadline=None)
@given(_histories)
def test_after_an_ack_that_promises_a_stop_at_most_the_thought_it_allows(history):
    happened = _run_history(history)
    allowed: dict[str, int] = {}
    for event, effects in happened:
        for effect in effects:
            if not isinstance(effect, Send):
                continue
            if isinstance(event, Interrupted) and effect.payload["status"] in ("stopping", "completing_thought"):
                left = 0 if effect.payload["status"] == "stopping" else 1
                run = event.interrupt.run
                allowed[run] = min(left, allowed.get(run, 1))
            elif effect.kind == "reasoning/thought":
                assert effect.context is not None
                if effect.context in allowed:
                    allowed[effect.context] -= 1
                    assert allowed[effect.context] >= 0


@settings(max_examples=300, deadline=None)
@given(_histories)
def test_what_is_queued_follows_once_in_order_and_only_after_the_end(history):
    happened = _run_history(history)
    promised: dict[str, list[str]] = {}
    for event, effects in happened:
        for effect in effects:
            if isinstance(effect, Follow):
                assert isinstance(event, Ended)
                followed = [one.interrupt.id for one in effect.inputs]
                assert sorted(followed) == sorted(promised.pop(effect.run))
                for when in ("instead", "after"):
                    ids = [one.interrupt.id for one in effect.inputs if one.when == when]
                    assert [id for id in followed if id in ids] == ids
        if isinstance(event, Interrupted) and effects[0].id == event.ack:  # type: ignore[union-attr]
            answer = ack(effects)
            if answer["outcome"] == "queued" or (answer["outcome"], answer["class"]) == ("stopped", "override"):
                promised.setdefault(event.interrupt.run, []).append(event.interrupt.id)


@settings(max_examples=100, deadline=None)
@given(_histories)
def test_the_same_events_give_the_same_decisions(history):
    assert _run_history(history) == _run_history(history)
