"""Sentences with places in them: `Visit with {doctor}, {start}[, because of {reason}]`.

A part in square brackets is left out when something in it has no value. `{{`, `}}`, `[[` and `]]` stand for the signs
themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

NAME = r"[a-z][A-Za-z0-9_]*(?:\.[a-z][A-Za-z0-9_]*)*"

_PIECE = re.compile(
    rf"(?P<sign>\{{\{{|\}}\}}|\[\[|\]\])|\{{(?P<place>{NAME})\}}|(?P<text>[^{{}}\[\]]+)|(?P<odd>[{{}}\[\]])"
)


class Place(NamedTuple):
    """A place for the value of that name."""

    name: str


class Optional(NamedTuple):
    """A part that is left out unless all its places have values."""

    parts: tuple[str | Place, ...]


class Template(NamedTuple):
    """A parsed template."""

    parts: tuple[str | Place | Optional, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, once, in the order of the text."""
        return tuple(dict.fromkeys((*self.required, *_names(self._optional))))

    @property
    def required(self) -> tuple[str, ...]:
        """The names outside of brackets, once."""
        return tuple(dict.fromkeys(_names(part for part in self.parts if not isinstance(part, Optional))))

    @property
    def place(self) -> str | None:
        """The name, where the text is one place and nothing else."""
        only = self.parts[0] if len(self.parts) == 1 else None
        return only.name if isinstance(only, Place) else None

    @property
    def _optional(self) -> tuple[str | Place, ...]:
        return tuple(inner for part in self.parts if isinstance(part, Optional) for inner in part.parts)

    def fill(self, values: Mapping[str, str]) -> str:
        """The text with its values. Raises `KeyError` with the first name outside of brackets that has none."""
        return "".join(self._filled(values))

    def _filled(self, values: Mapping[str, str]) -> Iterator[str]:
        for part in self.parts:
            if not isinstance(part, Optional):
                yield _written(part, values)
            elif all(name in values for name in _names(part.parts)):
                yield from (_written(inner, values) for inner in part.parts)


@lru_cache(maxsize=1024)
def parse(text: str) -> Template:
    """The template in a text. Raises `ValueError` with a sentence."""
    parts: list[str | Place | Optional] = []
    inside: list[str | Place] | None = None
    for match in _PIECE.finditer(text):
        piece: str | Place
        if match["odd"] == "[" and inside is None:
            inside = []
            continue
        if match["odd"] == "]" and inside is not None:
            parts.append(Optional(tuple(inside)))
            inside = None
            continue
        if match["odd"]:
            raise ValueError(_complaint(match["odd"], text[match.start() :]))
        piece = Place(match["place"]) if match["place"] else (match["sign"] or "")[:1] or match["text"]
        (parts if inside is None else inside).append(piece)
    if inside is not None:
        raise ValueError("A `[` is not closed")
    return Template(tuple(parts))


def _complaint(sign: str, rest: str) -> str:
    if sign == "[":
        return "A `[` stands within brackets"
    if sign == "{" and "}" in rest:
        return f"`{rest[: min(rest.index('}'), 40) + 1]}` is no place for a value"
    return f"A `{sign}` has no other half"


def _names(parts: Iterator[object] | tuple[object, ...]) -> Iterator[str]:
    return (part.name for part in parts if isinstance(part, Place))


def _written(part: str | Place, values: Mapping[str, str]) -> str:
    return values[part.name] if isinstance(part, Place) else part
