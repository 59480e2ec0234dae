"""Participant: requests to others, answers to their requests, streams, and capabilities, over one client."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from types import TracebackType
from typing import Any, Literal, Protocol, Self, TypeVar, overload
from weakref import WeakSet

import msgspec

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope

from ._handlers import Handlers, guard
from ._incoming_requests import Fallback, Service
from ._outgoing_requests import Requester
from ._runner import Runner
from ._tasks.tasks import Starter, Tasks, Work
from ._tool_calls import MOST, Bodies
from ._transport.mailbox import Mailbox
from ._transport.names import Names, names_in
from ._transport.reconnect import Disconnected
from ._transport.welcome import Present, Welcome, welcome_in
from .client import Client, Item, Reconnected
from .exchange import mcp
from .exchange.catalogue import Catalogue
from .exchange.guests import Guests
from .exchange.mcp import Content, Resource, Tool, ToolResult
from .exchange.roster import Roster
from .streams import Stream, Streams
from .tools import Function, Offers

log = logging.getLogger(__name__)

_PATIENCE = 300_000  # milliseconds for an answer: a person may have to approve it
_CONFIRMATION = 10_000  # and for the gateway's yes or no
_LISTENED = 1_000  # items held for a listener


T = TypeVar("T")


class Within(Protocol):
    """Span in which a request is made."""

    run_id: str

    async def waiting(self, work: Coroutine[Any, Any, T]) -> T:
        """Await some work as at a boundary."""


class Participant:
    """One participant over a client's connection:

        async with Participant(Client("ws://127.0.0.1:8080", space="demo", token=token)) as me:
            answer = await me.call("calculator", "add", {"a": 2, "b": 3})

    `async with` connects the client if it is not connected, and then closes it at the end. It also reads the client, so
    use `listen` to see all items. Methods of a subclass that are marked with `tool` or `resource` are offered to
    others; `tool` and `resource` add more. Without `answers`, requests and grants are left to another connection of the
    same participant. `within` returns the span of the caller, if any: a request in it has its run as `context`, and its
    wait is a boundary. Times are in milliseconds.
    """

    def __init__(
        self,
        client: Client,
        *,
        offers: Offers | None = None,
        fallback: Fallback | None = None,
        answers: bool = True,
        within: Callable[[], Within | None] = lambda: None,
    ) -> None:
        self.client = client
        self.offers = Offers.of(self) if offers is None else offers
        self.streams = Streams(client, self.send, self._open_stream)
        self.catalogue = Catalogue(self)
        self._fallback = fallback
        self._answers = answers
        self._within = within
        self._roster = Roster()
        self._guests = Guests()
        self._requester = Requester(client)
        self._listeners: WeakSet[Mailbox[Item]] = WeakSet()
        self._grants: list[str] = []  # that are to bring a new welcome
        self._opened_client = False
        self._tasks = Tasks()
        self._starter: Starter = self._tasks
        self._service: Service | None = None
        client.on_frame = self.streams.take_frame

    # Living.

    async def __aenter__(self) -> Self:
        if not self.client.is_open:
            await self.client.connect()
            self._opened_client = True
        self.begin(self._tasks, Handlers(self._tasks))
        self._tasks.start_soon(self._read)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end(Disconnected("The participant has left."))
        await self._tasks.aclose()
        if self._opened_client:
            await self.client.aclose()

    def begin(
        self, tasks: Starter, handlers: Handlers, *, runner: Runner | None = None, left_at_work: int = MOST
    ) -> None:
        """Prepare for `take`, if the caller reads the client; `async with` does both itself.

        An agent's `runner` decides about its tools' bodies; `left_at_work` of them may outlast their limits.
        """
        self._starter = tasks
        bodies = Bodies(tasks, sleep=self.client.sleep, runner=runner, most=left_at_work)
        self._service = Service(
            self.client,
            self.offers,
            handlers,
            tasks,
            say=self.send,
            fallback=self._fallback,
            bodies=bodies,
            guests=self._guests,
        )
        self._guests.begin(self.client.first_welcome)
        self._welcome(self.client.welcome)

    def take(self, item: Item) -> None:
        """Take one item from the client. Never waits."""
        if isinstance(item, Reconnected):
            self.streams.tear()
            self._guests.welcome(item.welcome)
            if item.missed:
                self._requester.catch_up(self._guests)
            self._welcome(item.welcome)
            self._start("sending again", self._requester.repeat)
        else:
            self._requester.take(item)
            handle = _TABLE.get(item.kind)
            if handle is not None:
                handle(self, item)
            self.streams.take(item)
        for listener in self._listeners:
            listener.put(item)

    async def answered(self) -> None:
        """Wait until every request to us that has begun is answered."""
        if self._service is not None:
            await self._service.answered()

    def end(self, why: MewError) -> None:
        """Fail all that waits: there will be no more items."""
        self._requester.end(why)
        self.streams.end(why)
        for listener in self._listeners:
            listener.end(why)

    # Who and what.

    @property
    def me(self) -> str:
        """Our participant id. Raises `Disconnected` before the first welcome."""
        return self.client.welcome.you.id

    @property
    def participants(self) -> Mapping[str, Present]:
        """The other participants that are present."""
        return self._roster.present

    def invitation(self, name: str) -> str | None:
        """Return the invitation of the guest that a name denotes at the current place in the order; None if configured.

        A guest that is invited later with the same name is another participant, with another invitation.
        """
        return self._guests.of(name)

    @property
    def guests(self) -> Guests:
        """All guests, at the same place in the order."""
        return self._guests

    def may(self, kind: str, payload: dict[str, Any], *, to: Names = ()) -> bool:
        """Return true if our capabilities, by the newest welcome, allow such an envelope."""
        return self._requester.may(kind, payload, names_in(to))

    def listen(self, *, buffer: int = _LISTENED) -> Mailbox[Item]:
        """Return an async iterator of all items from now on. A reader that is `buffer` items late gets `TooSlow`."""
        listener: Mailbox[Item] = Mailbox(limit=buffer)
        self._listeners.add(listener)
        return listener

    def later(self, milliseconds: int, name: str, work: Work) -> None:
        """Run some work after a delay, in the background; `name` is for the log."""
        self._start(name, partial(self._sleep_and, milliseconds, work))

    # Requester.

    async def request(
        self,
        target: Names,
        method: str,
        params: dict[str, Any] | None = None,
        *,
        timeout: int = _PATIENCE,
        propose: bool = False,
        correlation_id: Names = (),
        context: str | Literal[False] | None = None,
    ) -> Any:
        """Request an MCP method. Return the JSON-RPC result. With an empty `target` any may answer; the first
        answer counts.

        The request is sent directly if our capabilities allow it, and otherwise (or with `propose`) as a proposal
        (§3.2), which is followed to its fulfilment and its answer. A rejection ends a proposal (`ProposalRejected`); a
        new one may name it in `correlation_id`. After `timeout` milliseconds without an answer it raises `TimedOut`;
        then, and if the caller is cancelled, the proposal is withdrawn, or `notifications/cancelled` is sent. Raises
        `ToolError` for an error response, `Refused` if the gateway refuses it, `Disconnected` or `Stopped` without a
        connection. It survives a reconnection.

        In a run of an agent its `context` is that run, and the wait is a boundary: an interrupt that stops the span
        ends the wait and withdraws the request. With `context` False it is outside of the run, whatever happens to
        that.
        """
        span = self._within() if context is None else None
        if span is not None:
            context = span.run_id
        to = names_in(target)
        payload = {"method": method} if params is None else {"method": method, "params": params}
        asking = self._requester.request_or_propose(
            payload,
            to,
            propose=propose,
            timeout=timeout,
            correlation_id=names_in(correlation_id),
            context=context or None,
        )
        return await (asking if span is None else span.waiting(asking))

    async def call(
        self,
        target: str,
        tool: str,
        arguments: dict[str, Any] | None = None,
        *,
        timeout: int = _PATIENCE,
        propose: bool = False,
        context: str | Literal[False] | None = None,
    ) -> ToolResult:
        """Call a tool. Raises as `request`, and `ToolFailed` if the tool reports a failure."""
        params = {"name": tool, "arguments": arguments or {}}
        answer = await self.request(target, "tools/call", params, timeout=timeout, propose=propose, context=context)
        return mcp.result_in(answer)

    async def tools(self, target: str, *, timeout: int = _PATIENCE) -> list[Tool]:
        """Request the tools that a participant offers. Raises as `request`."""
        return await self._list(target, "tools", Tool, timeout)

    async def resources(self, target: str, *, timeout: int = _PATIENCE) -> list[Resource]:
        """Request the resources that a participant offers. Raises as `request`."""
        return await self._list(target, "resources", Resource, timeout)

    async def read(self, target: str, uri: str, *, timeout: int = _PATIENCE) -> list[Content]:
        """Read a resource. Raises as `request`."""
        return mcp.contents_in(await self.request(target, "resources/read", {"uri": uri}, timeout=timeout))

    async def fulfil(self, proposal: Envelope, *, timeout: int = _PATIENCE) -> Any:
        """Approve a proposal: make the request that it proposes (§3.2.1), and return its result."""
        payload = {key: value for key, value in (proposal.payload or {}).items() if key in ("method", "params")}
        return await self._requester.exchange(
            "mcp/request", payload, tuple(proposal.to or ()), timeout=timeout, correlation_id=(proposal.id,)
        )

    async def send(
        self,
        kind: str,
        payload: dict[str, Any],
        *,
        to: Names = (),
        correlation_id: Names = (),
        context: str | None = None,
        timeout: int = _CONFIRMATION,
    ) -> str:
        """Send any envelope and wait until the gateway has accepted it. Return its id. Raises `Refused` if it does not.

        `client.send` does not wait; use that in code that must not wait.
        """
        sent: str = await self._requester.exchange(
            kind,
            payload,
            names_in(to),
            until="taken",
            timeout=timeout,
            correlation_id=names_in(correlation_id),
            context=context,
        )
        return sent

    # Offering.

    @overload
    def tool(self, function: Function, /) -> Function: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
        limit: float | None = None,
    ) -> Callable[[Function], Function]: ...
    @overload
    def tool(
        self,
        function: Function,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
        limit: float | None = None,
    ) -> Function: ...
    def tool(
        self,
        function: Any = None,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        read_only: bool = False,
        limit: float | None = None,
    ) -> Any:
        """Offer a function as a tool: `me.tool(function)`, or a decorator, with or without options (see `sdk.tool`)."""
        return self.offers.tool(function, name=name, description=description, read_only=read_only, limit=limit)

    def resource(
        self, uri: str, *, name: str | None = None, description: str | None = None, mime_type: str | None = None
    ) -> Callable[[Function], Function]:
        """Offer what a function returns as a resource: a decorator (see `sdk.resource`)."""
        return self.offers.resource(uri, name=name, description=description, mime_type=mime_type)

    # Streams.

    def open_stream(
        self,
        *,
        direction: str = "upload",
        content_type: str | None = None,
        target: Names = (),
        **fields: Any,
    ) -> AbstractAsyncContextManager[Stream]:
        """Open a stream of our own (§3.10): `async with me.open_stream() as stream: await stream.write(b"…")`.

        With `target` only those participants get its frames. Further `fields` (`description`, `format`, `metadata`, …)
        describe it to participants that join later. It is closed at the end of the block. Raises `Refused`.
        """
        return self.streams.opened(
            {"direction": direction, "content_type": content_type, "target": list(names_in(target)) or None, **fields}
        )

    def stream(self, stream_id: str) -> Stream:
        """Return an open stream of the space, for `async for`. Raises `Refused` `stream_not_found`."""
        return self.streams[stream_id]

    # Inside.

    async def _list(self, target: str, key: str, kind: type[mcp.Listed], timeout: int) -> list[mcp.Listed]:
        found: list[mcp.Listed] = []
        cursors: list[str | None] = [None]
        for cursor in cursors:  # that grow while we go, but not in a circle
            page = await self.request(target, f"{key}/list", mcp.pages(cursor), timeout=timeout)
            entries, following = mcp.listed(page, key, kind, participant=target)
            found += entries
            if following is not None and following not in cursors:
                cursors.append(following)
        return found

    async def _open_stream(self, payload: dict[str, Any]) -> Envelope:
        opened: Envelope = await self._requester.exchange(
            "stream/request", payload, ("gateway",), timeout=_CONFIRMATION
        )
        return opened

    async def _read(self) -> None:
        try:
            async for item in self.client:
                self.take(item)
        except MewError as why:
            self.end(why)

    async def _sleep_and(self, milliseconds: int, work: Work) -> None:
        await self.client.sleep(milliseconds)
        await work()

    def _start(self, name: str, work: Work) -> None:
        self._starter.start_soon(guard, name, work)

    def _welcome(self, welcome: Welcome) -> None:
        self._roster.welcome(welcome)
        self.streams.welcome(welcome)
        self.catalogue.welcome()

    def _take_welcome(self, envelope: Envelope) -> None:
        """Take a welcome at its place in the order: the client may have read a later one already."""
        try:
            welcome = welcome_in(envelope.payload)
        except msgspec.ValidationError:  # the client has said so
            return
        if welcome.you.id != self.me:
            return
        self._guests.welcome(welcome)
        self._welcome(welcome)
        grants, self._grants = self._grants, []
        for id in grants:
            self._start("acknowledging a grant", partial(self._acknowledge_grant, id))

    async def _acknowledge_grant(self, id: str) -> None:
        """Acknowledge a grant (§3.6.3), after the welcome with the new capabilities."""
        await self.client.send("capability/grant-ack", {"status": "accepted"}, correlation_id=[id])

    def _take_grant(self, envelope: Envelope) -> None:
        if self._answers and (envelope.payload or {}).get("recipient") == self.me:
            self._grants.append(envelope.id)

    def _take_presence(self, envelope: Envelope) -> None:
        self._guests.take(envelope)
        event, name = self._roster.take(envelope, me=self.me)
        if event == "removed" and self._service is not None:
            self._service.removed(name)
        if name != self.me:
            self.catalogue.take(event, name)

    def _take_request(self, envelope: Envelope) -> None:
        if self._answers and self._service is not None and self.me in (envelope.to or ()):
            self._service.take(envelope)


_TABLE: dict[str, Callable[[Participant, Envelope], None]] = {
    "system/welcome": Participant._take_welcome,
    "system/presence": Participant._take_presence,
    "capability/grant": Participant._take_grant,
    "mcp/request": Participant._take_request,
}
