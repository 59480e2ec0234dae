"""A worker program with flows in its processes (tests/kit/workers.py): `python -m tests.flows.worker SOCKET`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mew_agents.durable import Failpoints
from mew_agents.durable.failpoints import VARIABLE
from mew_agents.flows import Flows, lookup
from mew_agents.flows.commands import CancelFlow
from mew_agents.flows.definitions.loader import load
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.points import POINTS
from mew_agents.flows.understanding.base import Standing, Understander, Understood
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi.desk import plain_result
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.ports import Answer, Prepared

from ..fluxi.bookings import ZONE
from ..fluxi.outside import Doubles, Mood, Outside, Post
from ..fluxi.worker import FluxiCommands, warm_up
from ..kit.workers import serve

FILE = Path(__file__).parent / "crash" / "flows.yaml"
# What every tool tells of what it has done.
TOLD = {"degrees": 21}


class Telling(Doubles):
    """The doubles, which also tell something."""

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        return replace(await super().send(prepared, timeout=timeout), content=TOLD)

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        return {"mitre": ["Mitre"], "belgrano": ["Belgrano"]}


class Slow(Understander):
    """Takes its time, as a model does, and writes down that it was asked. `contrary`: it cancels everything."""

    deterministic = False

    def __init__(self, outside: Outside, *, contrary: bool) -> None:
        self.name = "contrary" if contrary else "slow"
        self._outside = outside
        self._contrary = contrary

    def commands(self, text: str, standing: Standing) -> Any:
        return (CancelFlow(scope="all"),) if self._contrary else Rules().commands(text, standing)

    def slots(self, text: str, standing: Standing) -> Any:
        return () if self._contrary else Rules().slots(text, standing)

    async def understand(self, text: str, standing: Standing) -> Understood:
        self._outside.thoughts.add(text=text, by=self.name, about="commands")
        return await super().understand(text, standing)

    async def extract(self, text: str, standing: Standing) -> Understood:
        self._outside.thoughts.add(text=text, by=self.name, about="slots")
        return await super().extract(text, standing)


class FlowCommands(FluxiCommands):
    """What a process with flows does: each public method is a command."""

    async def open(
        self,
        *,
        url: str,
        folder: str,
        moods: Sequence[Mood] = (),
        interpreter: str = "rules",
        fault: str = "",
        ahead: int = 0,
        **_: Any,
    ) -> None:
        """Flows at `url`, `ahead` ms after the start of the story."""
        self._ahead = ahead
        outside = Outside(Path(folder))
        self._points = Failpoints.from_environment(POINTS, {VARIABLE: fault})
        slow = None if interpreter == "rules" else Slow(outside, contrary=interpreter == "contrary")
        self._flows = await Flows.open(
            url,
            tools=Telling(outside, moods),
            flows=flows(),
            understander=slow,
            carrier=Post(outside),
            clock=self._clock,
            failpoints=self._points,
        )
        self._fluxi = self._flows.fluxi
        self._closing.callback(self._flows.close)

    async def say(
        self, *, id: str, text: str, sender: str = "ana", place: str = "c", language: Any = "es", mode: Any = "auto"
    ) -> dict[str, Any]:
        """A person says something; the result."""
        policy = PolicyContext(now=self._clock(), timezone=ZONE, language=language, mode=mode)
        message = Message(message_id=id, sender=sender, text=text)
        return plain_result(await self._flows.handle(message, policy, Conversation("account", place)))

    async def cancel_flow(self, *, name: str) -> bool:
        """Somebody cancels the flow of that name, if it is under way."""
        found = await self.fluxi.database.read(lambda connection: lookup.flows(connection))
        flow_id = next((one.flow_id for one in found if one.name == name), None)
        if flow_id is not None:
            await self._flows.operators.cancel(flow_id, by="olga")
        return flow_id is not None


def flows() -> tuple[Flow, ...]:
    """Those of the stories."""
    return load(FILE)


if __name__ == "__main__":
    serve(sys.argv[1], FlowCommands, warm_up=warm_up)
