"""Replay: feed the recorded inputs to a new core, which must decide as it did (docs/timeline.md).

Every input is recorded as an entry of the kind `input`, with the event and a digest of all its effects, followed by the
notes among the effects. The replay compares digest and notes. After a `gap` the state is unknown, so nothing is
compared until the agent's next start.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from mew_gateway.errors import MewError

from ..execution.core import Core
from ..execution.effects import Effect, Note
from ..execution.events import Event, Started
from .entry import Entry, Row, canonical

GAP = "gap"  # events that could not be put on record stood here
INPUT = "input"  # the kind of the entries that hold an input, as {"event": ..., "effects": digest}


class Replayed(msgspec.Struct, frozen=True):
    """Result of a replay without differences: the number of inputs, and of starts of the agent."""

    inputs: int
    lives: int
    gaps: int = 0  # after each, entries cannot be judged until the next life


class Difference(msgspec.Struct, frozen=True):
    """The first input, at `seq`, that is now decided differently. `subject` is the id of what it was about."""

    seq: int
    event: str
    subject: str | None
    recorded: str
    now: str

    @property
    def sentence(self) -> str:
        """The difference in words."""
        about = f"{self.event} {self.subject}" if self.subject else self.event
        return f"event {self.seq} ({about}): recorded {self.recorded}, now {self.now}"


def digest(effects: tuple[Effect, ...]) -> str:
    """Return the digest of an input's effects: the SHA-256, in hex, of their canonical JSON."""
    return sha256(canonical(effects)).hexdigest()


def rows_of(event: Event, effects: tuple[Effect, ...], *, at: int, execution: str) -> list[Row]:
    """Return the rows of an input: the whole event, then each `Note` among its effects."""
    data = {"event": msgspec.to_builtins(event), "effects": digest(effects)}
    notes = [Note(INPUT, getattr(event, "run", None), getattr(event, "span", None), None, data)]
    notes += [effect for effect in effects if isinstance(effect, Note)]
    return [
        Row(
            at=at,
            kind=note.kind,
            execution_id=execution,
            trace_id=note.trace_id,
            span_id=note.span_id,
            cause_id=note.cause_id,
            data=note.data,
        )
        for note in notes
    ]


def replayed(entries: Iterable[Entry]) -> Difference | Replayed:
    """Feed the inputs of a timeline, read from its start, to a core; to a new one after each start of the agent.

    The recorded entries after each input must be those it leads to now. An entry that no input leads to is a difference
    too.
    """
    life: _Life | None = None
    inputs = lives = gaps = 0
    for first, *rest in _by_input(entries):
        if first.kind == GAP:
            life, gaps = _Life(first.execution_id, None), gaps + 1
            if rest:
                return _unexplained(rest[0])
            continue
        if first.kind != INPUT:
            return _unexplained(first)
        try:
            event: Event = msgspec.convert(first.data.get("event"), Event)
        except msgspec.ValidationError as error:
            return _unreadable(first, str(error))
        if isinstance(event, Started):
            life, lives = _Life(first.execution_id, Core()), lives + 1
        if life is None:
            return _unreadable(first, "no life of the agent began before it")
        if life.core is None:
            continue
        inputs += 1
        difference = life.difference(event, [first, *rest])
        if difference is not None:
            return difference
    return Replayed(inputs, lives, gaps)


class _Life(NamedTuple):
    """One execution of the agent on its timeline. After a gap it has no core, because its state is unknown."""

    execution: str
    core: Core | None

    def difference(self, event: Event, recorded: list[Entry]) -> Difference | None:
        """Return the difference in handling an event now, or None."""
        assert self.core is not None
        entry = recorded[0]
        try:
            effects = self.core.handle(event, entry.at)
        except MewError as error:
            return Difference(entry.seq, *_named(event), "a decision", f"{type(error).__name__}: {error}")
        now = rows_of(event, effects, at=entry.at, execution=self.execution)
        found = _parting(recorded, now) or _input_parting(entry, now[0], effects)
        return None if found is None else Difference(entry.seq, *_named(event), *found)


def _by_input(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Group the entries: each input or gap with the entries after it."""
    found: list[Entry] = []
    for entry in entries:
        if entry.kind in (INPUT, GAP) and found:
            yield found
            found = []
        found.append(entry)
    if found:
        yield found


def _parting(recorded: list[Entry], now: list[Row]) -> tuple[str, str] | None:
    """Return the first difference between the recorded entries and those of now."""
    for then, row in zip_longest(recorded[1:], now[1:]):
        if then is None or row is None:
            return _told(then), _told(row)
        fields = _parted(then, row)
        if fields or canonical(then.data) != canonical(row.data):
            return _told(then, *fields), _told(row, *fields)
    return None


def _input_parting(entry: Entry, now: Row, effects: tuple[Effect, ...]) -> tuple[str, str] | None:
    """Return the difference in an input whose notes are the same."""
    if entry.data.get("effects") != now.data["effects"]:
        done = canonical([effect for effect in effects if not isinstance(effect, Note)]).decode()
        return "the same events but other directives", done
    fields = _parted(entry, now)
    if fields:
        return _placed(entry, *fields), _placed(now, *fields)
    return None


_FIELDS = ("kind", "at", "execution_id", "trace_id", "span_id", "cause_id")


def _parted(then: Row, now: Row) -> list[str]:
    return [field for field in _FIELDS if getattr(then, field) != getattr(now, field)]


def _told(row: Row | None, *fields: str) -> str:
    """Describe an entry, with these of its fields."""
    if row is None:
        return "nothing more"
    said = f"{row.kind} {canonical(row.data).decode()}"
    named = _placed(row, *(field for field in fields if field != "kind"))
    return f"{said} ({named})" if named else said


def _placed(row: Row, *fields: str) -> str:
    return ", ".join(f"{field} {getattr(row, field)}" for field in fields)


def _named(event: Event) -> tuple[str, str | None]:
    """Return the name of an input, and the id of what it is about."""
    data: dict[str, Any] = msgspec.to_builtins(event)
    interrupt = data.get("interrupt")
    about = interrupt.get("id") if isinstance(interrupt, dict) else data.get("run", data.get("id"))
    return type(event).__name__.lower(), about


def _unreadable(entry: Entry, why: str) -> Difference:
    return Difference(entry.seq, "input", None, "an input", f"it cannot be replayed: {why}")


def _unexplained(entry: Entry) -> Difference:
    return Difference(entry.seq, entry.kind, entry.cause_id, _told(entry), "nothing: no input led to it")
