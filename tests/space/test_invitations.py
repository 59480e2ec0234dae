"""Invitations and kicks: whose token opens what, before and after a restart."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from mew_gateway.space.effects import Deliver, Dismiss, Effect, Issue, Readmit
from mew_gateway.space.events import Issued
from mew_gateway.space.machine import Space
from mew_gateway.space.settings import Bounds, Participant, SpaceSettings

from .conftest import Stage

ERRORS = Callable[[list[Any]], list[str]]


def digest(invite: str) -> bytes:
    return hashlib.sha256(f"token of {invite}".encode()).digest()


def invite(stage: Any, id: str, name: str, **payload: Any) -> list[Effect]:
    return stage.say("admin", "space/invite", id, {"participant_id": name, **payload})  # type: ignore[no-any-return]


def holders(stage: Any, *invites: str) -> list[str | None]:
    """Who holds the tokens of these invitations; a space restored from the snapshot must agree."""
    restored = Space.restored(stage.space.snapshot())
    found = [stage.space.members.holder(digest(one)) for one in invites]
    assert found == [restored.members.holder(digest(one)) for one in invites]
    return found


def test_token_is_valid_once_it_is_drawn(stage: Any) -> None:
    stage.join("admin")
    effects = invite(stage, "v1", "newcomer", initial_capabilities=[{"kind": "chat"}])
    assert effects[-1] == Issue("newcomer", "v1", "admin")
    assert holders(stage, "v1") == [None]
    stage.issue("newcomer")
    assert holders(stage, "v1") == ["newcomer"]
    stage.restart()
    assert holders(stage, "v1") == ["newcomer"]
    assert stage.space.members.capabilities("newcomer").sources == [{"kind": "chat"}]


def test_an_invitation_that_is_posted_again_has_another_token(stage: Stage, errors: ERRORS) -> None:
    """Nobody connected posts: an answer that is lost comes to nobody."""
    stage.join("human")
    first = invite(stage, "v1", "newcomer")
    assert len(first) > 1 and first[-1] == Issue("newcomer", "v1", "admin")
    guest = stage.space.state.invitees["newcomer"].ordinal
    assert stage.again("admin", "v1") == [first[-1]], "it was said once: nobody else is told"
    assert stage.space.state.invitees["newcomer"].ordinal == guest, "it is the same guest"
    stage.issue("newcomer")
    assert holders(stage, "v1") == ["newcomer"]
    another = hashlib.sha256(b"another").digest()
    stage.handle(Issued("newcomer", "v1", "admin", another))
    assert holders(stage, "v1") == [None] and stage.space.members.holder(another) == "newcomer"
    stage.join("admin")
    assert errors(stage.again("admin", "v1")) == ["duplicate_id"], "over a connection a resend is one"
    stage.leave("admin")
    stage.say("human", "participant/pause", "p1", to=["admin"])
    assert errors(stage.again("admin", "v1")) == ["paused"]
    stage.say("human", "participant/resume", "p2", to=["admin"])
    stage.join("newcomer")
    assert errors(stage.again("admin", "v1")) == ["duplicate_id"], "it has used its token"
    stage.verify()


def test_the_answer_names_the_token_and_does_not_hold_it(stage: Any) -> None:
    """§3.6.5: only the inviter's connections get it; the first `"token":null` in it is the one to fill in."""
    stage.join("admin")
    stage.join("human")
    pattern = {"kind": "acme/x", "payload": {"token": None}}
    invite(stage, "v1", "newcomer", initial_capabilities=[pattern])
    (answer,) = stage.issue("newcomer")
    assert isinstance(answer, Deliver)
    assert (answer.connections, answer.audience) == ((stage.numbers["admin"],), ("admin",))
    assert answer.digest == digest("v1")
    head, _, rest = answer.data.partition(b'"token":null')
    assert b"capabilities" not in head
    assert b'"token":null' in rest


def test_older_token_is_invalid(stage: Any) -> None:
    stage.join("admin")
    for id in ("v1", "v2", "v3"):
        invite(stage, id, "newcomer")
    for _ in range(3):
        stage.issue("newcomer")
    assert holders(stage, "v1", "v2", "v3") == [None, None, "newcomer"]
    invite(stage, "v4", "newcomer")
    assert holders(stage, "v3", "v4") == [None, None]


def test_kicked_guest_is_forgotten_with_its_token(stage: Any) -> None:
    stage.join("admin")
    invite(stage, "v1", "newcomer")
    stage.issue("newcomer")
    stage.join("newcomer")
    effects = stage.say("admin", "space/kick", "k1", {"participant_id": "newcomer"})
    assert effects[-1] == Dismiss("newcomer")
    assert holders(stage, "v1") == [None]
    assert not stage.space.members.knows("newcomer")
    assert (stage.space.state.invitees, stage.space.state.kicked) == ({}, {})


def test_guest_configured_later_has_the_operators_token(stage: Any, errors: ERRORS) -> None:
    """Else an inviter's guest would get what the operator meant for somebody of that name."""
    stage.join("admin")
    invite(stage, "v1", "newcomer", initial_capabilities=[])
    invite(stage, "v2", "guest", initial_capabilities=[])
    stage.issue("newcomer")
    settings = stage.space.state.settings
    both = {name: Participant(name, ({"kind": "*"},)) for name in ("newcomer", "guest")}
    stage.reconfigure(msgspec.structs.replace(settings, participants={**settings.participants, **both}))
    assert holders(stage, "v1") == [None]
    assert stage.issue("guest") == []
    assert errors(invite(stage, "v3", "guest")) == ["already_exists"]


def test_kicked_participant_no_longer_configured_is_invited_as_a_guest(stage: Any) -> None:
    stage.join("admin")
    stage.say("admin", "space/kick", "k1", {"participant_id": "mute"})
    settings = stage.space.state.settings
    others = {name: one for name, one in settings.participants.items() if name != "mute"}
    stage.reconfigure(msgspec.structs.replace(settings, participants=others))
    effects = invite(stage, "v1", "mute", initial_capabilities=[{"kind": "chat"}])
    assert effects[-1] == Issue("mute", "v1", "admin")
    stage.issue("mute")
    stage.join("mute")
    assert isinstance(stage.say("mute", "chat", "c1", {"text": "hello"})[0], Deliver)
    assert stage.space.state.kicked == {}


def test_a_kick_survives_a_restart_and_an_invitation_ends_it(stage: Any, errors: ERRORS) -> None:
    stage.join("admin")
    stage.join("solver")
    stage.say("admin", "capability/revoke", "r1", {"recipient": "solver", "capabilities": [{"kind": "chat"}]})
    stage.say("admin", "space/kick", "k1", {"participant_id": "solver"})
    stage.restart()
    assert errors(stage.say("solver", "participant/status", "s1", {})) == ["removed"]
    effects = invite(stage, "v1", "solver")
    assert Readmit("solver") in effects
    assert errors(stage.say("solver", "participant/status", "s2", {})) == []
    assert errors(stage.say("solver", "chat", "c1", {"text": "hello"})) == ["capability_violation"]


def test_pauses_end_with_a_kick_and_halts_do_not(stage: Any, errors: ERRORS) -> None:
    for name in ("admin", "safety", "worker"):
        stage.join(name)
    stage.say("worker", "reasoning/start", "r1")
    emergency = {"reason": "error", "class": "emergency"}
    stage.say("safety", "reasoning/interrupt", "i1", emergency, to=["worker"], correlation_id=["r1"])
    stage.say("admin", "participant/pause", "p1", to=["worker"])
    stage.say("admin", "space/kick", "k1", {"participant_id": "worker"})
    invite(stage, "v1", "worker")
    assert stage.space.state.paused == {}
    assert errors(stage.say("worker", "chat", "c1", {"text": "hello"})) == []
    assert errors(stage.say("worker", "reasoning/start", "r2")) == ["halted"]


def halt_and_kick(stage: Stage, nth: int, guest: str) -> None:
    """A guest that is invited sends an emergency against itself, and has to go."""
    can = [{"kind": "reasoning/start"}, {"kind": "reasoning/interrupt"}]
    invite(stage, f"n{nth}", guest, initial_capabilities=can)
    stage.say(guest, "reasoning/start", f"s{nth}")
    emergency = {"reason": "error", "class": "emergency"}
    stage.say(guest, "reasoning/interrupt", f"e{nth}", emergency, to=[guest], correlation_id=[f"s{nth}"])
    assert f"e{nth}" in stage.space.state.interrupts
    stage.say("admin", "space/kick", f"k{nth}", {"participant_id": guest})


def inviting() -> Stage:
    """A space with room for two guests, in which `admin` may give everything away."""
    participants = {"admin": Participant("admin", ({"kind": "*"}, {"kind": "reasoning/interrupt"}))}
    stage = Stage(SpaceSettings(id="demo", participants=participants, bounds=Bounds(invitees=2)))
    stage.join("admin")
    return stage


def test_outdated_emergencies_of_guests_are_forgotten() -> None:
    stage = inviting()
    for nth in range(30):
        halt_and_kick(stage.at(nth * 20_000), nth, f"guest{nth}")
        assert [*stage.space.state.alarms] == [f"guest{n}" for n in range(max(0, nth - 2), nth + 1)]
    stage.verify()


def test_returning_guest_keeps_its_emergency_count() -> None:
    """And who sends one again stands behind those who did meanwhile."""
    stage = inviting()
    halt_and_kick(stage.at(0), 0, "first")
    halt_and_kick(stage.at(20_000), 1, "second")
    stage.at(40_000).say("admin", "reasoning/start", "s2")
    invite(stage, "n2", "first", initial_capabilities=[{"kind": "reasoning/interrupt"}])
    emergency = {"reason": "error", "class": "emergency"}
    stage.say("first", "reasoning/interrupt", "e2", emergency, to=["admin"], correlation_id=["s2"])
    alarms = stage.space.state.alarms
    assert [(name, len(times)) for name, times in alarms.items()] == [("second", 1), ("first", 2)]


def test_halts_of_absent_guests_are_bounded() -> None:
    stage = inviting()
    halt_and_kick(stage.at(0), 0, "first")
    halt_and_kick(stage.at(60_000), 1, "second")
    invite(stage, "back", "first", initial_capabilities=[{"kind": "chat"}])
    for nth in (3, 4, 5):
        halt_and_kick(stage.at(nth * 60_000), nth, f"other{nth}")
    assert [*stage.space.state.halted] == ["first", "other4", "other5"], "who is here stays halted"
    stage.say("admin", "space/kick", "again", {"participant_id": "first"})
    assert [*stage.space.state.halted] == ["other5", "first"], "who left first is forgotten first"
    stage.verify()


def test_nothing_is_left_of_guests_who_come_and_go(stage: Any) -> None:
    stage.join("admin")
    before = len(stage.space.snapshot()["state"])
    for n in range(20):
        can = [{"kind": ["mcp/request", "space/kick", "chat"]}]
        stage.say("admin", "space/invite", f"n{n}", {"participant_id": f"guest{n}", "initial_capabilities": can})
        stage.issue(f"guest{n}")
        stage.join(f"guest{n}")
        stage.say(f"guest{n}", "mcp/request", f"q{n}", {"method": "tools/list"}, to=["calculator"])
        kicker = "admin" if n % 2 else f"guest{n}"
        stage.say(kicker, "space/kick", f"k{n}", {"participant_id": f"guest{n}"})
    state = stage.space.state
    assert not (state.requests or state.asking or state.invitees)
    assert len(stage.space.snapshot()["state"]) < before + 1_000
    stage.verify()
