"""Run context: what the calling task is working for. A run that begins in the task is linked to it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

import msgspec


class RunContext(msgspec.Struct, frozen=True):
    """Links of a run to what caused it.

    `correlation_id` is what is being answered. `user` is the participant whose message it is, with a guest's
    `invitation`. `caused_by` is the interrupt that made room for the run. `state` is the initial state, if an earlier
    run was rolled back to a checkpoint.
    """

    correlation_id: tuple[str, ...] = ()
    user: str | None = None
    caused_by: str | None = None
    state: dict[str, Any] | None = None
    invitation: str | None = None


_current: ContextVar[RunContext] = ContextVar("context", default=RunContext())  # noqa: B039 (it cannot be changed)


def current_context() -> RunContext:
    """Return the context of the calling task."""
    return _current.get()


def begin(context: RunContext) -> None:
    """Set the context of the calling task."""
    _current.set(context)
