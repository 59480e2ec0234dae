"""Who is halted, as an onlooker has seen it: emergencies halt at acceptance, resumes that name them let go."""

from __future__ import annotations

from collections.abc import Sequence

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import EMERGENCY

_REMEMBERED = 1_000  # halts


class Halted:
    """The halts that were seen, by target and emergency. Everything that it is shown, the gateway has let through."""

    def __init__(self) -> None:
        self._halts: dict[tuple[str, str], None] = {}

    def found(self, name: str, emergencies: Sequence[str]) -> None:
        """The gateway lists these, and no others, of a participant."""
        self._halts = {halt: None for halt in self._halts if halt[0] != name}
        for id in emergencies:
            self._add(name, id)

    def interrupted(self, envelope: Envelope) -> None:
        """An interrupt: an emergency halts whom it is for (docs/protocol.md §5)."""
        if (envelope.payload or {}).get("class") == EMERGENCY:
            for name in envelope.to or ():
                self._add(name, envelope.id)

    def resumed(self, envelope: Envelope) -> dict[str, list[str]]:
        """A resume lifts what it names; of those it is for, who stays halted by which emergencies."""
        for name in envelope.to or ():
            for id in envelope.correlation_id or ():
                self._halts.pop((name, id), None)
        standing = {name: [id for target, id in self._halts if target == name] for name in envelope.to or ()}
        return {name: ids for name, ids in standing.items() if ids}

    def _add(self, name: str, id: str) -> None:
        self._halts[name, id] = None
        while len(self._halts) > _REMEMBERED:
            del self._halts[next(iter(self._halts))]
