"""The world outside of a process: what tools did and what people were told, in files that outlive it.

The tools are doubles of three kinds: one does a key's call once (`keyed`), one can be asked what became of a key
(`asked`), and one does neither (`plain`).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, TypeAlias

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.ports import Answer, Call, Carried, Carrier, Prepared, Reply, ToolPort

# How a call goes: `late` is done, and nobody hears of it; `lost` is not done, and nobody hears of that either.
Mood: TypeAlias = Literal["applied", "late", "lost", "busy", "refused"]
DOCTORS = {"ana-perez": ["Dra. Ana Pérez", "Ana Pérez", "Pérez"], "joao-souza": ["Dr. João Souza", "Souza"]}


class Book:
    """A file to which lines of JSON are added, by one process at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def mine(self) -> Iterator[None]:
        """Nobody else holds it while the block runs."""
        with self._path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [read(line) for line in self._path.read_text().splitlines()] if self._path.exists() else []

    def add(self, **line: Any) -> None:
        file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(file, written(line).encode() + b"\n")
        os.close(file)


class Outside:
    """What is known outside, in a folder: `effects` that happened, `calls` and `questions` that came in, `replies`
    that were said, `carried` how often each was brought, `thoughts` an interpreter was asked for."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.effects = Book(folder / "effects.jsonl")
        self.calls = Book(folder / "calls.jsonl")
        self.questions = Book(folder / "questions.jsonl")
        self.replies = Book(folder / "replies.jsonl")
        self.carried = Book(folder / "carried.jsonl")
        self.thoughts = Book(folder / "thoughts.jsonl")


class Doubles(ToolPort):
    """The three tools; the call of each number goes as `moods` say, later ones are applied."""

    def __init__(self, outside: Outside, moods: Sequence[Mood] = ()) -> None:
        self._outside = outside
        self._moods = moods

    def prepare(self, call: Call) -> Prepared:
        return Prepared(request=written(asdict(call)))

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        call = read(prepared.request)
        with self._outside.effects.mine():
            number = len(self._outside.calls.lines)
            self._outside.calls.add(key=call["key"], fence=call["fence"], request=call["request_id"], by=os.getpid())
            mood = self._moods[number] if number < len(self._moods) else "applied"
            return self._answer(call, mood)

    async def look_back(self, _: Prepared) -> Answer | None:
        return None

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        with self._outside.effects.mine():
            self._outside.questions.add(key=key, fence=fence, by=os.getpid())
            return Answer(outcome="applied" if self._done(key) else "not_applied", code="asked")

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        return DOCTORS

    def _answer(self, call: dict[str, Any], mood: Mood) -> Answer:
        if call["tool"] == "world/keyed" and self._done(call["key"]):
            return Answer(outcome="applied", code="repeated")
        if any(one["key"] == call["key"] and one["fence"] > call["fence"] for one in self._outside.questions.lines):
            return Answer(outcome="not_applied", code="fenced", message="barred", retry=True)
        match mood:
            case "applied" | "late":
                self._outside.effects.add(key=call["key"], tool=call["tool"], arguments=call["arguments"])
                return Answer(outcome="applied" if mood == "applied" else "unknown", code=mood)
            case "lost":
                return Answer(outcome="unknown", code="timeout", message="no answer")
            case "busy":
                return Answer(outcome="not_applied", code="busy", message="busy", retry=True)
            case "refused":
                return Answer(outcome="not_applied", code="refused", message="refused")

    def _done(self, key: str) -> bool:
        return any(one["key"] == key for one in self._outside.effects.lines)


class Post(Carrier):
    """Carries replies into a file; what is there already is dropped, as the gateway does."""

    def __init__(self, outside: Outside) -> None:
        self._outside = outside

    def compose(self, reply: Reply) -> str:
        return written(asdict(reply))

    async def carry(self, body: str) -> Carried:
        reply = read(body)
        with self._outside.replies.mine():
            self._outside.carried.add(message_id=reply["message_id"], by=os.getpid())
            if all(one["message_id"] != reply["message_id"] for one in self._outside.replies.lines):
                self._outside.replies.add(**reply)
        return Carried(status="done")
