"""Coroutine that can be paused at any of its awaits.

`Pausable` drives a coroutine step by step. After an await has returned, and before the coroutine continues, it may wait
for another awaitable: that is the pause. Code that holds a lock which others need, such as the outgoing path, runs in
`without_pauses`, and calls `pause_point` afterwards.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from anyio.lowlevel import checkpoint

T = TypeVar("T")

_whole: ContextVar[bool] = ContextVar("whole", default=False)
_is_pausable: ContextVar[bool] = ContextVar("is_pausable", default=False)


@contextmanager
def without_pauses() -> Iterator[None]:
    """Do not pause at awaits inside the block, because it holds something that others wait for."""
    token = _whole.set(True)
    try:
        yield
    finally:
        _whole.reset(token)


async def pause_point() -> None:
    """Await once, after a block `without_pauses`, so that a pause that is due happens here."""
    if _is_pausable.get() and not _whole.get():
        await checkpoint()


class Pausable(Generic[T]):
    """Awaits a coroutine. After each of its awaits it calls `hold`, and awaits what that returns, except in
    `without_pauses`.

    What `hold` raises is raised in the coroutine, at the await where it was paused.
    """

    def __init__(self, body: Coroutine[Any, Any, T], *, hold: Callable[[], Awaitable[None] | None]) -> None:
        self._body = body
        self._hold = hold

    def __await__(self) -> Generator[Any, Any, T]:
        token = _is_pausable.set(True)
        try:
            value: T = yield from self._steps()
        finally:
            _is_pausable.reset(token)
        return value

    def _steps(self) -> Generator[Any, Any, T]:
        step: Callable[[], Any] = _sender(self._body, None)
        while True:
            try:
                awaited = step()
            except StopIteration as stop:
                value: T = stop.value
                return value
            try:
                sent = yield awaited
                holding = None if _whole.get() else self._hold()
                if holding is not None:
                    yield from holding.__await__()
            except BaseException as error:  # cancellation, above all: it is the body's
                step = _thrower(self._body, error)
            else:
                step = _sender(self._body, sent)


def _sender(body: Coroutine[Any, Any, T], value: Any) -> Callable[[], Any]:
    return lambda: body.send(value)


def _thrower(body: Coroutine[Any, Any, T], error: BaseException) -> Callable[[], Any]:
    return lambda: body.throw(error)
