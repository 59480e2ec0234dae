"""The roles of the repository's spaces.yaml over real sockets: who may send which class at whom, and how often.

Everybody here may think aloud besides, so that there is a sequence of one's own to interrupt.
"""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from ruamel.yaml import YAML

from mew_gateway.cli.framework.package_files import package_file

FILE = YAML(typ="safe").load(package_file("spaces.yaml").read_text(encoding="utf-8"))
SHIPPED = FILE["spaces"]["demo"]
ORDINARY = ("queue", "clarification", "cancel", "override")
CLASSES = (*ORDINARY, "emergency")

PARTICIPANTS: dict[str, dict[str, Any]] = {
    "human": {"roles": ["supervisor", "agent"]},
    "guardian": {"roles": ["safety", "agent"]},
    "admin": {"roles": ["operator"]},
    "solver": {"roles": ["agent"]},
    "peer": {"roles": ["agent"]},
    "rogue": {"capabilities": [{"kind": "reasoning/*"}, {"kind": "capability/*"}, {"kind": "participant/*"}]},
}

# Who may send which classes at another agent; at itself, everybody all but an emergency (docs/protocol.md §3).
MAY: dict[str, tuple[str, ...]] = {
    "human": ORDINARY,
    "guardian": CLASSES,
    "admin": ORDINARY,
    "peer": (),
    "rogue": ORDINARY,
}
MAY_AT_ITSELF = {who: CLASSES if who == "guardian" else ORDINARY for who in MAY}


def configured(**space: Any) -> str:
    """A spaces.yaml with the shipped roles and limits, and nobody hosted."""
    demo = {
        "roles": {**FILE["roles"], **SHIPPED["roles"]},
        "interrupts": {**SHIPPED["interrupts"], "escalation": ["notify"], "emergency_escalation": ["notify"]},
        "participants": PARTICIPANTS,
        **space,
    }
    gateway = {"listen": "127.0.0.1:0", "state_dir": "state"}
    text = StringIO()
    YAML(typ="safe").dump({"gateway": gateway, "spaces": {"demo": demo}}, text)
    return text.getvalue()


async def think(peer: Any, id: str) -> None:
    await peer.send("reasoning/start", {"message": "thinking"}, id=id)
    while (await peer.until("reasoning/start"))["id"] != id:
        pass


async def interrupt(peer: Any, target: str, sequence: str, class_: str, id: str) -> str | None:
    """Send an interrupt: None if it is taken, else the code of its refusal."""
    payload = {"reason": "user_request", "message": "please", "class": class_}
    await peer.send("reasoning/interrupt", payload, to=[target], correlation_id=[sequence], id=id)
    while True:
        envelope = await peer.receive()
        if envelope["id"] == id:
            return None
        if envelope["kind"] == "system/error" and id in envelope.get("correlation_id", ()):
            code: str = envelope["payload"]["error"]
            return code


@pytest.mark.parametrize("sender", list(MAY))
async def test_a_role_sends_an_agent_the_classes_that_it_names(start_gateway: Any, sender: str) -> None:
    async with start_gateway(configured()) as site:
        solver, peer = await site.join("solver"), await site.join(sender)
        for class_ in CLASSES:
            await think(solver, f"run-{class_}")
        codes = {class_: await interrupt(peer, "solver", f"run-{class_}", class_, class_) for class_ in CLASSES}
        taken = tuple(class_ for class_, code in codes.items() if code is None)
        assert taken == MAY[sender]
        assert {code for code in codes.values() if code is not None} <= {"capability_violation"}
        seen = [one["payload"]["class"] for one in await solver.settle() if one["kind"] == "reasoning/interrupt"]
        assert tuple(seen) == MAY[sender]  # of what was refused its target hears nothing


@pytest.mark.parametrize("sender", list(MAY_AT_ITSELF))
async def test_a_participant_interrupts_itself_except_by_an_emergency(start_gateway: Any, sender: str) -> None:
    async with start_gateway(configured()) as site:
        peer = await site.join(sender)
        for class_ in CLASSES:
            await think(peer, f"run-{class_}")
        codes = {class_: await interrupt(peer, sender, f"run-{class_}", class_, class_) for class_ in CLASSES}
        assert tuple(class_ for class_, code in codes.items() if code is None) == MAY_AT_ITSELF[sender]


@pytest.mark.parametrize(
    "granted",
    [
        {"kind": "reasoning/interrupt"},
        {"kind": "reasoning/interrupt", "payload": {"class": "emergency"}},
        {"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "emergency"]}},
    ],
    ids=str,
)
@pytest.mark.parametrize("granter", ["rogue", "admin"])
async def test_no_wildcard_gives_what_it_does_not_cover(
    start_gateway: Any, granter: str, granted: dict[str, Any]
) -> None:
    async with start_gateway(configured()) as site:
        solver, peer, giver = await site.join("solver"), await site.join("peer"), await site.join(granter)
        await giver.send("capability/grant", {"recipient": "peer", "capabilities": [granted]}, to=["peer"])
        await giver.error("grant_exceeds_capabilities")
        await think(solver, "run")
        assert await interrupt(peer, "solver", "run", "emergency", "alarm") == "capability_violation"
        assert not [one for one in await solver.settle() if one["kind"] == "reasoning/interrupt"]


async def test_an_emergency_is_granted_only_by_its_holder(start_gateway: Any) -> None:
    participants = {**PARTICIPANTS, "chief": {"roles": ["safety", "operator"]}}
    async with start_gateway(configured(participants=participants)) as site:
        solver, peer, chief = await site.join("solver"), await site.join("peer"), await site.join("chief")
        await think(solver, "run")
        given = {"recipient": "peer", "capabilities": [{"kind": "reasoning/interrupt"}]}
        await chief.send("capability/grant", given, to=["peer"])
        await peer.until("capability/grant")
        assert await interrupt(peer, "solver", "run", "emergency", "alarm") is None


async def test_three_emergencies_a_minute_whomever_they_are_for(start_gateway: Any) -> None:
    async with start_gateway(configured()) as site:
        guardian = await site.join("guardian")
        targets = ("solver", "peer", "rogue", "human")
        for name in targets:
            await think(await site.join(name), f"run-{name}")
        codes = [await interrupt(guardian, name, f"run-{name}", "emergency", f"alarm-{name}") for name in targets]
        assert codes == [None, None, None, "rate_limited"]
        assert guardian.seen[-1]["payload"]["retry_after_ms"] == 60_000
        site.clock.advance(59_999)
        assert await interrupt(guardian, "human", "run-human", "emergency", "early") == "rate_limited"
        assert guardian.seen[-1]["payload"]["retry_after_ms"] == 1
        site.clock.advance(1)
        assert await interrupt(guardian, "human", "run-human", "emergency", "in time") is None


async def test_each_sender_has_its_own_rate_in_each_sequence(start_gateway: Any) -> None:
    async with start_gateway(configured()) as site:
        solver, human, admin = await site.join("solver"), await site.join("human"), await site.join("admin")
        await think(solver, "run")
        await think(solver, "other")
        for number in range(5):
            assert await interrupt(human, "solver", "run", "queue", f"h{number}") is None
        assert await interrupt(human, "solver", "run", "queue", "h5") == "rate_limited"
        assert human.seen[-1]["payload"]["retry_after_ms"] == 10_000
        assert await interrupt(human, "solver", "other", "queue", "elsewhere") is None
        assert await interrupt(admin, "solver", "run", "queue", "somebody else's") is None
        seen = [one["id"] for one in await solver.settle() if one["kind"] == "reasoning/interrupt"]
        assert seen == ["h0", "h1", "h2", "h3", "h4", "elsewhere", "somebody else's"]
        site.clock.advance(10_000)
        assert await interrupt(human, "solver", "run", "queue", "h6") is None


async def resume(peer: Any, *names: str) -> None:
    await peer.send("participant/resume", {}, to=["solver"], correlation_id=list(names))


async def test_only_the_safety_role_lifts_a_halt(start_gateway: Any) -> None:
    text = configured()
    async with start_gateway(text) as site:
        solver, guardian = await site.join("solver"), await site.join("guardian")
        await think(solver, "run")
        assert await interrupt(guardian, "solver", "run", "emergency", "alarm") is None
        clock = site.clock
    async with start_gateway(text, clock=clock) as site:
        solver, guardian = await site.join("solver"), await site.join("guardian")
        for name in ("human", "admin", "rogue"):  # each may send any participant/resume
            other = await site.join(name)
            await resume(other, "alarm")
            await other.error("capability_violation")
            await resume(other)  # lifts pauses, of which there are none
            await other.until("participant/resume")
            await solver.send("reasoning/start", {}, id=f"after {name}")
            await solver.error("halted")
        await resume(guardian, "alarm")
        while (await solver.until("participant/resume"))["from"] != "guardian":
            pass
        await think(solver, "at last")
