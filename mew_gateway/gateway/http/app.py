"""The HTTP application: connects every route of `protocol.http_routes` to its endpoint (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import mew_gateway
from mew_gateway.config import GatewayLimits
from mew_gateway.errors import Rejected, Unavailable
from mew_gateway.protocol import openapi
from mew_gateway.protocol.envelope import PROTOCOL
from mew_gateway.protocol.http_replies import Health, Ready
from mew_gateway.protocol.http_routes import ROUTES

from ..broker.activity_log import EVENTS
from ..broker.broker import Broker
from ..broker.metrics import Counters, Measure, exposition
from ..websocket.handshake import Authenticator
from ..websocket.http_timeouts import PARTY
from .bearer_token import Authentication
from .event_stream import EventsEndpoint, EventStream
from .fair_queue import AdmissionMiddleware, FairQueue, admit_request
from .listings import Listing
from .posts import PostEndpoint
from .query_parameters import is_open_of, limit_of, skip_of
from .record_endpoints import ReadEndpoints
from .responses import (
    StreamedResponse,
    http_error_response,
    internal_error_response,
    json_response,
    rejected_response,
    unavailable_response,
)
from .rows_response import Lists, RowsResponse

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

_LISTINGS: dict[str, Callable[[Listing, Request], Awaitable[Lists]]] = {
    "participants": lambda listing, _: listing.participants(),
    "sequences": lambda listing, request: listing.sequences(only_open=is_open_of(request)),
    "interrupts": lambda listing, _: listing.interrupts(),
    "proposals": lambda listing, request: listing.proposals(only_open=is_open_of(request)),
    "grants": lambda listing, _: listing.grants(),
}

# Features as upstream names them, then ours.
_FEATURES = ["capabilities", "context", "validation", "http-io", "interrupts", "resume", "streams"]


@dataclass(frozen=True, kw_only=True)
class HttpApp:
    """The HTTP application and what its endpoints use.

    `started` is the gateway's start in its own milliseconds. `readings` are additional metrics of the process; with
    `by_space` the metrics name the spaces. `streams` has the open event streams.
    """

    broker: Broker
    queue: FairQueue
    authenticator: Authenticator
    counters: Counters
    limits: GatewayLimits
    started: int
    readings: Mapping[str, Measure] = field(default_factory=dict)
    by_space: bool = False
    streams: set[EventStream] = field(default_factory=set)

    def app(self) -> Starlette:
        """Return the ASGI application."""
        endpoints = self._endpoints()
        paths: dict[str, dict[str, Endpoint]] = {}
        for row in ROUTES:
            paths.setdefault(row.path, {})[row.method] = endpoints[row.name]
        app = Starlette(
            routes=[Route(path, _by_method(found), methods=list(found)) for path, found in paths.items()],
            exception_handlers={
                HTTPException: self._faulty,
                Rejected: rejected_response,
                Unavailable: unavailable_response,
                Exception: internal_error_response,
            },
            middleware=[Middleware(AdmissionMiddleware)],
        )
        app.router.redirect_slashes = False
        return app

    def _endpoints(self) -> Mapping[str, Endpoint]:
        """Return the endpoint of each route, by the route's name."""
        authentication = Authentication(broker=self.broker, authenticator=self.authenticator, queue=self.queue)
        reading = ReadEndpoints(broker=self.broker, authentication=authentication)
        return {
            "health": self._health,
            "ready": self._ready,
            "metrics": self._metrics,
            "openapi": self._openapi,
            "post": PostEndpoint(broker=self.broker, authentication=authentication, limit=self.limits.frame_bytes),
            **{name: self._listed(authentication, read) for name, read in _LISTINGS.items()},
            "timeline": reading.timeline,
            "history": reading.history,
            "messages": reading.messages,
            "events": EventsEndpoint(
                broker=self.broker, authentication=authentication, limits=self.limits, open=self.streams
            ),
        }

    async def _faulty(self, request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == 401:
            self.broker.activity.refuse_token(request.client.host if request.client else "a local socket", "HTTP")
        if PARTY not in request.scope:
            await self.queue.strangers_turn()
            try:
                self.broker.admit_stranger()
            except Rejected as rejected:
                response = await rejected_response(request, rejected)
                response.headers.update(getattr(error, "headers", None) or {})
                return response
        return await http_error_response(request, error)

    async def _health(self, _: Request) -> Response:
        broker = self.broker
        spaces = broker.engine.items()
        return json_response(
            Health(
                status="ok",
                version=mew_gateway.__version__,
                protocol=PROTOCOL,
                spaces=len(spaces),
                clients=sum(len(running.machine.members.present()) for _, running in spaces),
                connections=len(broker.links),
                uptime=(broker.now - self.started) // 1000,
                features=_FEATURES,
            )
        )

    async def _ready(self, _: Request) -> Response:
        reason = self.broker.unready
        return json_response(Ready(reason is None, reason), status=200 if reason is None else 503)

    async def _metrics(self, request: Request) -> Response:
        broker = self.broker
        readings = {
            "mew_ready": Measure("1 while connections are taken and envelopes accepted.", lambda: int(broker.is_ready)),
            "mew_connections": Measure("Connections that have joined.", lambda: len(broker.links)),
            "mew_spaces": Measure("Engine served.", lambda: len(broker.engine.items())),
            "mew_unauthorised_total": Measure(
                "Requests and joins without a valid token.", lambda: broker.activity.unauthorised
            ),
            **self.readings,
        }
        await admit_request(request.scope, self.queue, "metrics")  # one party for all callers
        text = exposition(
            self.counters,
            readings,
            {name: running.machine.state for name, running in broker.engine.items()},
            broker.activity.events,
            EVENTS,
            by_space=self.by_space,
        )
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    async def _openapi(self, request: Request) -> Response:
        await admit_request(request.scope, self.queue, "openapi")
        return StreamedResponse(_openapi(), media_type="application/json")

    def _listed(self, authentication: Authentication, read: Callable[[Listing, Request], Awaitable[Lists]]) -> Endpoint:
        """Return an endpoint below /spaces/{space} that lists a part of the space's present state."""

        async def endpoint(request: Request) -> Response:
            caller = await authentication.in_space(request, request.path_params["space"], reads=True)
            machine = self.broker.engine[caller.space].machine
            name, turn, limit = caller.participant, caller.turn, limit_of(request)
            listing = Listing(machine, name, now=self.broker.now, limit=limit, turn=turn, skip=skip_of(request))
            return RowsResponse(await read(listing, request), is_allowed=lambda: listing.is_allowed)

        return endpoint


@cache
def _openapi() -> bytes:
    return msgspec.json.encode(openapi.document())


def _by_method(endpoints: Mapping[str, Endpoint]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await endpoints["GET" if request.method == "HEAD" else request.method](request)

    return endpoint
