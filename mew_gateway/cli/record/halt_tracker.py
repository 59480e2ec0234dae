"""Tracker of halts from envelopes: accepted emergencies halt, resumes that name them lift the halt."""

from __future__ import annotations

from collections.abc import Sequence

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import EMERGENCY

_MAX_REMEMBERED = 1_000  # halts


class HaltTracker:
    """The halts that were seen, by target and emergency. Every envelope it is given was accepted by the gateway."""

    def __init__(self) -> None:
        self._halts: dict[tuple[str, str], None] = {}

    def replace(self, name: str, emergencies: Sequence[str]) -> None:
        """Replace the halts of a participant by those that the gateway lists."""
        self._halts = {halt: None for halt in self._halts if halt[0] != name}
        for id in emergencies:
            self._add(name, id)

    def interrupt(self, envelope: Envelope) -> None:
        """Take in an interrupt: an emergency halts its addressees (docs/protocol.md §5)."""
        if (envelope.payload or {}).get("class") == EMERGENCY:
            for name in envelope.to or ():
                self._add(name, envelope.id)

    def resume(self, envelope: Envelope) -> dict[str, list[str]]:
        """Take in a resume: it lifts what it names. Return which addressees stay halted, by which emergencies."""
        for name in envelope.to or ():
            for id in envelope.correlation_id or ():
                self._halts.pop((name, id), None)
        remaining = {name: [id for target, id in self._halts if target == name] for name in envelope.to or ()}
        return {name: ids for name, ids in remaining.items() if ids}

    def _add(self, name: str, id: str) -> None:
        self._halts[name, id] = None
        while len(self._halts) > _MAX_REMEMBERED:
            del self._halts[next(iter(self._halts))]
