"""Who asks over HTTP: a bearer token's participant. A foreign token learns nothing (docs/protocol.md §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

from mew_gateway.errors import Rejected

from ..broker.broker import Broker
from ..websocket.handshake import Authenticator
from ..websocket.http_timeouts import PARTY
from .fair_queue import FairQueue, Turn, visit


class Visitor(NamedTuple):
    """A participant of a space who asks. `turn` is awaited before each further piece of the answer."""

    space: str
    participant: str
    turn: Turn


@dataclass(frozen=True, kw_only=True)
class Authentication:
    """Finds the participant behind a request, and has it wait for its turn. Raises `HTTPException` 401 for nobody's
    token, `Rejected` `removed` where who was kicked would see or do something, `rate_limited` for too many at once."""

    broker: Broker
    authenticator: Authenticator
    queue: FairQueue

    async def in_space(self, request: Request, space: str, *, reads: bool = False) -> Visitor:
        """Whose token of that space it is, to ask there; `reads`: to read its record."""
        visitor = await self._visit(request, space, self._identify(request, space), reads=reads)
        self.check_admitted(space, visitor.participant)
        return visitor

    def check_admitted(self, space: str, participant: str) -> None:
        """Whoever was kicked keeps a token and may do nothing with it. An envelope is for the space to refuse."""
        if participant in self.broker.engine[space].machine.state.kicked:
            raise Rejected("removed", f"{participant} was removed from this space.")

    def _identify(self, request: Request, space: str) -> str:
        token = _bearer(request)
        authentication = self.authenticator.identify(space, token) if token else None
        if authentication is None or space not in self.broker.engine:
            raise HTTPException(401, "A token of that space is needed: `Authorization: Bearer TOKEN`.")
        return authentication

    async def as_participant(self, request: Request, *, reads: bool = False) -> Visitor:
        """The participant `{id}` of the path, and the space: without `?space=`, that of the token.

        Raises 403 for a token of somebody else in the space, 400 where it is good for more than one space.
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

    async def _visit(self, request: Request, space: str, participant: str, *, reads: bool) -> Visitor:
        request.scope[PARTY] = (space, participant)
        turn = await visit(request.scope, self.queue, (space, participant), reads=reads)
        return Visitor(space, participant, turn)

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
