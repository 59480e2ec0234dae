"""Verification of agents' timelines: each chain by itself, and against the gateway's journal.

An agent's conclusion names the head of its timeline. So the gateway's journal has anchors, which the agent cannot
change: entries that the agent's file must still have, with the same hash.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, TypeAlias

import msgspec

from mew_gateway.sdk.timeline.base import CorruptTimeline, TimelineUnavailable, every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.sqlite import TimelineReader
from mew_gateway.sdk.timeline.verify import Fault, faults

from ..connecting.http_client import Api
from .progress_bar import Advance
from .timeline_files import AgentFile

MAX_FAULTS = 100  # of one timeline; more are not read
_PAGE = 1000
_ANCHOR = re.compile("([1-9][0-9]{0,17}):([0-9a-f]{64})")

Anchors: TypeAlias = Mapping[int, str]  # hashes by `seq`, as they were when a run ended


class Verification(msgspec.Struct):
    """The result for one timeline. `error` says why it could not be read; `anchors` is how many were compared.

    `unguarded` names the triggers that its file lacks: without them it could be changed.
    """

    agent: str
    file: str
    events: int = 0
    head: str | None = None
    anchors: int = 0
    faults: list[Fault] = []
    unguarded: tuple[str, ...] = ()
    error: str | None = None

    @property
    def is_whole(self) -> bool:
        """True if its chain is whole: it is what was written."""
        return self.error is None and not self.faults

    @property
    def is_sound(self) -> bool:
        """True if nothing is wrong with it, nor with its file."""
        return self.is_whole and not self.unguarded


def verify(file: AgentFile, anchors: Anchors, *, advance: Advance) -> Verification:
    """Check a timeline as it is now. `advance` is called with the number of each entry."""
    found = Verification(file.agent, str(file.path))
    try:
        with TimelineReader(file.path) as reader, reader.still():
            entries = _count(found, every(reader), advance)
            found.faults += islice(faults(entries, newest=reader.newest), MAX_FAULTS)
            found.head = "{}:{}".format(*reader.head)
            found.faults += _anchor_faults(reader, anchors)
            found.anchors = len(anchors)
            found.unguarded = reader.unguarded
    except (CorruptTimeline, TimelineUnavailable) as error:
        found.error = str(error)
    return found


def fetch_anchors(api: Api) -> dict[str, dict[int, str]]:
    """Return, by agent, the heads of timelines that conclusions name in the gateway's journal. Raises `Failure`."""
    found: dict[str, dict[int, str]] = {}
    after: int | None = 0
    while after is not None:  # a page may have nothing for us, and the next one may
        page = api.get("timeline", after=after, limit=_PAGE)
        for event in page["events"]:
            anchor = anchor_of(event)
            if anchor is not None:
                found.setdefault(event["from"], {})[anchor[0]] = anchor[1]
        after = page["next"]
    return found


def missing_timeline(agent: str, anchors: Anchors) -> Verification:
    """Return the result for a hosted agent that ended runs here and whose timeline is gone."""
    newest = max(anchors)
    return Verification(agent, "", error=f"It has no timeline, and the gateway's journal names its entry {newest}.")


def anchor_of(event: dict[str, Any]) -> tuple[int, str] | None:
    """Return the `seq` and hash that a conclusion names; None for any other event of the gateway's timeline."""
    named = event.get("timeline")
    if event["kind"] != "reasoning/conclusion" or "refused" in event or not isinstance(named, str):
        return None
    found = _ANCHOR.fullmatch(named)
    return None if found is None else (int(found[1]), found[2])


def _anchor_faults(reader: TimelineReader, anchors: Anchors) -> Iterator[Fault]:
    for seq, hash in sorted(anchors.items()):
        entry = next(iter(reader.read(after=seq - 1, limit=1)), None)
        if entry is None or entry.seq != seq:
            yield Fault(seq, "missing", f"Entry {seq} is missing, which the gateway's journal names.")
        elif entry.hash != hash:
            yield Fault(seq, "changed", f"Entry {seq} is another than the gateway's journal names: written anew.")


def _count(found: Verification, entries: Iterable[Entry], advance: Advance) -> Iterator[Entry]:
    for entry in entries:
        found.events += 1
        advance(entry.seq)
        yield entry
