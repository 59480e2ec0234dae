"""A space's record as one participant may see it later (docs/protocol.md §1, §2). `space.visibility` decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from mew_gateway.journal.base import Record
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.space.events import Received
from mew_gateway.space.state import State
from mew_gateway.space.visibility import is_shown, viewer

WELCOME = "system/welcome"  # it speaks of the connection it went to: never given again


class Seen(NamedTuple):
    """An envelope that was delivered, byte for byte, but for a token, which is null."""

    id: str
    kind: str
    data: bytes


class View:
    """View of a space's record: what a participant would have received if it had been connected all the time.

    That is every envelope while the space was `visible`, or if the participant observes; else those to all, from it or
    to it; and the gateway's envelopes to it or to all. Nothing from before its invitation.
    """

    def __init__(self, state: State, participant: str) -> None:
        self.participant = participant
        self._viewer = viewer(state, participant)

    def of(self, record: Record) -> Iterator[Seen]:
        """Yield the envelopes of a record that the participant could see, in the order of delivery."""
        event, position = record.entry.event, record.entry.position
        if not self._viewer.was_here_at(position):
            return
        is_exception = any(output.refusal or not output.data for output in record.outputs)
        if isinstance(event, Received) and not is_exception and self._is_shown(_head_of(event), position):
            yield _forwarded(event)
        for output in record.outputs:
            if not (output.audience is None or self.participant in output.audience):
                continue
            if output.data:
                said = _head.decode(output.data)
                yield Seen(said.id, said.kind, output.data)
            elif isinstance(event, Received) and (output.audience or self._is_shown(_head_of(event), position)):
                yield _forwarded(event)

    def sees_refusal(self, event: Received, position: int) -> bool:
        """Return true if the participant may know of a refusal; only the sender may see the refused envelope."""
        return self.is_own(event, position) or self._viewer.sees_all_at(position)

    def is_own(self, event: Received, position: int) -> bool:
        """Return true if the participant sent it."""
        return self._viewer.was_here_at(position) and event.participant == self.participant

    def _is_shown(self, head: Envelope | _Head, position: int) -> bool:
        return self._viewer.sees_all_at(position) or is_shown(head.sender, head.to, self.participant)


class _Head(msgspec.Struct, gc=False):
    id: str
    kind: str
    sender: str = msgspec.field(name="from", default="")
    to: list[str] | None = None


_head = msgspec.json.Decoder(_Head)


def _head_of(event: Received) -> Envelope | _Head:
    """Return the envelope's fields without its payload, which may be long."""
    if event.decoded is not None:
        return event.decoded
    try:
        return _head.decode(event.data)
    except msgspec.ValidationError:
        return event.envelope


def _forwarded(event: Received) -> Seen:
    head = _head_of(event)
    return Seen(head.id, head.kind, event.data)
