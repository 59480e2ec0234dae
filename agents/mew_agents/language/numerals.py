"""Numbers as they are said, in words, in digits, or in both: "treinta y cinco", "2 mil quinientos", "1,5 millones"."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mew_agents.language.figures import figures
from mew_agents.language.folding import Folded
from mew_agents.language.found import Language
from mew_agents.language.number_lexicon import NUMBER_LEXICONS, NumberLexicon, Role
from mew_agents.language.numeral import Numeral, trimmed


def numerals(folded: Folded, language: Language) -> list[Numeral]:
    """The numbers of a text in its order, each as long as it can be. What is an hour or a day is not told apart."""
    lexicon = NUMBER_LEXICONS[language]
    written = figures(folded, lexicon.words)
    found: list[Numeral] = []
    at = 0
    while at < len(folded.tokens):
        if at in written or folded.tokens[at].text in lexicon.roles:
            numeral = _Growing(folded, at, lexicon, written).read()
            if numeral is not None:
                fraction = _spoken_fraction(folded, numeral, lexicon, written)
                numeral = numeral if fraction is None else fraction
                found.append(numeral)
                at = numeral.last
        at += 1
    return found


_POINTS = frozenset(("coma", "virgula", "point", "ponto", "punto"))


def _spoken_fraction(
    folded: Folded, whole: Numeral, lexicon: NumberLexicon, written: Mapping[int, Numeral]
) -> Numeral | None:
    """A number in words with its decimals: "zero vírgula oito", "one point two five"."""
    tokens, at = folded.tokens, whole.last + 1
    if at + 1 >= len(tokens) or tokens[at].text not in _POINTS or whole.value % 1:
        return None
    digits, last = "", at
    while last + 1 < len(tokens):
        behind = written.get(last + 1) or (
            _Growing(folded, last + 1, lexicon, written).read() if tokens[last + 1].text in lexicon.roles else None
        )
        if behind is None or behind.value % 1 or behind.value < 0 or (digits and behind.value > _DIGIT):
            break
        digits, last = digits + str(int(behind.value)), behind.last
    return None if not digits else whole._replace(value=whole.value + Decimal(f"0.{digits}"), last=last, lone=False)


_DIGIT = 9
# What fits into a group has to be below its room: "treinta" leaves room below ten.
_FULL, _ONES, _TENS, _HUNDREDS = 0, 10, 100, 1000
_MILLION = 10**6


class _Growing:
    """A number on the way: finished parts with falling scales, and a group below thousand that fills downwards."""

    def __init__(self, folded: Folded, first: int, lexicon: NumberLexicon, written: Mapping[int, Numeral]) -> None:
        self.folded = folded
        self.tokens = folded.tokens
        self.first = first
        self.lexicon = lexicon
        self.written = written
        self.finished: list[tuple[int, Decimal]] = []
        self.group: Decimal | None = None
        self.room = _HUNDREDS
        self.halved: int | None = None  # what "y medio" adds the half of
        self.unsure = False

    def read(self) -> Numeral | None:
        """The longest number that begins here."""
        last = None
        at = self.first
        while at < len(self.tokens) and (at == self.first or self._is_close(at)):
            joined = at > self.first and self.tokens[at].text in self.lexicon.joins
            part = at + 1 if joined or (at > self.first and self._is_hyphen(at)) else at
            taken = self._take(part, joined=joined) if part < len(self.tokens) else 0
            if not taken:
                break
            last = part + taken - 1
            at = last + 1
        if last is None:
            return None
        written = self.written.get(self.first)
        if written is not None and written.last == last:
            return written
        value = sum((part for _, part in self.finished), self.group or Decimal(0))
        lone = last == self.first and self.lexicon.role(self.tokens[last].text) == "article"
        return Numeral(trimmed(value), self.first, last, unsure=self.unsure, lone=lone)

    def _is_close(self, at: int) -> bool:
        """Nothing but blanks stands before the token: no new line."""
        return not self.tokens[at].opens_line

    def _is_hyphen(self, at: int) -> bool:
        return (
            self.tokens[at].text == "-"
            and at + 1 < len(self.tokens)
            and self.tokens[at - 1].end == self.tokens[at].start
            and self.tokens[at].end == self.tokens[at + 1].start
        )

    def _role(self, at: int) -> Role | None:
        """The role of a token that comes next."""
        return self.lexicon.role(self.tokens[at].text) if at < len(self.tokens) and self._is_close(at) else None

    def _take(self, at: int, *, joined: bool) -> int:
        """Adds the part at token `at`, if it can follow. Returns how many tokens it took."""
        if at in self.written:
            return self._take_figure(self.written[at], joined=joined)
        if not self.folded.stands_alone(at, at):
            return 0
        role, value = self.lexicon.roles.get(self.tokens[at].text, (None, 0))
        match role:
            case "article" if self.tokens[at].text not in self.lexicon.counting_articles:
                if joined and self._role(at + 1) == "half":  # and a half
                    return 2 * self._take_half(at + 1, joined=True)
                return int(self._role(at + 1) in ("scale", "hundred", "dozen") and self._place(1, _ONES, joined=joined))
            case "one" | "article":
                return int(self._place(value, _ONES if value < _ONES else _TENS, joined=joined))
            case "ten":
                return int(self._place(value, _TENS, joined=joined))
            case "hundreds":
                return int(self._place(value, _HUNDREDS, joined=joined))
            case "hundred":
                return int(self._multiply_by_hundred())
            case "scale":
                return int(self._scale(value, joined=joined, bare=self.tokens[at].text in self.lexicon.bare_scales))
            case "dozen":
                return int(self._count_dozens())
            case "half":
                return self._take_half(at, joined=joined)
            case None:
                return 0

    def _place(self, value: int, size: int, *, joined: bool) -> bool:
        """A part of the group. `size`: the room it needs. It leaves room for what is smaller than its last digit."""
        if self.group is None:
            if joined and not (self.finished and self.lexicon.words.joins_anything):
                return False
            self.group = Decimal(0)
        elif self.room < size or value == 0:
            return False
        elif joined and not self.lexicon.words.joins_anything and self.room != _ONES:
            return False  # es: "y" stands between tens and ones only
        self.group += value
        whole_tens = value % 10 == 0 and value >= 20
        self.room = _TENS if size == _HUNDREDS else _ONES if whole_tens else _FULL
        self.halved = None if size == _HUNDREDS else 1
        return True

    def _multiply_by_hundred(self) -> bool:
        if self.group is None and not self.finished and self._joined_behind():
            self.group, self.room, self.halved = Decimal(100), _TENS, None  # "hundred and fifty"
            return True
        if self.group is None or not 1 <= self.group < 100 or self.group % 1:
            return False
        self.group *= 100
        self.room, self.halved = _TENS, None
        return True

    def _joined_behind(self) -> bool:
        """Whether "and" and a number follow the first word."""
        behind = self.tokens[self.first + 1 : self.first + 3]
        if len(behind) < len(("and", "fifty")) or behind[0].text not in self.lexicon.joins:
            return False
        return self.lexicon.role(behind[1].text) in ("one", "ten")

    def _scale(self, scale: int, *, joined: bool, bare: bool) -> bool:
        """A multiplier: of the group and of the smaller scales before it ("dos mil millones"), or alone: "mil"."""
        smaller = [part for part in self.finished if part[0] < scale]
        kept = self.finished[: len(self.finished) - len(smaller)]
        if (kept and kept[-1][0] == scale) or (joined and (self.group is not None or not bare)):
            return False
        count = sum((part for _, part in smaller), self.group or Decimal(0))
        if not count:
            if not bare or self.group is not None:
                return False
            count = Decimal(1)
        self.finished = [*kept, (scale, count * scale)]
        self.group, self.room = None, _HUNDREDS
        self.halved = scale if scale >= _MILLION else None
        return True

    def _count_dozens(self) -> bool:
        if self.group is None or self.finished or self.halved != 1:
            return False
        self.group *= 12
        self.room, self.halved = _FULL, 12
        return True

    def _take_half(self, at: int, *, joined: bool) -> int:
        """ "medio millón", "half a dozen"; joined, "dos y medio", "un millón y medio"."""
        if not joined:
            article = int(self._role(at + 1) == "article")
            if self.group is not None or self.finished or self._role(at + 1 + article) not in ("scale", "dozen"):
                return 0
            self.group, self.room, self.halved = Decimal("0.5"), _FULL, 1
            return 1 + article
        if self.halved is None:
            return 0
        half = Decimal(self.halved) / 2
        if self.group is None:
            scale, value = self.finished.pop()
            self.finished.append((scale, value + half))
        else:
            self.group += half
        self.unsure = self.tokens[at].text in self.lexicon.unsure_halves
        self.room, self.halved = _FULL, None
        return 1

    def _take_figure(self, figure: Numeral, *, joined: bool) -> int:
        """Digits: alone, before a scale, or after one, if they are as long as it leaves: "2 mil 500"."""
        if self.group is not None or (joined and not (self.finished and self.lexicon.words.joins_anything)):
            return 0
        if self.finished:
            scale = self.finished[-1][0]
            if figure.decimals or not scale <= figure.value * 10 < scale * 10:
                return 0
        self.group, self.room = figure.value, _FULL
        self.halved = None if figure.decimals or figure.value % 1 else 1
        return figure.last - figure.first + 1
