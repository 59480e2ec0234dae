"""Output records of an entry: the gateway's own envelopes, and exceptions to the audience (docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Sequence

from mew_gateway.journal.base import Entry, Output
from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.events import Received


def outputs_of(entry: Entry, effects: Sequence[Effect]) -> list[Output]:
    """Return the outputs of an entry, in order.

    An envelope that was forwarded before any output, to the audience of the routing, needs none. Every other case has a
    row without data: forwarded after an envelope of the gateway's, forwarded to an exceptional audience, and, with an
    empty audience, neither forwarded nor refused.
    """
    data = entry.event.data if isinstance(entry.event, Received) else None
    if len(effects) == 1:  # nearly all entries: an envelope, forwarded to the audience of the routing
        (only,) = effects
        if isinstance(only, Deliver) and only.data is data and not only.own and only.audience is None:
            return []
    rows: list[Output] = []
    settled = data is None
    for effect in effects:
        if not isinstance(effect, Deliver):
            continue
        if effect.own:
            kept = effect.data if effect.kept is None else effect.kept
            rows.append(_row(entry, len(rows), kept, effect.audience, refusal=effect.refusal))
            settled = settled or effect.refusal
        elif effect.data == data:
            settled = True
            if rows or effect.audience is not None:
                rows.append(_row(entry, len(rows), b"", effect.audience))
    if not settled:
        rows.append(_row(entry, len(rows), b"", ()))
    return rows


def _row(entry: Entry, nth: int, data: bytes, audience: tuple[str, ...] | None, *, refusal: bool = False) -> Output:
    return Output(entry.position, nth, entry.space, data, audience, refusal)
