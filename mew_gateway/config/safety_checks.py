"""Warnings if an agent of a space cannot be stopped, cannot answer, or cannot be resumed (`mew check`).

The checks ask as the gateway will ask, for every agent: which other participants may send it an emergency; which of
these may also send the resume (no other may lift a halt); and may the agent send the ack to all who may interrupt it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import format_duration
from mew_gateway.documents.problems import Fault, KeyPath, echo
from mew_gateway.protocol.capabilities import Capabilities, compile_capability
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.patterns import is_search
from mew_gateway.protocol.reasons import CLASSES, EMERGENCY, INTERRUPT, REASONS
from mew_gateway.space.settings import SpaceSettings, Step

from . import bound_checks

# Kinds that a reasoning agent sends.
_START, _ANSWER, _RESUME = "reasoning/start", "reasoning/interrupt-ack", "participant/resume"
_USUAL = ("chat", "chat/acknowledge", "reasoning/thought", "participant/status")
_NO_KIND = "no-kind/of-any-protocol"  # only a wildcard for everything covers it

_POWERS = ("space/kick", "participant/shutdown", "participant/pause")  # kinds by which a participant silences another
_REVOKING = "capability/revoke"
_HOUR = 3_600_000
_GUEST = "somebody-who-is-invited"  # stands for any name that a guest may have


@dataclass(frozen=True, slots=True)
class _Space:
    """A space under check. `agents` are the participants that reason: hosted, with the role `agent`, or with a
    capability for `reasoning/start`.

    Participants with the same patterns share one `Capabilities`: what is asked of it is asked once for all of them.
    """

    settings: SpaceSettings
    path: KeyPath
    capabilities: Mapping[str, Capabilities]
    agents: tuple[str, ...]
    hosted: frozenset[str]
    declared: frozenset[str] = frozenset()  # those with the role `agent`
    found: dict[str, list[str]] = field(default_factory=dict)  # by agent: its stoppers, once they were asked for

    def at(self, who: str) -> KeyPath:
        return (*self.path, "participants", who)

    def stoppers(self, agent: str) -> list[str]:
        """Return the other participants that may send the agent an emergency, for any reason."""
        if agent not in self.found:
            asked = [{"class": EMERGENCY, "reason": why} for why in REASONS]
            self.found[agent] = self._others(
                agent, lambda one: any(one.allow_emergency(INTERRUPT, said, (agent,)) for said in asked)
            )
        return self.found[agent]

    def interrupters(self, agent: str) -> list[str]:
        """Return the other participants that may interrupt the agent, with any class."""
        asked = [{"class": class_, "reason": why} for class_ in CLASSES for why in REASONS]
        able = self._others(agent, lambda one: any(one.allow(INTERRUPT, said, (agent,)) for said in asked))
        found = {*self.stoppers(agent), *able}
        return [who for who in self.capabilities if who in found]

    def _others(self, agent: str, may: Callable[[Capabilities], bool]) -> list[str]:
        """Return the other participants whose capabilities allow something."""
        answers = {id(one): may(one) for one in {id(one): one for one in self.capabilities.values()}.values()}
        return [who for who, one in self.capabilities.items() if who != agent and answers[id(one)]]


def warnings(root: Node, spaces: Iterable[SpaceSettings], *, hosted: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Yield the warnings for each space of a valid document. `hosted` has agents as pairs of space and name."""
    hosted = list(hosted)
    for settings in spaces:
        found = root.find("spaces", settings.id)
        path = found[0].path if found else ()
        here = frozenset(who for name, who in hosted if name == settings.id)
        able = _shared(settings)
        declared = _declared(root, path)
        agents = tuple(who for who, one in able.items() if who in declared or _reasons(one, hosted=who in here))
        space = _Space(settings, path, able, agents, here, declared)
        yield from _stoppable(space)
        yield from _stoppable_guests(space)
        yield from _lifting(space)
        yield from _can_answer(space)
        yield from _unrestricted(space, root)
        yield from _silencing(space)
        yield from bound_checks.of_space(settings, path)
        yield from _escalations(space)
    yield from bound_checks.of_gateway(root)
    yield from _roles(root)


def _declared(root: Node, path: KeyPath) -> frozenset[str]:
    """Return the participants with the role `agent`."""
    participants = root.find(*map(str, path), "participants", "*")
    return frozenset(str(one.path[-1]) for one in participants if "agent" in (one.get("roles") or []))


def _shared(settings: SpaceSettings) -> dict[str, Capabilities]:
    """Return the capabilities of each participant: one object for all that have the same patterns."""
    compiled: dict[bytes, Capabilities] = {}
    able = {}
    for who, one in settings.participants.items():
        patterns = msgspec.json.encode(one.capabilities)
        if patterns not in compiled:
            compiled[patterns] = _compiled(one.capabilities)
        able[who] = compiled[patterns]
    return able


def _compiled(sources: Iterable[dict[str, Any]]) -> Capabilities:
    return Capabilities([compile_capability(source) for source in sources])


def _reasons(capabilities: Capabilities, *, hosted: bool) -> bool:
    """Return true if a participant is meant to reason. One that may do everything may be a person, unless hosted."""
    return any(one.matches_kind(_START) and (hosted or not one.matches_kind(_NO_KIND)) for one in capabilities)


def _stoppable(space: _Space) -> Iterator[Fault]:
    """Check that every agent can be stopped in an emergency, and resumed by a participant that may stop it."""
    anybody = [who for who, one in space.capabilities.items() if any(each.matches_kind(_START) for each in one)]
    reasoning = space.agents or (anybody if len(space.capabilities) > 1 else ())
    supervisors = {who for agent in reasoning for who in space.stoppers(agent)} - space.hosted
    if supervisors and not space.agents:  # people who may do everything
        return
    agents = [who for who in reasoning if who not in supervisors]
    stoppers = {agent: space.stoppers(agent) for agent in agents}
    hint = f"give a participant `{{kind: {INTERRUPT}}}` without a payload"
    if agents and not any(stoppers.values()):
        message = "No participant may stop an agent in an emergency: a wildcard does not allow that."
        yield Fault(space.path, message, hint, at_key=True)
        return
    for agent in (one for one in agents if not stoppers[one]):
        message = f"No other participant may stop {echo(agent)} in an emergency: a wildcard does not allow that."
        yield Fault(space.at(agent), message, f"{hint}, and add this agent to its `to` if there is one", at_key=True)
    stuck = [one for one in agents if stoppers[one] and not _resumers(space, one, stoppers[one])]
    if stuck and len(stuck) == len([one for one in agents if stoppers[one]]):
        who = stoppers[stuck[0]][0]
        message = f"{echo(who)} may halt agents in an emergency, and no participant may resume them."
        hint = f"give it `{{kind: {_RESUME}}}`: only a sender of the emergency may resume"
        yield Fault(space.at(who), message, hint, at_key=True)
        return
    for agent in stuck:
        who = stoppers[agent][0]
        message = (
            f"{echo(who)} may halt {echo(agent)} in an emergency, and no participant that may halt it may resume it."
        )
        yield Fault(space.at(who), message, f"let its `{_RESUME}` reach {echo(agent)}", at_key=True)


def _stoppable_guests(space: _Space) -> Iterator[Fault]:
    """Check that guests who may reason by the defaults can be stopped and resumed, whatever they are called."""
    if not _reasons(_compiled(space.settings.invited_capabilities), hosted=True):
        return
    path = (*space.path, "defaults", "capabilities")
    stoppers = space.stoppers(_GUEST)
    if not stoppers:
        message = "Invited participants may reason, and no participant may stop them in an emergency."
        hint = f"give a participant `{{kind: {INTERRUPT}}}` without a payload and without `to`"
        yield Fault(path, message, hint, at_key=True)
    elif not _resumers(space, _GUEST, stoppers):
        message = (
            f"{echo(stoppers[0])} may halt invited participants in an emergency, and no participant may resume them."
        )
        yield Fault(space.at(stoppers[0]), message, f"let its `{_RESUME}` reach everybody", at_key=True)


def _lifting(space: _Space) -> Iterator[Fault]:
    """Check that no agent may lift the halt of another agent: it takes the emergency and the resume."""
    certain = [who for who in space.agents if who in space.hosted or who in space.declared]
    for who in certain:
        for other in (one for one in certain if one != who):
            if who in space.stoppers(other) and _resumers(space, other, [who]):
                message = (
                    f"It may reason, and may lift the halt of {echo(other)}: it may send it emergencies and a resume."
                )
                yield Fault(space.at(who), message, f"take `{_RESUME}` from it, or give it to a person", at_key=True)
                break


def _resumers(space: _Space, agent: str, stoppers: Iterable[str]) -> list[str]:
    return [who for who in stoppers if space.capabilities[who].allow(_RESUME, {}, (agent,))]


def _can_answer(space: _Space) -> Iterator[Fault]:
    """Check that every agent may answer `stopping` to all who may interrupt it. A hosted one must be able to send all
    that the SDK sends."""
    for who in space.agents:
        capabilities = space.capabilities[who]
        wanted = (_ANSWER, *(_USUAL if who in space.hosted else ()))
        missing = [kind for kind in wanted if not any(each.matches_kind(kind) for each in capabilities)]
        hint = "give it the built-in role `agent`"
        if missing:
            kinds = ", ".join(map(echo, missing))
            message = f"It may reason, but may not send {kinds}."
            if _ANSWER in missing:
                message = f"It may reason, but cannot answer an interrupt: it may not send {kinds}."
            yield Fault(space.at(who), message, hint, at_key=True)
            continue
        unanswered = [
            one
            for one in space.interrupters(who) or [GATEWAY]
            if not capabilities.allow(_ANSWER, {"status": "stopping"}, (one,))
        ]
        if unanswered:
            whom = ", ".join(map(echo, unanswered))
            message = f"It may reason, but cannot answer `stopping` to an interrupt of {whom}."
            yield Fault(space.at(who), message, hint, at_key=True)


def _unrestricted(space: _Space, root: Node) -> Iterator[Fault]:
    """Check that no agent may do everything, by its own capabilities or by a role."""
    hint = "give it what its work needs"
    for who in (one for one in space.agents if _may_do_everything(space.capabilities[one])):
        message = "This agent may do everything: it can grant itself capabilities or make others act for it."
        own = root.find(*map(str, space.at(who)), "capabilities", "*")
        guilty = [node for node in own if _may_do_everything(_compiled([node.value]))]
        if guilty:
            yield Fault((*guilty[0].path, "kind"), message, hint)
        else:
            yield Fault((*space.at(who), "roles"), message, hint)


def _silencing(space: _Space) -> Iterator[Fault]:
    """Check that no agent and no guest may silence a participant that may stop it. `_unrestricted` reports those that
    may do everything."""
    asking = [(one, space.capabilities[one], space.at(one), "It may reason, and") for one in space.agents]
    if space.settings.invited_capabilities:
        guest = _compiled(space.settings.invited_capabilities)
        path = (*space.path, "defaults", "capabilities")
        if _may_do_everything(guest):
            yield Fault(path, "Invited participants may do everything.", "give them what they need", at_key=True)
        asking.append(("", guest, path, "An invited participant"))
    asked: dict[tuple[int, str], list[str]] = {}  # by capabilities and victim
    for who, may, path, begins in asking:
        if _may_do_everything(may):
            continue
        for one in _supervisors_of(space, who):
            key = id(may), one
            if key not in asked:
                asked[key] = _powers_over(may, one)
            if not (powers := asked[key]):
                continue
            removes = "remove" if powers[0] == _POWERS[0] else "silence"
            kinds = ", ".join(map(echo, powers))
            message = f"{begins} may {removes} {echo(one)}, who may stop it, with {kinds}."
            yield Fault(path, message, "name the kinds that it needs, in place of a wildcard", at_key=True)
            break


def _supervisors_of(space: _Space, who: str) -> list[str]:
    """Return the supervisors that may stop an agent; without a name, those that may stop any agent."""
    stopped = (who,) if who else space.agents
    stoppers = dict.fromkeys(one for agent in stopped for one in space.stoppers(agent))
    return [one for one in stoppers if one not in space.agents]


def _powers_over(may: Capabilities, victim: str) -> list[str]:
    """Return the kinds by which a holder of these capabilities may prevent the victim from stopping agents.

    A kick and a revocation name their victim in the payload, whatever is in `to`; the others name it in `to`.
    """
    found = []
    for kind in _POWERS:
        field = "participant_id" if kind == _POWERS[0] else None
        if _reduced(may, field).allow(kind, {} if field is None else {field: victim}, (victim,)):
            found.append(kind)
    holds = any(one.literal_kind == INTERRUPT for one in may)  # a participant can revoke only what it holds itself
    if holds and _reduced(may, "recipient").allow(_REVOKING, {"recipient": victim}, (victim,)):
        found.append(_REVOKING)
    return found


def _reduced(may: Capabilities, field: str | None) -> Capabilities:
    """Return capabilities that ask only who the victim is: in this field of the payload, else (None) in `to`.

    The holder chooses all the rest so that it matches. What a payload must not have anywhere stays asked.
    """
    return _compiled(_narrowed(one.source, field) for one in may)


def _narrowed(source: dict[str, Any], field: str | None) -> dict[str, Any]:
    left = {"kind": source["kind"]}
    if field is None and "to" in source:
        left["to"] = source["to"]
    payload = {
        key: wanted
        for key, wanted in source.get("payload", {}).items()
        if key == field or (is_search(key) and isinstance(wanted, str) and wanted.startswith("!"))
    }
    return {**left, "payload": payload} if payload else left


def _may_do_everything(capabilities: Capabilities) -> bool:
    """Return true if the capabilities allow an unknown kind as a broadcast."""
    return capabilities.allow(_NO_KIND, {}, ())


def _escalations(space: _Space) -> Iterator[Fault]:
    """Check that an unanswered interrupt has an escalation, and one that reaches every agent."""
    interrupts = space.settings.interrupts
    for key, steps in (
        ("escalation", interrupts.escalation),
        ("emergency_escalation", interrupts.emergency_escalation),
    ):
        path = (*space.path, "interrupts", key)
        for step in steps:
            if step.after > _HOUR:
                message = f"`{step.name}` follows only {format_duration(step.after)} after the previous step."
                yield Fault(path, message, "at most an hour is usual")
        if not steps:
            yield Fault(path, "Nothing happens if an interrupt is not answered.", "`[notify]` at least")
        elsewhere = [who for who in space.agents if who not in space.hosted]
        if elsewhere and _only_terminates(steps):
            message = f"`terminate` ends hosted processes only, and {echo(elsewhere[0])} is not hosted."
            yield Fault(path, message, "let `kick` follow")


def _only_terminates(steps: Iterable[Step]) -> bool:
    names = {step.name for step in steps}
    return "terminate" in names and names <= {"terminate", "notify"}


def _roles(root: Node) -> Iterator[Fault]:
    """Check that a space's own role with the name of a shared role may interrupt if the shared one may."""
    for shared in root.find("roles", "*"):
        for own in root.find("spaces", "*", "roles", str(shared.path[-1])):
            if _interrupts(shared) and not _interrupts(own):
                name = echo(str(shared.path[-1]))
                message = f"This replaces the shared role {name}, and may not interrupt."
                yield Fault(own.path, message, "rename it, or let it interrupt too", at_key=True)


def _interrupts(role: Node) -> bool:
    return any(each.value in (INTERRUPT, [INTERRUPT]) for each in role.find("*", "kind"))
