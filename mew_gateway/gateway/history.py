"""A space's record as one participant may see it later: the one place that decides (docs/protocol.md §1, §2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from mew_gateway.journal.base import Record
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.space.events import Received
from mew_gateway.space.state import State
from mew_gateway.space.turn import is_shown

WELCOME = "system/welcome"  # it speaks of the connection it went to: never given again


class Seen(NamedTuple):
    """An envelope that was delivered, byte for byte, but for a token, which is null."""

    id: str
    kind: str
    data: bytes


class View:
    """What a participant of a space could see, had it been here all the time.

    Every envelope while the space was `visible`, or if it observes; else what was for all, from it or to it; whatever
    the gateway said to it or to all. Nothing from before it was invited.
    """

    def __init__(self, state: State, participant: str) -> None:
        configured = state.settings.participants.get(participant)
        invitee = state.invitees.get(participant)
        self.participant = participant
        self._observes = configured is not None and configured.observe
        self._visible_since = state.visible_since
        self._since = invitee.invited_at if configured is None and invitee is not None else 0

    def of(self, record: Record) -> Iterator[Seen]:
        """The envelopes of a record that the participant could see, in the order they were delivered."""
        event, time = record.entry.event, record.entry.time
        if time < self._since:
            return
        is_exception = any(output.refusal or not output.data for output in record.outputs)
        if isinstance(event, Received) and not is_exception and self._is_shown(_head_of(event), time):
            yield _forwarded(event)
        for output in record.outputs:
            if not (output.audience is None or self.participant in output.audience):
                continue
            if output.data:
                said = _head.decode(output.data)
                yield Seen(said.id, said.kind, output.data)
            elif isinstance(event, Received) and (output.audience or self._is_shown(_head_of(event), time)):
                yield _forwarded(event)

    def sees_refusal(self, event: Received, time: int) -> bool:
        """Whether the participant may know what was refused: its own, or all that was said."""
        return (time >= self._since and event.participant == self.participant) or self.sees_everything(time)

    def sees_everything(self, time: int) -> bool:
        """Whether nothing that was said at a time is kept from the participant."""
        was_visible = self._visible_since is not None and time >= self._visible_since
        return time >= self._since and (self._observes or was_visible)

    def _is_shown(self, head: Envelope | _Head, time: int) -> bool:
        return self.sees_everything(time) or is_shown(head.sender, head.to, self.participant)


class _Head(msgspec.Struct, gc=False):
    id: str
    kind: str
    sender: str = msgspec.field(name="from", default="")
    to: list[str] | None = None


_head = msgspec.json.Decoder(_Head)


def _head_of(event: Received) -> Envelope | _Head:
    """What there is to know of an envelope without its payload, which may be long."""
    if event.decoded is not None:
        return event.decoded
    try:
        return _head.decode(event.data)
    except msgspec.ValidationError:
        return event.envelope


def _forwarded(event: Received) -> Seen:
    head = _head_of(event)
    return Seen(head.id, head.kind, event.data)
