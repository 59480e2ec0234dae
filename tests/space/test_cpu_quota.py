"""The work on a participant's envelopes is bounded over time, however many of them they are (docs/protocol.md §3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import re2

from mew_gateway.protocol.budget import MAX_WORK
from mew_gateway.protocol.capabilities import Capability, compile_capability
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.patterns import compile_strings
from mew_gateway.space import members
from mew_gateway.space.effects import Deliver
from mew_gateway.space.events import DeadlinePassed, Restarted
from mew_gateway.space.limits.cpu_quota import CHARGED_FROM, STEPS_PER_MS, budget_for
from mew_gateway.space.participants import grants
from mew_gateway.space.settings import Participant

from ..kit.space_driver import CAST, START, SpaceDriver, cast_settings

ERRORS = Callable[..., list[str]]

SLOW: dict[str, Any] = {
    "kind": "acme/x",
    "payload": {"text": "/(a|b)*a(a|b){100}c/"},
}  # never matches what is said here
LONG = {
    "text": "ab" * (MAX_WORK // 4 // compile_strings(SLOW["payload"]["text"], "")[1][0].steps // 2)
}  # a quarter of it


def driver_with(**people: tuple[dict[str, Any], ...]) -> SpaceDriver:
    """A space with the whole cast, some of whom may send something else."""
    settings = cast_settings()
    others = {name: Participant(name, capabilities) for name, capabilities in people.items()}
    return SpaceDriver(type(settings)(id="demo", participants={**settings.participants, **others}))


def retry_after(effects: list[Any]) -> int:
    told = [json.loads(effect.data)["payload"] for effect in effects if isinstance(effect, Deliver)]
    wait: int = told[-1]["retry_after_ms"]
    return wait


@pytest.fixture
def driver() -> Any:
    return driver_with(**{name: (*CAST[name], SLOW) for name in ("solver", "calculator")})


def exhaust(driver: Any, errors: ERRORS, name: str) -> int:
    """Say what takes work, until nothing more is to be had; how often it was decided about."""
    for nth in range(50):
        said = driver.say(name, "acme/x", f"{name} {driver.now} {nth}", LONG)
        if errors(said) == ["rate_limited"]:
            return nth
        assert errors(said) == ["capability_violation"]
    raise AssertionError("there is no end to it")


def test_debtor_is_refused_with_a_wait_and_then_admitted(driver: Any, errors: ERRORS) -> None:
    """However much the next one takes: what the refused try has cost is in what it is told."""
    driver.join("solver")
    longer = {"text": LONG["text"] * 3}
    assert errors(driver.say("solver", "acme/x", "a half", {"text": LONG["text"] * 2})) == ["capability_violation"]
    told = driver.say("solver", "acme/x", "too much now", longer)
    assert errors(told) == ["rate_limited"]
    wait = retry_after(told)
    assert 0 < wait <= MAX_WORK // STEPS_PER_MS
    assert errors(driver.at(wait).say("solver", "acme/x", "after the wait", longer)) == ["capability_violation"]


def test_cheap_envelopes_and_other_participants_pass_during_a_debt(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    driver.join("calculator")
    often = exhaust(driver, errors, "solver")
    assert errors(driver.say("solver", "chat", "c1", {"text": "still here"})) == []
    assert exhaust(driver, errors, "calculator") == often


def test_quota_is_a_fiftieth_of_a_core_over_a_minute(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    decided = 0
    for second in range(60):
        decided += exhaust(driver.at(1_000 * second), errors, "solver")
    assert (MAX_WORK + 60_000 * STEPS_PER_MS) * 0.9 < decided * MAX_WORK / 4 < MAX_WORK + 60_000 * STEPS_PER_MS


def test_a_refused_kind_costs_nothing(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    for nth in range(100):
        assert errors(driver.say("solver", "mcp/request", f"r{nth}", LONG)) == ["capability_violation"]
    assert driver.space.state.owing == {}


def test_little_work_is_not_charged(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    few = {"text": LONG["text"][: len(LONG["text"]) * CHARGED_FROM // MAX_WORK]}
    driver.say("solver", "acme/x", "x1", few)
    assert driver.space.state.owing == {}


def test_granter_is_charged_for_compiling(driver: Any, errors: ERRORS) -> None:
    driver.join("admin")
    names = [name for name in CAST if name not in ("admin", "solver")]
    outcomes = []
    for name in names:
        given = {"recipient": name, "capabilities": [{"kind": f"/{name}{n}/"} for n in range(8)]}
        outcomes += errors(driver.say("admin", "capability/grant", f"g {name}", given)) or ["given"]
    assert outcomes[:2] == ["given"] * 2
    assert set(outcomes[2:]) == {"rate_limited"}
    later = {"recipient": names[-1], "capabilities": [{"kind": "/later/"}]}
    assert errors(driver.at(60_000).say("admin", "capability/grant", "later", later)) == []


def test_revocation_over_budget_revokes_nothing(driver: Any, errors: ERRORS) -> None:
    driver.join("admin")
    driver.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": "acme/y"}]})
    for nth in range(20):
        patterns = [{"kind": f"/{nth} {n}/"} for n in range(16)]
        told = driver.say("admin", "capability/revoke", f"v{nth}", {"recipient": "solver", "capabilities": patterns})
        if errors(told) == ["rate_limited"]:
            break
        assert errors(told) == ["grant_not_found"]
    assert errors(told) == ["rate_limited"]
    assert "g1" in driver.space.state.grants


def test_paid_debt_is_forgotten(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    driver.join("calculator")
    exhaust(driver, errors, "solver")
    driver.at(60_000).say("calculator", "acme/x", "w1", LONG)
    assert list(driver.space.state.owing) == ["calculator"]


def test_expensive_kind_lookup_is_charged_once(errors: ERRORS) -> None:
    """Kinds are the senders' to invent: each one would have every expression asked about it."""
    patterns = [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(200, 208)]
    driver = driver_with(solver=({"kind": patterns}, {"kind": "chat"}))
    driver.join("solver")
    outcomes = []
    for nth in range(60):
        outcomes += errors(driver.say("solver", "ab" * 40 + f"/{nth}", f"x{nth}"))
    known = outcomes.index("rate_limited")
    assert 0 < known < 58
    assert set(outcomes[:known]) == {"capability_violation"}
    assert errors(driver.say("solver", "ab" * 40 + "/0", "again")) == ["capability_violation"]
    assert errors(driver.say("solver", "chat", "c", {"text": "x"})) == []
    assert errors(driver.at(2_000).say("solver", "ab" * 40 + "/60", "later")) == ["capability_violation"]


HEAVY = [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(200, 206)]


def test_grants_and_revocations_do_not_charge_a_kind_again(driver: Any, errors: ERRORS) -> None:
    """Whoever gives a capability pays for what it has others find out about it, and not they."""
    driver.join("admin")
    driver.join("solver")
    driver.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    driver.at(10_000).say("solver", "ab" * 40, "x1")
    owed = dict(driver.space.state.owing)
    assert "solver" in owed
    assert driver.space.state.weighed == {"solver": ["ab" * 40]}
    driver.say("admin", "capability/revoke", "v1", {"recipient": "solver", "grant_id": "g1"})
    assert errors(driver.say("admin", "capability/grant", "g2", {"recipient": "solver", "capabilities": [SLOW]})) == []
    driver.say("solver", "ab" * 40, "x2")
    assert driver.space.state.owing["solver"] == owed["solver"]
    driver.at(20_000)
    given = driver.say("admin", "capability/grant", "g3", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    assert errors(given) == []
    once = driver.space.state.owing["admin"] - driver.now
    driver.at(40_000).say("admin", "capability/grant", "g4", {"recipient": "mute", "capabilities": [{"kind": HEAVY}]})
    assert driver.space.state.owing["admin"] - driver.now < once, "it has no kind to be asked about yet"


def test_restart_forgets_charged_kinds(driver: Any) -> None:
    driver.join("admin")
    driver.join("solver")
    driver.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    driver.say("solver", "ab" * 40, "x1")
    driver.handle(Restarted())
    assert driver.space.state.weighed == {}


def test_idle_time_gives_no_credit(driver: Any, errors: ERRORS) -> None:
    driver.join("solver")
    too_much = {"text": LONG["text"] * 5}
    assert errors(driver.say("solver", "acme/x", "x1", too_much)) == ["capability_violation"]
    driver.at(3_600_000)
    assert budget_for(driver.space.state, "solver", driver.now, is_urgent=False).most == MAX_WORK


def test_grants_never_block_the_urgent_kinds_of_their_recipient(errors: ERRORS) -> None:
    """A grant of patterns that take long to ask keeps its recipient from nothing that it may do anyhow."""
    driver = driver_with(mallory=({"kind": "*"},))
    for name in ("mallory", "solver", "human"):
        driver.join(name)
    driver.say("solver", "reasoning/start", "s1", {})
    refused = []
    for nth in range(20):
        patterns = ["/" + ".{30}" * (1 + nth) + "/", "/(reasoning|mcp).*" + "a?" * 100 + "/"]
        given = {"recipient": "solver", "capabilities": [{"kind": one} for one in patterns]}
        refused += errors(driver.at(5_000 * nth).say("mallory", "capability/grant", f"g{nth}", given))
    assert set(refused) <= {"too_many_grants", "invalid_capability", "rate_limited"}
    assert len(refused) < 20, "some were given"
    for nth in range(300):
        driver.say("solver", f"x/{nth}", f"x{nth}")  # it spends all that it may
    asked = {"reason": "user_request", "message": "stop"}
    driver.say("human", "reasoning/interrupt", "i1", asked, to=["solver"], correlation_id=["s1"])
    acked = driver.say("solver", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(acked) == []
    assert errors(driver.say("solver", "reasoning/conclusion", "e1", {}, context="s1")) == []


def test_invitation_capabilities_count_towards_the_grant_bound(errors: ERRORS) -> None:
    driver = driver_with(admin=({"kind": "*"},))
    driver.join("admin")
    costly = [{"kind": f"/{'x{700}' * 3}x{{{n}}}/"} for n in (300, 301)]
    asked = {"participant_id": "guest", "initial_capabilities": costly[:1]}
    assert errors(driver.say("admin", "space/invite", "n1", asked)) == []
    given = {"recipient": "guest", "capabilities": costly[1:]}
    assert errors(driver.at(5_000).say("admin", "capability/grant", "g1", given)) == ["too_many_grants"]
    long = [{"kind": "acme/x", "payload": {"text": ["x" * 900] * (grants.MAX_GIVEN // 910)}}]
    asked = {"participant_id": "other", "initial_capabilities": long}
    assert errors(driver.at(10_000).say("admin", "space/invite", "n2", asked)) == []
    assert errors(driver.say("admin", "space/invite", "n3", asked)) == [], "anew: it takes the place of the first"
    given = {"recipient": "other", "capabilities": [{"kind": f"acme/{n}"} for n in range(20)]}
    assert errors(driver.say("admin", "capability/grant", "g2", given)) == ["too_many_grants"]


def compiled_by(driver: SpaceDriver, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The capabilities that a space compiles from here on; it has no twins that would do so too."""
    compiled: list[Any] = []

    def counting(source: Any, path: str = "capability") -> Capability:
        compiled.append(source)
        return compile_capability(source, path)

    monkeypatch.setattr(members, "compile_capability", counting)
    monkeypatch.setattr(driver, "handle", lambda event: driver.space.handle(event, driver.now))
    return compiled


def test_revoking_somebody_elses_grant_compiles_nothing(errors: ERRORS, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = driver_with(carol=({"kind": "capability/revoke"},))
    driver.join("admin")
    driver.join("carol")
    driver.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    compiled = compiled_by(driver, monkeypatch)
    told = driver.say("carol", "capability/revoke", "v1", {"recipient": "solver", "grant_id": "g1"})
    assert errors(told) == ["not_granter"]
    assert compiled == []


def test_revoked_guest_capability_is_not_compared_again(driver: Any, errors: ERRORS) -> None:
    driver.join("admin")
    own = [{"kind": [*(f"acme/{n}" for n in range(40)), f"acme/own{m}"]} for m in range(4)]
    asked = {"participant_id": "guest", "initial_capabilities": own}
    assert errors(driver.say("admin", "space/invite", "n1", asked)) == []
    taken = {"recipient": "guest", "capabilities": own[1:3]}
    assert errors(driver.at(5_000).say("admin", "capability/revoke", "v1", taken)) == []
    assert driver.space.state.invitees["guest"].capabilities == [own[0], own[3]]
    assert driver.space.state.revoked == {}
    kinds = [one["kind"][-1] for one in driver.space.members.capabilities("guest").sources]
    assert kinds == ["acme/own0", "acme/own3"]


def test_urgent_kinds_pass_during_a_debt(errors: ERRORS) -> None:
    """What chatter owes is not in the way of an interrupt whose class has to be matched, or of an emergency."""
    settings = cast_settings()
    stopping = {"kind": "reasoning/interrupt", "payload": {"class": "/^(emergency|cancel)$/", "reason": "/^[a-z_ ]+$/"}}
    people = {**settings.participants, "watcher": Participant("watcher", (stopping, SLOW))}
    driver = SpaceDriver(type(settings)(id="demo", participants=people))
    driver.join("solver")
    driver.join("watcher")
    driver.say("solver", "reasoning/start", "s1", {})
    exhaust(driver, errors, "watcher")
    for nth, name in enumerate(("cancel", "emergency")):
        asked = {"reason": "error", "class": name, "message": "stop"}
        told = driver.say("watcher", "reasoning/interrupt", f"i{nth}", asked, to=["solver"], correlation_id=["s1"])
        assert errors(told) == []


def test_grant_compiles_only_new_patterns(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.join("admin")
    compiled = compiled_by(driver, monkeypatch)
    for nth in range(20):
        given = {"recipient": "solver", "capabilities": [{"kind": f"acme/{nth}"}]}
        driver.say("admin", "capability/grant", f"g{nth}", given)
    assert [one["kind"] for one in compiled if str(one["kind"]).startswith("acme/")] == [f"acme/{n}" for n in range(20)]


def test_grant_does_not_recompile_held_expressions(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    driver.join("admin")
    globs = [f"acme/{n}/*" for n in range(250)]
    driver.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": globs}]})
    compiled: list[str] = []
    compile_expression = re2.compile

    def counting(source: str, options: Any = None) -> Any:
        compiled.append(source)
        return compile_expression(source, options)

    monkeypatch.setattr(re2, "compile", counting)
    monkeypatch.setattr(driver, "handle", lambda event: driver.space.handle(event, driver.now))  # without its twins
    driver.say("admin", "capability/grant", "g2", {"recipient": "solver", "capabilities": [{"kind": "acme/one"}]})
    assert compiled == []


def test_grants_that_expire_together_are_announced_once(driver: Any) -> None:
    driver.join("admin")
    driver.join("solver")
    for nth in range(10):
        given = {"recipient": "solver", "capabilities": [{"kind": f"acme/{nth}"}]}
        ending = {**given, "expires_at": timestamp(START + 1_000)}
        driver.say("admin", "capability/grant", f"g{nth}", ending)
    told = driver.at(1_000).handle(DeadlinePassed())
    assert [json.loads(effect.data)["kind"] for effect in told] == ["system/welcome", "system/presence"]
    assert driver.space.state.grants == {}


def test_granter_is_charged_for_welcomes(errors: ERRORS) -> None:
    """A welcome has all that its reader holds, for each of its connections: a small grant may have a long one told."""
    driver = driver_with(mallory=({"kind": "x/**"}, {"kind": "capability/grant"}))
    for name in ("mallory", *["solver"] * 8):
        driver.join(name)
    given = [{"kind": f"x/{'y' * 60}{n}"} for n in range(200)]
    assert errors(driver.say("mallory", "capability/grant", "g1", {"recipient": "solver", "capabilities": given})) == []
    driver.at(60_000)
    for recipient, owes in (("human", False), ("solver", True)):
        one = {"recipient": recipient, "capabilities": [{"kind": "x/one"}]}
        assert errors(driver.say("mallory", "capability/grant", f"to {recipient}", one)) == []
        assert (driver.space.state.owing.get("mallory", 0) > driver.now) == owes
