"""Indexes over `State`: capabilities and connections of the participants. They can be rebuilt from it at any time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability
from mew_gateway.protocol.containment import contains

from .limits.given_capabilities import Shares
from .state import Grant, State

# The connections that get an envelope, and the participants that may see it.
Route: TypeAlias = tuple[tuple[int, ...], tuple[str, ...]]

_encode = msgspec.json.Encoder(order="deterministic").encode
_tell = msgspec.json.Encoder().encode
_ROUTES: Final = 1_024  # routes in the cache
_FEW: Final = 8  # recipients of a cached route: senders may invent any number of names


class Members:
    """The participants of a space: their compiled capabilities, and their connections in the order of joining."""

    def __init__(self, state: State) -> None:
        self._capabilities: dict[str, Capabilities] = {}
        self._told: dict[str, msgspec.Raw] = {}  # by participant: its capabilities in JSON
        self._compiled: dict[str, dict[int, Capability]] = {}  # by participant, by the identity of the source
        self._given: dict[int, Capability] = {}  # those being given now, by the same identity
        self._connections: dict[str, tuple[int, ...]] = {}
        self._holders: dict[bytes, str] = {}
        self._routes: dict[tuple[int | str, ...], Route] = {}
        self.everyone: tuple[int, ...] = ()
        self.observers: tuple[str, ...] = ()
        self.given = Shares()  # bytes of capabilities given at run time, by recipient and sponsor
        self.reload(state)

    def reload(self, state: State) -> None:
        """Rebuild all indexes from `state`."""
        participants = state.settings.participants
        self._capabilities, self._told, self.given = {}, {}, Shares()
        for name in dict.fromkeys((*participants, *state.invitees)):
            self._compile_held(state, name)
        self.observers = tuple(name for name, participant in participants.items() if participant.observe)
        # An invitee that is configured by now has the operator's token.
        invitees = [one for one in state.invitees.values() if one.id not in participants]
        self._holders = {one.digest: one.id for one in invitees if one.digest is not None}
        self._connections = {}
        for connection, participant_id in state.connections.items():
            self._connections[participant_id] = (*self.connections(participant_id), connection)
        self.everyone = tuple(state.connections)
        self._routes.clear()

    def refresh(self, state: State, name: str) -> None:
        """Rebuild one participant's capabilities, after a grant, a revocation or an invitation has changed them."""
        self._compile_held(state, name)
        if name not in self._capabilities:
            state.weighed.pop(name, None)

    def compiled(self, sources: Iterable[dict[str, Any]], path: str) -> list[Capability]:
        """Compile capabilities that are being given; those that come to be held stay compiled.

        Raises `Rejected` `invalid_capability`.
        """
        given = [compile_capability(source, f"{path}[{index}]") for index, source in enumerate(sources)]
        self._given = {id(one.source): one for one in given}
        return given

    def _compile_held(self, state: State, name: str) -> None:
        given: dict[str, int] = {}
        if name in state.settings.participants or name in state.invitees:
            held = self.held(state, name)
            self._capabilities[name] = Capabilities(one for _, one in held)
            told = [_tell(one.source) for _, one in held]
            self._told[name] = msgspec.Raw(b"[" + b",".join(told) + b"]")
            for (grant, _), data in zip(held, told, strict=True):
                if (giver := _giver(state, name, grant)) is not None:
                    given[giver] = given.get(giver, 0) + len(data) + 1
        else:
            self._capabilities.pop(name, None)
            self._told.pop(name, None)
            self._compiled.pop(name, None)
        self.given.put(name, given)

    def held(self, state: State, name: str) -> list[tuple[Grant | None, Capability]]:
        """Return a participant's capabilities, each with its grant (None: configured, or of its invitation).

        A capability stays compiled as long as it is held: grants to a participant come one after the other.
        """
        known, used = self._compiled.get(name, {}), {}

        def compiled(source: dict[str, Any]) -> Capability:
            one = known.get(id(source)) or self._given.get(id(source)) or compile_capability(source)
            used[id(source)] = one  # holds the source, so that no other object gets its identity
            return one

        configured = state.settings.participants.get(name)
        sources = state.invitees[name].capabilities if configured is None else configured.capabilities
        given = [(grant, compiled(source)) for grant in _granted(state, name) for source in grant.capabilities]
        own = self._unrevoked(
            [compiled(source) for source in sources], [compiled(one) for one in state.revoked.get(name, ())]
        )
        self._compiled[name] = used
        return [*((None, one) for one in own), *given]

    def _unrevoked(self, own: list[Capability], revoked: list[Capability]) -> list[Capability]:
        """Return the capabilities that no revoked pattern covers.

        Mostly a revoked pattern equals the one it revoked.
        """
        if not revoked:
            return own
        gone = {_encode(pattern.source) for pattern in revoked}
        left = [one for one in own if _encode(one.source) not in gone]
        return [one for one in left if not any(contains(pattern, one) for pattern in revoked)]

    def knows(self, name: str) -> bool:
        """Return true if the id is a participant's, configured or invited, connected or not."""
        return name in self._capabilities

    @property
    def names(self) -> list[str]:
        """All participants, configured or invited, connected or not."""
        return list(self._capabilities)

    def holder(self, digest: bytes) -> str | None:
        """Return the invited participant whose token has this hash, or None."""
        return self._holders.get(digest)

    def give_token(self, name: str, digest: bytes, *, instead_of: bytes | None) -> None:
        """Register the token that was drawn for an invited participant. The token it replaces becomes invalid."""
        if instead_of is not None:
            self._holders.pop(instead_of, None)
        self._holders[digest] = name

    def forget_token(self, digest: bytes | None) -> None:
        """Make a token invalid."""
        if digest is not None:
            self._holders.pop(digest, None)

    def capabilities(self, name: str) -> Capabilities:
        """Return the capabilities of a participant."""
        return self._capabilities[name]

    def told(self, name: str) -> msgspec.Raw:
        """Return the capabilities of a participant in JSON, encoded once: every welcome tells those of all."""
        return self._told[name]

    def connections(self, name: str) -> tuple[int, ...]:
        """Return the participant's connections; none if it is not here."""
        return self._connections.get(name, ())

    def present(self) -> list[str]:
        """Return the participants that are connected, in the order of their oldest connections."""
        return sorted(self._connections, key=lambda name: self._connections[name][0])

    def join(self, name: str, connection: int) -> None:
        """Add a connection of the participant."""
        self._connections[name] = (*self.connections(name), connection)
        self.everyone = (*self.everyone, connection)
        self._routes.clear()

    def leave(self, name: str, connection: int) -> None:
        """Remove a connection of the participant."""
        left = tuple(other for other in self.connections(name) if other != connection)
        if left:
            self._connections[name] = left
        else:
            self._connections.pop(name, None)
        self.everyone = tuple(other for other in self.everyone if other != connection)
        self._routes.clear()

    def connections_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the connections of several participants, each once."""
        return tuple(connection for name in dict.fromkeys(names) for connection in self.connections(name))

    def route(self, to: Sequence[str], sender: str, also: tuple[str, ...]) -> Route:
        """Return the connections that an addressed envelope goes to, each once, and their participants.

        Routes are cached until a connection comes or goes: most envelopes go to the same recipients as earlier ones.
        """
        if len(to) > _FEW:
            return self._find_route(to, sender, also)
        key: tuple[int | str, ...] = (len(to), *to, sender, *also)
        route = self._routes.get(key)
        if route is None:
            route = self._find_route(to, sender, also)
            if len(self._routes) >= _ROUTES:
                self._routes.clear()
            self._routes[key] = route
        return route

    def _find_route(self, to: Sequence[str], sender: str, also: tuple[str, ...]) -> Route:
        names = tuple(dict.fromkeys((*to, sender, *self.observers, *also)))
        return self.connections_of(names), names


def _giver(state: State, name: str, grant: Grant | None) -> str | None:
    """Return to whom a capability of the participant is charged: None if it is configured."""
    if grant is not None:
        return grant.sponsor
    guest = None if name in state.settings.participants else state.invitees[name]
    return None if guest is None else guest.sponsor


def _granted(state: State, name: str) -> list[Grant]:
    return [grant for grant in state.grants.values() if grant.recipient == name]
