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
from mew_gateway.space import grants, members
from mew_gateway.space.cpu_quota import CHARGED_FROM, STEPS_PER_MS, budget_for
from mew_gateway.space.effects import Deliver
from mew_gateway.space.events import DeadlinePassed, Restarted
from mew_gateway.space.settings import Participant

from .conftest import CAST, START, Stage, cast_settings

ERRORS = Callable[..., list[str]]

SLOW: dict[str, Any] = {
    "kind": "acme/x",
    "payload": {"text": "/(a|b)*a(a|b){100}c/"},
}  # never matches what is said here
LONG = {
    "text": "ab" * (MAX_WORK // 4 // compile_strings(SLOW["payload"]["text"], "")[1][0].steps // 2)
}  # a quarter of it


def stage_with(**people: tuple[dict[str, Any], ...]) -> Stage:
    """A stage with the whole cast, some of whom may send something else."""
    settings = cast_settings()
    others = {name: Participant(name, capabilities) for name, capabilities in people.items()}
    return Stage(type(settings)(id="demo", participants={**settings.participants, **others}))


def retry_after(effects: list[Any]) -> int:
    told = [json.loads(effect.data)["payload"] for effect in effects if isinstance(effect, Deliver)]
    wait: int = told[-1]["retry_after_ms"]
    return wait


@pytest.fixture
def stage() -> Any:
    return stage_with(**{name: (*CAST[name], SLOW) for name in ("solver", "calculator")})


def exhaust(stage: Any, errors: ERRORS, name: str) -> int:
    """Say what takes work, until nothing more is to be had; how often it was decided about."""
    for nth in range(50):
        said = stage.say(name, "acme/x", f"{name} {stage.now} {nth}", LONG)
        if errors(said) == ["rate_limited"]:
            return nth
        assert errors(said) == ["capability_violation"]
    raise AssertionError("there is no end to it")


def test_debtor_is_refused_with_a_wait_and_then_admitted(stage: Any, errors: ERRORS) -> None:
    """However much the next one takes: what the refused try has cost is in what it is told."""
    stage.join("solver")
    longer = {"text": LONG["text"] * 3}
    assert errors(stage.say("solver", "acme/x", "a half", {"text": LONG["text"] * 2})) == ["capability_violation"]
    told = stage.say("solver", "acme/x", "too much now", longer)
    assert errors(told) == ["rate_limited"]
    wait = retry_after(told)
    assert 0 < wait <= MAX_WORK // STEPS_PER_MS
    assert errors(stage.at(wait).say("solver", "acme/x", "after the wait", longer)) == ["capability_violation"]


def test_cheap_envelopes_and_other_participants_pass_during_a_debt(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    stage.join("calculator")
    often = exhaust(stage, errors, "solver")
    assert errors(stage.say("solver", "chat", "c1", {"text": "still here"})) == []
    assert exhaust(stage, errors, "calculator") == often


def test_quota_is_a_fiftieth_of_a_core_over_a_minute(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    decided = 0
    for second in range(60):
        decided += exhaust(stage.at(1_000 * second), errors, "solver")
    assert (MAX_WORK + 60_000 * STEPS_PER_MS) * 0.9 < decided * MAX_WORK / 4 < MAX_WORK + 60_000 * STEPS_PER_MS


def test_a_refused_kind_costs_nothing(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    for nth in range(100):
        assert errors(stage.say("solver", "mcp/request", f"r{nth}", LONG)) == ["capability_violation"]
    assert stage.space.state.owing == {}


def test_little_work_is_not_charged(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    few = {"text": LONG["text"][: len(LONG["text"]) * CHARGED_FROM // MAX_WORK]}
    stage.say("solver", "acme/x", "x1", few)
    assert stage.space.state.owing == {}


def test_granter_is_charged_for_compiling(stage: Any, errors: ERRORS) -> None:
    stage.join("admin")
    names = [name for name in CAST if name not in ("admin", "solver")]
    outcomes = []
    for name in names:
        given = {"recipient": name, "capabilities": [{"kind": f"/{name}{n}/"} for n in range(8)]}
        outcomes += errors(stage.say("admin", "capability/grant", f"g {name}", given)) or ["given"]
    assert outcomes[:2] == ["given"] * 2
    assert set(outcomes[2:]) == {"rate_limited"}
    later = {"recipient": names[-1], "capabilities": [{"kind": "/later/"}]}
    assert errors(stage.at(60_000).say("admin", "capability/grant", "later", later)) == []


def test_revocation_over_budget_revokes_nothing(stage: Any, errors: ERRORS) -> None:
    stage.join("admin")
    stage.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": "acme/y"}]})
    for nth in range(20):
        patterns = [{"kind": f"/{nth} {n}/"} for n in range(16)]
        told = stage.say("admin", "capability/revoke", f"v{nth}", {"recipient": "solver", "capabilities": patterns})
        if errors(told) == ["rate_limited"]:
            break
        assert errors(told) == ["grant_not_found"]
    assert errors(told) == ["rate_limited"]
    assert "g1" in stage.space.state.grants


def test_paid_debt_is_forgotten(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    stage.join("calculator")
    exhaust(stage, errors, "solver")
    stage.at(60_000).say("calculator", "acme/x", "w1", LONG)
    assert list(stage.space.state.owing) == ["calculator"]


def test_expensive_kind_lookup_is_charged_once(errors: ERRORS) -> None:
    """Kinds are the senders' to invent: each one would have every expression asked about it."""
    patterns = [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(200, 208)]
    stage = stage_with(solver=({"kind": patterns}, {"kind": "chat"}))
    stage.join("solver")
    outcomes = []
    for nth in range(60):
        outcomes += errors(stage.say("solver", "ab" * 40 + f"/{nth}", f"x{nth}"))
    known = outcomes.index("rate_limited")
    assert 0 < known < 58
    assert set(outcomes[:known]) == {"capability_violation"}
    assert errors(stage.say("solver", "ab" * 40 + "/0", "again")) == ["capability_violation"]
    assert errors(stage.say("solver", "chat", "c", {"text": "x"})) == []
    assert errors(stage.at(2_000).say("solver", "ab" * 40 + "/60", "later")) == ["capability_violation"]


HEAVY = [f"/(a|b)*a(a|b){{{n}}}c/" for n in range(200, 206)]


def test_grants_and_revocations_do_not_charge_a_kind_again(stage: Any, errors: ERRORS) -> None:
    """Whoever gives a capability pays for what it has others find out about it, and not they."""
    stage.join("admin")
    stage.join("solver")
    stage.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    stage.at(10_000).say("solver", "ab" * 40, "x1")
    owed = dict(stage.space.state.owing)
    assert "solver" in owed
    assert stage.space.state.weighed == {"solver": ["ab" * 40]}
    stage.say("admin", "capability/revoke", "v1", {"recipient": "solver", "grant_id": "g1"})
    assert errors(stage.say("admin", "capability/grant", "g2", {"recipient": "solver", "capabilities": [SLOW]})) == []
    stage.say("solver", "ab" * 40, "x2")
    assert stage.space.state.owing["solver"] == owed["solver"]
    stage.at(20_000)
    given = stage.say("admin", "capability/grant", "g3", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    assert errors(given) == []
    once = stage.space.state.owing["admin"] - stage.now
    stage.at(40_000).say("admin", "capability/grant", "g4", {"recipient": "mute", "capabilities": [{"kind": HEAVY}]})
    assert stage.space.state.owing["admin"] - stage.now < once, "it has no kind to be asked about yet"


def test_restart_forgets_charged_kinds(stage: Any) -> None:
    stage.join("admin")
    stage.join("solver")
    stage.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    stage.say("solver", "ab" * 40, "x1")
    stage.handle(Restarted())
    assert stage.space.state.weighed == {}


def test_idle_time_gives_no_credit(stage: Any, errors: ERRORS) -> None:
    stage.join("solver")
    too_much = {"text": LONG["text"] * 5}
    assert errors(stage.say("solver", "acme/x", "x1", too_much)) == ["capability_violation"]
    stage.at(3_600_000)
    assert budget_for(stage.space.state, "solver", stage.now, is_urgent=False).most == MAX_WORK


def test_grants_never_block_the_urgent_kinds_of_their_recipient(errors: ERRORS) -> None:
    """A grant of patterns that take long to ask keeps its recipient from nothing that it may do anyhow."""
    stage = stage_with(mallory=({"kind": "*"},))
    for name in ("mallory", "solver", "human"):
        stage.join(name)
    stage.say("solver", "reasoning/start", "s1", {})
    refused = []
    for nth in range(20):
        patterns = ["/" + ".{30}" * (1 + nth) + "/", "/(reasoning|mcp).*" + "a?" * 100 + "/"]
        given = {"recipient": "solver", "capabilities": [{"kind": one} for one in patterns]}
        refused += errors(stage.at(5_000 * nth).say("mallory", "capability/grant", f"g{nth}", given))
    assert set(refused) <= {"too_many_grants", "invalid_capability", "rate_limited"}
    assert len(refused) < 20, "some were given"
    for nth in range(300):
        stage.say("solver", f"x/{nth}", f"x{nth}")  # it spends all that it may
    asked = {"reason": "user_request", "message": "stop"}
    stage.say("human", "reasoning/interrupt", "i1", asked, to=["solver"], correlation_id=["s1"])
    acked = stage.say("solver", "reasoning/interrupt-ack", "a1", {"status": "stopping"}, correlation_id=["i1"])
    assert errors(acked) == []
    assert errors(stage.say("solver", "reasoning/conclusion", "e1", {}, context="s1")) == []


def test_invitation_capabilities_count_towards_the_grant_bound(errors: ERRORS) -> None:
    stage = stage_with(admin=({"kind": "*"},))
    stage.join("admin")
    costly = [{"kind": f"/{'x{700}' * 3}x{{{n}}}/"} for n in (300, 301)]
    asked = {"participant_id": "guest", "initial_capabilities": costly[:1]}
    assert errors(stage.say("admin", "space/invite", "n1", asked)) == []
    given = {"recipient": "guest", "capabilities": costly[1:]}
    assert errors(stage.at(5_000).say("admin", "capability/grant", "g1", given)) == ["too_many_grants"]
    long = [{"kind": "acme/x", "payload": {"text": ["x" * 900] * (grants.MAX_GIVEN // 910)}}]
    asked = {"participant_id": "other", "initial_capabilities": long}
    assert errors(stage.at(10_000).say("admin", "space/invite", "n2", asked)) == []
    assert errors(stage.say("admin", "space/invite", "n3", asked)) == [], "anew: it takes the place of the first"
    given = {"recipient": "other", "capabilities": [{"kind": f"acme/{n}"} for n in range(20)]}
    assert errors(stage.say("admin", "capability/grant", "g2", given)) == ["too_many_grants"]


def compiled_by(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The capabilities that a stage compiles from here on; it has no twins that would do so too."""
    compiled: list[Any] = []

    def counting(source: Any, path: str = "capability") -> Capability:
        compiled.append(source)
        return compile_capability(source, path)

    monkeypatch.setattr(members, "compile_capability", counting)
    monkeypatch.setattr(stage, "handle", lambda event: stage.space.handle(event, stage.now))
    return compiled


def test_revoking_somebody_elses_grant_compiles_nothing(errors: ERRORS, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_with(carol=({"kind": "capability/revoke"},))
    stage.join("admin")
    stage.join("carol")
    stage.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": HEAVY}]})
    compiled = compiled_by(stage, monkeypatch)
    told = stage.say("carol", "capability/revoke", "v1", {"recipient": "solver", "grant_id": "g1"})
    assert errors(told) == ["not_granter"]
    assert compiled == []


def test_revoked_guest_capability_is_not_compared_again(stage: Any, errors: ERRORS) -> None:
    stage.join("admin")
    own = [{"kind": [*(f"acme/{n}" for n in range(40)), f"acme/own{m}"]} for m in range(4)]
    asked = {"participant_id": "guest", "initial_capabilities": own}
    assert errors(stage.say("admin", "space/invite", "n1", asked)) == []
    taken = {"recipient": "guest", "capabilities": own[1:3]}
    assert errors(stage.at(5_000).say("admin", "capability/revoke", "v1", taken)) == []
    assert stage.space.state.invitees["guest"].capabilities == [own[0], own[3]]
    assert stage.space.state.revoked == {}
    kinds = [one["kind"][-1] for one in stage.space.members.capabilities("guest").sources]
    assert kinds == ["acme/own0", "acme/own3"]


def test_urgent_kinds_pass_during_a_debt(errors: ERRORS) -> None:
    """What chatter owes is not in the way of an interrupt whose class has to be matched, or of an emergency."""
    settings = cast_settings()
    stopping = {"kind": "reasoning/interrupt", "payload": {"class": "/^(emergency|cancel)$/", "reason": "/^[a-z_ ]+$/"}}
    people = {**settings.participants, "watcher": Participant("watcher", (stopping, SLOW))}
    stage = Stage(type(settings)(id="demo", participants=people))
    stage.join("solver")
    stage.join("watcher")
    stage.say("solver", "reasoning/start", "s1", {})
    exhaust(stage, errors, "watcher")
    for nth, name in enumerate(("cancel", "emergency")):
        asked = {"reason": "error", "class": name, "message": "stop"}
        told = stage.say("watcher", "reasoning/interrupt", f"i{nth}", asked, to=["solver"], correlation_id=["s1"])
        assert errors(told) == []


def test_grant_compiles_only_new_patterns(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.join("admin")
    compiled = compiled_by(stage, monkeypatch)
    for nth in range(20):
        given = {"recipient": "solver", "capabilities": [{"kind": f"acme/{nth}"}]}
        stage.say("admin", "capability/grant", f"g{nth}", given)
    assert [one["kind"] for one in compiled if str(one["kind"]).startswith("acme/")] == [f"acme/{n}" for n in range(20)]


def test_grant_does_not_recompile_held_expressions(stage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.join("admin")
    globs = [f"acme/{n}/*" for n in range(250)]
    stage.say("admin", "capability/grant", "g1", {"recipient": "solver", "capabilities": [{"kind": globs}]})
    compiled: list[str] = []
    compile_expression = re2.compile

    def counting(source: str, options: Any = None) -> Any:
        compiled.append(source)
        return compile_expression(source, options)

    monkeypatch.setattr(re2, "compile", counting)
    monkeypatch.setattr(stage, "handle", lambda event: stage.space.handle(event, stage.now))  # without its twins
    stage.say("admin", "capability/grant", "g2", {"recipient": "solver", "capabilities": [{"kind": "acme/one"}]})
    assert compiled == []


def test_grants_that_expire_together_are_announced_once(stage: Any) -> None:
    stage.join("admin")
    stage.join("solver")
    for nth in range(10):
        given = {"recipient": "solver", "capabilities": [{"kind": f"acme/{nth}"}]}
        ending = {**given, "expires_at": timestamp(START + 1_000)}
        stage.say("admin", "capability/grant", f"g{nth}", ending)
    told = stage.at(1_000).handle(DeadlinePassed())
    assert [json.loads(effect.data)["kind"] for effect in told] == ["system/welcome", "system/presence"]
    assert stage.space.state.grants == {}


def test_granter_is_charged_for_welcomes(errors: ERRORS) -> None:
    """A welcome has all that its reader holds, for each of its connections: a small grant may have a long one told."""
    stage = stage_with(mallory=({"kind": "x/**"}, {"kind": "capability/grant"}))
    for name in ("mallory", *["solver"] * 8):
        stage.join(name)
    given = [{"kind": f"x/{'y' * 60}{n}"} for n in range(200)]
    assert errors(stage.say("mallory", "capability/grant", "g1", {"recipient": "solver", "capabilities": given})) == []
    stage.at(60_000)
    for recipient, owes in (("human", False), ("solver", True)):
        one = {"recipient": recipient, "capabilities": [{"kind": "x/one"}]}
        assert errors(stage.say("mallory", "capability/grant", f"to {recipient}", one)) == []
        assert (stage.space.state.owing.get("mallory", 0) > stage.now) == owes
