"""A worker program with Fluxi in its processes (tests/kit/workers.py): `python -m tests.fluxi.worker SOCKET`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select as select_from

from mew_agents.durable import Failpoints
from mew_agents.durable.failpoints import VARIABLE
from mew_agents.fluxi.claims import claim_all
from mew_agents.fluxi.definitions.version import restore
from mew_agents.fluxi.desk import plain_result
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.points import POINTS
from mew_agents.fluxi.ports import Answer, ToolPort
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.tables import works
from mew_agents.fluxi.work import Work
from mew_agents.tools.local import LocalTools

from ..kit.workers import serve
from .bookings import SHIPPED, START, ZONE, Slow
from .outside import Doubles, Mood, Outside, Post


class FluxiCommands:
    """What a process does: each public method is a command."""

    def __init__(self) -> None:
        self._ahead = 0
        self._fluxi: Fluxi | None = None
        self._closing = ExitStack()

    async def open(
        self,
        *,
        url: str,
        folder: str,
        definition: str | None = None,
        moods: Sequence[Mood] = (),
        interpreter: str = "rules",
        carried: bool = True,
        fault: str = "",
        ahead: int = 0,
    ) -> None:
        """Fluxi at `url`, `ahead` ms after the start of the story; without a `definition`, as it is shipped."""
        self._ahead = ahead
        outside = Outside(Path(folder))
        self._points = Failpoints.from_environment(POINTS, {VARIABLE: fault})
        self._fluxi = await Fluxi.open(
            url,
            failpoints=self._points,
            tools=self._tools(outside, Path(folder), definition, moods),
            definitions=list(SHIPPED.values()) if definition is None else [restore(definition)],
            interpreter=None if interpreter == "rules" else Slow(outside, contrary=interpreter == "contrary"),
            carrier=Post(outside) if carried else None,
            clock=self._clock,
        )
        self._closing.callback(self._fluxi.close)

    def close(self) -> None:
        self._closing.close()

    def _tools(self, outside: Outside, folder: Path, definition: str | None, moods: Sequence[Mood]) -> ToolPort:
        if definition is not None:
            return Doubles(outside, moods)
        local = LocalTools.shipped(folder / "tools", language="es", timezone=ZONE, clock=lambda: self._now)
        self._closing.callback(local.close)
        return LocalPort(local)

    def _clock(self) -> datetime:
        return START + timedelta(milliseconds=self._ahead)

    @property
    def _now(self) -> int:
        return round(self._clock().timestamp() * 1000)

    @property
    def fluxi(self) -> Fluxi:
        assert self._fluxi is not None, "open it first"
        return self._fluxi

    async def say(
        self, *, id: str, text: str, sender: str = "ana", place: str = "c", language: Any = "es", mode: Any = "auto"
    ) -> dict[str, Any]:
        """A person says something; the result."""
        policy = PolicyContext(now=self._clock(), timezone=ZONE, language=language, mode=mode)
        message = Message(message_id=id, sender=sender, text=text)
        return plain_result(await self.fluxi.handle(message, policy, Conversation("account", place)))

    async def wait(self, *, ms: int) -> int:
        """Time passes, and what is due is done."""
        self._ahead += ms
        return await self.fluxi.schedule.run_due()

    async def relay(self) -> int:
        """What was said leaves."""
        return await self.fluxi.outbox.relay()

    async def cancel(self, *, work: str) -> str:
        return (await self.fluxi.operators.cancel(work, by="olga")).state

    async def resolve(self, *, work: str, effect: str, outcome: Any) -> str:
        resolved = await self.fluxi.operators.resolve(work, effect, outcome, evidence="I looked.", by="olga")
        return resolved.state

    async def claim_again(self, *, work: str, context: str) -> bool:
        """What no conversation can bring about: a second claim for a Work that holds one."""

        def do(scene: Scene, work: Work) -> bool:
            return claim_all(scene, work, context) is not None

        done = await self.fluxi.desk.on_work(work, do, point="operator", by="test")
        assert done is not None
        await self.fluxi.schedule.run_due()
        return done.value

    async def works(self) -> list[dict[str, Any]]:
        """The Works there are, in the order they were opened."""
        columns = (works.c.work_id, works.c.conversation_id, works.c.state, works.c.suspended_reason)
        query = select_from(*columns).order_by(works.c.work_id)
        rows = await self.fluxi.database.read(lambda connection: connection.execute(query).all())
        return [dict(row._mapping) for row in rows]

    async def answered(self, *, request: str, outcome: Any) -> bool:
        """An answer that nobody waits for any more."""
        return await self.fluxi.arrivals.answered(request, Answer(outcome=outcome, code="late"))

    async def process(self) -> int:
        return os.getpid()

    async def passed(self) -> dict[str, int]:
        """How often each point was passed since it was opened."""
        return dict(self._points.passed)


async def warm_up(commands: FluxiCommands) -> None:
    """Do what compiles statements and loads words, once for all processes."""
    with tempfile.TemporaryDirectory() as folder:
        await commands.open(url=f"sqlite:///{folder}/fluxi.db", folder=folder)
        for number, text in enumerate(("Quiero un turno con la Dra. Ana Pérez el viernes a las 17", "sí")):
            await commands.say(id=str(number), text=text)
            await commands.relay()
        await commands.wait(ms=0)
        commands.close()


if __name__ == "__main__":
    serve(sys.argv[1], FluxiCommands, warm_up=warm_up)
