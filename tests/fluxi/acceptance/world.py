"""The tools of these dialogues: the doubles, and what else can become of a call or of a question about one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.ports import Answer, Call, Carried, Carrier, Prepared, Reply

from ..outside import Doubles, Outside, Post

# What a script calls the ways in which a call can go, besides those of the doubles.
ANSWERS = {
    "applied": Answer(outcome="applied", code="applied"),
    "told": Answer(
        outcome="applied", content={"status": "applied", "place": "first floor", "number": 7}, code="applied"
    ),
    "refused": Answer(
        outcome="not_applied",
        content={"status": "not_applied"},
        code="refused",
        message="the account is closed",
    ),
    "rejected": Answer(outcome="not_applied", code="rejected", message="too much money"),
    "busy": Answer(outcome="not_applied", content={"status": "not_applied"}, code="busy", message="busy", retry=True),
    "unknown": Answer(outcome="unknown", code="timeout", message="no answer"),
}


class World(Doubles):
    """The doubles; a call can also be `held` until the script lets it go, or `proposed` to a person."""

    def __init__(self, outside: Outside) -> None:
        super().__init__(outside)
        self._outside = outside
        self.moods: list[str] = []
        self.held: asyncio.Queue[asyncio.Future[Answer]] = asyncio.Queue()
        self.silent = False

    def prepare(self, call: Call) -> Prepared:
        return replace(super().prepare(call), proposed=self.moods[:1] == ["proposed"])

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        mood = self.moods.pop(0) if self.moods else "applied"
        call = read(prepared.request)
        self._outside.calls.add(key=call["key"], tool=call["tool"], fence=call["fence"], request=call["request_id"])
        if mood == "proposed":
            return ANSWERS["unknown"]
        if mood == "held":
            answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
            await self.held.put(answer)
            return await answer
        if mood in ("told", "refused", "rejected"):
            return ANSWERS[mood]
        return self._answer(call, mood)  # type: ignore[arg-type]

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        if self.silent:
            return ANSWERS["unknown"]
        return await super().ask(tool, key, fence=fence, timeout=timeout)

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        return None


class Courier(Carrier):
    """A carrier that waits or is refused when the script says so."""

    def __init__(self, outside: Outside) -> None:
        self._post = Post(outside)
        self.status: Any = "done"

    def compose(self, reply: Reply) -> str:
        return self._post.compose(reply)

    async def carry(self, body: str) -> Carried:
        return await self._post.carry(body) if self.status == "done" else Carried(status=self.status, reason="said so")
