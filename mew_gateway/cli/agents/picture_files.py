"""Files with the picture of an agent's timeline, if the plotting library is installed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from rich.text import Text

from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.lanes import lanes
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ..framework.failure import Failure
from ..printing.terminal import show
from .timeline_files import AgentFile


class _Extent:
    """The times of a timeline's first and last entries, and their number, counted as they are read."""

    def __init__(self) -> None:
        self.first: int | None = None
        self.last = 0
        self.events = 0

    def counted(self, entries: Iterator[Entry]) -> Iterator[Entry]:
        for entry in entries:
            self.first = entry.at if self.first is None else self.first
            self.last, self.events = entry.at, self.events + 1
            yield entry


def draw_picture(file: AgentFile, *, svg: Path | None, png: Path | None) -> None:
    """Draw an agent's timeline. Raises `Failure` if there is nothing to draw, or the library is missing."""
    picture = _library()
    extent = _Extent()
    with TimelineReader(file.path) as reader, reader.still():
        found = lanes(extent.counted(every(reader)))
        head = reader.head
    if not found.runs:
        raise Failure(f"There is nothing to draw: no run of {file.agent} is on its timeline.")
    title = file.agent if file.space is None else f"{file.agent} in {file.space}"
    subtitle = f"{_period(extent)} · {extent.events:,} events · head {head.seq}:{head.hash[:12]}"
    for path, format in ((svg, "svg"), (png, "png")):
        if path is not None:
            drawn = picture.draw(found, title=title, subtitle=subtitle, file=path, format=format)
            older = f"; the {drawn.left_out} oldest spans found no room" if drawn.left_out else ""
            show(Text(f"{path}: {_count(drawn.runs, 'run')}, {_count(drawn.spans, 'span')}{older}"))


def _library() -> Any:
    """Import the module that draws. It needs a library that a plain installation does not have."""
    try:
        return import_module(".picture", __package__)
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "matplotlib":
            raise Failure("To draw, a library is needed: pip install 'mew-gateway[picture]'") from None
        raise


def _period(extent: _Extent) -> str:
    first, last = (datetime.fromtimestamp(at / 1000, UTC) for at in (extent.first or 0, extent.last))
    until = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {until} UTC"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
