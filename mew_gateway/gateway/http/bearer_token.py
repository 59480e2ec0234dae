"""Authentication of HTTP requests by a participant's bearer token (docs/protocol.md §6).

A token that is not of the space gets the same answer whether the space exists or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

from mew_gateway.errors import Rejected

from ..broker.broker import Broker
from ..websocket.handshake import Authenticator
from ..websocket.http_timeouts import PARTY
from .fair_queue import FairQueue, admit_request
from .open_requests import Turn


class Caller(NamedTuple):
    """The participant that sent a request.

    `turn` is awaited before each further piece of the response; `hold` is told how many bytes the response holds.
    """

    space: str
    participant: str
    turn: Turn
    hold: Callable[[int], None]


@dataclass(frozen=True, kw_only=True)
class Authentication:
    """Identifies the participant of a request and waits for the request's turn.

    Raises `HTTPException` 401 for an unknown token, `Rejected` `removed` for a kicked participant, and `rate_limited`
    for too many requests at once.
    """

    broker: Broker
    authenticator: Authenticator
    queue: FairQueue

    async def in_space(self, request: Request, space: str, *, reads: bool = False) -> Caller:
        """Return the participant of that space whose token the request has.

        `reads`: it will read the record or list the state.
        """
        caller = await self._visit(request, space, self._identify(request, space), reads=reads)
        self.check_admitted(space, caller.participant)
        return caller

    def check_admitted(self, space: str, participant: str) -> None:
        """Raise `Rejected` for a kicked participant: its token stays valid but allows nothing.

        Not used for envelopes: the space itself rejects these.
        """
        if participant in self.broker.engine[space].machine.state.kicked:
            raise Rejected("removed", f"{participant} was removed from this space.")

    def _identify(self, request: Request, space: str) -> str:
        token = _bearer(request)
        authentication = self.authenticator.identify(space, token) if token else None
        if authentication is None or space not in self.broker.engine:
            raise HTTPException(401, "A token of that space is needed: `Authorization: Bearer TOKEN`.")
        return authentication

    async def as_participant(self, request: Request, *, reads: bool = False) -> Caller:
        """Return the participant `{id}` of the path, in the space of `?space=`, else in the space of the token.

        Raises 403 for a token of another participant, 400 if the token is valid in more than one space.
        """
        wanted = request.path_params["id"]
        named = request.query_params.get("space")
        if named is None:
            space, authentication = self._only_space(request, wanted)
        else:
            space, authentication = named, self._identify(request, named)
        if authentication != wanted:
            raise HTTPException(403, "Your token is not that of the participant in the path.")
        return await self._visit(request, space, authentication, reads=reads)

    async def _visit(self, request: Request, space: str, participant: str, *, reads: bool) -> Caller:
        request.scope[PARTY] = (space, participant)
        visit = await admit_request(request.scope, self.queue, (space, participant), reads=reads)
        return Caller(space, participant, visit.turn, visit.hold)

    def _only_space(self, request: Request, wanted: str) -> tuple[str, str]:
        token = _bearer(request)
        spaces = [name for name, _ in self.broker.engine.items()] if token else []
        found = [(name, self.authenticator.identify(name, token)) for name in spaces]
        holders = [(name, who) for name, who in found if who is not None]
        if not holders:
            raise HTTPException(401, "A participant's token is needed: `Authorization: Bearer TOKEN`.")
        if len(holders) > 1:
            holders = [(name, who) for name, who in holders if who == wanted] or holders
        if len(holders) > 1:
            raise HTTPException(400, "Your token is good for several spaces: say which, `?space=ID`.")
        return holders[0]


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
