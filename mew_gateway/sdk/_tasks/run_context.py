"""What an agent is at work for: whatever begins within it is linked to it without another word."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import msgspec


class Occasion(msgspec.Struct, frozen=True):
    """`correlation_id`: what is being answered; `user`: whose words these are, with a guest's `invitation`;
    `caused_by`: the interrupt that made room; `state`: what the run begins with, where another was put back to a
    checkpoint."""

    correlation_id: tuple[str, ...] = ()
    user: str | None = None
    caused_by: str | None = None
    state: dict[str, Any] | None = None
    invitation: str | None = None


_current: ContextVar[Occasion] = ContextVar("occasion", default=Occasion())  # noqa: B039 (it cannot be changed)


def occasion() -> Occasion:
    """The one that the calling task is at work for."""
    return _current.get()


def begin(occasion: Occasion) -> None:
    """From here on the calling task is at work for it."""
    _current.set(occasion)
