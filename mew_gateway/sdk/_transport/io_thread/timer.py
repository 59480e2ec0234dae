"""Timer of the I/O thread."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from .loop_thread import LoopThread

log = logging.getLogger(__name__)


class Timer:
    """Calls a function in a thread after a delay, unless it is cancelled or the thread has ended."""

    def __init__(self, thread: LoopThread, milliseconds: int, call: Callable[[], None]) -> None:
        self._call: Callable[[], None] | None = call
        thread.do(partial(thread.loop.call_at, thread.loop.time() + milliseconds / 1000, self._fire))

    def cancel(self) -> None:
        """Cancel the call, unless it has begun. Idempotent; from any thread."""
        self._call = None

    def _fire(self) -> None:
        call, self._call = self._call, None
        if call is None:
            return
        try:
            call()
        except Exception:
            log.exception("the call of a timer failed")
