"""A text made comparable: no capitals, no accents, one form of each sign, and the way back to the original."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

TokenKind: TypeAlias = Literal["word", "digits", "symbol"]


class Token(NamedTuple):
    """A run of letters, a run of digits, or one other sign, in a folded text: "17h30!" is 17, h, 30, !.

    `opens_line`: a line break stands between it and the token before.
    """

    text: str
    start: int
    end: int
    kind: TokenKind
    opens_line: bool = False


class Change(NamedTuple):
    """`text[start:end]` of a folded text is to be read as `becomes`."""

    start: int
    end: int
    becomes: str


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text with its tokens. Offsets are the folded text's; `origin` gives the original's.

    The slice that `origin` gives folds to the same slice again, unless it would part what one sign became ("ß": ss).
    Tokens are never parted so.
    """

    original: str
    text: str
    tokens: tuple[Token, ...]
    _starts: Sequence[int]  # by folded offset, where its sign starts in the original
    _ends: Sequence[int]  # and where it ends, marks on it included

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` stands in the original: (start, end), for 0 <= start < end <= len(text)."""
        return self._starts[start], self._ends[end - 1]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the tokens from index `first` to index `last`, both included, stand in the original."""
        return self.origin(self.tokens[first].start, self.tokens[last].end)

    def opens(self, at: int) -> bool:
        """Whether no letter or digit sticks to the token from before, as to the 113 of "A113"."""
        start = self.tokens[at].start
        sticks = start > 0 and self.text[start - 1].isalnum() and self.text[start].isalnum()
        return not sticks or self._runs_on(at - 1)

    def _runs_on(self, at: int) -> bool:
        """Whether a figure and the word after it only lack the blank between them: "35dolares", "63years"."""
        if at + 1 >= len(self.tokens):
            return False
        figure, word = self.tokens[at], self.tokens[at + 1]
        if figure.kind != "digits" or word.kind != "word" or word.end - word.start < _WORD:
            return False
        before, after = self.text[: figure.start][-1:], self.text[word.end : word.end + 1]
        return not (before.isalnum() or before in _JOINED or after.isalnum() or after in _JOINED)

    def closes(self, at: int) -> bool:
        """Whether no letter or digit sticks to the token from behind."""
        end = self.tokens[at].end
        sticks = end < len(self.text) and self.text[end - 1].isalnum() and self.text[end].isalnum()
        return not sticks or self._runs_on(at)

    def rewritten(self, changes: Sequence[Change]) -> Folded:
        """The same original with other words, in the text's order: each has the whole place of what it stands for."""
        signs: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for start, end, becomes in changes:
            signs += [self.text[at:start], becomes]
            parted = becomes.rstrip() == self.text[start:end]  # a blank behind it: its letters keep their places
            places = _parted_places(becomes, start) if parted else None
            for offset in range(at, start):
                starts.append(self._starts[offset])
                ends.append(self._ends[offset])
            for letter in range(len(becomes)):
                first, last = (start, end - 1) if places is None else (places[letter], places[letter])
                starts.append(self._starts[first])
                ends.append(self._ends[last])
            at = end
        signs.append(self.text[at:])
        starts += [self._starts[offset] for offset in range(at, len(self.text))]
        ends += [self._ends[offset] for offset in range(at, len(self.text))]
        text = "".join(signs)
        return Folded(self.original, text, _tokens(text), starts, ends)

    def stands_alone(self, first: int, last: int) -> bool:
        """Whether the tokens `first` to `last` are no part of a longer run of letters and digits."""
        return self.opens(first) and self.closes(last)


def word_set(written: str) -> frozenset[str]:
    """The words of a list that is written folded, with white space between them."""
    return frozenset(written.split())


@lru_cache(maxsize=16)  # the extractors read the same message one after the other
def fold(text: str) -> Folded:
    """`text` with letters caseless and without accents, digits 0 to 9, white space " " or a line break.

    An apostrophe between letters goes ("I'm": im, "o’clock": oclock). What is drawn but not said goes as well: skin
    tones, variation selectors, direction marks. Any text is taken, and length changes are mapped.
    """
    if _PLAIN.fullmatch(text):  # sign by sign, nothing longer or shorter: the map is the identity
        folded = text.translate(_LATIN)
        return Folded(text, folded, _tokens(folded), range(len(text)), range(1, len(text) + 1))
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for piece in _PIECES.finditer(text):
        at, end = piece.span()
        if piece.lastgroup == "plain":
            signs.append(piece[0].translate(_LATIN))
            starts.extend(range(at, end))
            ends.extend(range(at + 1, end + 1))
            continue
        became = _folded_sign(piece[0])
        if became == "'" and _between_letters(text, at):
            continue
        if became:
            signs.append(became)
            starts.extend([at] * len(became))
            ends.extend([end] * len(became))
        elif ends and ends[-1] == at and (_is_mark(piece[0]) or _is_skin_tone(piece[0])):
            _stretch(starts, ends, end)
    folded = "".join(signs)
    return Folded(text, folded, _tokens(folded), starts, ends)


_WORD = 4  # letters: fewer belong to the figure ("2nd", "17hs"), or make a code
_JOINED = ("-", "_", "/", "@", "#")
_APOSTROPHES = "'’‘ʼ`´ʹ＇"
_DASHES = "-‐‑‒–—―−﹣－"
_QUOTES = '"“”„«»'
_TOKEN = re.compile(r"(?P<digits>[0-9]+)|(?P<word>[^\W0-9_]+)|(?P<symbol>\S)")
_KINDS: dict[str, TokenKind] = {"digits": "digits", "word": "word", "symbol": "symbol"}


def _tokens(folded: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    end, breaks = 0, "\n" in folded
    for match in _TOKEN.finditer(folded):
        opens_line = breaks and "\n" in folded[end : match.start()]
        tokens.append(Token(match[0], *match.span(), _KINDS[match.lastgroup or "symbol"], opens_line))
        end = match.end()
    return tuple(tokens)


def _parted_places(becomes: str, start: int) -> list[int]:
    """For each sign of a word that is parted by blanks, where it stood; a blank where the sign before it did."""
    places: list[int] = []
    at = start
    for sign in becomes:
        places.append(max(start, at - 1) if sign == " " else at)
        at += sign != " "
    return places


def _stretch(starts: list[int], ends: list[int], end: int) -> None:
    """Let the last sign, which may have become two, reach up to `end`."""
    at = len(starts) - 1
    while at >= 0 and starts[at] == starts[-1]:
        ends[at] = end
        at -= 1


def _between_letters(text: str, at: int) -> bool:
    """Marks count with their letter, so that "cafe\u0301's" is read as "café's"."""
    return 0 < at < len(text) - 1 and (text[at - 1].isalpha() or _is_mark(text[at - 1])) and text[at + 1].isalpha()


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign) in ("Mn", "Me")


def _is_skin_tone(sign: str) -> bool:
    return "\U0001f3fb" <= sign <= "\U0001f3ff"


@lru_cache(maxsize=4096)
def _folded_sign(sign: str) -> str:
    """What one sign becomes: as a rule one sign; letters that are two in one, two; marks and controls, none."""
    if sign in _APOSTROPHES:
        return "'"
    if sign in _DASHES:
        return "-"
    if sign in _QUOTES:
        return '"'
    if sign.isspace():
        return "\n" if sign in "\n\r\u2028\u2029\x0b\x0c\x85" else " "
    category = unicodedata.category(sign)
    if category in ("Mn", "Me", "Cf", "Cc") or _is_skin_tone(sign):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(sign))
    bare = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", sign).casefold())
    bare = "".join(part for part in bare if not unicodedata.combining(part))
    if category[0] == "L":
        return bare if bare.isalpha() else sign
    return bare if len(bare) == 1 and bare.isascii() and not bare.isalnum() and not bare.isspace() else sign


# Latin 1 without what becomes longer or shorter. A text of it needs no map, which most messages are.
_SINGLE = [chr(code) for code in range(0x100) if len(_folded_sign(chr(code))) == 1 and chr(code) not in _APOSTROPHES]
_PLAIN = re.compile(f"[{re.escape(''.join(_SINGLE))}]*")
_PIECES = re.compile(f"(?P<plain>{_PLAIN.pattern[:-1]}+)|(?P<odd>.)", re.DOTALL)
_LATIN = {ord(sign): _folded_sign(sign) for sign in _SINGLE}
