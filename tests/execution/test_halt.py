"""The halt latch: what an emergency forbids, and who lifts it."""

from __future__ import annotations

import pytest

from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import Halt, Release, Send
from mew_gateway.sdk.execution.events import Accepted, Refused, ResumeHeard, StandingHalt, Started, Welcomed
from mew_gateway.sdk.execution.runs import Halted
from tests.execution.conftest import NOW, asked, began, ends, only, play, span


def halted(*ids: str) -> Core:
    core = Core()
    core.handle(Started("life", tuple(StandingHalt(id) for id in ids)), NOW)
    return core


def test_nothing_begins_while_an_emergency_stands():
    core = Core()
    play(began(policy="non-interruptible"), asked(class_="emergency"), core=core)
    for event in (began("s"), span("a")):
        with pytest.raises(Halted, match="i1"):
            core.handle(event, NOW)
    assert Release() in core.handle(ResumeHeard("boss", ("i1",)), NOW)
    core.handle(began("s"), NOW)
    core.handle(span("a"), NOW)


def test_it_is_closed_once_and_opened_once():
    core = Core()
    first, second = play(asked("e1", "emergency"), asked("e2", "emergency"), core=core)
    assert (len(only(Halt, first)), len(only(Halt, second))) == (1, 0)
    some, all_ = play(ResumeHeard("boss", ("e2",)), ResumeHeard("boss", ("e1",)), core=core)
    assert (len(only(Release, some)), len(only(Release, all_))) == (0, 1)


def test_an_earlier_lifes_emergencies_stand():
    core = Core()
    assert only(Halt, core.handle(Started("life", (StandingHalt("e1"),)), NOW)) == [Halt()]
    with pytest.raises(Halted):
        core.handle(began(), NOW)
    assert only(Halt, Core().handle(Started("life"), NOW)) == []


def test_what_nobody_vouches_for_is_lifted_only_by_who_is_trusted():
    core = Core()
    play(asked("a1", "emergency", run=None, source="alert"), core=core)
    assert core.handle(ResumeHeard("ana", ("a1",)), NOW) == ()
    assert Release() in core.handle(ResumeHeard("boss", ("a1",), trusted=True), NOW)


def test_a_resume_that_names_nothing_lifts_the_agents_own():
    core = halted("e1")
    core.handle(asked("a1", "emergency", run=None, source="alert"), NOW)
    assert core.handle(ResumeHeard("ana", ()), NOW) == ()
    core.handle(ResumeHeard("boss", (), trusted=True), NOW)
    assert list(core.state.halts) == ["e1"]


def test_the_welcome_settles_what_the_gateway_vouches_for():
    core = halted("e1", "e2")
    core.handle(asked("a1", "emergency", run=None, source="alert"), NOW)
    core.handle(Welcomed((), complete=True, halted=("e2", "e3")), NOW)
    assert list(core.state.halts) == ["e2", "a1", "e3"]
    core.handle(Welcomed((), complete=True), NOW)  # a gateway that does not say
    assert list(core.state.halts) == ["e2", "a1", "e3"]
    core.handle(Welcomed((), complete=True, halted=()), NOW)
    assert list(core.state.halts) == ["a1"]


def test_a_refusal_tells_of_an_emergency():
    core = Core()
    effects = play(began(), Refused("r", "halted", "e1"), core=core)[-1]
    assert Halt() in effects
    assert ends(effects) == [("r:root", "halted", "boundary")]
    assert core.state.halts == {"e1": StandingHalt("e1")}


def test_a_run_that_never_began_does_not_begin_under_an_emergency():
    core = Core()
    play(began(), began("known"), Accepted("known"), core=core)
    effects = core.handle(Welcomed((), complete=True, halted=("e1",)), NOW)
    assert only(Send, effects) == []
    rules = [("r:root", "halted", "boundary"), ("known:root", "sequence_lost", "boundary")]
    assert ends(effects) == rules


def test_it_holds_whatever_happens_to_the_oldest():
    core = Core()
    play(*(asked(f"e{n}", "emergency") for n in range(70)), core=core)
    assert list(core.state.halts) == [f"e{n}" for n in range(6, 70)]
