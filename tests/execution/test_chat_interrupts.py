"""What is said while the agent is at work: who may interrupt with it, as what, and how often."""

from __future__ import annotations

import pytest

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Attend, Classify, Resume, Send
from mew_gateway.sdk.execution.events import Classified, Held, TimePassed, Withdrawn
from tests.execution.conftest import NOW, ack, asked, began, ended, notes, only, play, said


def test_while_nothing_has_the_focus_every_chat_is_an_ordinary_one():
    core = Core()
    assert core.handle(said(), NOW) == (Attend("c1"),)
    core.handle(began(foreground=False, user="ana"), NOW)
    assert core.handle(said(), NOW) == (Attend("c1"),)


def test_the_words_of_a_stranger_interrupt_nothing():
    _, effects = play(began(user="ana"), said(sender="bob"))
    assert effects == (Attend("c1"),)


@pytest.mark.parametrize("class_", CLASSES)
def test_the_runs_own_user_may_do_all_but_an_emergency(class_):
    *_, effects = play(began(user="ana"), said(text="hmm", model=100), Classified("c1", class_, 0.9, "model"))
    assert ack(effects)["class"] == ("cancel" if class_ == "emergency" else class_)


@pytest.mark.parametrize(
    ("allowed", "found", "acted"),
    [
        (("queue",), "cancel", "queue"),
        (("queue", "cancel"), "emergency", "cancel"),
        (("queue",), "emergency", "queue"),
        (("queue", "clarification"), "override", "queue"),
        (("cancel",), "override", None),
        (("emergency",), "emergency", "emergency"),
    ],
)
def test_others_may_what_their_capabilities_say(allowed, found, acted):
    *_, effects = play(
        began(user="ana"),
        said(text="hmm", sender="bob", allowed=allowed, model=100),
        Classified("c1", found, 0.9, "model"),
    )
    if acted is None:
        assert only(Attend, effects) == [Attend("c1")]
    else:
        assert ack(effects)["class"] == acted


def test_a_recognisers_doubt_counts_and_the_classifiers_where_there_is_none():
    _, doubtful = play(began(user="ana"), said(confidence=0.6))
    _, noise = play(began(user="ana"), said(confidence=0.39))
    _, certain = play(began(user="ana"), said())
    assert ack(doubtful)["outcome"] == "queued"
    assert ack(noise)["reason_code"] == "low_confidence"
    assert notes(certain, "decided")[0].data["confidence"] == 0.95


def test_noise_is_not_counted_as_a_barge_in():
    core = Core()
    play(began(user="ana"), *(said(f"n{n}", confidence=0.1) for n in range(9)), core=core)
    assert ack(core.handle(said("c1"), NOW))["outcome"] == "stopped"


def test_the_sixth_in_ten_seconds_is_queued():
    core = Core()
    answers = play(began(user="ana", policy="non-interruptible"), *(said(f"c{n}") for n in range(6)), core=core)[1:]
    assert [ack(one)["class"] for one in answers] == ["cancel"] * 5 + ["queue"]
    assert ack(core.handle(said("c7", sender="bob", allowed=("cancel",)), NOW + 9))["class"] == "cancel"
    assert ack(core.handle(said("c8"), NOW + 10_001))["class"] == "cancel"


def test_who_barged_in_is_remembered_for_a_thousand():
    core = Core()
    core.handle(began(policy="non-interruptible"), NOW)
    for n in range(1_100):
        core.handle(said(f"c{n}", sender=f"p{n}", allowed=("queue",)), NOW)
    assert len(core.state.barged_in) == 1_000


def test_a_model_is_asked_and_has_until_its_time_is_over():
    core = Core()
    _, asked_for = play(began(user="ana"), said(text="no, mejor mañana", model=200), core=core)
    assert only(Classify, asked_for) == [Classify("c1", "no, mejor mañana", 200)]
    assert core.deadline == NOW + 201
    late = core.handle(TimePassed(), NOW + 201)
    assert ack(late)["class"] == "override"
    assert core.handle(Classified("c1", "cancel", 1.0, "model"), NOW + 300) == ()


def test_a_model_that_has_too_much_to_do_is_not_asked():
    core = Core()
    core.handle(began(policy="non-interruptible"), NOW)
    for n in range(64):
        core.handle(said(f"c{n}", "hmm", f"p{n}", allowed=("queue",), model=200), NOW)
    effects = core.handle(said("c64", "hmm", "p64", allowed=("queue",), model=200), NOW)
    assert only(Classify, effects) == []
    assert ack(effects)["outcome"] == "queued"
    assert len(core.state.pending) == 64


def test_what_a_model_says_of_its_own_certainty_is_kept_within_bounds():
    for certainty, kept in ((7.0, 1.0), (-1.0, 0.0)):
        *_, effects = play(
            began(user="ana"), said(text="hmm", model=200), Classified("c1", "cancel", certainty, "model")
        )
        assert notes(effects, "classified")[0].data["confidence"] == kept


def test_an_agent_that_may_not_acknowledge_decides_all_the_same():
    core = Core()
    event = said()
    silent = type(event)(event.id, event.sender, event.text, event.received)
    _, effects = play(began(user="ana"), silent, core=core)
    assert only(Send, effects) == []
    assert core.state.runs["r"].stop is not None


def test_who_is_waited_for_is_heard_also_while_another_run_has_the_focus():
    core = Core()
    play(began(), asked(class_="clarification", sender="ana"), Held("r", "r:root", "k"), began("s"), core=core)
    assert only(Resume, core.handle(said(text="the red one"), NOW)) == [Resume("r:root", "the red one")]
    assert core.handle(ended("r"), NOW) != ()


def test_a_chat_that_arrives_twice_is_decided_once():
    core = Core()
    play(began(user="ana"), said(text="hmm", model=200), core=core)
    assert core.handle(said(text="hmm", model=200), NOW + 50) == (Attend("c1"),)
    assert core.deadline == NOW + 201


def test_whoever_begins_anew_waits_for_no_classifier():
    core = Core()
    play(began(user="ana"), said(text="hmm", model=200), core=core)
    core.handle(Withdrawn(("other",)), NOW)
    assert list(core.state.pending) == ["c1"]
    core.handle(Withdrawn(), NOW)
    assert core.state.pending == {}
