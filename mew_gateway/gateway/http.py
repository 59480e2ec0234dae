"""The HTTP side: health, readiness, metrics, and what a space knows (docs/protocol.md §6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

import mew_gateway
from mew_gateway.errors import Unavailable
from mew_gateway.protocol.envelope import PROTOCOL, timestamp
from mew_gateway.space.machine import Space
from mew_gateway.space.state import Interrupt, Sequence

from .connection import Authenticator
from .hub import Hub
from .metrics import Counters, exposition
from .timeline import timeline

_MOST = 1000  # rows of one answer
_USUAL = 200


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the HTTP side answers from. `started` is when the gateway did, in its own milliseconds."""

    hub: Hub
    authenticator: Authenticator
    counters: Counters
    started: int

    def app(self) -> Starlette:
        """The ASGI application."""
        spaces = {
            "participants": self._participants,
            "sequences": self._sequences,
            "interrupts": self._interrupts,
            "timeline": self._timeline,
        }
        return Starlette(
            routes=[
                Route("/health", self._health),
                Route("/ready", self._ready),
                Route("/metrics", self._metrics),
                *(Route(f"/spaces/{{space}}/{name}", self._of_space(read)) for name, read in spaces.items()),
            ],
            exception_handlers={HTTPException: _explain, Exception: _confess},
        )

    async def _health(self, _: Request) -> Response:
        hub = self.hub
        return _json(
            {
                "status": "ok",
                "version": mew_gateway.__version__,
                "protocol": PROTOCOL,
                "spaces": len(hub.spaces.items()),
                "connections": len(hub.links),
                "uptime_seconds": (hub.now - self.started) // 1000,
            }
        )

    async def _ready(self, _: Request) -> Response:
        ready = self.hub.is_ready
        return _json({"ready": ready}, status=200 if ready else 503)

    async def _metrics(self, _: Request) -> Response:
        spaces = self.hub.spaces
        gauges: dict[str, tuple[str, Callable[[], float]]] = {
            "mew_connections": ("Connections that have joined.", lambda: len(self.hub.links)),
            "mew_spaces": ("Spaces served.", lambda: len(spaces.items())),
            "mew_sequences_open": (
                "Reasoning sequences that are open.",
                lambda: sum(len(running.machine.state.sequences) for _, running in spaces.items()),
            ),
            "mew_interrupts_open": (
                "Interrupts that wait for an ack or a conclusion.",
                lambda: sum(len(running.machine.state.interrupts) for _, running in spaces.items()),
            ),
        }
        text = exposition(self.counters, gauges)
        return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")

    def _of_space(self, read: Callable[[str, Space, Request], Any]) -> Callable[[Request], Any]:
        """An endpoint below /spaces/{space}: only for a token of that space; a foreign one learns nothing."""

        async def endpoint(request: Request) -> Response:
            name = request.path_params["space"]
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            asking = self.authenticator.identify(name, token.strip()) if scheme.lower() == "bearer" else None
            if asking is None or name not in self.hub.spaces:
                raise HTTPException(401, "A token of that space is needed: `Authorization: Bearer TOKEN`.")
            return _json(read(asking, self.hub.spaces[name].machine, request))

        return endpoint

    def _participants(self, _: str, space: Space, __: Request) -> Any:
        return {
            "participants": [
                {
                    "id": name,
                    "present": bool(space.members.connections(name)),
                    "connections": len(space.members.connections(name)),
                    "capabilities": space.members.capabilities(name).sources,
                }
                for name in space.state.settings.participants
            ]
        }

    def _sequences(self, _: str, space: Space, request: Request) -> Any:
        state = space.state
        chosen = list(state.sequences.values())
        if request.query_params.get("open") not in ("1", "true"):
            chosen = [*state.closed.values(), *chosen]
        interrupts: dict[str, list[str]] = {}
        for record in [*state.settled.values(), *state.interrupts.values()]:
            interrupts.setdefault(record.sequence, []).append(record.id)
        listed = chosen[-_limit(request) :]
        return {"sequences": [_sequence(one, interrupts.get(one.id, []), self.hub.now) for one in listed]}

    def _interrupts(self, _: str, space: Space, request: Request) -> Any:
        state = space.state
        chosen = sorted([*state.settled.values(), *state.interrupts.values()], key=lambda one: one.accepted_at)
        return {"interrupts": [_interrupt(one, self.hub.now) for one in chosen[-_limit(request) :]]}

    def _timeline(self, asking: str, space: Space, request: Request) -> Any:
        settings = space.state.settings
        sees_all = settings.routing == "visible" or settings.participants[asking].observe
        after = request.query_params.get("after")
        try:
            records = self.hub.spaces.records(
                settings.id,
                after=None if after is None else _whole(after, "after", least=0),
                limit=_limit(request),
            )
        except Unavailable as error:
            raise HTTPException(503, str(error)) from None
        last = records[-1].entry.position if records else None
        return {"events": list(timeline(records, viewer=None if sees_all else asking)), "next": last}


def _sequence(one: Sequence, interrupts: list[str], now: int) -> dict[str, Any]:
    return {
        "id": one.id,
        "owner": one.owner,
        "message": one.message,
        "opened_at": timestamp(one.opened_at),
        "age_ms": (one.closed_at or now) - one.opened_at,
        "thoughts": one.thoughts,
        "state": one.outcome or (one.fence.answer if one.fence else "open"),
        "outcome": one.said,
        "interrupts": interrupts,
    }


def _interrupt(one: Interrupt, now: int) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "from": one.sender,
        "target": one.target,
        "sequence": one.sequence,
        "reason": one.reason,
        "class": one.class_,
        "message": one.message,
        "status": one.status,
        "accepted_at": timestamp(one.accepted_at),
        "delivered_at": None if one.delivered_at is None else timestamp(one.delivered_at),
        "deadline_in_ms": None if one.deadline is None else one.deadline - now,
        "conclusion_in_ms": None if one.conclusion_due is None else one.conclusion_due - now,
        "ack": None
        if one.ack is None
        else {
            "id": one.ack.id,
            "status": one.ack.answer,
            "message": one.ack.message,
            "outcome": one.ack.outcome,
            "at": timestamp(one.ack.at),
            "after_ms": one.ack.at - one.accepted_at,
        },
        "escalated": one.escalated,
        "steps": [{"status": status, "at": timestamp(at)} for status, at in one.steps],
    }


def _limit(request: Request) -> int:
    return min(_MOST, _whole(request.query_params.get("limit", str(_USUAL)), "limit", least=1))


def _whole(text: str, name: str, *, least: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19 and int(text) >= least):
        raise HTTPException(400, f"`{name}` is a whole number of at least {least}.")
    return int(text)


def _json(body: Any, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(body), status_code=status, media_type="application/json")


_CODES = {400: "bad_request", 401: "unauthorized", 404: "not_found", 405: "method_not_allowed", 503: "unavailable"}


async def _explain(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = _CODES.get(error.status_code, "error")
    response = _json({"error": code, "message": str(error.detail)}, status=error.status_code)
    response.headers.update(error.headers or {})
    if error.status_code == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


async def _confess(_: Request, __: Exception) -> Response:
    return _json({"error": "internal_error", "message": "The gateway made a mistake; its log says which."}, status=500)
