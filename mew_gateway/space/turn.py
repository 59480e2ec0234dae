"""One event being handled: the state it may change, the time it happened, the effects so far."""

from __future__ import annotations

from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY, GATEWAY_NAMES

from .effects import Deliver, Effect
from .events import Received
from .members import Members
from .state import State


class Turn:
    """The hands of every handler. `now` is the entry's time, in milliseconds since the epoch."""

    __slots__ = ("effects", "members", "now", "state")

    def __init__(self, state: State, members: Members, now: int) -> None:
        self.state = state
        self.members = members
        self.now = now
        self.effects: list[Effect] = []

    def forward(self, envelope: Envelope, data: bytes, *, also: str | None = None) -> None:
        """Deliver an accepted envelope to whoever sees it; `also` names one who must (docs/protocol.md §2)."""
        members = self.members
        if not envelope.to or self.state.settings.routing == "visible":
            recipients = members.everyone
        else:
            names = [*envelope.to, envelope.sender, *members.observers]
            recipients = members.connections_of(names if also is None else [*names, also])
        self.effects.append(Deliver(recipients, data))
        if envelope.to:
            self._report_unknown(envelope, envelope.to)

    def _report_unknown(self, envelope: Envelope, to: list[str]) -> None:
        unknown = [name for name in to if not self.members.knows(name) and name not in GATEWAY_NAMES]
        if unknown:
            self.notify(
                envelope.sender,
                "participant_not_found",
                f"Nobody here is called {', '.join(map(repr, unknown))}"
                + ("." if len(unknown) == len(to) else "; the others received it."),
                correlation=envelope.id,
                participants=unknown,
            )

    def broadcast(self, kind: str, payload: dict[str, Any], *, correlation: tuple[str, ...] = ()) -> None:
        """Tell everybody here in the gateway's own name."""
        data = self._compose(kind, payload, correlation=correlation)
        self.effects.append(Deliver(self.members.everyone, data, own=True))

    def broadcast_except(self, connections: tuple[int, ...], kind: str, payload: dict[str, Any]) -> None:
        """Tell everybody but these connections."""
        others = tuple(other for other in self.members.everyone if other not in connections)
        self.effects.append(Deliver(others, self._compose(kind, payload), own=True))

    def tell(self, connection: int, participant: str, kind: str, payload: dict[str, Any]) -> None:
        """Tell one connection of a participant."""
        data = self._compose(kind, payload, to=(participant,))
        self.effects.append(Deliver((connection,), data, own=True, audience=(participant,)))

    def broadcast_error(self, code: str, message: str, *, correlation: tuple[str, ...], **details: Any) -> None:
        """A `system/error` that everybody is told: a deadline passed, a sequence was lost."""
        self.broadcast("system/error", {"error": code, "message": message, **details}, correlation=correlation)

    def notify(self, participant: str, code: str, message: str, *, correlation: str, **details: Any) -> None:
        """A `system/error` that refuses nothing, to one participant."""
        payload = {"error": code, "message": message, **details}
        data = self._compose("system/error", payload, to=(participant,), correlation=(correlation,))
        self.effects.append(Deliver(self.members.connections(participant), data, own=True, audience=(participant,)))

    def refuse(self, event: Received, rejected: Rejected, *, correlation: str) -> None:
        """Answer a refused envelope, on the connection it came by."""
        payload = {"error": rejected.code, "message": rejected.message, **rejected.details}
        data = self._compose("system/error", payload, to=(event.participant,), correlation=(correlation,))
        here = (event.connection,) if event.connection in self.state.connections else ()
        self.effects.append(Deliver(here, data, own=True, audience=(event.participant,), refusal=True))

    def _compose(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        to: tuple[str, ...] = (),
        correlation: tuple[str, ...] = (),
    ) -> bytes:
        state = self.state
        state.issued += 1
        return encode(
            id=f"gw-{state.epoch}-{state.issued}",
            now=self.now,
            sender=GATEWAY,
            kind=kind,
            payload=payload,
            to=to,
            correlation_id=correlation,
        )
