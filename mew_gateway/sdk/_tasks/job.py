"""The task of a handler. A task with open runs ends after they have ended."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

_current: ContextVar[Job | None] = ContextVar("job", default=None)


class Job:
    """Task of one handler. `key` identifies it for a caller that ends it.

    `begun` and `over` give its progress. `is_ending` is true once it is to end.
    """

    def __init__(self, key: Hashable | None) -> None:
        self.key = key
        self.scope = anyio.CancelScope()
        self.begun = False
        self.over = anyio.Event()
        self._runs = 0
        self.is_ending = False

    def end(self) -> None:
        """Cancel the task: at once, or after its last open run, because each run ends by its own policy."""
        self.is_ending = True
        if not self._runs:
            self.scope.cancel()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Mark a run as open in the task for the duration of the block."""
        self._runs += 1
        try:
            yield
        finally:
            self._runs -= 1
            if self.is_ending:
                self.end()


def begin(job: Job) -> None:
    """Assign the calling task, and the tasks it starts, to this job."""
    _current.set(job)


def current_job() -> Job | None:
    """Return the job of the calling task, or None."""
    return _current.get()
