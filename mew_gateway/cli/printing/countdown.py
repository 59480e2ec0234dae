"""Countdown of the seconds that are left, while a command waits."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import AsyncIterator

from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from .terminal import err, say

_DELAY = 0.2  # seconds: a shorter wait shows nothing
_FRAME_INTERVAL = 0.1  # seconds between two frames on a terminal
_LINE_INTERVAL = 10  # seconds between two lines elsewhere


@contextlib.asynccontextmanager
async def countdown(label: str, *, seconds: float | None) -> AsyncIterator[None]:
    """Show `label` and the seconds left while the block runs: live on a terminal, else a line now and then.

    Without `seconds` only the label is shown.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    show = _draw_live if err().is_terminal else _print_lines
    task = asyncio.create_task(show(label, ends))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _draw_live(label: str, ends: float | None) -> None:
    await asyncio.sleep(_DELAY)
    spinner = Spinner("dots", style="yellow")
    with Live(console=err(), auto_refresh=False, transient=True) as live:
        while True:
            spinner.update(text=Text(_text(label, ends), style="yellow"))
            live.update(spinner, refresh=True)
            await asyncio.sleep(_FRAME_INTERVAL)


async def _print_lines(label: str, ends: float | None) -> None:
    await asyncio.sleep(_DELAY)
    while True:
        say(_text(label, ends))
        left = _left(ends)
        if not left:
            return
        await asyncio.sleep(min(_LINE_INTERVAL, left))


def _text(label: str, ends: float | None) -> str:
    left = _left(ends)
    return label if left is None else f"{label}: {left} s left"


def _left(ends: float | None) -> int | None:
    return None if ends is None else max(0, math.ceil(ends - time.monotonic()))
