"""Selection of envelopes by the options of `mew watch` and `mew timeline`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mew_gateway.protocol.budget import Budget
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.patterns import compile_strings

from ..printing.ids import is_meant

_MAX_REMEMBERED = 10_000


class Selection:
    """A filter by kind pattern (docs/protocol.md §3), sender and sequence: all that are given must match. Raises
    `Rejected`."""

    def __init__(
        self, *, kinds: Sequence[str] = (), senders: Sequence[str] = (), sequence: str | None = None, thoughts: bool
    ) -> None:
        self._kind = compile_strings(list(kinds), "--kind", kind=True)[0] if kinds else None
        self._senders = frozenset(senders)
        self._sequence = sequence
        self._thoughts = thoughts
        self._interrupts: dict[str, None] = {}

    @property
    def is_selective(self) -> bool:
        """True if some envelopes are not selected."""
        return bool(self._kind or self._senders or self._sequence) or not self._thoughts

    def add_interrupts(self, interrupts: Iterable[str]) -> None:
        """Add ids of interrupts of the sequence, which may never be seen themselves."""
        self._interrupts |= dict.fromkeys(interrupts)

    def admits(self, envelope: Envelope) -> bool:
        """Return true if the envelope is selected."""
        related = self._sequence is None or self._is_related(envelope, self._sequence)
        return (
            related
            and (self._kind is None or self._kind(envelope.kind, Budget()))
            and (not self._senders or envelope.sender in self._senders)
            and (self._thoughts or envelope.kind != "reasoning/thought")
        )

    def _is_related(self, envelope: Envelope, sequence: str) -> bool:
        """Return true for an envelope of the sequence, an interrupt of it, or an answer to such an interrupt."""
        references = envelope.correlation_id or ()
        of_sequence = any(
            is_meant(sequence, id)
            for id in (envelope.id, (envelope.context or "").partition("/")[0], *references)
            if id
        )
        if of_sequence and envelope.kind == "reasoning/interrupt":
            self._interrupts[envelope.id] = None
            while len(self._interrupts) > _MAX_REMEMBERED:
                del self._interrupts[next(iter(self._interrupts))]
        return of_sequence or any(id in self._interrupts for id in references)
