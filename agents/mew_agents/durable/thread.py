"""The one thread of a process that talks to a database, in the order in which it was asked."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from .errors import DatabaseError

T = TypeVar("T")


class Task(NamedTuple):
    """Something to run, and the future of the loop that waits for it."""

    run: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]


class Thread:
    """A thread that runs one task after the other; the loops that wait for them are never held up.

    A task that is cancelled before its turn is left out. One that has begun runs to its end, whoever waits for it;
    whatever is asked afterwards comes after it, and so sees what it did.
    """

    def __init__(self, name: str) -> None:
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._door = threading.Lock()  # nothing is queued behind the end
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    async def run(self, task: Callable[[], T]) -> T:
        """What `task` returns or raises, from the thread. Raises `DatabaseError` (`closed`)."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._door:
            if self._closed:
                raise DatabaseError("closed", "The database was closed: open it again.")
            self._tasks.put(Task(task, loop, future))
        return await future

    def close(self) -> None:
        """Run what was asked before, then end; returns when it has."""
        with self._door:
            if not self._closed:
                self._closed = True
                self._tasks.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            if not task.future.cancelled():
                _run(task)


def _run(task: Task) -> None:
    result: Any = None
    error: BaseException | None = None
    try:
        result = task.run()
    except StopIteration as stop:  # no future takes one
        error = RuntimeError(f"The work of a transaction raised StopIteration({stop.value!r}).")
    except BaseException as raised:
        error = raised
    with contextlib.suppress(RuntimeError):  # the loop is gone, and with it whoever waited
        task.loop.call_soon_threadsafe(_settle, task.future, result, error)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
