"""An agent's own timeline on the terminal: its newest entries, and those appended from now on."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.replay import INPUT
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ..printing.terminal import print_json, show
from .entry_line import json_of, line_of
from .timeline_files import AgentFile

_PAUSE = 0.3  # seconds between two reads of the file


def print_timeline(file: AgentFile, *, limit: int, follow: bool, inputs: bool, as_json: bool) -> None:
    """Print the newest entries, those that hold the core's `inputs` only if they are wanted. With `follow`, go on."""
    besides = None if inputs else INPUT
    with TimelineReader(file.path) as reader:
        entries = reader.last(limit, besides=besides)
        if as_json and not follow:
            print_json({"agent": file.agent, "events": [json_of(entry) for entry in entries]})
            return
        put: Callable[[Entry], None] = _put_json if as_json else _put_line
        for entry in entries:
            put(entry)
        if follow:
            for entry in _appended(reader, after=entries[-1].seq if entries else 0):
                if entry.kind != besides:
                    put(entry)


def _appended(reader: TimelineReader, *, after: int) -> Iterator[Entry]:
    while True:
        for entry in every(reader, after=after):
            after = entry.seq
            yield entry
        time.sleep(_PAUSE)


def _put_json(entry: Entry) -> None:
    print_json(json_of(entry))


def _put_line(entry: Entry) -> None:
    show(line_of(entry))
