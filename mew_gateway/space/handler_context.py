"""The context that every handler gets: the state, the time, the budget, and the effects so far.

A handler changes `state` only after all its checks, so that a rejection changes nothing. It never sends: it appends
effects, through the methods here. They differ in who receives:

- `forward`: an accepted envelope, to those that its routing names.
- `broadcast`, `broadcast_except`, `broadcast_error`: an envelope of the gateway, to the space.
- `announce`: an envelope of the gateway, addressed as a participant's would be.
- `send_to`, `send_private`, `welcome`, `notify`: an envelope of the gateway, to certain participants alone.
- `refuse`: the answer to a rejected envelope, to its sender alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import Budget
from mew_gateway.protocol.codec import encode
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY, GATEWAY_NAMES

from .effects import Deliver, Effect, Interrupted
from .events import Received
from .limits.fair_eviction import FinishedItems
from .members import Members
from .state import State
from .visibility import Viewer, is_shown, viewer


class HandlerContext:
    """The context of one event. `now` is the entry's time in milliseconds since the epoch, `position` its place in the
    journal.

    `finished` keeps closed sequences, settled interrupts and decided proposals; `budget` bounds the work of deciding
    about the entry; `changed` are participants whose capabilities changed and whose welcome is still to be sent;
    `interrupted` are the sequences that the event interrupted.
    """

    __slots__ = ("budget", "changed", "effects", "finished", "interrupted", "members", "now", "position", "state")

    def __init__(
        self, state: State, members: Members, finished: FinishedItems, now: int, budget: Budget, *, position: int
    ) -> None:
        self.budget = budget
        self.state = state
        self.members = members
        self.finished = finished
        self.now = now
        self.position = position
        self.effects: list[Effect] = []
        self.interrupted: list[Interrupted] = []
        self.changed: dict[str, None] = {}  # by name; values are unused

    def viewer(self, name: str) -> Viewer:
        """Return the participant of that id, for decisions about what it may see."""
        return viewer(self.state, name)

    def forward(
        self, envelope: Envelope, data: bytes, *, also: tuple[str, ...] = (), among: tuple[str, ...] = ()
    ) -> None:
        """Deliver an accepted envelope to the participants that see it (docs/protocol.md §2).

        `also` names participants that get it whatever its routing. Without `to`, `among` names those it concerns.
        """
        recipients, audience = self._route(envelope.to or among, envelope.sender, also)
        # A later read of the record applies the rule `is_shown`; only an exception to it has to be recorded.
        is_exception = audience is not None and (
            not envelope.to or any(not is_shown(envelope.sender, envelope.to, name) for name in also)
        )
        self.effects.append(Deliver(recipients, data, audience=audience if is_exception else None))
        if envelope.to:
            self._report_unknown(envelope, envelope.to)

    def _route(
        self, to: Sequence[str] | None, sender: str, also: tuple[str, ...]
    ) -> tuple[tuple[int, ...], tuple[str, ...] | None]:
        """Return the connections that get an envelope, and the participants that may see it (None: all)."""
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
        """Send an envelope of the gateway to the space; with `routing: addressed`, only to those in `among`, if any."""
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
        """Send an envelope of the gateway, addressed as a participant's would be. Return its id and bytes.

        `also` names participants that see it too, whatever the routing.
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
        """Send an envelope of the gateway to all connections but these."""
        others = tuple(other for other in self.members.everyone if other not in connections)
        self.effects.append(Deliver(others, self._compose(kind, payload), own=True))

    def send_private(
        self, participant: str, kind: str, payload: dict[str, Any], *, correlation: str, digest: bytes | None
    ) -> None:
        """Send an envelope to one participant's connections alone.

        `digest`: the shell replaces `"token":null` by the token with this hash.
        """
        data = self._compose(kind, payload, to=(participant,), correlation=(correlation,))
        connections = self.members.connections(participant)
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,), digest=digest))

    def welcome(self, connections: tuple[int, ...], participant: str, payload: dict[str, Any]) -> None:
        """Send connections of a participant a `system/welcome`.

        Only its head is recorded: a welcome is never replayed.
        """
        data = self._compose("system/welcome", payload, to=(participant,))
        kept = encode(
            id=self.newest_id, now=self.now, sender=GATEWAY, kind="system/welcome", payload={}, to=(participant,)
        )
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,), kept=kept))

    def send_to(
        self, names: tuple[str, ...], kind: str, payload: dict[str, Any], *, correlation: tuple[str, ...]
    ) -> None:
        """Send an envelope of the gateway to these participants alone."""
        data = self._compose(kind, payload, correlation=correlation)
        self.effects.append(Deliver(self.members.connections_of(names), data, own=True, audience=names))

    def broadcast_error(
        self, code: str, message: str, *, correlation: tuple[str, ...], among: tuple[str, ...] = (), **details: Any
    ) -> None:
        """Send the space a `system/error` about an event, such as a deadline that passed or a lost sequence.

        `among`: what it is about was addressed to these alone; with `routing: addressed`, so is this notice.
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
        """Send one participant, or `only` some of its connections, a `system/error` that refuses nothing."""
        payload = {"error": code, "message": message, **details}
        data = self._compose("system/error", payload, to=(participant,), correlation=(correlation,))
        connections = self.members.connections(participant) if only is None else only
        self.effects.append(Deliver(connections, data, own=True, audience=(participant,)))

    def refuse(self, event: Received, rejected: Rejected, *, correlation: str) -> None:
        """Answer a refused envelope on the connection it came by; a post, on all connections of its sender."""
        payload = {"error": rejected.code, "message": rejected.message, **rejected.details}
        data = self._compose("system/error", payload, to=(event.participant,), correlation=(correlation,))
        if event.connection == 0:  # upstream's scripts read refusals from their output log
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
