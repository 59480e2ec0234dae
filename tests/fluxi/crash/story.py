"""A story: what a person says and what else happens, told to a process that may die at any point of it.

Whoever dies is followed by another process, some minutes later, that does what is due and is told once more whatever
the first had not answered: a channel delivers at least once.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.definitions.version import canonical

from ...kit.workers import Killed, Worker, Workers
from ..ledger import ledger_at
from ..outside import Mood, Outside

# Longer than any lease, and shorter than a Work's patience.
LATER = 3 * 60_000
# When an effect that failed is tried again.
SOON = 10_000
# Whoever comes after the deadline of a call has to make another, and says so.
AGAIN = "Todavía no lo logré"


class Step(NamedTuple):
    """One thing that happens: `say` a text, `suggest` (what would be replied to one), `wait` so many ms, `resolve` the
    effect in doubt."""

    what: Literal["say", "suggest", "wait", "resolve"]
    how: str | int = ""


@dataclass(frozen=True, kw_only=True)
class Story:
    """What happens, with which tools and which interpreter. `patience`: how often somebody looks after what is due when
    everything is said."""

    dialogue: tuple[Step, ...]
    definition: Definition | None = None
    moods: tuple[Mood, ...] = ()
    interpreter: str = "rules"
    patience: int = 1


@dataclass(frozen=True, kw_only=True)
class Ending:
    """What it came to: what each message comes to, what people were told, what tools did, where the Works stand."""

    results: list[Any]
    replies: list[str]
    effects: list[Any]
    states: list[str]


@dataclass
class Telling:
    """One time a story is told, on one database and in one folder. The process of each life has the next fault.

    `interpreters`: that of each life after the first, if it is another one.
    """

    story: Story
    workers: Workers
    url: str
    folder: Path
    faults: Sequence[str] = ()
    interpreters: Sequence[str] = ()
    deaths: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    _ahead: int = 0
    _told: int = 0

    async def tell(self) -> Ending:
        """To its end, and an audit of everything that must hold."""
        results = await self._lives()
        ledger = await ledger_at(self.url)
        said = Outside(self.folder).replies.lines
        assert [row.status for row in ledger.inbox] == ["done"] * len(ledger.inbox)
        assert [row.message_id for row in ledger.outbox if row.status == "done"] == [one["message_id"] for one in said]
        assert len(ledger.outbox) == len(said)
        return Ending(
            results=results,
            replies=[one["text"] for one in said if not one["text"].startswith(AGAIN)],
            effects=self._effects(),
            states=[f"{one.state}/{one.suspended_reason}" for one in ledger.stored.values()],
        )

    async def _lives(self) -> list[Any]:
        while True:
            try:
                return await self._live()
            except Killed:
                self.deaths += 1
                self._ahead += LATER

    async def _live(self) -> list[Any]:
        """One life, from where the last one ended; what every message comes to when it comes once more."""
        async with self.workers.start() as worker:
            await self._open(worker)
            if self.deaths:
                await self._wait(worker, 0)
                await self._wait(worker, SOON)
            for number, step in list(enumerate(self.story.dialogue))[self._told :]:
                await self._take(worker, step, number)
                await worker.do("relay")
                self._told += 1
            for _ in range(self.story.patience):
                await self._wait(worker, LATER)
            self.passed.update(await worker.do("passed"))
            messages = [(number, step) for number, step in enumerate(self.story.dialogue) if step.what == "say"]
            again = [await self._take(worker, step, number) for number, step in messages]
            await worker.do("relay")
            return again

    async def _wait(self, worker: Worker, ms: int) -> None:
        self._ahead += ms
        await worker.do("wait", ms=ms)
        await worker.do("relay")

    async def _open(self, worker: Worker) -> None:
        story = self.story
        other = self.interpreters[self.deaths - 1] if self.deaths and self.interpreters else story.interpreter
        await worker.do(
            "open",
            url=self.url,
            folder=str(self.folder),
            definition=None if story.definition is None else canonical(story.definition),
            moods=story.moods,
            interpreter=other,
            fault=self.faults[self.deaths] if self.deaths < len(self.faults) else "",
            ahead=self._ahead,
        )

    async def _take(self, worker: Worker, step: Step, number: int) -> Any:
        match step.what:
            case "say" | "suggest":
                mode = "auto" if step.what == "say" else "suggest"
                result = await worker.do("say", id=f"m{number}", text=step.how, mode=mode)
                return {key: result[key] for key in ("kind", "text", "reason_code")}
            case "wait":
                await self._wait(worker, int(step.how))
            case "resolve":
                work = (await worker.do("works"))[0]["work_id"]
                # Of one that holds already, the same person is told so.
                settled = await worker.do("resolve", work=work, effect="effect-0", outcome=step.how)
                assert settled in ("COMPLETED", {"refused": "not_in_doubt"})
        return None

    def _effects(self) -> list[Any]:
        if self.story.definition is not None:
            return [one["arguments"] for one in Outside(self.folder).effects.lines]
        calendar = self.folder / "tools" / "calendar" / "calendar.db"
        with closing(sqlite3.connect(calendar)) as book:
            return book.execute("select doctor, start, patient from appointments where cancelled_at is null").fetchall()
