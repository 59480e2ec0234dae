"""Progress bar for reading a long timeline, on a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeAlias

from rich.progress import Progress

from mew_gateway.errors import MewError
from mew_gateway.sdk.timeline.sqlite import TimelineReader

from ..printing.terminal import err
from .timeline_files import AgentFile

Advance: TypeAlias = Callable[[int], None]  # called with the `seq` of every entry that was read

_EVERY = 500  # entries between two updates


@contextlib.contextmanager
def progress_bar(file: AgentFile) -> Iterator[Advance]:
    """Show a bar while the block reads a timeline; nothing without a terminal."""
    if not err().is_terminal:
        yield lambda _: None
        return
    with Progress(console=err(), transient=True) as progress:
        task = progress.add_task(file.agent, total=_newest(file))
        yield lambda seq: progress.update(task, completed=seq) if seq % _EVERY == 0 else None


def _newest(file: AgentFile) -> int | None:
    try:
        with TimelineReader(file.path) as reader:
            return reader.newest
    except MewError:
        return None
