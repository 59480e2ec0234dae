"""The HTTP side: every route of `protocol.routes`, and what answers it (docs/protocol.md §6)."""

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
from mew_gateway.protocol.replies import Health, Ready
from mew_gateway.protocol.routes import ROUTES

from ..broker.activity import EVENTS
from ..broker.broker import Broker
from ..broker.metrics import Counters, Measure, exposition
from ..websocket.handshake import Authenticator
from ..websocket.http_timeouts import PARTY
from .answers import faulty, json_of, mistaken, refused, unavailable
from .auth import Authentication
from .events import Events, EventStream
from .fair_queue import FairQueue, Visits, visit
from .listings import Listing
from .posts import PostEndpoint
from .queries import is_open_of, limit_of, skip_of
from .reads import ReadEndpoints

Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]

_LISTINGS: dict[str, Callable[[Listing, Request], Awaitable[msgspec.Struct]]] = {
    "participants": lambda listing, _: listing.participants(),
    "sequences": lambda listing, request: listing.sequences(only_open=is_open_of(request)),
    "interrupts": lambda listing, _: listing.interrupts(),
    "proposals": lambda listing, request: listing.proposals(only_open=is_open_of(request)),
    "grants": lambda listing, _: listing.grants(),
}

# Upstream's words for what it can do, and ours.
_FEATURES = ["capabilities", "context", "validation", "http-io", "interrupts", "resume", "streams"]


@dataclass(frozen=True, kw_only=True)
class HttpApp:
    """What the HTTP side answers from. `started` is when the gateway did, in its own milliseconds. `readings` are
    metrics of the process besides; with `by_space` the metrics name the spaces. `streams` has the open event
    streams."""

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
        """The ASGI application."""
        endpoints = self._endpoints()
        paths: dict[str, dict[str, Endpoint]] = {}
        for row in ROUTES:
            paths.setdefault(row.path, {})[row.method] = endpoints[row.name]
        app = Starlette(
            routes=[Route(path, _by_method(found), methods=list(found)) for path, found in paths.items()],
            exception_handlers={
                HTTPException: self._faulty,
                Rejected: refused,
                Unavailable: unavailable,
                Exception: mistaken,
            },
            middleware=[Middleware(Visits)],
        )
        app.router.redirect_slashes = False
        return app

    def _endpoints(self) -> Mapping[str, Endpoint]:
        """What answers each route, by its name."""
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
            "events": Events(broker=self.broker, authentication=authentication, limits=self.limits, open=self.streams),
        }

    async def _faulty(self, request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == 401:
            self.broker.activity.refuse_token(request.client.host if request.client else "a local socket", "HTTP")
        if PARTY not in request.scope:
            await self.queue.strangers_turn()
            try:
                self.broker.admit_stranger()
            except Rejected as rejected:
                response = await refused(request, rejected)
                response.headers.update(getattr(error, "headers", None) or {})
                return response
        return await faulty(request, error)

    async def _health(self, _: Request) -> Response:
        broker = self.broker
        spaces = broker.engine.items()
        return json_of(
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
        return json_of(Ready(reason is None, reason), status=200 if reason is None else 503)

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
        await visit(request.scope, self.queue, "metrics")  # whoever asks
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
        await visit(request.scope, self.queue, "openapi")
        return json_of(_openapi())

    def _listed(
        self, authentication: Authentication, read: Callable[[Listing, Request], Awaitable[msgspec.Struct]]
    ) -> Endpoint:
        """An endpoint below /spaces/{space} that answers from what the space knows now."""

        async def endpoint(request: Request) -> Response:
            visitor = await authentication.in_space(request, request.path_params["space"])
            machine = self.broker.engine[visitor.space].machine
            name, turn, limit = visitor.participant, visitor.turn, limit_of(request)
            listing = Listing(machine, name, now=self.broker.now, limit=limit, turn=turn, skip=skip_of(request))
            return json_of(await read(listing, request))

        return endpoint


@cache
def _openapi() -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(openapi.document()))


def _by_method(endpoints: Mapping[str, Endpoint]) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        return await endpoints["GET" if request.method == "HEAD" else request.method](request)

    return endpoint
