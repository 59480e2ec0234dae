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

from ..kit.space_driver import SpaceDriver

ERRORS = Callable[[list[Any]], list[str]]


def digest(invite: str) -> bytes:
    return hashlib.sha256(f"token of {invite}".encode()).digest()


def invite(driver: Any, id: str, name: str, **payload: Any) -> list[Effect]:
    return driver.say("admin", "space/invite", id, {"participant_id": name, **payload})  # type: ignore[no-any-return]


def holders(driver: Any, *invites: str) -> list[str | None]:
    """Who holds the tokens of these invitations; a space restored from the snapshot must agree."""
    restored = Space.restored(driver.space.snapshot())
    found = [driver.space.members.holder(digest(one)) for one in invites]
    assert found == [restored.members.holder(digest(one)) for one in invites]
    return found


def test_token_is_valid_once_it_is_drawn(driver: Any) -> None:
    driver.join("admin")
    effects = invite(driver, "v1", "newcomer", initial_capabilities=[{"kind": "chat"}])
    assert effects[-1] == Issue("newcomer", "v1", "admin")
    assert holders(driver, "v1") == [None]
    driver.issue("newcomer")
    assert holders(driver, "v1") == ["newcomer"]
    driver.restart()
    assert holders(driver, "v1") == ["newcomer"]
    assert driver.space.members.capabilities("newcomer").sources == [{"kind": "chat"}]


def test_an_invitation_that_is_posted_again_has_another_token(driver: SpaceDriver, errors: ERRORS) -> None:
    """Nobody connected posts: an answer that is lost comes to nobody."""
    driver.join("human")
    first = invite(driver, "v1", "newcomer")
    assert len(first) > 1 and first[-1] == Issue("newcomer", "v1", "admin")
    guest = driver.space.state.invitees["newcomer"].ordinal
    assert driver.again("admin", "v1") == [first[-1]], "it was said once: nobody else is told"
    assert driver.space.state.invitees["newcomer"].ordinal == guest, "it is the same guest"
    driver.issue("newcomer")
    assert holders(driver, "v1") == ["newcomer"]
    another = hashlib.sha256(b"another").digest()
    driver.handle(Issued("newcomer", "v1", "admin", another))
    assert holders(driver, "v1") == [None] and driver.space.members.holder(another) == "newcomer"
    driver.join("admin")
    assert errors(driver.again("admin", "v1")) == ["duplicate_id"], "over a connection a resend is one"
    driver.leave("admin")
    driver.say("human", "participant/pause", "p1", to=["admin"])
    assert errors(driver.again("admin", "v1")) == ["paused"]
    driver.say("human", "participant/resume", "p2", to=["admin"])
    driver.join("newcomer")
    assert errors(driver.again("admin", "v1")) == ["duplicate_id"], "it has used its token"
    driver.verify()


def test_the_answer_names_the_token_and_does_not_hold_it(driver: Any) -> None:
    """§3.6.5: only the inviter's connections get it; the first `"token":null` in it is the one to fill in."""
    driver.join("admin")
    driver.join("human")
    pattern = {"kind": "acme/x", "payload": {"token": None}}
    invite(driver, "v1", "newcomer", initial_capabilities=[pattern])
    (answer,) = driver.issue("newcomer")
    assert isinstance(answer, Deliver)
    assert (answer.connections, answer.audience) == ((driver.numbers["admin"],), ("admin",))
    assert answer.digest == digest("v1")
    head, _, rest = answer.data.partition(b'"token":null')
    assert b"capabilities" not in head
    assert b'"token":null' in rest


def test_older_token_is_invalid(driver: Any) -> None:
    driver.join("admin")
    for id in ("v1", "v2", "v3"):
        invite(driver, id, "newcomer")
    for _ in range(3):
        driver.issue("newcomer")
    assert holders(driver, "v1", "v2", "v3") == [None, None, "newcomer"]
    invite(driver, "v4", "newcomer")
    assert holders(driver, "v3", "v4") == [None, None]


def test_what_a_guest_gives_is_charged_to_who_invited_the_first_of_them(driver: Any) -> None:
    """Also if it invites itself anew: else each guest would have a share of its own."""
    driver.join("admin")
    can = [{"kind": "chat"}, {"kind": "space/invite"}, {"kind": "capability/grant"}]
    invite(driver, "v1", "one", initial_capabilities=can)
    driver.say("one", "space/invite", "v2", {"participant_id": "two", "initial_capabilities": can})
    driver.say("two", "space/invite", "v3", {"participant_id": "two", "initial_capabilities": can})
    driver.say("two", "capability/grant", "g1", {"recipient": "mute", "capabilities": can[:1]})
    state, given = driver.space.state, driver.space.members.given
    assert [one.sponsor for one in state.invitees.values()] == ["admin", "admin"]
    size = sum(len(msgspec.json.encode(one)) + 1 for one in can)
    assert given.with_more("admin", 0) == (2 * size + 15 + 1, 2 * size + 15 + 1)
    driver.say("admin", "space/kick", "k1", {"participant_id": "one"})
    assert given.with_more("admin", 0)[0] == size + 16
    restored = Space.restored(driver.space.snapshot()).members.given
    assert restored.with_more("admin", 0) == given.with_more("admin", 0)
    driver.say("admin", "space/kick", "k2", {"participant_id": "two"})
    driver.say("admin", "capability/revoke", "r1", {"recipient": "mute", "grant_id": "g1"})
    assert given.total == 0
    driver.verify()


def test_kicked_guest_is_forgotten_with_its_token(driver: Any) -> None:
    driver.join("admin")
    invite(driver, "v1", "newcomer")
    driver.issue("newcomer")
    driver.join("newcomer")
    effects = driver.say("admin", "space/kick", "k1", {"participant_id": "newcomer"})
    assert effects[-1] == Dismiss("newcomer")
    assert holders(driver, "v1") == [None]
    assert not driver.space.members.knows("newcomer")
    assert (driver.space.state.invitees, driver.space.state.kicked) == ({}, {})


def test_guest_configured_later_has_the_operators_token(driver: Any, errors: ERRORS) -> None:
    """Else an inviter's guest would get what the operator meant for somebody of that name."""
    driver.join("admin")
    invite(driver, "v1", "newcomer", initial_capabilities=[])
    invite(driver, "v2", "guest", initial_capabilities=[])
    driver.issue("newcomer")
    settings = driver.space.state.settings
    both = {name: Participant(name, ({"kind": "*"},)) for name in ("newcomer", "guest")}
    driver.reconfigure(msgspec.structs.replace(settings, participants={**settings.participants, **both}))
    assert holders(driver, "v1") == [None]
    assert driver.issue("guest") == []
    assert errors(invite(driver, "v3", "guest")) == ["already_exists"]


def test_kicked_participant_no_longer_configured_is_invited_as_a_guest(driver: Any) -> None:
    driver.join("admin")
    driver.say("admin", "space/kick", "k1", {"participant_id": "mute"})
    settings = driver.space.state.settings
    others = {name: one for name, one in settings.participants.items() if name != "mute"}
    driver.reconfigure(msgspec.structs.replace(settings, participants=others))
    effects = invite(driver, "v1", "mute", initial_capabilities=[{"kind": "chat"}])
    assert effects[-1] == Issue("mute", "v1", "admin")
    driver.issue("mute")
    driver.join("mute")
    assert isinstance(driver.say("mute", "chat", "c1", {"text": "hello"})[0], Deliver)
    assert driver.space.state.kicked == {}


def test_a_kick_survives_a_restart_and_an_invitation_ends_it(driver: Any, errors: ERRORS) -> None:
    driver.join("admin")
    driver.join("solver")
    driver.say("admin", "capability/revoke", "r1", {"recipient": "solver", "capabilities": [{"kind": "chat"}]})
    driver.say("admin", "space/kick", "k1", {"participant_id": "solver"})
    driver.restart()
    assert errors(driver.say("solver", "participant/status", "s1", {})) == ["removed"]
    effects = invite(driver, "v1", "solver")
    assert Readmit("solver") in effects
    assert errors(driver.say("solver", "participant/status", "s2", {})) == []
    assert errors(driver.say("solver", "chat", "c1", {"text": "hello"})) == ["capability_violation"]


def test_pauses_end_with_a_kick_and_halts_do_not(driver: Any, errors: ERRORS) -> None:
    for name in ("admin", "safety", "worker"):
        driver.join(name)
    driver.say("worker", "reasoning/start", "r1")
    emergency = {"reason": "error", "class": "emergency"}
    driver.say("safety", "reasoning/interrupt", "i1", emergency, to=["worker"], correlation_id=["r1"])
    driver.say("admin", "participant/pause", "p1", to=["worker"])
    driver.say("admin", "space/kick", "k1", {"participant_id": "worker"})
    invite(driver, "v1", "worker")
    assert driver.space.state.paused == {}
    assert errors(driver.say("worker", "chat", "c1", {"text": "hello"})) == []
    assert errors(driver.say("worker", "reasoning/start", "r2")) == ["halted"]


def halt_and_kick(driver: SpaceDriver, nth: int, guest: str) -> None:
    """A guest that is invited sends an emergency against itself, and has to go."""
    can = [{"kind": "reasoning/start"}, {"kind": "reasoning/interrupt"}]
    invite(driver, f"n{nth}", guest, initial_capabilities=can)
    driver.say(guest, "reasoning/start", f"s{nth}")
    emergency = {"reason": "error", "class": "emergency"}
    driver.say(guest, "reasoning/interrupt", f"e{nth}", emergency, to=[guest], correlation_id=[f"s{nth}"])
    assert f"e{nth}" in driver.space.state.interrupts
    driver.say("admin", "space/kick", f"k{nth}", {"participant_id": guest})


def inviting() -> SpaceDriver:
    """A space with room for two guests, in which `admin` may give everything away."""
    participants = {"admin": Participant("admin", ({"kind": "*"}, {"kind": "reasoning/interrupt"}))}
    driver = SpaceDriver(SpaceSettings(id="demo", participants=participants, bounds=Bounds(invitees=2)))
    driver.join("admin")
    return driver


def test_outdated_emergencies_of_guests_are_forgotten() -> None:
    driver = inviting()
    for nth in range(30):
        halt_and_kick(driver.at(nth * 20_000), nth, f"guest{nth}")
        assert [*driver.space.state.alarms] == [f"guest{n}" for n in range(max(0, nth - 2), nth + 1)]
    driver.verify()


def test_returning_guest_keeps_its_emergency_count() -> None:
    """And who sends one again stands behind those who did meanwhile."""
    driver = inviting()
    halt_and_kick(driver.at(0), 0, "first")
    halt_and_kick(driver.at(20_000), 1, "second")
    driver.at(40_000).say("admin", "reasoning/start", "s2")
    invite(driver, "n2", "first", initial_capabilities=[{"kind": "reasoning/interrupt"}])
    emergency = {"reason": "error", "class": "emergency"}
    driver.say("first", "reasoning/interrupt", "e2", emergency, to=["admin"], correlation_id=["s2"])
    alarms = driver.space.state.alarms
    assert [(name, len(times)) for name, times in alarms.items()] == [("second", 1), ("first", 2)]


def test_halts_of_absent_guests_are_bounded() -> None:
    driver = inviting()
    halt_and_kick(driver.at(0), 0, "first")
    halt_and_kick(driver.at(60_000), 1, "second")
    invite(driver, "back", "first", initial_capabilities=[{"kind": "chat"}])
    for nth in (3, 4, 5):
        halt_and_kick(driver.at(nth * 60_000), nth, f"other{nth}")
    assert [*driver.space.state.halted] == ["first", "other4", "other5"], "who is here stays halted"
    driver.say("admin", "space/kick", "again", {"participant_id": "first"})
    assert [*driver.space.state.halted] == ["other5", "first"], "who left first is forgotten first"
    driver.verify()


def test_nothing_is_left_of_guests_who_come_and_go(driver: Any) -> None:
    driver.join("admin")
    before = len(driver.space.snapshot()["state"])
    for n in range(20):
        can = [{"kind": ["mcp/request", "space/kick", "chat"]}]
        driver.say("admin", "space/invite", f"n{n}", {"participant_id": f"guest{n}", "initial_capabilities": can})
        driver.issue(f"guest{n}")
        driver.join(f"guest{n}")
        driver.say(f"guest{n}", "mcp/request", f"q{n}", {"method": "tools/list"}, to=["calculator"])
        kicker = "admin" if n % 2 else f"guest{n}"
        driver.say(kicker, "space/kick", f"k{n}", {"participant_id": f"guest{n}"})
    state = driver.space.state
    assert not (state.requests or state.asking or state.invitees)
    assert len(driver.space.snapshot()["state"]) < before + 1_000
    driver.verify()
