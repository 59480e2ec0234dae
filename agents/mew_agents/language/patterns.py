"""A pattern of words (its notation: `calendar_words.vocabulary`) made a regular expression over signs, one a word."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mew_agents.language.calendar_words.vocabulary import SHAPES, Classes
from mew_agents.language.folding import fold

_FIRST_SIGN = 0x4E00  # one sign a word from here on: letters to a regular expression, and none of SHAPES


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern, the signs that its matches start with, and the numbers of the words in each capture."""

    expression: re.Pattern[str]
    firsts: frozenset[str]
    values: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a regular expression, the signs it may start with, and whether it matches nothing at all too."""

    text: str
    firsts: frozenset[str] = frozenset()
    optional: bool = True

    def then(self, other: _Piece) -> _Piece:
        firsts = self.firsts | other.firsts if self.optional else self.firsts
        return _Piece(self.text + other.text, firsts, self.optional and other.optional)

    def otherwise(self, other: _Piece) -> _Piece:
        return _Piece(f"{self.text}|{other.text}", self.firsts | other.firsts, self.optional or other.optional)


_ATOM = re.compile(r"\s*(?:([a-z]+=)|([A-Z]+)\b|([^\W\d_]+)|(\(\?<?[!=]|[()|?*]))\s*")


class PatternCompiler:
    """Compiles the patterns of one language, giving each word that occurs in them its sign."""

    def __init__(self, classes: Classes, macros: Mapping[str, str]) -> None:
        self._classes = classes
        self._macros = macros
        self.signs: dict[str, str] = {}

    def compile(self, pattern: str) -> Pattern:
        """Raises `ValueError` for a pattern that is not written as patterns are, or names an unknown class."""
        reading = _Reading(self, pattern, ())
        piece = reading.choice()
        if reading.atoms:
            raise ValueError(f"A parenthesis too many in {pattern!r}.")
        return Pattern(re.compile(piece.text), piece.firsts, reading.values)

    def sign(self, word: str) -> str:
        return self.signs.setdefault(fold(word).text, chr(_FIRST_SIGN + len(self.signs)))

    def named(self, name: str, into: _Reading) -> _Piece:
        """What a name in capitals stands for: a class of words, a shape, or a pattern of its own."""
        if name in SHAPES:
            return _Piece(re.escape(SHAPES[name]), frozenset(SHAPES[name]), optional=False)
        if name in self._macros:
            macro = _Reading(self, self._macros[name], into.captures, into.values).choice()
            return _Piece(f"(?:{macro.text})", macro.firsts, macro.optional)
        if name not in self._classes:
            raise ValueError(f"{name} is no class, macro or shape.")
        listed = {fold(word).text: value for word, value in self._classes[name].items()}
        for capture in into.captures:
            into.values.setdefault(capture, {}).update(listed)
        signs = [self.sign(word) for word in listed]
        return _Piece(f"[{''.join(signs)}]", frozenset(signs), optional=False)


class _Reading:
    """One pattern's atoms on their way to pieces: a choice of sequences of items."""

    def __init__(
        self,
        compiler: PatternCompiler,
        pattern: str,
        captures: tuple[str, ...],
        values: dict[str, dict[str, int]] | None = None,
    ) -> None:
        self.captures = captures  # that the place being read is inside of
        self.values: dict[str, dict[str, int]] = {} if values is None else values
        self.atoms = _atoms(pattern)
        self._compiler = compiler

    def choice(self) -> _Piece:
        piece = self._sequence()
        while self.atoms and self.atoms[0] == "|":
            self.atoms.pop(0)
            piece = piece.otherwise(self._sequence())
        return piece

    def _sequence(self) -> _Piece:
        piece = _Piece("")
        while self.atoms and self.atoms[0] not in "|)":
            piece = piece.then(self._item())
        return piece

    def _item(self) -> _Piece:
        atom = self.atoms.pop(0)
        if atom.endswith("=") and atom[0] != "(":
            return self._captured(atom[:-1])
        piece = self._group(atom) if atom[0] == "(" else self._single(atom)
        if self.atoms and self.atoms[0] in ("?", "*"):
            return _Piece(f"(?:{piece.text}){self.atoms.pop(0)}", piece.firsts)
        return piece

    def _captured(self, name: str) -> _Piece:
        outside, self.captures = self.captures, (*self.captures, name)
        atom = self.atoms.pop(0)
        piece = self._group(atom) if atom[0] == "(" else self._single(atom)
        self.captures = outside
        text = f"(?P<{name}>{piece.text})"
        if self.atoms and self.atoms[0] in ("?", "*"):
            return _Piece(text + self.atoms.pop(0), piece.firsts)
        return _Piece(text, piece.firsts, piece.optional)

    def _group(self, opening: str) -> _Piece:
        piece = self.choice()
        if not self.atoms:
            raise ValueError("A parenthesis is not closed.")
        self.atoms.pop(0)
        if opening == "(":
            return _Piece(f"(?:{piece.text})", piece.firsts, piece.optional)
        return _Piece(f"{opening}{piece.text})")

    def _single(self, atom: str) -> _Piece:
        if atom == "END":
            return _Piece(r"\Z")
        if atom == "START":
            return _Piece(r"\A")
        if atom.isupper():
            return self._compiler.named(atom, self)
        sign = self._compiler.sign(atom)
        return _Piece(sign, frozenset(sign), optional=False)


def _atoms(pattern: str) -> list[str]:
    atoms: list[str] = []
    at = 0
    while at < len(pattern):
        atom = _ATOM.match(pattern, at)
        if atom is None:
            raise ValueError(f"The pattern is not understood from {pattern[at:]!r} on.")
        atoms.append(next(filter(None, atom.groups())))
        at = atom.end()
    return atoms
