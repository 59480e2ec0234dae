"""What others wrote, awaited so that its cancellations stay its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Forsaken(Exception):
    """Something that was waited for had been cancelled by others: a failure of who waited, like any other."""


async def confined(work: Awaitable[T]) -> T:
    """Await it. A `CancelledError` that nobody meant for this task becomes `Forsaken`.

    It comes from whatever future was awaited, and as a cancellation it would end the whole agent, without a word.
    """
    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise Forsaken("What it waited for was cancelled.") from error
