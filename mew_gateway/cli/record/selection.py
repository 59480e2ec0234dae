"""Which envelopes somebody wants to see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mew_gateway.protocol.budget import Budget
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.patterns import compile_strings

from ..printing.ids import is_meant

_REMEMBERED = 10_000


class Selection:
    """By kind pattern (docs/protocol.md §3), sender and sequence: all that are given must fit. Raises `Rejected`."""

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
        """Whether anything is not wanted."""
        return bool(self._kind or self._senders or self._sequence) or not self._thoughts

    def know(self, interrupts: Iterable[str]) -> None:
        """These are interrupts of the sequence, whether they are seen or not."""
        self._interrupts |= dict.fromkeys(interrupts)

    def admits(self, envelope: Envelope) -> bool:
        """Whether the envelope is wanted."""
        related = self._sequence is None or self._relates(envelope, self._sequence)
        return (
            related
            and (self._kind is None or self._kind(envelope.kind, Budget()))
            and (not self._senders or envelope.sender in self._senders)
            and (self._thoughts or envelope.kind != "reasoning/thought")
        )

    def _relates(self, envelope: Envelope, sequence: str) -> bool:
        """Whether it is of the sequence, an interrupt of it, or an answer to such an interrupt."""
        references = envelope.correlation_id or ()
        of_sequence = any(
            is_meant(sequence, id)
            for id in (envelope.id, (envelope.context or "").partition("/")[0], *references)
            if id
        )
        if of_sequence and envelope.kind == "reasoning/interrupt":
            self._interrupts[envelope.id] = None
            while len(self._interrupts) > _REMEMBERED:
                del self._interrupts[next(iter(self._interrupts))]
        return of_sequence or any(id in self._interrupts for id in references)
