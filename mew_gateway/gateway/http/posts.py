"""`POST /participants/{id}/messages`: an envelope or a stream's frame without a connection (docs/protocol.md §6)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.http_replies import Invited, Posted

from ..broker.batch import Accepted
from ..broker.broker import Broker
from .bearer_token import Authentication
from .body_limit import Body
from .responses import json_response

_TIMEOUT = 10.0  # seconds that a POST waits for its entry to be handled
_FRAMES = {"text/plain": True, "application/octet-stream": False}  # whether it is a text frame


@dataclass(frozen=True, kw_only=True)
class PostEndpoint:
    """The endpoint. `limit` is the most bytes of a body, as of a frame over WebSocket."""

    broker: Broker
    authentication: Authentication
    limit: int

    async def __call__(self, request: Request) -> Response:
        body = Body(request, limit=self.limit)
        try:
            space, participant, *_ = await self.authentication.as_participant(request)
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if kind == "application/json":
                return _posted_response(await self._post(space, participant, await body.read()))
            if kind in _FRAMES:
                return self._post_frame(space, participant, await body.read(), is_text=_FRAMES[kind])
            raise HTTPException(415, f"Send application/json, or a stream's frame as {' or '.join(_FRAMES)}.")
        except HTTPException as refusal:
            if not await body.drain():
                refusal.headers = {**(refusal.headers or {}), "Connection": "close"}
            raise

    async def _post(self, space: str, participant: str, data: bytes) -> Accepted:
        answer: asyncio.Future[Accepted | Rejected] = asyncio.get_running_loop().create_future()

        def settle(outcome: Accepted | Rejected) -> None:
            if not answer.done():  # the client may have disconnected
                answer.set_result(outcome)

        self.broker.post(space, participant, data, settle)
        try:
            async with asyncio.timeout(_TIMEOUT):
                outcome = await answer
        except TimeoutError:
            raise HTTPException(503, "What became of it is not known yet: send it again, with the same id.") from None
        if isinstance(outcome, Rejected):
            raise outcome
        return outcome

    def _post_frame(self, space: str, participant: str, data: bytes, *, is_text: bool) -> Response:
        if is_text:
            try:
                data.decode()
            except UnicodeDecodeError:
                raise Rejected("invalid_frame", "A text frame is UTF-8: send bytes as octet-stream.") from None
        self.authentication.check_admitted(space, participant)
        self.broker.post_frame(space, participant, data, is_text=is_text)
        return json_response(Posted(None, "accepted", timestamp(self.broker.now), ()))


def _posted_response(accepted: Accepted) -> Response:
    if accepted.participant is None:
        return json_response(Posted(accepted.id, "accepted", accepted.timestamp, accepted.notices))
    invited = Invited(accepted.id, "created", accepted.timestamp, accepted.participant, accepted.token)
    return json_response(invited, status=201)
