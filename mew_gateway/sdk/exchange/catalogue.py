"""The tools of the others: asked for on first use, kept while they stay, asked for again when they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, Protocol

from mew_gateway.errors import MewError

from .._tasks.tasks import Work
from .._transport.link import Disconnected, Stopped
from .._transport.welcome import Present
from .mcp import Tool

log = logging.getLogger(__name__)

_PATIENCE = 5_000  # milliseconds for a list: who has no tools, a person say, may not answer at all
_SETTLED = 500  # milliseconds after the last change until those who were asked are asked again
_LIST: dict[str, Any] = {"method": "tools/list"}


class Asker(Protocol):
    """What the catalogue needs of a participant."""

    @property
    def participants(self) -> Mapping[str, Present]:
        """The others who are here."""

    def may(self, kind: str, payload: dict[str, Any], *, to: tuple[str, ...] = ()) -> bool:
        """Whether such an envelope passes."""

    async def tools(self, target: str, *, timeout: int) -> list[Tool]:
        """Ask for a participant's tools."""

    def later(self, milliseconds: int, name: str, work: Work) -> None:
        """Do something after a while; `name` is for the log."""


class Catalogue:
    """Asks only those who are here, and only straight: never by a proposal, which would be a question to people.

    Who does not answer, or only with an error, has no tools, until its presence changes.
    """

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._known: dict[str, list[Tool]] = {}
        self._asking: dict[str, asyncio.Task[list[Tool]]] = {}
        self._changes: dict[str, int] = {}  # of those that somebody wanted to know about

    async def tools(self) -> list[Tool]:
        """All tools of everybody who is here. Raises `Disconnected` or `Stopped`."""
        found = await asyncio.gather(*(self.of(name) for name in list(self._asker.participants)))
        return [tool for tools in found for tool in tools]

    async def find(self, tool: str) -> list[Tool]:
        """The tools of that name, whoever has them. Raises `Disconnected` or `Stopped`."""
        return [one for one in await self.tools() if one.name == tool]

    async def of(self, participant: str) -> list[Tool]:
        """The tools of one participant. Raises `Disconnected` or `Stopped`."""
        known = self._known.get(participant)
        if known is not None:
            return known
        if participant not in self._asker.participants:
            return []
        if not self._asker.may("mcp/request", _LIST, to=(participant,)):
            return []
        asking = self._asking.get(participant)
        if asking is None:
            self._changes.setdefault(participant, 0)
            asking = self._asking[participant] = asyncio.create_task(self._ask(participant))
            asking.add_done_callback(partial(self._note, participant))
        return await asyncio.shield(asking)

    def welcome(self) -> None:
        """A list of who is here has come: whoever is not is forgotten."""
        for name in [name for name in self._known if name not in self._asker.participants]:
            del self._known[name]

    def take(self, event: str, name: str) -> None:
        """Somebody has come, gone or changed: what was known of it is not any more."""
        self._known.pop(name, None)
        self._asking.pop(name, None)
        if name in self._changes and event in ("join", "update"):
            self._changes[name] += 1
            refresh = partial(self._refresh, name, self._changes[name])
            self._asker.later(_SETTLED, "asking for tools", refresh)

    async def _refresh(self, name: str, change: int) -> None:
        if self._changes[name] == change:  # nothing has changed since
            await self.of(name)

    async def _ask(self, name: str) -> list[Tool]:
        try:
            return await self._asker.tools(name, timeout=_PATIENCE)
        except (Disconnected, Stopped):
            raise
        except MewError as error:
            log.info("%s has no tools: %s", name, error)
            return []

    def _note(self, name: str, asked: asyncio.Task[list[Tool]]) -> None:
        if self._asking.get(name) is not asked:
            return  # it has changed meanwhile
        del self._asking[name]
        if not asked.cancelled() and asked.exception() is None:
            self._known[name] = asked.result()
