"""Something that a thread is to do later."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from .loop_thread import LoopThread

log = logging.getLogger(__name__)


class Timer:
    """Calls something in a thread, so many milliseconds from now, unless it is cancelled or the thread has ended."""

    def __init__(self, thread: LoopThread, milliseconds: int, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call
        thread.do(partial(thread.loop.call_at, thread.loop.time() + milliseconds / 1000, self._fire))

    def cancel(self) -> None:
        """Not any more, unless the call has begun. Idempotent; from any thread."""
        self._call = None

    def _fire(self) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        try:
            call()
        except Exception:
            log.exception("what was to be done later failed")
