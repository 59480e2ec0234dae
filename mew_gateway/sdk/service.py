"""The answers to requests that are addressed to us: from what we offer, else from whoever takes the rest."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Any, TypeAlias

from mew_gateway.protocol.envelope import Envelope

from . import rpc
from .client import Client
from .confined import confined
from .handlers import Handlers, guard
from .occasion import Occasion, begin
from .offers import Offers
from .requests import Refused
from .rpc import ToolError
from .streams import Say
from .tasks import Starter

log = logging.getLogger(__name__)

Fallback: TypeAlias = Callable[[str, dict[str, Any], Envelope], Awaitable[Any]]

_ON_REQUEST = "on_request"
# What is said of an answer to a request that is not open any more: answering an open one needs no capability.
_NOBODY_WAITS = ("request_not_found", "capability_violation")
_TAKEN = 30_000  # milliseconds for the gateway to take an answer: long enough for it to be started again


class Service:
    """Every request is answered, once, by a response that correlates to it (§3.1.2): also one for which there is no
    room, and one that fails. One that its sender cancels (`notifications/cancelled`) is dropped.

    `say` sends an envelope and waits until the gateway has taken it: an answer is neither lost with a connection, nor
    refused without the asker being told that there is none."""

    def __init__(
        self,
        client: Client,
        offers: Offers,
        handlers: Handlers,
        tasks: Starter,
        *,
        say: Say,
        fallback: Fallback | None,
    ) -> None:
        self._client = client
        self._say = say
        self._offers = offers
        self._handlers = handlers
        self._tasks = tasks
        self._fallback = fallback

    def take(self, request: Envelope) -> None:
        """An `mcp/request` to us. Never waits."""
        if rpc.method_of(request) == rpc.CANCELLED:
            self._handlers.cancel((request.sender, rpc.params_of(request).get("requestId")))
        if not self._handlers.offer(_ON_REQUEST, partial(self._answer, request), key=_key(request)):
            busy = ToolError(rpc.BUSY, "Too much to do at the moment: try again later.")
            self._tasks.start_soon(guard, _ON_REQUEST, partial(self._respond, request, rpc.error(request, busy)))

    async def _answer(self, request: Envelope) -> None:
        try:
            payload = rpc.result(request, await self._result(request))
        except ToolError as fault:
            payload = rpc.error(request, fault)
        except Exception:
            log.exception("on_request failed")
            payload = rpc.error(request, ToolError(rpc.INTERNAL_ERROR, "Internal error."))
        await self._respond(request, payload)

    async def _result(self, request: Envelope) -> Any:
        begin(Occasion((request.id,), request.sender))
        method, params = rpc.method_of(request), rpc.params_of(request)
        if self._offers.answers(method):
            return await self._offers.answer(method, params, request, me=self._client.welcome.you.id)
        if self._fallback is not None:
            return await confined(self._fallback(method, params, request))
        raise ToolError(rpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def _respond(self, request: Envelope, payload: dict[str, Any]) -> None:
        if rpc.is_notification(request.payload):
            return
        say = partial(self._say, "mcp/response", to=[request.sender], correlation_id=[request.id], timeout=_TAKEN)
        try:
            await say(payload=payload)
        except (ValueError, TypeError, Refused) as error:  # it fits no frame, is no JSON, or is nested too deep
            if isinstance(error, Refused) and error.code in _NOBODY_WAITS:
                log.info("an answer came too late: %s", error)
                return
            log.error("an answer cannot be sent: %s", error)
            fault = ToolError(rpc.INTERNAL_ERROR, "There is an answer, but it cannot be sent.")
            await say(payload=rpc.error(request, fault))


def _key(request: Envelope) -> Hashable:
    """How its sender names it in a cancellation; anything else that can be no key names nothing."""
    id = (request.payload or {}).get("id", request.id)
    return (request.sender, id) if isinstance(id, str | int) else None
