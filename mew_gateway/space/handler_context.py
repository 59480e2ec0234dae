"""One event being handled: the state it may change, the time it happened, the effects so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import Budget
from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY, GATEWAY_NAMES

from .effects import Deliver, Effect
from .events import Received
from .members import Members
from .shares import Shares
from .state import State
from .visibility import Viewer, is_shown, viewer


class Turn:
    """The hands of every handler. `now` is the entry's time, in milliseconds since the epoch; `shares` keep what is
    over; `budget` is what deciding about the entry may take."""

    __slots__ = ("budget", "changed", "effects", "members", "now", "shares", "state")

    def __init__(self, state: State, members: Members, shares: Shares, now: int, budget: Budget) -> None:
        self.budget = budget
        self.state = state
        self.members = members
        self.shares = shares
        self.now = now
        self.effects: list[Effect] = []
        self.changed: dict[str, None] = {}  # participants who may send something else since, and are yet to be told

    def viewer(self, name: str) -> Viewer:
        """The participant of that id, as it may see things now."""
        return viewer(self.state, name)

    def forward(
        self, envelope: Envelope, data: bytes, *, also: tuple[str, ...] = (), among: tuple[str, ...] = ()
    ) -> None:
        """Deliver an accepted envelope to whoever sees it; `also` names some who must (docs/protocol.md §2). Without
        `to`, `among` names those whom it concerns."""
        recipients, audience = self._route(envelope.to or among, envelope.sender, also)
        # Whoever reads the record later knows the rule (`is_shown`); an exception to it must be told.
        is_exception = audience is not None and (
            not envelope.to or any(not is_shown(envelope.sender, envelope.to, name) for name in also)
        )
        self.effects.append(Deliver(recipients, data, audience=audience if is_exception else None))
        if envelope.to:
            self._report_unknown(envelope, envelope.to)

    def _route(
        self, to: Sequence[str] | None, sender: str, also: tuple[str, ...]
    ) -> tuple[tuple[int, ...], tuple[str, ...] | None]:
        """The connections that get an envelope, and the participants who may see it (None: everybody)."""
        members = self.members
        if not to or self.state.settings.routing == "visible":
            return members.everyone, None
        return members.route(to, sender, also)

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

    def broadcast(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        correlation: tuple[str, ...] = (),
        among: tuple[str, ...] = (),
    ) -> None:
        """Tell everybody here in the gateway's own name; with `routing: addressed`, `among` names whom it concerns."""
        recipients, audience = self._route(among, GATEWAY, ())
        data = self._compose(kind, payload, correlation=correlation)
        self.effects.append(Deliver(recipients, data, own=True, audience=audience))

    def announce(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        to: tuple[str, ...],
        correlation: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
    ) -> tuple[str, bytes]:
        """Send an envelope of the gateway's own, addressed as a participant's would be; its id and bytes.

        `also` names some who see it besides, whatever the routing.
        """
        recipients, audience = self._route(to, GATEWAY, also)
        data = self._compose(kind, payload, to=to, correlation=correlation)
        self.effects.append(Deliver(recipients, data, own=True, audience=audience))
        return self.newest_id, data

    @property
    def newest_id(self) -> str:
        """The id of the envelope that the gateway composed last."""
        return f"gw-{self.state.epoch}-{self.state.issued}"

    def broadcast_except(self, connections: tuple[int, ...], kind: str, payload: dict[str, Any]) -> None:
        """Tell everybody but these connections."""
        others = tuple(other for other in self.members.everyone if other not in connections)
        self.effects.append(Deliver(others, self._compose(kind, payload), own=True))

    def entrust(
        self, participant: str, kind: str, payload: dict[str, Any], *, correlation: str, digest: bytes | None
    ) -> None:
        """Tell a participant's connections alone, and put the token with this hash, if any, in for `"token":null`."""
        data = self._compose(kind, payload, to=(participant,), correlation=(correlation,))
        connections = self.members.connections(participant)
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,), digest=digest))

    def welcome(self, connections: tuple[int, ...], participant: str, payload: dict[str, Any]) -> None:
        """Tell connections of a participant how things stand here. Only its head is recorded: it is never replayed."""
        data = self._compose("system/welcome", payload, to=(participant,))
        kept = encode(
            id=self.newest_id, now=self.now, sender=GATEWAY, kind="system/welcome", payload={}, to=(participant,)
        )
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,), kept=kept))

    def inform(
        self, names: tuple[str, ...], kind: str, payload: dict[str, Any], *, correlation: tuple[str, ...]
    ) -> None:
        """Tell these participants alone, in the gateway's own name."""
        data = self._compose(kind, payload, correlation=correlation)
        self.effects.append(Deliver(self.members.connections_of(names), data, own=True, audience=names))

    def broadcast_error(
        self, code: str, message: str, *, correlation: tuple[str, ...], among: tuple[str, ...] = (), **details: Any
    ) -> None:
        """A `system/error` that everybody is told: a deadline passed, a sequence was lost.

        `among`: what it is about was addressed to these alone; with `routing: addressed`, so is this.
        """
        payload = {"error": code, "message": message, **details}
        self.broadcast("system/error", payload, correlation=correlation, among=among)

    def notify(
        self,
        participant: str,
        code: str,
        message: str,
        *,
        correlation: str,
        only: tuple[int, ...] | None = None,
        **details: Any,
    ) -> None:
        """A `system/error` that refuses nothing, to one participant, or `only` to some of its connections."""
        payload = {"error": code, "message": message, **details}
        data = self._compose("system/error", payload, to=(participant,), correlation=(correlation,))
        connections = self.members.connections(participant) if only is None else only
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,)))

    def refuse(self, event: Received, rejected: Rejected, *, correlation: str) -> None:
        """Answer a refused envelope, on the connection it came by; of a post, on all of the poster's."""
        payload = {"error": rejected.code, "message": rejected.message, **rejected.details}
        data = self._compose("system/error", payload, to=(event.participant,), correlation=(correlation,))
        if event.connection == 0:  # upstream's scripts read what they are refused from their output log
            here = self.members.connections(event.participant)
        else:
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
            id=self.newest_id,
            now=self.now,
            sender=GATEWAY,
            kind=kind,
            payload=payload,
            to=to,
            correlation_id=correlation,
        )
