"""A broker without sockets: journals that fail or commit late, links that record, an event loop that a test runs.

`World` puts a `Broker` together with these. `note_entries` listens to any journal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Any, ClassVar

from mew_gateway.config import GatewayLimits
from mew_gateway.errors import CorruptJournal, MewError, Unavailable
from mew_gateway.gateway.broker.broker import Broker
from mew_gateway.gateway.broker.interfaces import Turns
from mew_gateway.gateway.broker.metrics import Counters
from mew_gateway.gateway.broker.sessions import Sessions
from mew_gateway.gateway.broker.spaces.engine import Engine
from mew_gateway.journal.base import Draft, Entry, Journal, Output
from mew_gateway.journal.memory import MemoryJournal
from mew_gateway.space.settings import Bounds, Participant, SpaceSettings


class ManualTimer:
    def __init__(self, loop: ManualLoop, call: tuple[float, Callable[[], object]]) -> None:
        self._loop, self._call = loop, call

    def cancel(self) -> None:
        if self._call in self._loop.later:
            self._loop.later.remove(self._call)


class ManualLoop:
    """An event loop whose passes and hours the test decides."""

    def __init__(
        self, *, is_last: Callable[[], bool] = lambda: False, monotonic: Callable[[], float] = lambda: 0.0
    ) -> None:
        self.soon: list[Callable[[], object]] = []
        self.later: list[tuple[float, Callable[[], object]]] = []
        self.is_last = is_last
        self.time = monotonic

    def call_soon(self, callback: Callable[[], object]) -> None:
        self.soon.append(callback)

    def call_later(self, delay: float, callback: Callable[[], object]) -> ManualTimer:
        self.later.append((delay, callback))
        return ManualTimer(self, self.later[-1])

    def run(self) -> None:
        while self.soon:
            self.soon.pop(0)()

    def elapse(self) -> None:
        due, self.later = self.later, []
        for _, callback in due:
            callback()
        self.run()


class RecordingLink:
    """The far end of a connection: what it was sent, and when in the order of things."""

    def __init__(self, events: list[str]) -> None:
        self.events = events
        self.sent: list[dict[str, Any]] = []
        self.writes = 0
        self.paused = False
        self.closed: int | None = None

    def write(self, data: bytes) -> None:
        self.events.append("write")
        self.writes += 1
        at = 0
        while at < len(data):
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[at + 2 : at + 4], "big"), at + 4
            elif size == 127:
                size, start = int.from_bytes(data[at + 2 : at + 10], "big"), at + 10
            self.sent.append(json.loads(data[start : start + size]))
            at = start + size

    def close(self, code: int, reason: str) -> None:
        self.closed = code

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        self.paused = False


class FragileJournal(MemoryJournal):
    """A journal that tells when it was written, and can be broken."""

    def __init__(self, events: list[str], _loop: ManualLoop | None = None) -> None:
        super().__init__()
        self.events = events
        self.broken = False
        self.corrupt = False
        self.commits: list[int] = []

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        if self.broken:
            raise Unavailable("the disk is full")
        if self.corrupt:
            raise CorruptJournal("somebody wrote into it")
        self.events.append("commit")
        self.commits.append(len(drafts))
        return super().append(drafts, outputs)


class LateJournal(FragileJournal):
    """A journal whose commits come later than its appends, as a remote log's do. `arrive` commits what was appended."""

    def __init__(self, events: list[str], loop: ManualLoop | None = None) -> None:
        super().__init__(events, loop)
        self.is_late = False
        self._on_their_way: list[tuple[Sequence[Draft], Sequence[Output]]] = []
        self._committed: list[Entry] = []
        self._wake: Callable[[], object] = lambda: None

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        self._on_their_way.append((drafts, tuple(outputs)))
        if not self.is_late:
            self._commit()
        return self.poll()

    def record(self, outputs: Sequence[Output]) -> None:
        super().append((), outputs)

    def poll(self) -> Sequence[Entry]:
        committed, self._committed = self._committed, []
        return committed

    def on_commit(self, wake: Callable[[], object]) -> None:
        self._wake = wake

    def arrive(self, most: int | None = None) -> None:
        """Commit the oldest `most` appends (None: all), and say so."""
        self._commit(most)
        self._wake()

    def _commit(self, most: int | None = None) -> None:
        arriving, self._on_their_way = self._on_their_way[:most], self._on_their_way[len(self._on_their_way[:most]) :]
        for drafts, outputs in arriving:
            self._committed += super().append(drafts, outputs)


class DelayedJournal(LateJournal):
    """A journal that commits each append, in order, after a random number of passes of the loop."""

    def __init__(self, events: list[str], loop: ManualLoop) -> None:
        super().__init__(events, loop)
        self._loop = loop
        self._random = Random(len(events) + 7)

    def append(self, drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        if self.broken or self.corrupt:
            return FragileJournal.append(self, drafts, outputs)  # raises
        committed = super().append(drafts, outputs)
        if self.is_late:
            self._loop.call_soon(partial(self._pass, self._random.randrange(4)))
        return committed

    def _pass(self, passes: int) -> None:
        if passes:
            self._loop.call_soon(partial(self._pass, passes - 1))
        else:
            self.arrive(1)


class AtOnce:
    """Turns that come at once."""

    def put(self, party: Hashable, step: Callable[[], bool]) -> None:
        while step():
            pass

    def is_idle(self) -> bool:
        return True

    def hurry(self, seconds: float) -> None:
        pass


class Clock:
    def __init__(self) -> None:
        self.time = 1_000_000

    def now(self) -> int:
        return self.time


class CountedIds:
    """Ids and tokens that are numbered, not drawn."""

    def __init__(self) -> None:
        self._numbers = count()
        self.tokens: list[str] = []

    def new_id(self) -> str:
        return f"id-{next(self._numbers)}"

    def epoch(self) -> str:
        return "epoch"

    def token(self) -> str:
        self.tokens.append(f"mew_secret-{next(self._numbers)}")
        return self.tokens[-1]


class World:
    """A broker with everything around it in the test's hands.

    `journals` makes the journals of all tests that name none: the fixture `commits` changes it.
    """

    journals: ClassVar[Callable[..., FragileJournal]] = FragileJournal

    def __init__(
        self,
        *,
        limits: GatewayLimits | None = None,
        journal: Callable[..., FragileJournal] | None = None,
        is_last: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = lambda: 0.0,
        turns: Turns | None = None,
    ) -> None:
        self.events: list[str] = []
        self.loop = ManualLoop(is_last=is_last, monotonic=monotonic)
        self.clock = Clock()
        self.counters = Counters()
        self.journal = (journal or self.journals)(self.events, self.loop)
        self.failures: list[MewError] = []
        self.dismissed: list[tuple[str, str]] = []
        self.terminated: list[tuple[str, str, int]] = []
        self.readmitted: list[tuple[str, str]] = []
        self.ids = CountedIds()
        limits = limits or GatewayLimits()
        sessions = Sessions(limits=limits, ids=self.ids)
        self.broker = Broker(
            engine=Engine(self.journal, links=sessions.links, counters=self.counters),
            sessions=sessions,
            clock=self.clock,
            loop=self.loop,
            turns=turns or AtOnce(),
            ids=self.ids,
            limits=limits,
            counters=self.counters,
            supervisor=self,
        )
        everything = ({"kind": "*"},)
        people = {name: Participant(name, everything) for name in ("a", "b")}
        self.settings = {name: SpaceSettings(id=name, participants=people, bounds=Bounds()) for name in ("one", "two")}
        self.broker.start(self.settings)
        self.loop.run()
        if isinstance(self.journal, DelayedJournal):
            self.journal.is_late = True

    def dismiss(self, space: str, participant: str) -> None:
        self.dismissed.append((space, participant))

    def readmit(self, space: str, participant: str) -> None:
        self.readmitted.append((space, participant))

    def terminate(self, space: str, participant: str, limit: int) -> None:
        self.terminated.append((space, participant, limit))

    def fail(self, error: MewError) -> None:
        self.failures.append(error)

    def join(self, participant: str, space: str = "one", after: str | None = None) -> tuple[int, RecordingLink]:
        number, link = self.arrive(participant, space, after)
        self.loop.run()
        return number, link

    def arrive(self, participant: str, space: str = "one", after: str | None = None) -> tuple[int, RecordingLink]:
        """A connection whose tick is still to come."""
        link = RecordingLink(self.events)
        return self.broker.connect(space, participant, link, after=after), link

    def chat(self, connection: int, text: str = "hello", **fields: Any) -> None:
        self.send(connection, json.dumps({"kind": "chat", "payload": {"text": text}, **fields}).encode())

    def send(self, connection: int, message: bytes) -> None:
        """As a connection does: what has to wait for a turn has one."""
        rest = self.broker.receive(connection, [(message, True)])
        while rest:
            rest = self.broker.receive(connection, rest, has_turn=True)


def texts(link: RecordingLink) -> list[str]:
    """Return the texts of the chat messages that a connection was sent."""
    return [sent["payload"]["text"] for sent in link.sent if sent["kind"] == "chat"]


def note_entries(journal: Journal, note: Callable[[list[Entry]], object]) -> None:
    """Have `note` called with the entries that each `append` returns, if any."""
    append = journal.append

    def noting(drafts: Sequence[Draft], outputs: Sequence[Output]) -> Sequence[Entry]:
        entries = append(drafts, outputs)
        if entries:
            note([*entries])
        return entries

    journal.append = noting  # type: ignore[method-assign]
