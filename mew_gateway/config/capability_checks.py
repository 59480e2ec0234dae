"""Checks of capabilities that can be read, and that nobody can have meant: a kind or a class that does not exist, a
recipient that is not there, reasoning that cannot be stopped.

What is misspelt beyond doubt is a fault. The rest is a warning: kinds of one's own are allowed, and a recipient may be
invited later.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault, KeyPath, echo, nearest
from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import EMERGENCY, INTERRUPT, Capabilities, compile_capability
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, is_reserved
from mew_gateway.protocol.patterns import is_glob, is_literal, is_search
from mew_gateway.protocol.reasons import CLASSES, REASONS
from mew_gateway.space.settings import SpaceSettings

_KINDS = (*KINDS, HEARTBEAT)
_FAMILIES = tuple(dict.fromkeys(kind.partition("/")[0] for kind in _KINDS))
_FIELDS = {"class": CLASSES, "reason": REASONS}  # of an interrupt

# What an agent that reasons sends besides, and what comes of it when it may not.
_ANSWER = "reasoning/interrupt-ack"
_USUAL = ("chat", "chat/acknowledge", "reasoning/thought", "participant/status")


class _Written(NamedTuple):
    """A capability as it stands in the file, and who is in the spaces that it is for."""

    node: Node
    participants: frozenset[str]


def faults(root: Node) -> Iterator[Fault]:
    """What is misspelt beyond doubt in the capabilities of a document, well formed or not."""
    for written in _capabilities(root):
        for pattern in _patterns(written.node, "kind"):
            if (near := _misspelt(pattern.value)) is not None:
                yield Fault(pattern.path, f"There is no kind {echo(_bare(pattern.value))}.", near)
        yield from _interrupts(written.node)


def warnings(root: Node, spaces: Iterable[SpaceSettings], *, hosted: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """What a valid document allows that nobody can have meant. `hosted` are the agents, by space and name."""
    for written in _capabilities(root):
        for pattern in _patterns(written.node, "kind"):
            if not _matches_something(pattern.value):
                message = f"No kind of this version matches {echo(pattern.value)}."
                yield Fault(pattern.path, message, "a kind of your own is forwarded if it is allowed")
        yield from _fields(written.node)
        for pattern in _patterns(written.node, "to"):
            yield from _nobody(pattern, written.participants)
    agents = set(hosted)
    for space in spaces:
        found = root.find("spaces", space.id)
        place = found[0].path if found else ()
        here = {who for name, who in agents if name == space.id}
        yield from _stopping(space, place, here)
        yield from _answering(space, place, here)


def _capabilities(root: Node) -> Iterator[_Written]:
    everybody = frozenset(str(node.path[-1]) for node in root.find("spaces", "*", "participants", "*"))
    for node in [*root.find("roles", "*", "*"), *root.find("defaults", "capabilities", "*")]:
        yield _Written(node, everybody or _names(root))
    for node in root.find("participants", "*", "capabilities", "*"):
        yield _Written(node, _names(root))
    for space in root.find("spaces", "*"):
        for path in (
            ("roles", "*", "*"),
            ("defaults", "capabilities", "*"),
            ("participants", "*", "capabilities", "*"),
        ):
            for node in space.find(*path):
                yield _Written(node, _names(space))


def _names(node: Node) -> frozenset[str]:
    return frozenset(str(each.path[-1]) for each in node.find("participants", "*"))


def _patterns(capability: Node, field: str) -> Iterator[Node]:
    """The string patterns of a field that takes one or a list of them."""
    for node in [*capability.find(field), *capability.find(field, "*")]:
        if isinstance(node.value, str):
            yield node


def _bare(pattern: str) -> str:
    return pattern.lstrip("!")


def _matches_something(pattern: str) -> bool:
    """Whether a kind of this version, or one of somebody's own, can be meant."""
    word = _bare(pattern)
    if not word or not (is_literal(word) or is_glob(word)):
        return True
    if word in _KINDS or is_reserved(word) or (is_glob(word) and _covers_any(word)):
        return True
    return word.partition("/")[0] not in _FAMILIES and _misspelt(word) is None


def _covers_any(pattern: str) -> bool:
    try:
        capability = compile_capability({"kind": pattern})
    except Rejected:  # told elsewhere
        return True
    return any(capability.covers(kind) for kind in _KINDS)


def _misspelt(pattern: str) -> str | None:
    """The kind that was meant, as a question; None for a kind that there is, and for one that is like no other."""
    word = _bare(pattern)
    if word in _KINDS or is_reserved(word) or not (is_literal(word) or word.endswith("/*")):
        return None
    family, slash, rest = word.partition("/")
    families = [family] if family in _FAMILIES else difflib.get_close_matches(family, _FAMILIES, 1)
    if not slash or rest == "*":
        meant = [f"{near}{slash}{rest}" for near in families]
    else:
        rests = [kind.partition("/")[2] for kind in _KINDS if kind.partition("/")[0] in families]
        meant = [f"{families[0]}/{near}" for near in difflib.get_close_matches(rest, rests, 1)]
    return f"did you mean {echo(meant[0])}?" if meant and meant[0] != word else None


def _interrupts(capability: Node) -> Iterator[Fault]:
    """A class or a reason of an interrupt that does not exist matches nothing, and stops nothing."""
    if not any(pattern.value == INTERRUPT for pattern in _patterns(capability, "kind")):
        return
    for payload in capability.find("payload"):
        for field, known in _FIELDS.items():
            for pattern in _patterns(payload, field):
                word = _bare(pattern.value)
                if word and is_literal(word) and word not in known:
                    near = nearest(word, known) or f"known here: {', '.join(known)}"
                    yield Fault(pattern.path, f"An interrupt has no {field} {echo(word)}.", near)


def _fields(capability: Node) -> Iterator[Fault]:
    """A field of the payload that the kinds do not have, and that is like one: its pattern matches nothing."""
    kinds = [pattern.value for pattern in _patterns(capability, "kind")]
    if not all(kind in KINDS for kind in kinds):
        return
    known = {field.encode_name for kind in kinds for field in msgspec.structs.fields(KINDS[kind].payload)}
    for node in capability.find("payload", "*"):
        key = str(node.path[-1])
        if key not in known and not is_search(key) and (near := nearest(key, known)):
            yield Fault(node.path, f"The payload of {', '.join(kinds)} has no {echo(key)}.", near, at_key=True)


def _nobody(pattern: Node, participants: frozenset[str]) -> Iterator[Fault]:
    name = _bare(pattern.value)
    if name and is_literal(name) and name not in participants and name != GATEWAY:
        near = nearest(name, participants) or "unless it is invited later"
        yield Fault(pattern.path, f"Nobody here is called {echo(name)}.", near)


def _stopping(space: SpaceSettings, place: KeyPath, hosted: set[str]) -> Iterator[Fault]:
    """Who reasons can be stopped in an emergency, and let go on."""
    able = {who: _compiled(one.capabilities) for who, one in space.participants.items()}
    reasoning = [who for who, capabilities in able.items() if _is_agent(capabilities, hosted=who in hosted)]
    payload = {"class": EMERGENCY, "reason": "error"}
    safety = [
        who
        for who, capabilities in able.items()
        if any(capabilities.allow_emergency(INTERRUPT, payload, (agent,)) for agent in reasoning)
    ]
    if reasoning and not safety:
        message = "Nobody here may stop an agent in an emergency: no wildcard allows that."
        yield Fault(place, message, f"give somebody `{{kind: {INTERRUPT}}}` without a payload", at_key=True)
    lifting = (one.allow("participant/resume", {}, (agent,)) for one in able.values() for agent in reasoning)
    if safety and not any(lifting):
        message = f"`{safety[0]}` may halt agents in an emergency, and nobody here may let them go on."
        path = (*place, "participants", safety[0])
        yield Fault(path, message, "give it `{kind: participant/resume}`", at_key=True)


def _is_agent(capabilities: Capabilities, *, hosted: bool) -> bool:
    """Whether a participant reasons: it may, and is no person who may do everything."""
    named = any(str(one.source["kind"]).find("reasoning/") >= 0 for one in capabilities)
    return (hosted or named) and capabilities.allow("reasoning/start", {}, ())


def _answering(space: SpaceSettings, place: KeyPath, hosted: set[str]) -> Iterator[Fault]:
    """Who reasons answers interrupts; a hosted agent sends what the SDK does."""
    for who, one in space.participants.items():
        capabilities = _compiled(one.capabilities)
        if not _is_agent(capabilities, hosted=who in hosted):
            continue
        wanted = (_ANSWER, *(_USUAL if who in hosted else ()))
        missing = [kind for kind in wanted if not any(each.covers(kind) for each in capabilities)]
        if missing:
            told = ", ".join(map(echo, missing))
            message = f"It may reason, and would be refused {told}."
            if _ANSWER in missing:
                message = f"It may reason, and cannot answer an interrupt: it would be refused {told}."
            yield Fault((*place, "participants", who), message, "give it the built-in role `agent`", at_key=True)


def _compiled(sources: Iterable[dict[str, Any]]) -> Capabilities:
    return Capabilities([compile_capability(source) for source in sources])
