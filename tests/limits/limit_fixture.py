"""Fixture of the limit cases: a space without a gateway, or a gateway with given limits; and shared assertions."""

from __future__ import annotations

import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from mew_gateway.space.machine import Space

from ..kit.gateway import Peer, Site, Start
from ..kit.space_driver import SpaceDriver, cast_settings, codes

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


class LimitFixture:
    """Makes a space with the participants of tests/space, or a gateway in which all may send everything."""

    def __init__(self, start: Start, patches: pytest.MonkeyPatch, folder: Path) -> None:
        self.patches = patches
        self.folder = folder
        self._start = start

    def driver(self, **settings: Any) -> SpaceDriver:
        """Return a space with all participants of tests/space joined, or with the given `participants`."""
        people = settings.pop("participants", None)
        plain = cast_settings(**settings)
        driver = SpaceDriver(plain if people is None else msgspec.structs.replace(plain, participants=people))
        for name in ("human", "boss", "safety", "admin", "solver", "worker"):
            driver.join(name)
        return driver

    def gateway(
        self, *, limits: str = "{}", settings: str = "description: limits", journal: str = '{url: "memory:"}'
    ) -> AbstractAsyncContextManager[Site]:
        """Return a real gateway with these `limits`; `settings` is a line of its space."""
        return self._start(FILE.format(limits=limits, settings=settings, journal=journal))


def remembered(space: Space) -> dict[str, bytes]:
    """Return the state of a space, without the count of gateway envelopes and the CPU quota."""
    twin = Space.restored(space.snapshot())
    twin.state.issued = 0
    twin.state.owing = {}
    twin.state.weighed = {}
    return twin.snapshot()


def accepted(
    driver: SpaceDriver, label: str, kind: str, id: str, payload: dict[str, Any] | None = None, **of: Any
) -> None:
    """Send an envelope and assert that it is accepted."""
    assert codes(driver.say(label, kind, id, payload, **of)) == [], id


def refused(
    driver: SpaceDriver, code: str, label: str, kind: str, id: str, payload: dict[str, Any] | None = None, **of: Any
) -> dict[str, Any]:
    """Send an envelope and assert the refusal with this code, an unchanged state, and that the next envelope passes."""
    before = remembered(driver.space)
    effects = driver.say(label, kind, id, payload, **of)
    assert codes(effects) == [code], id
    assert remembered(driver.space) == before, "a rejection changes nothing"
    lives_on(driver, label)
    return told(effects)


def lives_on(driver: SpaceDriver, label: str) -> None:
    """Assert that an ordinary envelope passes."""
    accepted(driver, label, "chat", f"ordinary {len(driver.sealed)}", {"text": "still here"})


def told(effects: list[Any]) -> dict[str, Any]:
    """Return the payload of the last effect."""
    payload: dict[str, Any] = json.loads(effects[-1].data)["payload"]
    return payload


async def joined(site: Site, participant: str, **options: Any) -> Peer:
    """Join with a client that always reads, so that a close of the gateway arrives at once."""
    return await site.join(participant, max_queue=None, **options)


async def chats(sender: Peer, reader: Peer, text: str = "still here") -> None:
    """Send a chat and wait for it at the reader."""
    await sender.send("chat", {"text": text})
    await reader.until("chat", text=text)


def weighing(size: int, label: str, kind: str, id: str, payload: dict[str, Any], *, pad: str, **fields: Any) -> bytes:
    """Return an envelope of exactly `size` bytes, padded in the payload field `pad`."""
    document = {"protocol": "mew/v0.4", "id": id, "ts": TS, "from": label, "kind": kind, **fields}
    empty = json.dumps({**document, "payload": {**payload, pad: ""}}).encode()
    assert len(empty) <= size
    return json.dumps({**document, "payload": {**payload, pad: "x" * (size - len(empty))}}).encode()


def unchanged(site: Site) -> tuple[int, dict[str, bytes]]:
    """Return what a refusal outside the space must not change: the journal's position and the space's state."""
    spaces = site.gateway.broker.engine
    return spaces.position, remembered(spaces["demo"].machine)
