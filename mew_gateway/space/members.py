"""Indexes over `State`: capabilities and connections of the participants. They can be rebuilt from it at any time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability
from mew_gateway.protocol.containment import contains

from .limits.given_capabilities import Shares
from .limits.holdings import OWN, Holding
from .limits.proposal_index import ProposalIndex
from .state import Grant, State

# The connections that get an envelope, and the participants that may see it.
Route: TypeAlias = tuple[tuple[int, ...], tuple[str, ...]]

_encode = msgspec.json.Encoder(order="deterministic").encode
_ROUTES: Final = 1_024  # routes in the cache
_FEW: Final = 8  # recipients of a cached route: senders may invent any number of names


class Members:
    """The participants of a space: their compiled capabilities, and their connections in the order of joining."""

    def __init__(self, state: State) -> None:
        self._holdings: dict[str, Holding] = {}
        self._own: dict[str, dict[int, Capability]] = {}  # by participant: compiled, by the identity of the source
        self._granted: dict[str, dict[str, None]] = {}  # by recipient: the ids of its grants
        self._given: Mapping[int, Capability] = {}  # those being given now, by the same identity
        self._connections: dict[str, tuple[int, ...]] = {}
        self._holders: dict[bytes, str] = {}
        self._routes: dict[tuple[int | str, ...], Route] = {}
        self.everyone: tuple[int, ...] = ()
        self.observers: tuple[str, ...] = ()
        self.given = Shares()  # bytes of capabilities given at run time, by recipient and sponsor
        self.proposals = ProposalIndex(state)
        self.reload(state)

    def reload(self, state: State) -> None:
        """Rebuild all indexes from `state`."""
        participants = state.settings.participants
        self._given = _by_source(one for holding in self._holdings.values() for one in holding.capabilities)
        self._holdings, self._own, self._granted, self.given = {}, {}, {}, Shares()
        for name in dict.fromkeys((*participants, *state.invitees)):
            self.refresh(state, name)
        for grant in state.grants.values():
            self.put_grant(grant)
        self._given = {}
        self.proposals = ProposalIndex(state)
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
        """Rebuild a participant's own capabilities: an invitation, a revocation or the configuration changed them."""
        configured, guest = state.settings.participants.get(name), state.invitees.get(name)
        if configured is None and guest is None:
            self._holdings.pop(name, None)
            self._own.pop(name, None)
            self.given.drop(name)
            state.weighed.pop(name, None)
            return
        is_new = name not in self._holdings
        holding = self._holdings.setdefault(name, Holding(name, self.given))
        if configured is not None:
            holding.put(OWN, self._compile_own(state, name, configured.capabilities), giver=None, given=())
        elif guest is not None:
            own = self._compile_own(state, name, guest.capabilities)
            given = [one for one in own if one.source not in state.settings.invited_capabilities]
            holding.put(OWN, own, giver=guest.sponsor, given=given)
        if is_new:
            for id in self._granted.get(name, ()):
                self.put_grant(state.grants[id])

    def put_grant(self, grant: Grant) -> None:
        """Add the capabilities of a grant, or replace them by those that are left of it."""
        self._granted.setdefault(grant.recipient, {})[grant.id] = None
        holding = self._holdings.get(grant.recipient)
        if holding is not None:  # else the configuration has dropped the recipient since
            known = _by_source(holding.capabilities.group(grant.id))
            compiled = [_compiled(source, known, self._given) for source in grant.capabilities]
            holding.put(grant.id, compiled, giver=grant.sponsor, given=compiled)

    def drop_grant(self, grant: Grant) -> None:
        """Remove the capabilities of a grant."""
        ids = self._granted[grant.recipient]
        del ids[grant.id]
        if not ids:
            del self._granted[grant.recipient]
        if grant.recipient in self._holdings:
            self._holdings[grant.recipient].drop(grant.id)

    def compiled(self, sources: Iterable[dict[str, Any]], path: str) -> list[Capability]:
        """Compile capabilities that are being given; those that come to be held stay compiled.

        Raises `Rejected` `invalid_capability`.
        """
        given = [compile_capability(source, f"{path}[{index}]") for index, source in enumerate(sources)]
        self._given = _by_source(given)
        return given

    def granted_to(self, name: str) -> list[str]:
        """Return the ids of the grants to a participant, oldest first."""
        return list(self._granted.get(name, ()))

    def holding(self, name: str) -> Holding:
        """Return what a participant holds."""
        return self._holdings[name]

    def held(self, state: State, name: str) -> Iterator[tuple[Grant | None, Capability]]:
        """Return a participant's capabilities, each with its grant (None: configured, or of its invitation)."""
        capabilities = self._holdings[name].capabilities
        for one in capabilities.group(OWN):
            yield None, one
        for id in self._granted.get(name, ()):
            grant = state.grants[id]
            for one in capabilities.group(id):
                yield grant, one

    def _compile_own(self, state: State, name: str, sources: Iterable[dict[str, Any]]) -> list[Capability]:
        """Return a participant's own capabilities without those that were revoked. They stay compiled."""
        known = self._own.get(name, {})
        own = [_compiled(source, known, self._given) for source in sources]
        revoked = [_compiled(source, known, self._given) for source in state.revoked.get(name, ())]
        self._own[name] = _by_source([*own, *revoked])
        return self._unrevoked(own, revoked)

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
        return name in self._holdings

    @property
    def names(self) -> list[str]:
        """All participants, configured or invited, connected or not."""
        return list(self._holdings)

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
        return self._holdings[name].capabilities

    def told(self, name: str) -> msgspec.Raw:
        """Return the capabilities of a participant in JSON, encoded once: every welcome tells those of all."""
        return self._holdings[name].told

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


def _compiled(source: dict[str, Any], known: Mapping[int, Capability], given: Mapping[int, Capability]) -> Capability:
    return known.get(id(source)) or given.get(id(source)) or compile_capability(source)


def _by_source(capabilities: Iterable[Capability]) -> dict[int, Capability]:
    """Return them by the identity of their sources. They hold these, so that no other object gets such an identity."""
    return {id(one.source): one for one in capabilities}
