"""What an entry's effects leave beside the journal: the gateway's own envelopes, and exceptions to who sees the entry's
(docs/architecture.md)."""

from __future__ import annotations

from collections.abc import Sequence

from mew_gateway.journal.base import Entry, Output
from mew_gateway.space.effects import Deliver, Effect
from mew_gateway.space.events import Received


def outputs_of(entry: Entry, effects: Sequence[Effect]) -> list[Output]:
    """The outputs of an entry, in order.

    An envelope that was forwarded first of all and to whom the routing lets needs none. Anything else is told by a row
    without data: one that went behind an envelope of the gateway's, one that some saw by exception, and, with an empty
    audience, one that was neither forwarded nor refused.
    """
    data = entry.event.data if isinstance(entry.event, Received) else None
    if len(effects) == 1:  # nearly all entries: an envelope, forwarded to whom the routing lets
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
