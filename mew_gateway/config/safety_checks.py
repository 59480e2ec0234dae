"""Checks that whoever reasons in a space can be stopped, can answer, and can be let go on: warnings of `mew check`.

Each is asked as the gateway will ask: for every agent, who else may send it an emergency, who of these may also send
the resume (nobody else may lift it), and whether the agent may send the ack to everybody who may interrupt it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import shown
from mew_gateway.documents.problems import Fault, KeyPath, echo
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.reasons import CLASSES, EMERGENCY, INTERRUPT, REASONS
from mew_gateway.space.settings import SpaceSettings, Step

from . import bound_checks

# What an agent that reasons sends besides, and what comes of it when it may not.
_START, _ANSWER, _RESUME = "reasoning/start", "reasoning/interrupt-ack", "participant/resume"
_USUAL = ("chat", "chat/acknowledge", "reasoning/thought", "participant/status")
_NO_KIND = "no-kind/of-any-protocol"  # only a wildcard for everything covers it

_POWERS = ("space/kick", "participant/shutdown", "participant/pause")  # by which one participant silences another
_REVOKING = "capability/revoke"
_HOUR = 3_600_000


class _Space(NamedTuple):
    """A space as these checks ask about it. `agents` reason: hosted, with the role `agent`, or with a capability that
    says so."""

    settings: SpaceSettings
    path: KeyPath
    able: Mapping[str, Capabilities]
    agents: tuple[str, ...]
    hosted: frozenset[str]

    def at(self, who: str) -> KeyPath:
        return (*self.path, "participants", who)

    def stoppers(self, agent: str) -> list[str]:
        """Who else may send the agent an emergency, for whatever reason."""
        return [
            who
            for who, one in self.able.items()
            if who != agent
            and any(one.allow_emergency(INTERRUPT, {"class": EMERGENCY, "reason": why}, (agent,)) for why in REASONS)
        ]

    def interrupters(self, agent: str) -> list[str]:
        """Who else may interrupt the agent, in whatever way."""
        asked = [{"class": class_, "reason": why} for class_ in CLASSES for why in REASONS]
        return [
            who
            for who, one in self.able.items()
            if who != agent
            and (who in self.stoppers(agent) or any(one.allow(INTERRUPT, said, (agent,)) for said in asked))
        ]


def warnings(root: Node, spaces: Iterable[SpaceSettings], *, hosted: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """What leaves an agent out of reach, of each space of a valid document. `hosted` are agents, by space and name."""
    hosted = list(hosted)
    for settings in spaces:
        found = root.find("spaces", settings.id)
        path = found[0].path if found else ()
        here = frozenset(who for name, who in hosted if name == settings.id)
        able = {who: _compiled(one.capabilities) for who, one in settings.participants.items()}
        declared = _declared(root, path)
        agents = tuple(who for who, one in able.items() if who in declared or _reasons(one, hosted=who in here))
        space = _Space(settings, path, able, agents, here)
        yield from _stopping(space)
        yield from _answering(space)
        yield from _everything(space, root)
        yield from _removing(space)
        yield from bound_checks.of_space(settings, path)
        yield from _ladders(space)
    yield from bound_checks.of_gateway(root)
    yield from _roles(root)


def _declared(root: Node, path: KeyPath) -> frozenset[str]:
    """Who has the role of an agent."""
    participants = root.find(*map(str, path), "participants", "*")
    return frozenset(str(one.path[-1]) for one in participants if "agent" in (one.get("roles") or []))


def _compiled(sources: Iterable[dict[str, Any]]) -> Capabilities:
    return Capabilities([compile_capability(source) for source in sources])


def _reasons(capabilities: Capabilities, *, hosted: bool) -> bool:
    """Whether a participant is there to reason. Who may do everything may be a person."""
    return any(one.matches_kind(_START) and (hosted or not one.matches_kind(_NO_KIND)) for one in capabilities)


def _stopping(space: _Space) -> Iterator[Fault]:
    """Who reasons can be stopped in an emergency, and let go on by whoever stopped it."""
    anybody = [who for who, one in space.able.items() if any(each.matches_kind(_START) for each in one)]
    reasoning = space.agents or (anybody if len(space.able) > 1 else ())
    supervisors = {who for agent in reasoning for who in space.stoppers(agent)} - space.hosted
    if supervisors and not space.agents:  # of people who may do everything
        return
    agents = [who for who in reasoning if who not in supervisors]
    stoppers = {agent: space.stoppers(agent) for agent in agents}
    hint = f"give somebody `{{kind: {INTERRUPT}}}` without a payload"
    if agents and not any(stoppers.values()):
        message = "Nobody here may stop an agent in an emergency: no wildcard allows that."
        yield Fault(space.path, message, hint, at_key=True)
        return
    for agent in (one for one in agents if not stoppers[one]):
        message = f"Nobody else here may stop {echo(agent)} in an emergency: no wildcard allows that."
        yield Fault(space.at(agent), message, f"{hint}, and with this one in `to` if there is one", at_key=True)
    stuck = [one for one in agents if stoppers[one] and not _lifters(space, one, stoppers[one])]
    if stuck and len(stuck) == len([one for one in agents if stoppers[one]]):
        who = stoppers[stuck[0]][0]
        message = f"{echo(who)} may halt agents in an emergency, and nobody here may let them go on."
        hint = f"give it `{{kind: {_RESUME}}}`: only who may send the emergency may lift it"
        yield Fault(space.at(who), message, hint, at_key=True)
        return
    for agent in stuck:
        who = stoppers[agent][0]
        message = f"{echo(who)} may halt {echo(agent)} in an emergency, and nobody who may do that may let it go on."
        yield Fault(space.at(who), message, f"let its `{_RESUME}` reach {echo(agent)}", at_key=True)


def _lifters(space: _Space, agent: str, stoppers: Iterable[str]) -> list[str]:
    return [who for who in stoppers if space.able[who].allow(_RESUME, {}, (agent,))]


def _answering(space: _Space) -> Iterator[Fault]:
    """Who reasons answers everybody who may interrupt it, with a stop; a hosted agent sends what the SDK does."""
    for who in space.agents:
        capabilities = space.able[who]
        wanted = (_ANSWER, *(_USUAL if who in space.hosted else ()))
        missing = [kind for kind in wanted if not any(each.matches_kind(kind) for each in capabilities)]
        hint = "give it the built-in role `agent`"
        if missing:
            kinds = ", ".join(map(echo, missing))
            message = f"It may reason, and would be refused {kinds}."
            if _ANSWER in missing:
                message = f"It may reason, and cannot answer an interrupt: it would be refused {kinds}."
            yield Fault(space.at(who), message, hint, at_key=True)
            continue
        unanswered = [
            one
            for one in space.interrupters(who) or [GATEWAY]
            if not capabilities.allow(_ANSWER, {"status": "stopping"}, (one,))
        ]
        if unanswered:
            whom = ", ".join(map(echo, unanswered))
            message = f"It may reason, and cannot answer `stopping` to an interrupt of {whom}."
            yield Fault(space.at(who), message, hint, at_key=True)


def _everything(space: _Space, root: Node) -> Iterator[Fault]:
    """Who reasons may not do everything, however that is written, and by whichever role."""
    hint = "give it what its work needs"
    for who in (one for one in space.agents if _may_do_everything(space.able[one])):
        message = "This agent may do everything: what it may not do, it can grant itself or have others do."
        own = root.find(*map(str, space.at(who)), "capabilities", "*")
        guilty = [node for node in own if _may_do_everything(_compiled([node.value]))]
        if guilty:
            yield Fault((*guilty[0].path, "kind"), message, hint)
        else:
            yield Fault((*space.at(who), "roles"), message, hint)


def _removing(space: _Space) -> Iterator[Fault]:
    """Who reasons, and who is invited, may not silence whoever may stop it. Of one that may do everything, that is
    told."""
    asking = [(one, space.able[one], space.at(one), "It may reason, and") for one in space.agents]
    if space.settings.invited_capabilities:
        guest = _compiled(space.settings.invited_capabilities)
        path = (*space.path, "defaults", "capabilities")
        if _may_do_everything(guest):
            yield Fault(path, "Whoever is invited may do everything.", "give them what they need", at_key=True)
        asking.append(("", guest, path, "Whoever is invited"))
    for who, may, path, begins in asking:
        if _may_do_everything(may):
            continue
        for one in (one for one in _watching(space, who) if (powers := _powers_over(space, may, one))):
            removes = "remove" if powers[0] == _POWERS[0] else "silence"
            kinds = ", ".join(map(echo, powers))
            message = f"{begins} may {removes} {echo(one)}, who may stop it, with {kinds}."
            yield Fault(path, message, "name the kinds that it needs, in place of a wildcard", at_key=True)
            break


def _watching(space: _Space, who: str) -> list[str]:
    """The people who may stop an agent; of who is invited, those who may stop anybody."""
    stopped = (who,) if who else space.agents
    stoppers = dict.fromkeys(one for agent in stopped for one in space.stoppers(agent))
    return [one for one in stoppers if one not in space.agents]


def _powers_over(space: _Space, may: Capabilities, victim: str) -> list[str]:
    """The kinds by which somebody with these capabilities may keep another from stopping anything.

    A kick and a revocation name their victim in the payload, whoever is in `to`; the others in `to`.
    """
    found = []
    anyhow = [(), *((one,) for one in (*space.able, GATEWAY))]
    for kind in _POWERS:
        named = {"participant_id": victim} if kind == _POWERS[0] else {}
        payloads = [{**named, **more} for more in ({}, {"reason": "x"}, {"timeout_seconds": 60})]
        to = anyhow if named else [(victim,)]
        if any(may.allow(kind, payload, whom) for payload in payloads for whom in to):
            found.append(kind)
    holds = any(one.literal_kind == INTERRUPT for one in may)  # nobody takes away what it has not itself
    for key in ("capabilities", "grant_id") if holds else ():
        payload = {"recipient": victim, key: "x"}
        if any(may.allow(_REVOKING, payload, whom) for whom in anyhow):
            found.append(_REVOKING)
            break
    return found


def _may_do_everything(capabilities: Capabilities) -> bool:
    """Whether they let a kind pass that nobody has thought of, whatever it says and to everybody."""
    return capabilities.allow(_NO_KIND, {}, ())


def _ladders(space: _Space) -> Iterator[Fault]:
    """What follows when nobody answers: something, and something that reaches everybody who reasons."""
    interrupts = space.settings.interrupts
    for key, ladder in (
        ("escalation", interrupts.escalation),
        ("emergency_escalation", interrupts.emergency_escalation),
    ):
        path = (*space.path, "interrupts", key)
        for step in ladder:
            if step.after > _HOUR:
                message = f"`{step.name}` follows only {shown(step.after)} after the step before it."
                yield Fault(path, message, "at most an hour is usual")
        if not ladder:
            yield Fault(path, "Nothing follows when an interrupt is not answered.", "`[notify]` at least")
        elsewhere = [who for who in space.agents if who not in space.hosted]
        if elsewhere and _ends_only_processes(ladder):
            message = f"`terminate` ends processes that the gateway hosts, and {echo(elsewhere[0])} is none."
            yield Fault(path, message, "let `kick` follow")


def _ends_only_processes(ladder: Iterable[Step]) -> bool:
    names = {step.name for step in ladder}
    return "terminate" in names and names <= {"terminate", "notify"}


def _roles(root: Node) -> Iterator[Fault]:
    """A role that a space has of its own takes the place of the one of all spaces, and may lack what that one is
    for."""
    for shared in root.find("roles", "*"):
        for own in root.find("spaces", "*", "roles", str(shared.path[-1])):
            if _interrupts(shared) and not _interrupts(own):
                name = echo(str(shared.path[-1]))
                message = f"This takes the place of the role {name} of all spaces, and may not interrupt."
                yield Fault(own.path, message, "give it another name, or what the other one has", at_key=True)


def _interrupts(role: Node) -> bool:
    return any(each.value in (INTERRUPT, [INTERRUPT]) for each in role.find("*", "kind"))
