"""What a case stands on: a space without a gateway, or a gateway with the limits that the case names."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mew_gateway.space.machine import Space

from ..conftest import Peer, Site, Start
from ..space.conftest import Stage, cast_settings, codes

TS = "2027-01-15T08:00:00Z"

FILE = """
gateway: {{listen: "127.0.0.1:0", state_dir: state, journal: {journal}, limits: {limits}}}
spaces:
  demo:
    {settings}
    participants:
      human: {{capabilities: [{{kind: "*"}}, {{kind: reasoning/interrupt}}]}}
      agent: {{capabilities: [{{kind: "*"}}]}}
      other: {{capabilities: [{{kind: "*"}}]}}
"""


class Ground:
    """Makes either. Everybody in its gateway may send everything; its stage has the cast of tests/space."""

    def __init__(self, start: Start, patches: pytest.MonkeyPatch, folder: Path) -> None:
        self.patches = patches
        self.folder = folder
        self._start = start

    def stage(self, **settings: Any) -> Stage:
        """A space with the whole cast in it, or with the `participants` that are given."""
        people = settings.pop("participants", None)
        plain = cast_settings(**settings)
        stage = Stage(plain if people is None else msgspec.structs.replace(plain, participants=people))
        for name in ("human", "boss", "safety", "admin", "solver", "worker"):
            stage.join(name)
        return stage

    def gateway(
        self, *, limits: str = "{}", settings: str = "description: limits", journal: str = '{url: "memory:"}'
    ) -> AbstractAsyncContextManager[Site]:
        """A real gateway: `limits` are its own, `settings` a line of its space."""
        return self._start(FILE.format(limits=limits, settings=settings, journal=journal))


def remembered(space: Space) -> dict[str, bytes]:
    """All that a space knows, but for how many envelopes the gateway has sent in it and what work is owed."""
    twin = Space.restored(space.snapshot())
    twin.state.issued = 0
    twin.state.owing = {}
    twin.state.weighed = {}
    return twin.snapshot()


def accepted(stage: Stage, label: str, kind: str, id: str, payload: dict[str, Any] | None = None, **of: Any) -> None:
    """Say it, and be refused nothing."""
    assert codes(stage.say(label, kind, id, payload, **of)) == [], id


def refused(
    stage: Stage, code: str, label: str, kind: str, id: str, payload: dict[str, Any] | None = None, **of: Any
) -> dict[str, Any]:
    """Say it, and be refused with this code: nothing has changed, and what the same sender says next passes."""
    before = remembered(stage.space)
    effects = stage.say(label, kind, id, payload, **of)
    assert codes(effects) == [code], id
    assert remembered(stage.space) == before, "a rejection changes nothing"
    lives_on(stage, label)
    return told(effects)


def lives_on(stage: Stage, label: str) -> None:
    """The next ordinary envelope passes."""
    accepted(stage, label, "chat", f"ordinary {len(stage.sealed)}", {"text": "still here"})


def told(effects: list[Any]) -> dict[str, Any]:
    """What the last of these effects says, as a payload."""
    payload: dict[str, Any] = json.loads(effects[-1].data)["payload"]
    return payload


async def joined(site: Site, participant: str, **options: Any) -> Peer:
    """A participant whose client reads on when nobody asks it to: the gateway's close is never behind anything."""
    return await site.join(participant, max_queue=None, **options)


async def chats(sender: Peer, reader: Peer, text: str = "still here") -> None:
    """One says something ordinary, the other hears it."""
    await sender.send("chat", {"text": text})
    await reader.until("chat", text=text)


def weighing(size: int, label: str, kind: str, id: str, payload: dict[str, Any], *, pad: str, **fields: Any) -> bytes:
    """An envelope of exactly so many bytes: the field `pad` of its payload is as long as that takes."""
    document = {"protocol": "mew/v0.4", "id": id, "ts": TS, "from": label, "kind": kind, **fields}
    empty = json.dumps({**document, "payload": {**payload, pad: ""}}).encode()
    assert len(empty) <= size
    return json.dumps({**document, "payload": {**payload, pad: "x" * (size - len(empty))}}).encode()


def unchanged(site: Site) -> tuple[int, dict[str, bytes]]:
    """What a refusal in the shell leaves as it was: the journal, and all that the space knows."""
    spaces = site.gateway.broker.engine
    return spaces.position, remembered(spaces["demo"].machine)
