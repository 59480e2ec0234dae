"""The tool participants in the caller's own process: the same dispatch, checks and answers, and no space."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import PROTOCOL, Envelope, timestamp
from mew_gateway.sdk import Agent, ToolError
from mew_gateway.sdk.client import new_id, wall_clock
from mew_gateway.sdk.tools import Offers

from ..phrasebook import Language, Spoken
from .calendar import Calendar, CalendarOptions
from .desk import Desk
from .effect import META
from .fixed_answers import FixedAnswer
from .ledger import Ledger, LedgerOptions
from .own import OwnTools
from .pager import Pager

_ME = "local"  # who calls, as the tools see it


class ToolRefused(MewError):
    """A call was answered with an error: `code` is JSON-RPC's, or the gateway's `participant_not_found`.

    -32600 to -32602 and `participant_not_found` say that nothing was done.
    """

    def __init__(self, code: int | str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class LocalTools:
    """Calls tools named *participant/tool*. Each participant keeps its book in a folder of its name below `folder`,
    in memory without one. A context manager; open as long as it is not closed. `answers`, by tool, are given in place
    of what the participants would.

        with LocalTools.shipped(Path("state"), timezone="America/Sao_Paulo") as tools:
            result = await tools.call("calendar/free_times", {"doctor": "ana-perez", "date": "2026-11-27"})
    """

    def __init__(
        self,
        desks: Mapping[str, Agent],
        *,
        folder: Path | None = None,
        answers: Mapping[str, FixedAnswer] | None = None,
        new_id: Callable[[], str] = new_id,
        clock: Callable[[], int] = wall_clock,
    ) -> None:
        self._offers = {name: Offers.of(desk) for name, desk in desks.items()}
        self.answers = dict(answers or {})
        self._clock = clock
        self._new_id = new_id
        with contextlib.ExitStack() as opened:
            for name, desk in desks.items():
                opened.enter_context(_opened(desk, None if folder is None else folder / name))
            self._opened = opened.pop_all()

    @classmethod
    def shipped(
        cls,
        folder: Path | None = None,
        *,
        language: Language = "en",
        timezone: str = "UTC",
        own: OwnTools | None = None,
        clock: Callable[[], int] = wall_clock,
    ) -> Self:
        """The calendar, the ledger and the pager, as they are without options but these, and somebody's own."""
        desks: dict[str, Agent] = {
            "calendar": Calendar(CalendarOptions(language=language, timezone=timezone), clock=clock),
            "ledger": Ledger(LedgerOptions(language=language), clock=clock),
            "pager": Pager(Spoken(language=language), clock=clock),
        }
        if own is None:
            return cls(desks, folder=folder, clock=clock)
        return cls({**desks, **own.agents}, folder=folder, answers=own.answers, clock=clock)

    async def tools(self) -> list[str]:
        """Every tool there is, as *participant/tool*."""
        offered = [f"{name}/{tool['name']}" for name in self._offers for tool in await self._list(name)]
        return list(dict.fromkeys([*offered, *self.answers]))

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        effect: dict[str, Any] | None = None,
        *,
        request_id: str | None = None,
    ) -> dict[str, Any]:
        """MCP's result of a `tools/call`, JSON as it would come over the wire.

        `effect` is the `mew/effect` of docs/tools.md. A `request_id` that was used before is the same request, given
        once more; without one each call is a new one. Raises `ToolRefused`, and `TimeoutError` for one that is silent.
        """
        if tool in self.answers:
            return _over_the_wire(self.answers[tool].result(tool))
        participant, _, name = tool.partition("/")
        params: dict[str, Any] = {"name": name, "arguments": arguments}
        if effect is not None:
            params["_meta"] = {META: effect}
        return await self._answer(participant, "tools/call", params, request_id or self._new_id())

    def close(self) -> None:
        """Nothing is lost by it."""
        self._opened.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _list(self, participant: str) -> list[dict[str, Any]]:
        listed = await self._answer(participant, "tools/list", {}, self._new_id())
        return list(listed["tools"])

    async def _answer(self, participant: str, method: str, params: dict[str, Any], id: str) -> dict[str, Any]:
        offers = self._offers.get(participant)
        if offers is None:
            raise ToolRefused("participant_not_found", f"Nobody is called {participant!r}.")
        payload = _over_the_wire({"method": method, "params": params})
        request = Envelope(PROTOCOL, id, timestamp(self._clock()), _ME, "mcp/request", [participant], payload=payload)
        try:
            answer = await offers.answer(method, payload["params"], request, me=participant)
        except ToolError as error:
            raise ToolRefused(error.code, error.message) from None
        return _over_the_wire(answer)


def _opened(agent: Agent, folder: Path | None) -> contextlib.AbstractContextManager[None]:
    agent.state_folder = folder
    return agent.opened(folder) if isinstance(agent, Desk) else contextlib.nullcontext()


def _over_the_wire(value: dict[str, Any]) -> dict[str, Any]:
    """What comes out of JSON when it is put in. Raises `TypeError` for what is none."""
    return msgspec.json.decode(msgspec.json.encode(value), type=dict[str, Any])
