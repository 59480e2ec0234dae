"""Envelope ids as people use them: short where they are shown, and part of one where they are typed."""

from __future__ import annotations

from collections.abc import Iterable

from .failure import mistake
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


def choose(typed: str, ids: Iterable[str], *, what: str) -> str:
    """The one id that is meant: the one that is typed whole, else the only that fits. Raises `Failure`."""
    known = list(dict.fromkeys(ids))
    fitting = [id for id in known if is_meant(typed, id)]
    if typed in fitting or len(fitting) == 1:
        return typed if typed in fitting else fitting[0]
    if fitting:
        raise mistake(f"Which {what}? {one_line(typed)} fits {', '.join(map(one_line, fitting))}.")
    raise mistake(f"There is no {what} {one_line(typed)!r} here{_offered(known)}.")


def _offered(known: list[str]) -> str:
    newest = ", ".join(map(typable, known[-5:]))
    return f"; there {'is' if len(known) == 1 else 'are'}: {newest}" if known else ""
