"""A space without a gateway: a test says who joins and who sends what, at times that it chooses."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Sequence
from typing import Any

from mew_gateway.protocol.codec import Sealer, receive
from mew_gateway.protocol.envelope import timestamp
from mew_gateway.space.effects import Deliver, Effect, Issue
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
from mew_gateway.space.machine import VERSION, Space
from mew_gateway.space.settings import Participant, SpaceSettings

START = 1_800_000_000_000  # the time that the tests call 0, in milliseconds since the epoch

_REASONING = {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion", "reasoning/interrupt-ack"]}

# Roughly the roles of the example spaces. `worker` is a reasoner that may also act, `mute` one that cannot answer.
CAST: dict[str, list[dict[str, Any]]] = {
    "human": [
        {"kind": "chat"},
        {"kind": "reasoning/interrupt", "payload": {"class": ["cancel", "override", "clarification", "queue"]}},
        {"kind": "mcp/*"},
        {"kind": "participant/*"},
    ],
    "boss": [{"kind": "chat"}, {"kind": "reasoning/interrupt"}, {"kind": "reasoning/cancel"}],
    "safety": [{"kind": "reasoning/interrupt"}, {"kind": "participant/resume"}],
    "queuer": [{"kind": "reasoning/interrupt", "payload": {"class": "queue"}}],
    "admin": [{"kind": "*"}],
    "solver": [{"kind": "chat"}, _REASONING, {"kind": "participant/status"}],
    "worker": [
        {"kind": "chat"},
        _REASONING,
        {"kind": ["mcp/*", "capability/*", "participant/*", "space/*", "stream/*", "acme/*"]},
    ],
    "chief": [_REASONING, {"kind": "reasoning/interrupt"}, {"kind": "participant/*"}],
    "mute": [{"kind": "chat"}, {"kind": ["reasoning/start", "reasoning/thought", "reasoning/conclusion"]}],
    "calculator": [{"kind": "chat"}],
    "watcher": [],
}


def cast_settings(*, observers: Sequence[str] = (), **fields: Any) -> SpaceSettings:
    """The settings of a space with the whole cast."""
    participants = {
        name: Participant(name, tuple(patterns), observe=name in observers) for name, patterns in CAST.items()
    }
    return SpaceSettings(id="demo", participants=participants, **fields)


def codes(effects: list[Effect]) -> list[str]:
    """The codes of the `system/error`s among effects, in order."""
    sent = [json.loads(effect.data) for effect in effects if isinstance(effect, Deliver)]
    return [envelope["payload"]["error"] for envelope in sent if envelope["kind"] == "system/error"]


class SpaceDriver:
    """Drives a space: connections have labels, times are milliseconds after the start.

    With every event a twin, restored from the snapshot before it, must do the same; `verify` replays it all.
    """

    def __init__(self, settings: SpaceSettings | None = None) -> None:
        opening = Configured(settings or cast_settings(), VERSION, "e")
        self.space = Space.configured(opening)
        self.now = START
        self.numbers: dict[str, int] = {}
        self.sent: dict[str, bytes] = {}  # by id: the frame that was sent last
        self.sealed: list[bytes] = []  # all of them, as they are journalled
        self._last = 0
        self._history: list[tuple[Event, int, list[Effect]]] = []
        self._asked: list[Issue] = []
        self.handle(opening)

    def at(self, milliseconds: int) -> SpaceDriver:
        """Let the time be this many milliseconds after the start."""
        self.now = START + milliseconds
        return self

    def handle(self, event: Event) -> list[Effect]:
        """One event, now."""
        twin = Space.restored(self.space.snapshot())
        position = len(self._history) + 1
        effects = self.space.handle(event, self.now, position)
        assert twin.handle(event, self.now, position) == effects, "a restored space does something else"
        assert twin.snapshot() == self.space.snapshot(), "a restored space remembers something else"
        self._history.append((event, self.now, effects))
        self._asked += [effect for effect in effects if isinstance(effect, Issue)]
        return effects

    def join(self, label: str) -> list[Effect]:
        """A connection of `label` (up to any `#`) joins."""
        self._last += 1
        self.numbers[label] = self._last
        return self.handle(Connected(self._last, label.partition("#")[0]))

    def leave(self, label: str) -> list[Effect]:
        """The connection ends."""
        return self.handle(Disconnected(self.numbers.pop(label)))

    def say(self, label: str, kind: str, id: str, payload: dict[str, Any] | None = None, **fields: Any) -> list[Effect]:
        """An envelope over the connection, complete unless `fields` say otherwise."""
        document = {
            "protocol": "mew/v0.4",
            "id": id,
            "ts": timestamp(self.now),
            "from": label.partition("#")[0],
            "kind": kind,
            **fields,
        }
        if payload is not None:
            document["payload"] = payload
        return self.send(label, json.dumps(document).encode())

    def again(self, label: str, id: str) -> list[Effect]:
        """The very bytes that were sent under this id before."""
        return self.send(label, self.sent[id])

    def send(self, label: str, frame: bytes) -> list[Effect]:
        """A frame over the connection; 0 is a post, over none."""
        name = label.partition("#")[0]
        sealer = Sealer(sender=name, new_id=lambda: "sealed")
        envelope, data = receive(frame, sealer, now=self.now)
        self.sent[envelope.id] = frame
        self.sealed.append(data)
        return self.handle(Received(name, self.numbers.get(label, 0), zlib.crc32(frame), data, envelope))

    def issue(self, name: str) -> list[Effect]:
        """The first token that was asked for this participant, and has not been drawn yet, was drawn."""
        asked = next(effect for effect in self._asked if effect.participant == name)
        self._asked.remove(asked)
        digest = hashlib.sha256(f"token of {asked.invite}".encode()).digest()
        return self.handle(Issued(name, asked.invite, asked.inviter, digest))

    def pass_deadlines(self) -> list[Effect]:
        """Time has reached the earliest deadline."""
        return self.handle(DeadlinePassed())

    def restart(self) -> list[Effect]:
        """The gateway starts again, from a snapshot; it was down since the latest event."""
        self.space = Space.restored(self.space.snapshot())
        self.numbers.clear()
        return self.handle(Restarted(self.now - self._history[-1][1]))

    def reconfigure(self, settings: SpaceSettings) -> list[Effect]:
        """The gateway has another configuration from here on."""
        return self.handle(Configured(settings, VERSION, "e"))

    def verify(self) -> None:
        """Replayed from the first event, the space does and remembers the same."""
        opening, _, _ = self._history[0]
        assert isinstance(opening, Configured)
        replayed = Space.configured(opening)
        for position, (event, now, effects) in enumerate(self._history, 1):
            assert replayed.handle(decode(encode(event)), now, position) == effects
        assert replayed.snapshot() == self.space.snapshot()
