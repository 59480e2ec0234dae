"""Fixtures of the acceptance cases (docs/interruption.md §5). After each test all timelines of agents are verified and
replayed."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.backoff import Backoff
from mew_gateway.sdk import Client
from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.replay import INPUT, Replayed, replayed
from mew_gateway.sdk.timeline.sqlite import NAME, TimelineReader
from mew_gateway.sdk.timeline.verify import faults

from .agent_thread import AgentThread
from .harness import Harness
from .manual_time import LinkFault, ManualTimers, controlled_io_thread


@pytest.fixture(autouse=True)
def sound(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Check §5.14: a replay gives identical decisions, no chain is broken, and no sealed trace has changed."""
    yield
    for file in sorted(tmp_path.glob(f"agents/*/{NAME}")):
        with TimelineReader(file) as timeline:
            entries = list(every(timeline))
            assert list(faults(entries, newest=timeline.newest)) == []
        found = replayed(entries)
        assert isinstance(found, Replayed), found.sentence
        assert found.inputs == sum(entry.kind == INPUT for entry in entries)
        assert _changed_after_their_seal(entries) == []
    loud = [one.getMessage() for one in caplog.get_records("call") if one.levelno >= logging.ERROR]
    assert loud == []


def _changed_after_their_seal(entries: list[Entry]) -> list[Entry]:
    sealed: set[str | None] = set()
    late = []
    for entry in entries:
        if entry.trace_id in sealed:
            late.append(entry)
        if entry.kind == "trace_sealed":
            sealed.add(entry.trace_id)
    return late


@pytest.fixture
async def harness(start_gateway: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Harness]:
    """Return a harness with a gateway and a human, in which agents reconnect at once."""

    def use(timers: ManualTimers, link_fault: LinkFault) -> None:
        now, hasty = timers.now, Backoff(first=1, cap=1, draw=lambda: 0.0)
        timed = partial(Client, clock=now, wall=now, sleep=timers.sleep, backoff=hasty)
        monkeypatch.setattr("mew_gateway.sdk.agent.Client", timed)
        monkeypatch.setattr("mew_gateway.sdk.agent.IoThread", controlled_io_thread(timers, link_fault))

    harness = Harness(start_gateway, tmp_path, use)
    try:
        await harness.begin()
        yield harness
    finally:
        await harness.end()
    vouched = {
        one["payload"]["timeline"] for peer in harness.peers for one in peer.seen if "timeline" in one["payload"]
    }
    assert vouched <= _heads(tmp_path), "A conclusion names a head that its agent's timeline never had."


def _heads(folder: Path) -> set[str]:
    """Return every head that the agents' hash chains have had."""
    heads: set[str] = set()
    for file in folder.glob(f"agents/*/{NAME}"):
        with TimelineReader(file) as timeline:
            heads |= {f"{entry.seq}:{entry.hash}" for entry in every(timeline)}
    return heads


@pytest.fixture
async def agent_thread(harness: Harness) -> AgentThread:
    """Return a scripted agent that has joined as `agent`."""
    return await harness.start_agent()
