"""Checks for capabilities that are well formed and probably wrong: an unknown kind or class, an absent recipient.

A clear misspelling is a fault. The rest are warnings: custom kinds are allowed, and a recipient may be invited later.
`safety_checks` tests if the capabilities of a space together can stop an agent.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec

from mew_gateway.documents.document import Node
from mew_gateway.documents.problems import Fault, echo, nearest
from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import compile_capability
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.kinds import HEARTBEAT, KINDS, is_reserved
from mew_gateway.protocol.patterns import compile_string, is_glob, is_literal, is_search
from mew_gateway.protocol.reasons import CLASSES, EMERGENCY, INTERRUPT, REASONS

_KINDS = (*KINDS, HEARTBEAT)
_FAMILIES = tuple(dict.fromkeys(kind.partition("/")[0] for kind in _KINDS))
_FIELDS = {"class": CLASSES, "reason": REASONS}  # of an interrupt
_PEOPLE = {"space/kick": "participant_id", "capability/grant": "recipient", "capability/revoke": "recipient"}


class _Written(NamedTuple):
    """A capability of the file, and the participants of the spaces that it applies to."""

    node: Node
    participants: frozenset[str]


def faults(root: Node) -> Iterator[Fault]:
    """Yield the clear misspellings in the capabilities of a document, which may be malformed."""
    for written in _capabilities(root):
        for pattern in _patterns(written.node, "kind"):
            if (near := _misspelt(pattern.value)) is not None:
                yield Fault(pattern.path, f"There is no kind {echo(_bare(pattern.value))}.", near)
        yield from _interrupts(written.node)


def warnings(root: Node) -> Iterator[Fault]:
    """Yield the warnings about the capabilities of a valid document."""
    for written in _capabilities(root):
        for pattern in _patterns(written.node, "kind"):
            if not _matches_something(pattern.value):
                message = f"No kind of this version matches {echo(pattern.value)}."
                yield Fault(pattern.path, message, "a kind of your own is forwarded if it is allowed")
        yield from _fields(written.node)
        for pattern in _patterns(written.node, "to"):
            yield from _unknown_participant(pattern, written.participants)
        for kind, field in _PEOPLE.items():
            if any(pattern.value == kind for pattern in _patterns(written.node, "kind")):
                for payload in written.node.find("payload"):
                    for pattern in _patterns(payload, field):
                        yield from _unknown_participant(pattern, written.participants)


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
    """Yield the string patterns of a field that holds one pattern or a list."""
    for node in [*capability.find(field), *capability.find(field, "*")]:
        if isinstance(node.value, str):
            yield node


def _bare(pattern: str) -> str:
    return pattern.lstrip("!")


def _matches_something(pattern: str) -> bool:
    """Return true if the pattern can match a kind of this version, or a custom kind."""
    word = _bare(pattern)
    if not word or word in _KINDS or is_reserved(word) or (not is_literal(word) and _covers_known_kind(word)):
        return True
    if not is_literal(word) and not is_glob(word):  # a regular expression: for custom kinds, unless it names a family
        return not any(f"{family}/" in word.replace("\\", "") for family in _FAMILIES)
    return word.partition("/")[0] not in _FAMILIES and _misspelt(word) is None


def _covers_known_kind(pattern: str) -> bool:
    try:
        capability = compile_capability({"kind": pattern})
    except Rejected:  # reported by the models
        return True
    return any(capability.matches_kind(kind) for kind in _KINDS)


def _misspelt(pattern: str) -> str | None:
    """Return a suggestion for a misspelt kind; None for a known kind, and for one that is like no other."""
    word = _bare(pattern)
    if word in _KINDS or is_reserved(word) or not (is_literal(word) or word.endswith("/*")):
        return None
    family, slash, rest = word.partition("/")
    if word == EMERGENCY:
        return f"did you mean {echo(INTERRUPT)} with the class {echo(EMERGENCY)}?"
    if not slash and (whole := [kind for kind in _KINDS if kind.partition("/")[2] == word]):
        return f"did you mean {echo(whole[0])}?"
    families = [family] if family in _FAMILIES else difflib.get_close_matches(family, _FAMILIES, 1)
    if not slash or rest == "*":
        meant = [f"{near}{slash}{rest}" for near in families]
    else:
        rests = [kind.partition("/")[2] for kind in _KINDS if kind.partition("/")[0] in families]
        meant = [f"{families[0]}/{near}" for near in difflib.get_close_matches(rest, rests, 1)]
    return f"did you mean {echo(meant[0])}?" if meant and meant[0] != word else None


def _interrupts(capability: Node) -> Iterator[Fault]:
    """Yield the faults of patterns that match no class or no reason of an interrupt: they allow no interrupt."""
    if not any(pattern.value == INTERRUPT for pattern in _patterns(capability, "kind")):
        return
    for payload in capability.find("payload"):
        for field, known in _FIELDS.items():
            for node in [*payload.find(field), *payload.find(field, "*")]:
                if isinstance(node.value, list | dict):
                    continue
                word = _bare(node.value) if isinstance(node.value, str) else str(node.value).lower()
                if not isinstance(node.value, str) or (word and not _matches_any(word, known)):
                    near = nearest(word, known) or f"known here: {', '.join(known)}"
                    yield Fault(node.path, f"An interrupt has no {field} {echo(word)}.", near)


def _fields(capability: Node) -> Iterator[Fault]:
    """Yield the warnings about misspelt payload fields: their patterns match nothing."""
    kinds = [pattern.value for pattern in _patterns(capability, "kind")]
    if not all(kind in KINDS for kind in kinds):
        return
    known = {field.encode_name for kind in kinds for field in msgspec.structs.fields(KINDS[kind].payload)}
    for node in capability.find("payload", "*"):
        key = str(node.path[-1])
        if key not in known and not is_search(key) and (near := nearest(key, known)):
            yield Fault(node.path, f"The payload of {', '.join(kinds)} has no {echo(key)}.", near, at_key=True)


def _matches_any(pattern: str, words: Iterable[str]) -> bool:
    """Return true if the pattern matches one of the words, or is malformed (which the models report)."""
    try:
        matches = compile_string(pattern, "")
    except Rejected:
        return True
    return any(map(matches, words))


def _unknown_participant(pattern: Node, participants: frozenset[str]) -> Iterator[Fault]:
    name = _bare(pattern.value)
    if name and not _matches_any(name, (*participants, GATEWAY)):
        near = nearest(name, participants) or "unless it is invited later"
        yield Fault(pattern.path, f"There is no participant {echo(name)}.", near)
