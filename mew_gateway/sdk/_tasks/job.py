"""A handler's task, as what happens within it sees it: while runs are open in it, it ends after them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import anyio

_current: ContextVar[Job | None] = ContextVar("job", default=None)


class Job:
    """The task of one handler. `key` names it for whoever wants to end it, `begun` and `over` are its life, and
    `is_ending` says whether it is to end."""

    def __init__(self, key: Hashable | None) -> None:
        self.key = key
        self.scope = anyio.CancelScope()
        self.begun = False
        self.over = anyio.Event()
        self._runs = 0
        self.is_ending = False

    def end(self) -> None:
        """Cancel it: at once, or when the last run that is open in it has ended, for each ends by its own policy."""
        self.is_ending = True
        if not self._runs:
            self.scope.cancel()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """A run is open in it."""
        self._runs += 1
        try:
            yield
        finally:
            self._runs -= 1
            if self.is_ending:
                self.end()


def begin(job: Job) -> None:
    """From here on the calling task, and what it starts, belong to this job."""
    _current.set(job)


def current_job() -> Job | None:
    """The job that the calling task belongs to."""
    return _current.get()
