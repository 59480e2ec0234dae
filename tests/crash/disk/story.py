"""A broker over a real journal on a disk that fails, and people who do what the protocol tells them to."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from mew_gateway.errors import Fatal, Unavailable
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.spaces.engine import Engine
from mew_gateway.journal.base import Entry
from mew_gateway.journal.schema import Synchronous
from mew_gateway.journal.sqlite import SqliteJournal

from ...kit.broker import RecordingLink, World, note_entries


class Person:
    """A connection that sends again what was refused for the journal's sake."""

    def __init__(self, story: Story, name: str) -> None:
        self._story = story
        self.name = name
        self.link = RecordingLink([])
        self.connection = 0
        self.said: dict[str, bytes] = {}
        self._read = 0
        self.mistakes = self.told = 0  # what it sent that is no envelope; how often it heard so

    def join(self, after: str | None = None) -> None:
        self._after = after
        self.link, self._read = RecordingLink([]), 0
        self._story.when_ready(self._connect, after)

    def _connect(self, after: str | None) -> None:
        self.connection = self._story.world.broker.connect("one", self.name, self.link, after=after)

    def leave(self) -> None:
        self._story.world.broker.disconnect(self.connection)

    def say(self, kind: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
        id = f"{self.name}-{len(self.said)}"
        self.said[id] = json.dumps({"id": id, "kind": kind, "payload": payload or {}, **fields}).encode()
        self._send(id)

    def mumble(self) -> None:
        self.mistakes += 1
        self._story.world.broker.receive(self.connection, [(b"{", True)])

    def insist(self) -> bool:
        """Come again where it was turned away, send what was refused once more; whether there was need to."""
        if self.link.closed == 1012:
            self.leave()
            self.join(self._after)
            return True
        unread, self._read = self.link.sent[self._read :], len(self.link.sent)
        self.told += sum(one["payload"].get("error") == "invalid_json" for one in unread)
        refused = [
            one["correlation_id"][0]
            for one in unread
            if one["kind"] == "system/error" and one["payload"]["error"] == "journal_unavailable"
        ]
        for id in refused:
            self._send(id)
        return bool(refused)

    def _send(self, id: str) -> None:
        self._story.world.broker.receive(self.connection, [(self.said[id], True)])

    @property
    def heard(self) -> list[str]:
        """The ids of what it was sent, but for what was said to its connection alone."""
        alone = ("system/welcome", "journal_unavailable", "invalid_json")
        return [one["id"] for one in self.link.sent if one.get("payload", {}).get("error", one["kind"]) not in alone]


class Story:
    """What happens; `steps` does it one thing at a time. While the disk fails, `meanwhile` is called at each retry."""

    def __init__(self, path: Path, *, synchronous: Synchronous, meanwhile: Callable[[Story], None]) -> None:
        self.path = path
        self._synchronous: Synchronous = synchronous
        self._meanwhile = meanwhile
        self.heard: list[list[str]] = []  # by everybody, up to when it left
        self.entries: list[Entry] = []  # as they were committed
        self.world = World(journal=self._open)  # type: ignore[arg-type]

    def _open(self, *_: object) -> SqliteJournal:
        journal = SqliteJournal(str(self.path), synchronous=self._synchronous, busy_timeout=1)
        note_entries(journal, self.entries.extend)
        return journal

    @property
    def journal(self) -> SqliteJournal:
        journal: Any = self.world.journal
        return journal  # type: ignore[no-any-return]

    def when_ready(self, do: Callable[..., object], *given: object) -> None:
        """Do it; while the gateway takes nothing, wait and do it then."""
        while True:
            try:
                do(*given)
                return
            except Fatal as fatal:
                assert fatal.close_code == 1012
                self.settle()

    def settle(self) -> None:
        """Let everything happen that is due, and wait for the disk if need be."""
        self.world.loop.run()
        while not self.world.broker.is_ready:
            assert not self.world.failures
            self._meanwhile(self)
            self.world.loop.elapse()

    def run(self) -> None:
        """The whole of it."""
        a, b = Person(self, "a"), Person(self, "b")
        self.people = (a, b)
        for step in self._steps(a, b):
            step()
            self.settle()
            while sum(person.insist() for person in self.people):
                self.settle()
        self.heard += [a.heard, b.heard]

    def _steps(self, a: Person, b: Person) -> Iterator[Callable[[], object]]:
        yield a.join
        yield b.join
        for _ in range(3):
            yield lambda: a.say("chat", {"text": "a word"})
            yield partial(self._at_once, a, b)
        yield lambda: b.say("reasoning/start", {"message": "hm"})
        yield lambda: a.say("reasoning/interrupt", {"reason": "timeout"}, to=["b"], correlation_id=[list(b.said)[-1]])
        yield lambda: self._try(self.world.broker.engine.save)
        yield lambda: self._come_back(b)
        yield lambda: self.journal.checkpoints.checkpoint()
        yield lambda: self._let_pass(31_000)
        yield lambda: a.say("space/invite", {"participant_id": "guest"})
        yield lambda: a.say("chat", {"text": "again"})
        yield lambda: self._try(lambda: self.world.broker.engine.prune(older_than=2**50, limit=2))
        yield lambda: self.journal.checkpoints.checkpoint()
        yield lambda: a.say("chat", {"text": "after"})
        yield b.leave
        yield lambda: a.say("chat", {"text": "the last"})

    def _at_once(self, *people: Person) -> None:
        """In one commit of several pages."""
        for person in people:
            person.say("chat", {"text": "x" * 9_000})
            person.mumble()

    def _try(self, do: Callable[[], object]) -> None:
        with contextlib.suppress(Unavailable):
            do()

    def _come_back(self, person: Person) -> None:
        self.heard.append(person.heard)
        last = person.heard[-1]
        person.leave()
        person.join(after=last)

    def _let_pass(self, milliseconds: int) -> None:
        self.world.clock.time += milliseconds
        self.world.broker.check_deadlines()

    def state(self) -> dict[str, dict[str, bytes]]:
        """What every space remembers."""
        return _state(self.world.broker.engine)

    def close(self) -> None:
        self.world.broker.engine.close()


class Found(NamedTuple):
    """What a gateway finds that starts after a crash: every space's state, the entries, and the ids of what the gateway
    itself is on record to have said."""

    state: dict[str, dict[str, bytes]]
    entries: list[Entry]
    told: list[str]


def replayed(path: Path, folder: Path) -> Found:
    """What a gateway would find that starts after a crash now."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for file in (path, path.with_name(f"{path.name}-wal")):
        if file.exists():
            shutil.copy(file, folder)
    journal = SqliteJournal(str(folder / path.name), synchronous="normal")
    engine = Engine(journal, links={}, counters=Counters())
    try:
        records = engine.records("one", after=0, limit=1_000)
        told = [json.loads(output.data)["id"] for record in records for output in record.outputs if output.data]
        return Found(_state(engine), list(journal.read(0)), told)
    finally:
        engine.close()


def _state(engine: Engine) -> dict[str, dict[str, bytes]]:
    return {name: runtime.machine.snapshot() for name, runtime in engine.items()}
