"""Service: answers the requests of other participants, from what we offer or by a fallback."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

import anyio

from mew_gateway.protocol.envelope import Envelope

from ._handlers import Handlers, guard
from ._tasks.cancel_guard import guarded
from ._tasks.job import current_job
from ._tasks.run_context import RunContext, begin
from ._tasks.tasks import Starter
from ._tool_calls import Bodies, Body
from .client import Client
from .exchange import rpc
from .exchange.guests import Guests
from .exchange.mcp import ToolFailed
from .exchange.requests import Refused
from .exchange.rpc import ToolError
from .execution.interrupt import Interrupt
from .execution.spans import Declaration
from .execution.state import remember
from .streams import Say
from .tools import Offers, failure

log = logging.getLogger(__name__)

Fallback: TypeAlias = Callable[[str, dict[str, Any], Envelope], Awaitable[Any]]

_ON_REQUEST = "on_request"
# What is said of an answer to a request that is not open any more: answering an open one needs no capability.
_NOBODY_WAITS = ("request_not_found", "capability_violation")
_ASKED = 10_000  # requests that can still be cancelled
_TAKEN = 30_000  # milliseconds for the gateway to take an answer: long enough for it to be started again


class Service:
    """Answers every request once, with a response that correlates to it (§3.1.2), also if there is no room or it fails.

    If the sender cancels a request (`notifications/cancelled`), the policy of its body decides, and the answer reports
    the decision.

    `say` sends an envelope and waits until the gateway has accepted it: an answer is not lost with a connection, and if
    it is refused, the requester gets an error instead.
    """

    def __init__(
        self,
        client: Client,
        offers: Offers,
        handlers: Handlers,
        tasks: Starter,
        *,
        say: Say,
        fallback: Fallback | None,
        bodies: Bodies,
        guests: Guests,
    ) -> None:
        self._client = client
        self._say = say
        self._offers = offers
        self._handlers = handlers
        self._tasks = tasks
        self._fallback = fallback
        self._bodies = bodies
        self._guests = guests
        self._asked: dict[Hashable, _Asked] = {}
        self._owed = 0  # requests that have begun, and whose answers have not left
        self._one_left = anyio.Event()

    async def answered(self) -> None:
        """Wait until every request that has begun is answered."""
        while self._owed:
            await self._one_left.wait()

    @contextmanager
    def _owing(self) -> Iterator[None]:
        self._owed += 1
        try:
            yield
        finally:
            self._owed -= 1
            self._one_left.set()
            self._one_left = anyio.Event()

    def take(self, request: Envelope) -> None:
        """Take an `mcp/request` to us. Never waits."""
        if rpc.method_of(request) == rpc.CANCELLED:
            self._cancel(request)
        asked = _Asked(request, self._guests.of(request.sender))
        if self._handlers.offer(_ON_REQUEST, partial(self._answer, asked), key=asked):
            remember(self._asked, _key(request), asked, _ASKED)
        else:
            busy = ToolError(rpc.BUSY, "Too much to do at the moment: try again later.")
            self._tasks.start_soon(guard, _ON_REQUEST, partial(self._respond, request, rpc.error(request, busy)))

    def removed(self, name: str) -> None:
        """Drop waiting requests of a removed guest. A later guest of that name cannot cancel the others."""
        for key, asked in [(key, one) for key, one in self._asked.items() if one.request.sender == name]:
            del self._asked[key]
            if not asked.begun:
                self._handlers.drop(asked)

    def _cancel(self, notice: Envelope) -> None:
        params = rpc.params_of(notice)
        asked = self._asked.get((notice.sender, _hashable(params.get("requestId"))))
        if asked is None:
            return
        if not asked.begun:
            self._handlers.drop(asked)
            self._forget(asked)
            error = rpc.error(asked.request, ToolError(rpc.REQUEST_CANCELLED, "It was cancelled before it began."))
            self._tasks.start_soon(guard, _ON_REQUEST, partial(self._respond, asked.request, error))
        elif asked.body is not None:
            reason = params.get("reason")
            message = reason if isinstance(reason, str) else None
            self._bodies.cancel(
                asked.body,
                Interrupt(
                    notice.id, notice.sender, None, "cancel", None, message, source="request", rule=rpc.CANCELLED
                ),
            )

    def _forget(self, asked: _Asked) -> None:
        if self._asked.get(_key(asked.request)) is asked:
            del self._asked[_key(asked.request)]

    async def _answer(self, asked: _Asked) -> None:
        with self._owing():
            await self._answer_owed(asked)

    async def _answer_owed(self, asked: _Asked) -> None:
        request, asked.begun = asked.request, True
        try:
            payload = rpc.result(request, await self._result(asked))
        except ToolError as fault:
            payload = rpc.error(request, fault)
        except Exception:
            log.exception("on_request failed")
            payload = rpc.error(request, ToolError(rpc.INTERNAL_ERROR, "Internal error."))
        finally:
            self._forget(asked)
        job = current_job()
        if job is not None and job.is_ending:  # it is cancelled at its next await: the answer leaves all the same
            self._tasks.start_soon(guard, _ON_REQUEST, partial(self._respond, request, payload))
        else:
            await self._respond(request, payload)

    async def _result(self, asked: _Asked) -> Any:
        request = asked.request
        begin(RunContext((request.id,), request.sender, invitation=asked.invitation))
        method, params = rpc.method_of(request), rpc.params_of(request)
        if self._offers.answers(method):
            answer = partial(self._offers.answer, method, params, request, me=self._client.welcome.you.id)
            asked.body = self._offers.body(method, params)
            return await (answer() if asked.body is None else self._in_body(asked, asked.body, answer))
        if self._fallback is not None and rpc.is_notification(request.payload):
            return await guarded(self._fallback(method, params, request))
        if self._fallback is not None:
            asked.body = Body(method, Declaration(kind="act", foreground=False))
            return await self._bodies.result(asked.body, partial(self._fallback, method, params, request))
        raise ToolError(rpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def _in_body(
        self, asked: _Asked, body: Body, answer: Callable[[], Awaitable[dict[str, Any]]]
    ) -> dict[str, Any]:
        try:
            result = await self._bodies.result(body, answer)
        except ToolFailed as failed:
            if rpc.method_of(asked.request) != "tools/call":
                raise
            result = failure(failed.message)
        return result if body.decision is None else {**result, "_meta": {"mew/interrupt": body.decision}}

    async def _respond(self, request: Envelope, payload: dict[str, Any]) -> None:
        with self._owing():
            await self._say_response(request, payload)

    async def _say_response(self, request: Envelope, payload: dict[str, Any]) -> None:
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


class _Asked:
    """An unanswered request, with its sender's invitation, and its body if one is at work."""

    def __init__(self, request: Envelope, invitation: str | None) -> None:
        self.request = request
        self.invitation = invitation
        self.begun = False
        self.body: Body | None = None


def _key(request: Envelope) -> Hashable:
    """Return the key by which its sender names it in a cancellation."""
    return (request.sender, _hashable((request.payload or {}).get("id", request.id)))


def _hashable(id: object) -> Hashable:
    """Return an id of JSON-RPC; None for a value that is none."""
    return id if isinstance(id, str | int) else None
