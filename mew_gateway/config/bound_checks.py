"""Checks of bounds that are valid, and so far out that they disarm what they bound: warnings of `mew check`.

The thresholds are generous: nobody who means a bound should be warned, and no bound beyond them helps anybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mew_gateway.documents.document import Node
from mew_gateway.documents.durations import milliseconds, shown
from mew_gateway.documents.problems import Fault, KeyPath
from mew_gateway.space.settings import SpaceSettings, Watchdog

from .quantities import rate

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000

_SHORTEST_ANSWER = 100  # milliseconds, in which no answer can come over a network
_LONGEST_ANSWER: Mapping[str, int] = {  # milliseconds of `interrupts`, beyond which nobody is helped by it
    "emergency_ack_deadline": _MINUTE,
    "ack_deadline": _HOUR,
    "stopping_conclusion": _HOUR,
    "completing_conclusion": _DAY,
}
_LONGEST_WAIT = 10 * _MINUTE  # of a sender who has used up a rate
_FEWEST_TIMES = 2  # of a rate: once is used up by whoever has to try again
_SHORTEST_GRACE, _LONGEST_GRACE = _SECOND, _DAY  # of an owner who is gone
_SHORTEST_PROPOSAL = _SECOND
_SHORTEST_JOIN = _SECOND  # a handshake, and TLS with it
_SHORTEST_PING, _LONGEST_PING = 500, 10 * _MINUTE  # a network that is slow; a peer that is dead
_FEWEST_REMEMBERED = 100  # of what is over and has to be found again
_LARGEST_WATCH: Mapping[str, tuple[int, str]] = {
    "max_seconds": (86_400, "a day"),
    "max_thoughts": (1_000_000, "a million"),
    "max_bytes": (2**40, "a TiB"),
}
_REMEMBERED = {
    "settled_interrupts": "The record of an interrupt is forgotten before anybody can read it.",
    "closed_sequences": "A sequence that has ended is forgotten at once: what comes late in it is not refused.",
    "remembered_ids": "An envelope that comes twice is taken twice.",
}
_PINGS = ("ping_interval", "ping_timeout")


def of_space(settings: SpaceSettings, path: KeyPath) -> Iterator[Fault]:
    """What the bounds of one space let nobody do in time."""
    interrupts = settings.interrupts
    for key, most in _LONGEST_ANSWER.items():
        value, place = getattr(interrupts, key), (*path, "interrupts", key)
        if value > most:
            message = f"Nobody is told before {shown(value)} that an interrupt was not heeded."
            yield Fault(place, message, f"at most {shown(most)} is usual")
        if value < _SHORTEST_ANSWER:
            message = f"Nobody can answer within {shown(value)}: whoever is interrupted will be late."
            yield Fault(place, message, f"at least {shown(_SHORTEST_ANSWER)}; `30s` is usual")
    for key in ("emergency", "per_sequence"):
        asked = getattr(interrupts, key)
        yield from _rate(asked.count, asked.per, (*path, "interrupts", key), who="a sender")
    if settings.owner_grace < _SHORTEST_GRACE:
        message = f"Whoever loses its connection for {shown(settings.owner_grace)} loses its sequences."
        yield Fault((*path, "owner_grace"), message, "`30s` is usual")
    if settings.owner_grace > _LONGEST_GRACE:
        message = f"What an owner who is gone has left open stays so for {shown(settings.owner_grace)}."
        yield Fault((*path, "owner_grace"), message, "`30s` is usual")
    if settings.proposal_expiry < _SHORTEST_PROPOSAL:
        message = "A proposal expires before anybody can decide about it."
        yield Fault((*path, "proposal_expiry"), message, "a day is usual: `24h`")
    yield from _watchdog(settings.watchdog, (*path, "watchdog"))
    for name, one in settings.participants.items():
        if one.watchdog is not None:
            yield from _watchdog(one.watchdog, (*path, "participants", name, "watchdog"))


def of_gateway(root: Node) -> Iterator[Fault]:
    """What the bounds of the gateway keep everybody from; those that are written in the file."""
    limits = ("gateway", "limits")
    for node in root.find(*limits, "connects"):
        yield from _rate(*_counted(node), node.path, who="a participant")
    for node in root.find(*limits, "join_timeout"):
        if (value := milliseconds(node.value)) < _SHORTEST_JOIN:
            message = f"Nobody can join within {shown(value)}."
            yield Fault(node.path, message, f"at least {shown(_SHORTEST_JOIN)}; `10s` is usual")
    for node in (found for key in _PINGS for found in root.find(*limits, key)):
        value = milliseconds(node.value)
        if value < _SHORTEST_PING:
            message = (
                f"Connections are closed after {shown(value)} without an answer, or have no time for anything else."
            )
            yield Fault(node.path, message, f"at least {shown(_SHORTEST_PING)}; `20s` is usual")
        if value > _LONGEST_PING:
            message = f"A peer that is dead counts as here for {shown(value)}."
            yield Fault(node.path, message, f"at most {shown(_LONGEST_PING)}; `20s` is usual")
    for key, message in _REMEMBERED.items():
        for node in root.find(*limits, key):
            if node.value < _FEWEST_REMEMBERED:
                yield Fault(node.path, message, f"at least {_FEWEST_REMEMBERED}")


def _counted(node: Node) -> tuple[int, int]:
    parsed = rate(node.value)
    return parsed.count, parsed.per


def _rate(count: int, per: int, path: KeyPath, *, who: str) -> Iterator[Fault]:
    if per > _LONGEST_WAIT or count < _FEWEST_TIMES:
        message = f"After {count} of them {who} has to wait for up to {shown(per)}."
        yield Fault(path, message, f"several, in a period of at most {shown(_LONGEST_WAIT)}, is usual")


def _watchdog(limits: Watchdog, path: KeyPath) -> Iterator[Fault]:
    for key, (most, words) in _LARGEST_WATCH.items():
        value = getattr(limits, key)
        if value is not None and value > most:
            yield Fault((*path, key), f"No sequence comes to more than {words}: this stops nothing.", "a smaller one")
