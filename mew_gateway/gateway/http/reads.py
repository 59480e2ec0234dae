"""The endpoints that read a space's record: messages, history, timeline (docs/protocol.md §6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mew_gateway.journal.base import count_fitting
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.replies import History, Messages, Placed, Timeline

from ..broker.broker import Broker
from ..broker.history import View
from .answers import json_of
from .auth import Authentication
from .queries import after_of, before_of, limit_of
from .retrieval import CHUNK, Place, Retrieval
from .timeline import timeline


@dataclass(frozen=True, kw_only=True)
class ReadEndpoints:
    """What was said and done, for who may see it."""

    broker: Broker
    authentication: Authentication

    async def messages(self, request: Request) -> Response:
        """`GET /participants/{id}/messages`: whole envelopes since a time, an id or a `next`."""
        visitor = await self.authentication.as_participant(request, reads=True)
        self.authentication.check_admitted(visitor.space, visitor.participant)
        limit, since = limit_of(request), request.query_params.get("since")
        retrieval = Retrieval(self.broker.engine, visitor)
        if since is None:
            page = await retrieval.newest(limit=limit)
        else:
            page = await retrieval.since(await retrieval.place(since), limit=limit)
        messages = [msgspec.Raw(found.data) for found in page.found]
        return json_of(Messages(messages, None if page.next is None else str(page.next)))

    async def history(self, request: Request) -> Response:
        """`GET /spaces/{space}/history`: whole envelopes with their positions."""
        visitor = await self.authentication.in_space(request, request.path_params["space"], reads=True)
        limit, after = limit_of(request), after_of(request)
        retrieval = Retrieval(self.broker.engine, visitor)
        if after is None:
            page = await retrieval.newest(limit=limit)
        else:
            page = await retrieval.since(Place(after + 1, 0), limit=limit, whole=True)
        envelopes = [
            Placed(found.place.position, timestamp(found.time), msgspec.Raw(found.data)) for found in page.found
        ]
        return json_of(History(envelopes, None if page.next is None else page.next.position))

    async def timeline(self, request: Request) -> Response:
        """`GET /spaces/{space}/timeline`: what happened, an object an event."""
        visitor = await self.authentication.in_space(request, request.path_params["space"], reads=True)
        limit, after, before = limit_of(request), after_of(request), before_of(request)
        records = await Retrieval(self.broker.engine, visitor).records(after=after, before=before, limit=limit)
        first, last = (records[0].entry.position, records[-1].entry.position) if records else (None, None)
        view = View(self.broker.engine[visitor.space].machine.state, visitor.participant)
        events: list[dict[str, Any]] = []
        while records:
            await visitor.turn()
            piece = count_fitting((record.size for record in records), CHUNK)
            events += timeline(records[:piece], view)
            del records[:piece]
        return json_of(Timeline(events, last, first))
