"""Catalogue of the other participants' tools: requested on first use, cached, requested again after changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from mew_gateway.errors import MewError

from .._tasks.tasks import Work
from .._transport.reconnect import Disconnected, Stopped
from .._transport.welcome import Present
from .mcp import Tool

log = logging.getLogger(__name__)

_PATIENCE = 5_000  # milliseconds for a list: a participant without tools, such as a person, may not answer
_SETTLE = 500  # milliseconds after the last change before the tools are requested again
_LIST: dict[str, Any] = {"method": "tools/list"}


class ToolLister(Protocol):
    """Interface that the catalogue needs; `Participant` implements it."""

    @property
    def participants(self) -> Mapping[str, Present]:
        """The other participants that are present."""

    def may(self, kind: str, payload: dict[str, Any], *, to: tuple[str, ...] = ()) -> bool:
        """Return true if our capabilities allow such an envelope."""

    async def tools(self, target: str, *, timeout: int) -> list[Tool]:
        """Request the tools of a participant."""

    def later(self, milliseconds: int, name: str, work: Work) -> None:
        """Run some work after a delay; `name` is for the log."""


class Catalogue:
    """Tools of the participants that are present, requested directly: never by a proposal, which would ask people.

    A participant that does not answer, or answers with an error, has no tools until its presence changes.
    """

    def __init__(self, lister: ToolLister) -> None:
        self._lister = lister
        self._known: dict[str, list[Tool]] = {}
        self._requests: dict[str, asyncio.Task[list[Tool]]] = {}
        self._changes: dict[str, int] = {}  # count by participant whose tools were requested

    async def tools(self) -> list[Tool]:
        """Return all tools of all present participants. Raises `Disconnected` or `Stopped`."""
        found = await asyncio.gather(*(self.of(name) for name in list(self._lister.participants)))
        return [tool for tools in found for tool in tools]

    async def find(self, tool: str) -> list[Tool]:
        """Return the tools of that name from all participants. Raises `Disconnected` or `Stopped`."""
        return [one for one in await self.tools() if one.name == tool]

    async def of(self, participant: str) -> list[Tool]:
        """Return the tools of one participant. Raises `Disconnected` or `Stopped`."""
        known = self._known.get(participant)
        if known is not None:
            return known
        if participant not in self._lister.participants:
            return []
        if not self._lister.may("mcp/request", _LIST, to=(participant,)):
            return []
        asking = self._requests.get(participant)
        if asking is None:
            self._changes.setdefault(participant, 0)
            asking = self._requests[participant] = asyncio.create_task(self._ask(participant))
            asking.add_done_callback(partial(self._note, participant))
        return await asyncio.shield(asking)

    def welcome(self) -> None:
        """Forget participants that are absent, after a new list of participants."""
        for name in [name for name in self._known if name not in self._lister.participants]:
            del self._known[name]

    def take(self, event: str, name: str) -> None:
        """Forget what is known of a participant that joined, left or changed."""
        self._known.pop(name, None)
        self._requests.pop(name, None)
        if name in self._changes and event in ("join", "update"):
            self._changes[name] += 1
            refresh = partial(self._refresh, name, self._changes[name])
            self._lister.later(_SETTLE, "asking for tools", refresh)

    async def _refresh(self, name: str, change: int) -> None:
        if self._changes[name] == change:  # nothing has changed since
            await self.of(name)

    async def _ask(self, name: str) -> list[Tool]:
        try:
            return await self._lister.tools(name, timeout=_PATIENCE)
        except (Disconnected, Stopped):
            raise
        except MewError as error:
            log.info("%s has no tools: %s", name, error)
            return []

    def _note(self, name: str, asked: asyncio.Task[list[Tool]]) -> None:
        if self._requests.get(name) is not asked:
            return  # the participant has changed meanwhile
        del self._requests[name]
        if not asked.cancelled() and asked.exception() is None:
            self._known[name] = asked.result()
