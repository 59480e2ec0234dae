"""Envelope ids as people use them: shortened when printed, and typed in part.

Participants choose the ids of what they send, so one id can be made to end like another. Therefore what a person
types must fit exactly one of all things that it could mean, whole or in part. A whole id that is also the end of
another is not preferred: the command asks, and the person types `--whole` or `--from`. A shortened id is long enough
to be typed. An id that begins with a dash is shown and typed as `…--all`: without the `…` the command line takes it
for an option. A character that does not print is shown, and typed, escaped (`exact`).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer

from ..framework.completion import complete_participants
from ..framework.failure import mistake
from .terminal import exact, one_line

_SHOWN = 8  # the last characters of a UUIDv7 are random; the first are the time
_STEP = 4  # characters to add as long as another id fits
_MAX_WHOLE = 16  # a shorter id is shown whole
_MIN_TYPED = 4
_MAX_LISTED = 10  # candidates

WholeOption: TypeAlias = Annotated[
    bool, typer.Option("--whole", help="What you type is the whole id, not the end of a longer one.")
]


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The options that say which of several things an id means."""

    whole: WholeOption = False
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="PARTICIPANT", help="Only what comes from this one.", autocompletion=complete_participants
        ),
    ] = None

    def admits(self, typed: str, one: Candidate) -> bool:
        """Return true if the candidate may be meant."""
        fits = _typed(typed) in (exact(one.id), _word(one.id)) if self.whole else is_meant(typed, one.id)
        return fits and self.from_ in (None, one.owner)


class Candidate(NamedTuple):
    """A thing that an id may mean. `owner` sent it; `what` describes it for a person; `row` is for the caller.

    `live` is false for one that is over. It still counts: the person may have listed it before it ended.
    """

    id: str
    owner: str = ""
    what: str = ""
    row: Any = None
    live: bool = True


def short(id: str, among: Iterable[str] = ()) -> str:
    """Return an id as it is printed: `…1a2b3c4d`, to be typed without the dots. It is longer, or whole, as long as
    it also fits another id of `among`, or begins with a dash. A whole one that does is `…--all`."""
    if len(id) <= _MAX_WHOLE:
        return _word(id)
    size, others = _SHOWN, [other for other in among if other != id]
    while (others := [other for other in others if is_meant(exact(id[-size:]), other)]) or id[-size:].startswith("-"):
        if size >= len(id):
            break
        size += _STEP
    return _word(id) if size >= len(id) else f"…{exact(id[-size:])}"


def typable(id: str, among: Iterable[str] = ()) -> str:
    """Return the shortest part of an id that is worth typing."""
    part = short(id, among).removeprefix("…")
    return f"…{part}" if part.startswith("-") else part


def unambiguous(one: Candidate, known: Sequence[Candidate], *, whole: bool = False) -> list[str]:
    """Return the words to type that mean this one of `known` and no other. `whole`: the id is not shortened."""
    part = _word(one.id) if whole else typable(one.id, (other.id for other in known))
    if sum(is_meant(part, other.id) for other in known) == 1:
        return [part]
    same = sum(other.id == one.id for other in known) > 1
    return [_word(one.id), "--whole", *(["--from", one.owner] if same else [])]


def is_meant(typed: str, id: str) -> bool:
    """Return true if what was typed may mean the id: all of it, its beginning or its end."""
    typed, shown = _typed(typed), exact(id)
    part = typed.removeprefix("…")
    return typed in (shown, _word(id)) or (len(part) >= _MIN_TYPED and (shown.startswith(part) or shown.endswith(part)))


def _typed(word: str) -> str:
    """Return a typed id as it is shown: a script may pass one from JSON, with characters that do not print."""
    return word if word.isprintable() else exact(word)


def _word(id: str) -> str:
    """Return an id as a word to be typed, which the command line does not take for an option."""
    return f"…{exact(id)}" if id.startswith("-") else exact(id)


def choose(typed: str, candidates: Iterable[Candidate], *, what: str, naming: Naming | None = None) -> Candidate:
    """Return the only candidate that fits what was typed. Raises `Failure` (exit status 2) for none, and for
    several."""
    naming = naming or Naming()
    known = list({(one.id, one.owner): one for one in candidates}.values())
    fitting = [one for one in known if naming.admits(typed, one)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise mistake(_ambiguity(typed, fitting, known, what=what))
    raise mistake(f"There is no {what} {one_line(typed)!r} here{_suggestions(known)}.")


def _ambiguity(typed: str, fitting: list[Candidate], known: list[Candidate], *, what: str) -> str:
    """Return the question which one is meant, with the words to type for each."""
    fits = f"{one_line(typed)} fits {len(fitting)} of them. Nothing was sent."
    lines = [f"Which {what}? {fits} Type one of these instead:"]
    for one in sorted(fitting, key=lambda one: not one.live)[:_MAX_LISTED]:
        words = shlex.join(unambiguous(one, known, whole=True))
        description = ": ".join(filter(None, (one_line(one.owner), one.what)))
        lines.append(f"  {words}  # {description}" if description else f"  {words}")
    if len(fitting) > _MAX_LISTED:
        lines.append(f"  … and {len(fitting) - _MAX_LISTED} more: type more of the id.")
    return "\n".join(lines)


def _suggestions(known: list[Candidate]) -> str:
    live = [one for one in known if one.live]
    newest = ", ".join(" ".join(unambiguous(one, known)) for one in live[-5:])
    return f"; there {'is' if len(live) == 1 else 'are'}: {one_line(newest, longest=400)}" if live else ""
