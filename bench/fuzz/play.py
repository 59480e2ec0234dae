"""A script of steps played in a space that was set up for it; what must hold after each of them, and at the end."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec

from mew_gateway.errors import Rejected
from mew_gateway.protocol.codec import Sealer, receive, reread
from mew_gateway.protocol.codes import CLOSES, ERRORS
from mew_gateway.space.effects import Close, Deliver, Effect, Issue
from mew_gateway.space.events import (
    Configured,
    Connected,
    DeadlinePassed,
    Disconnected,
    Event,
    Issued,
    Received,
    Restarted,
    decode,
    encode,
)
from mew_gateway.space.machine import STATE, VERSION, Space
from mew_gateway.space.settings import SpaceSettings

from .stage import NAMES, START

_MOST_DEADLINES = 1_000
_STEP = re.compile(rb"([dris])|(t)([0-9]{1,6})|(c)([012])|([+-])([123])|(f)([123].{0,80})")


class Play:
    """One script being played. One that is `shadowed` is played a second time from its entries, and looked at closely.

    `parts` are the snapshot it begins with, `variants` the configurations there are.
    """

    def __init__(self, parts: dict[str, bytes], variants: Sequence[SpaceSettings], *, shadowed: bool) -> None:
        self._parts = parts
        self._variants = variants
        self._space = Space.restored(parts)
        self._shadowed = shadowed
        self._now = START + 1
        self._seated = dict(enumerate(NAMES, start=1))
        self._joined = len(NAMES)
        self._asked: list[Issue] = []
        self._sealed = 0
        self._entries: list[tuple[bytes, int, list[Effect]]] = []

    def step(self, line: bytes) -> str:
        """What a line led to: `accepted`, the code of its refusal, or what kind of step it was."""
        self._now += 7
        found = _STEP.fullmatch(line)
        if found is None:
            is_said = line[:1] in (b"1", b"2", b"3")
            return self._receive(NAMES[int(line[:1]) - 1 if is_said else 0], line[is_said:])
        word, rest = (part.decode("latin-1") for part in (*filter(None, found.groups()), b"")[:2])
        match word:
            case "t":
                self._pass(int(rest))
            case "d":
                self._pass(max(0, (self._space.deadline or 0) - self._now))
            case "c":
                self._handle(Configured(self._variants[int(rest)], VERSION, "e"))
            case "f":
                return self._frame(NAMES[int(rest[0]) - 1], rest[1:])
            case "s":
                self._space = Space.restored(self._space.snapshot())
            case _:
                self._come_or_go(word, NAMES[int(rest or 1) - 1])
        return f"step {word}"

    def end(self) -> None:
        """Every deadline passes, and there is an end to them; the entries lead to the same again."""
        for _ in range(_MOST_DEADLINES):
            if self._space.deadline is None:
                break
            self._pass(max(0, self._space.deadline - self._now))
        assert self._space.deadline is None, "the deadlines have no end"
        if self._shadowed:
            shadow = Space.restored(self._parts)
            for entry, now, effects in self._entries:
                assert shadow.handle(decode(entry), now) == effects, "a replay does something else"
            assert shadow.snapshot() == self._space.snapshot(), "a replay comes to another state"

    def _come_or_go(self, word: str, name: str) -> None:
        match word:
            case "+":
                self._join(name)
            case "-":
                for connection in [one for one, holder in self._seated.items() if holder == name]:
                    del self._seated[connection]
                    self._handle(Disconnected(connection))
            case "r":
                self._seated.clear()
                self._handle(Restarted())
            case "i" if self._asked:
                asked = self._asked.pop()
                self._handle(Issued(asked.participant, asked.invite, asked.inviter, bytes(32)))
                self._join(asked.participant)

    def _join(self, name: str) -> None:
        if self._space.members.knows(name) and name not in self._space.state.kicked:  # as the gateway sees to it
            self._joined += 1
            self._seated[self._joined] = name
            self._handle(Connected(self._joined, name))

    def _pass(self, milliseconds: int) -> None:
        """Time passes, and with it what is due: each deadline as soon as it is."""
        self._now += milliseconds
        while self._space.deadline is not None and self._space.deadline <= self._now:
            due = self._space.deadline
            self._handle(DeadlinePassed())
            assert self._space.deadline != due or self._space.deadline > self._now, "a deadline does not pass"

    def _frame(self, name: str, stream: str) -> str:
        before = self._space.snapshot() if self._shadowed else {}
        try:
            self._space.recipients_of_frame(name, stream)
        except Rejected as rejected:
            assert rejected.code in ERRORS
        assert not self._shadowed or self._space.snapshot() == before, "a frame changes something"
        return "step f"

    def _receive(self, name: str, frame: bytes) -> str:
        self._pass(0)
        self._sealed += 1
        connection = next((one for one, holder in self._seated.items() if holder == name), 0)
        sealer = Sealer(sender=name, new_id=lambda: f"n{self._sealed}", aliases={"client-1": "two"})
        try:
            envelope, data = receive(frame, sealer, now=self._now)
        except Rejected as rejected:
            assert rejected.code in ERRORS
            assert msgspec.json.encode((rejected.message, rejected.correlation, rejected.details))
            return rejected.code
        assert reread(data) == envelope, "the journal holds something else than what was heard"
        before = self._space.snapshot() if self._shadowed else {}
        effects = self._handle(Received(name, connection, zlib.crc32(frame), data))
        refusals = [one for one in effects if isinstance(one, Deliver) and one.refusal]
        if not refusals:
            return "accepted"
        assert len(effects) == 1, "a refusal does more than refuse"
        if self._shadowed:
            assert _without_its_id(before, issued=1) == _without_its_id(self._space.snapshot()), (
                "a refusal does something"
            )
        return str(json.loads(refusals[0].data)["payload"]["error"])

    def _handle(self, event: Event) -> list[Effect]:
        """Journal, then handle."""
        entry = encode(event)
        effects = self._space.handle(decode(entry), self._now)
        if self._shadowed:
            self._entries.append((entry, self._now, effects))
        for effect in effects:
            self._look_at(effect)
        return effects

    def _look_at(self, effect: Effect) -> None:
        if isinstance(effect, Close):
            assert effect.code in CLOSES
            self._seated.pop(effect.connection, None)
        elif isinstance(effect, Issue):
            self._asked.append(effect)
        elif isinstance(effect, Deliver) and effect.own:
            told = json.loads(effect.data)
            assert told["kind"] != "system/error" or told["payload"]["error"] in ERRORS
            assert {*effect.connections} <= {*self._seated}, "somebody is told who is not here"


def _without_its_id(parts: dict[str, bytes], *, issued: int = 0) -> tuple[Any, dict[str, bytes]]:
    """A snapshot, with so many more ids issued: a refusal's own is one. What work is owed is no part of it."""
    state = msgspec.msgpack.decode(parts[STATE])
    state[0]["owing"] = state[0]["weighed"] = {}
    state[0]["issued"] += issued
    return state, {**parts, STATE: b""}
