"""The endpoints that read a space's record: messages, history, timeline (docs/protocol.md §6)."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mew_gateway.journal.base import count_fitting
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.http_replies import History, Messages, Placed, Timeline

from ..broker.broker import Broker
from ..broker.spaces.history_view import View
from .bearer_token import Authentication
from .query_parameters import after_of, before_of, limit_of
from .record_pages import CHUNK, Place, Retrieval
from .responses import json_response
from .timeline import timeline


@dataclass(frozen=True, kw_only=True)
class ReadEndpoints:
    """Endpoints that return the part of the record that the caller may see."""

    broker: Broker
    authentication: Authentication

    async def messages(self, request: Request) -> Response:
        """Answer `GET /participants/{id}/messages`: whole envelopes since a time, an id or a `next`."""
        caller = await self.authentication.as_participant(request, reads=True)
        self.authentication.check_admitted(caller.space, caller.participant)
        limit, since = limit_of(request), request.query_params.get("since")
        retrieval = Retrieval(self.broker.engine, caller)
        if since is None:
            page = await retrieval.newest(limit=limit)
        else:
            page = await retrieval.since(await retrieval.place(since), limit=limit)
        messages = [msgspec.Raw(found.data) for found in page.found]
        return json_response(Messages(messages, None if page.next is None else str(page.next)))

    async def history(self, request: Request) -> Response:
        """Answer `GET /spaces/{space}/history`: whole envelopes with their positions."""
        caller = await self.authentication.in_space(request, request.path_params["space"], reads=True)
        limit, after = limit_of(request), after_of(request)
        retrieval = Retrieval(self.broker.engine, caller)
        if after is None:
            page = await retrieval.newest(limit=limit)
        else:
            page = await retrieval.since(Place(after + 1, 0), limit=limit, whole=True)
        envelopes = [
            Placed(found.place.position, timestamp(found.time), msgspec.Raw(found.data)) for found in page.found
        ]
        return json_response(History(envelopes, None if page.next is None else page.next.position))

    async def timeline(self, request: Request) -> Response:
        """Answer `GET /spaces/{space}/timeline`: the events of the space, one object each."""
        caller = await self.authentication.in_space(request, request.path_params["space"], reads=True)
        limit, after, before = limit_of(request), after_of(request), before_of(request)
        records = await Retrieval(self.broker.engine, caller).records(after=after, before=before, limit=limit)
        first, last = (records[0].entry.position, records[-1].entry.position) if records else (None, None)
        view = View(self.broker.engine[caller.space].machine.state, caller.participant)
        events: list[msgspec.Raw] = []
        while records:
            await caller.turn()
            piece = count_fitting((record.size for record in records), CHUNK)
            events += [msgspec.Raw(msgspec.json.encode(event)) for event in timeline(records[:piece], view)]
            del records[:piece]
        return json_response(Timeline(events, last, first))
