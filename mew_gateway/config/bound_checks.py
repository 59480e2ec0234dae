"""Warnings about bounds that are valid, but so large or small that they have no effect (`mew check`).

The thresholds are generous: a bound that is meant seriously gives no warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import format_duration, milliseconds
from mew_gateway.documents.problems import Fault, KeyPath
from mew_gateway.space.settings import Interrupts, SpaceSettings, Watchdog

from .configuration import GatewayLimits
from .rates import rate
from .stated import default_of

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000

_SHORTEST_ANSWER = 100  # milliseconds: too short for an answer over a network
_LONGEST_ANSWER: Mapping[str, int] = {  # milliseconds: longer settings of `interrupts` are useless
    "emergency_ack_deadline": _MINUTE,
    "ack_deadline": _HOUR,
    "stopping_conclusion": _HOUR,
    "completing_conclusion": _DAY,
}
_LONGEST_WAIT = 10 * _MINUTE  # milliseconds for a sender that has used up its rate
_FEWEST_TIMES = 2  # of a rate: one is too few for a retry
_SHORTEST_GRACE, _LONGEST_GRACE = _SECOND, _DAY  # of a disconnected owner
_SHORTEST_PROPOSAL = _SECOND
_SHORTEST_JOIN = _SECOND  # a handshake with TLS
_SHORTEST_PING, _LONGEST_PING = 500, 10 * _MINUTE  # a slow network; a dead peer
_FEWEST_REMEMBERED = 100  # entries that must be found after their end
_LARGEST_WATCH: Mapping[str, tuple[int, str]] = {
    "max_seconds": (86_400, "a day"),
    "max_thoughts": (1_000_000, "a million"),
    "max_bytes": (2**40, "a TiB"),
}
_REMEMBERED = {
    "settled_interrupts": "The record of an interrupt is forgotten before it can be read.",
    "closed_sequences": "An ended sequence is forgotten at once: late envelopes in it are not refused.",
    "remembered_ids": "A duplicate envelope is accepted twice.",
}
_FEWEST_CONNECTIONS = 2  # an agent, and somebody who stops it
_FEWEST_ENVELOPES = 5  # a second: an agent thinks, acknowledges and concludes
_SHORTEST_KEEP = _MINUTE  # a promised conclusion comes within it
_PINGS = ("ping_interval", "ping_timeout")


def of_space(settings: SpaceSettings, path: KeyPath) -> Iterator[Fault]:
    """Yield the warnings about the bounds of one space."""
    interrupts = settings.interrupts
    for key, most in _LONGEST_ANSWER.items():
        value, place = getattr(interrupts, key), (*path, "interrupts", key)
        if value > most:
            message = f"An unanswered interrupt is reported only after {format_duration(value)}."
            yield Fault(place, message, f"at most {format_duration(most)} is usual")
        if value < _SHORTEST_ANSWER:
            message = f"No agent can answer within {format_duration(value)}: every ack will be late."
            yield Fault(
                place, message, f"at least {format_duration(_SHORTEST_ANSWER)}; {_usual(Interrupts, 'ack_deadline')}"
            )
    for key in ("emergency", "per_sequence"):
        asked = getattr(interrupts, key)
        yield from _rate(asked.count, asked.per, (*path, "interrupts", key), who="a sender")
    if settings.owner_grace < _SHORTEST_GRACE:
        message = f"A participant that is disconnected for {format_duration(settings.owner_grace)} loses its sequences."
        yield Fault((*path, "owner_grace"), message, _usual(SpaceSettings, "owner_grace"))
    if settings.owner_grace > _LONGEST_GRACE:
        message = f"Sequences of a disconnected owner stay open for {format_duration(settings.owner_grace)}."
        yield Fault((*path, "owner_grace"), message, _usual(SpaceSettings, "owner_grace"))
    if settings.proposal_expiry < _SHORTEST_PROPOSAL:
        message = "A proposal expires before it can be decided."
        yield Fault(
            (*path, "proposal_expiry"), message, f"a day is usual: `{default_of(SpaceSettings, 'proposal_expiry')}`"
        )
    yield from _watchdog(settings.watchdog, (*path, "watchdog"))
    for name, one in settings.participants.items():
        if one.watchdog is not None:
            place = (*path, "participants", name, "watchdog")
            yield from _watchdog(one.watchdog, place)
            yield from _unwatched(settings.watchdog, one.watchdog, place)


def of_gateway(root: Node) -> Iterator[Fault]:
    """Yield the warnings about the bounds of the gateway that are written in the file."""
    limits = ("gateway", "limits")
    for node in root.find(*limits, "connects"):
        yield from _rate(*_counted(node), node.path, who="a participant")
    for node in root.find(*limits, "join_timeout"):
        if (value := milliseconds(node.value)) < _SHORTEST_JOIN:
            message = f"Nobody can join within {format_duration(value)}."
            yield Fault(
                node.path,
                message,
                f"at least {format_duration(_SHORTEST_JOIN)}; {_usual(GatewayLimits, 'join_timeout')}",
            )
    for node in root.find(*limits, "connections"):
        if node.value < _FEWEST_CONNECTIONS:
            message = "With one connection nobody can stop an agent that is here."
            yield Fault(node.path, message, f"at least {_FEWEST_CONNECTIONS}, and as many as participants")
    for node in root.find(*limits, "envelopes_per_second"):
        if node.value < _FEWEST_ENVELOPES:
            message = f"With {node.value} a second, an agent that thinks cannot answer an interrupt in time."
            yield Fault(node.path, message, f"at least {_FEWEST_ENVELOPES}")
    for node in root.find("gateway", "journal", "keep"):
        if (value := milliseconds(node.value)) < _SHORTEST_KEEP:
            message = f"History is deleted after {format_duration(value)}: nobody can resume or read what happened."
            yield Fault(node.path, message, "`7d` is usual")
    for node in (found for key in _PINGS for found in root.find(*limits, key)):
        usual = _usual(GatewayLimits, str(node.path[-1]))
        value = milliseconds(node.value)
        if value < _SHORTEST_PING:
            answer = f"Connections are closed after {format_duration(value)} without an answer"
            message = f"{answer}, or have no time for anything else."
            yield Fault(node.path, message, f"at least {format_duration(_SHORTEST_PING)}; {usual}")
        if value > _LONGEST_PING:
            message = f"A dead peer counts as connected for {format_duration(value)}."
            yield Fault(node.path, message, f"at most {format_duration(_LONGEST_PING)}; {usual}")
    for key, message in _REMEMBERED.items():
        for node in root.find(*limits, key):
            if node.value < _FEWEST_REMEMBERED:
                yield Fault(node.path, message, f"at least {_FEWEST_REMEMBERED}")


def _usual(kind: type[Struct], name: str) -> str:
    return f"`{default_of(kind, name)}` is usual"


def _counted(node: Node) -> tuple[int, int]:
    parsed = rate(node.value)
    return parsed.count, parsed.per


def _rate(count: int, per: int, path: KeyPath, *, who: str) -> Iterator[Fault]:
    if per > _LONGEST_WAIT or count < _FEWEST_TIMES:
        message = f"After {count} in a row, {who} must wait for up to {format_duration(per)}."
        yield Fault(path, message, f"several, in a period of at most {format_duration(_LONGEST_WAIT)}, is usual")


def _unwatched(shared: Watchdog, own: Watchdog, path: KeyPath) -> Iterator[Fault]:
    """Yield a warning if a participant's own watchdog drops limits of the space's, which it replaces whole."""
    dropped = [key for key in _LARGEST_WATCH if getattr(shared, key) is not None and getattr(own, key) is None]
    if dropped:
        keys = " and ".join(f"`{key}`" for key in dropped)
        message = f"This replaces the watchdog of the space: {keys} no longer limits this participant."
        yield Fault(path, message, f"write {keys} here too", at_key=True)


def _watchdog(limits: Watchdog, path: KeyPath) -> Iterator[Fault]:
    for key, (most, words) in _LARGEST_WATCH.items():
        value = getattr(limits, key)
        if value is not None and value > most:
            yield Fault(
                (*path, key), f"No sequence comes to more than {words}: this limit stops nothing.", "a smaller one"
            )
