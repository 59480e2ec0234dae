"""Cancellation guard: await user code, and turn a cancellation not aimed at this task into an ordinary exception."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class ForeignCancellation(Exception):
    """The awaited user code was cancelled by others. For the waiting task this is an ordinary failure."""


async def guarded(work: Awaitable[T]) -> T:
    """Await user code. A `CancelledError` that was not aimed at this task becomes `ForeignCancellation`.

    Such an error comes from a future that the user code awaited. Passed on as a cancellation it would end the whole
    agent without a message.
    """
    try:
        return await work
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ForeignCancellation("What it waited for was cancelled.") from error
