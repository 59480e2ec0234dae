"""Envelope ids as people use them: short where they are shown, and part of one where they are typed."""

from __future__ import annotations

from .terminal import one_line

_SHOWN = 8  # of a UUIDv7 the last characters tell; the first are the time
_WHOLE = 16  # an id no longer than this is shown as it is
_LEAST = 4


def short(id: str) -> str:
    """An id for the eye: `…1a2b3c4d`, to be copied without the dots."""
    return one_line(id) if len(id) <= _WHOLE else f"…{one_line(id[-_SHOWN:])}"


def typable(id: str) -> str:
    """The least of an id that is worth typing."""
    return short(id).removeprefix("…")


def is_meant(typed: str, id: str) -> bool:
    """Whether somebody who typed this means that id: the whole of it, its beginning or its end."""
    part = typed.removeprefix("…")
    return typed == id or (len(part) >= _LEAST and (id.startswith(part) or id.endswith(part)))
