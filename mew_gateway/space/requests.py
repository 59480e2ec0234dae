"""MCP requests and responses (docs/protocol.md §4).

A response needs an open request to its sender. A request that correlates to a proposal does exactly what the proposal
asked for, and fulfils it (§3.2.1).
"""

from __future__ import annotations

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.payloads import Payload
from mew_gateway.protocol.payloads import Request as RequestPayload

from . import proposals
from .handler_context import HandlerContext
from .state import Request, State
from .visibility import still_same, viewer


def ask(ctx: HandlerContext, envelope: Envelope, payload: RequestPayload, data: bytes) -> None:
    """Handle `mcp/request`: remember it until it is answered. A notification is not answered, and not remembered.

    A request that correlates to proposals fulfils them; the proposers see it and its responses (docs/protocol.md §2).
    """
    done = proposals.fulfilled(ctx, envelope, payload, data)
    proposers = proposals.proposers(done)
    if not payload.method.startswith("notifications/"):
        _await(ctx.state, envelope, proposers)
    for proposal in done:
        proposals.fulfil(ctx, proposal, envelope)
    ctx.forward(envelope, data, also=proposers)


def respond(ctx: HandlerContext, envelope: Envelope, _: Payload, data: bytes) -> None:
    """Handle `mcp/response`: close its sender's part of the requests."""
    requests = answered(ctx.state, envelope)
    if not requests:
        named = ", ".join(envelope.correlation_id or ()) or "nothing"
        raise Rejected("request_not_found", f"No open request addressed to you is called {named}.")
    also: list[str] = []
    for request in requests:
        _close_part(ctx.state, request, envelope.sender)
        also += still_same(ctx.state, request.ordinal, (request.sender, *request.proposers))
    ctx.forward(envelope, data, also=tuple(dict.fromkeys(also)))


def answered(state: State, envelope: Envelope) -> list[Request]:
    """Return the open requests, addressed to the sender or to everybody, that a response correlates to.

    The list is empty if the response names anything else too: a participant that waits for that would take it for its
    answer.
    """
    found = [state.requests.get(id) for id in dict.fromkeys(envelope.correlation_id or ())]
    asked = viewer(state, envelope.sender)
    mine = [
        one
        for one in found
        if one is not None and asked.was_here(one.ordinal) and (one.awaited is None or asked.name in one.awaited)
    ]
    return mine if len(mine) == len(found) else []


def owed_by(state: State, name: str, *, before: int | None = None) -> bool:
    """Return true if a participant has yet to answer a request that names it, made before the fact of that ordinal."""
    return any(_is_owed(one, name, before) for one in state.requests.values())


def participant_left(ctx: HandlerContext, name: str, *, before: int | None = None) -> None:
    """Close the requests to a participant that was removed or shut down, and notify those that wait for its answers.

    It may have come back already; then it may still answer requests made after the fact of the ordinal `before`.
    """
    for request in [one for one in ctx.state.requests.values() if _is_owed(one, name, before)]:
        _close_part(ctx.state, request, name)
        for asking in dict.fromkeys(still_same(ctx.state, request.ordinal, (request.sender, *request.proposers))):
            if asking != name:
                ctx.notify(
                    asking,
                    "request_target_left",
                    f"{name} has left while the request {request.id} was open: it may have been carried out.",
                    correlation=request.id,
                    participants=[name],
                )


def forget(state: State, name: str) -> None:
    """Forget the requests of a participant that is gone for good."""
    for id in state.asking.pop(name, ()):
        del state.requests[id]


def _is_owed(request: Request, name: str, before: int | None) -> bool:
    is_asked = request.awaited is not None and name in request.awaited
    return is_asked and (before is None or request.ordinal < before)


def _await(state: State, envelope: Envelope, proposers: tuple[str, ...]) -> None:
    awaited = None if not envelope.to else tuple(envelope.to)
    state.requests[envelope.id] = Request(envelope.id, envelope.sender, awaited, proposers, state.next_ordinal())
    asking = state.asking.setdefault(envelope.sender, [])
    asking.append(envelope.id)
    while len(asking) > state.settings.bounds.open_requests:  # drop the oldest, which was never answered
        del state.requests[asking.pop(0)]


def _close_part(state: State, request: Request, sender: str) -> None:
    if request.awaited is None:
        return  # a broadcast: others may answer too, until it is evicted
    left = tuple(name for name in request.awaited if name != sender)
    if left:
        state.requests[request.id] = msgspec.structs.replace(request, awaited=left)
        return
    del state.requests[request.id]
    asking = state.asking[request.sender]
    asking.remove(request.id)
    if not asking:
        del state.asking[request.sender]
