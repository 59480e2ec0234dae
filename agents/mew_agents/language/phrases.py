"""The phrases of a text that speak of dates and times, found in one pass over its words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from mew_agents.language.calendar_spelling import JOINED_TO_NUMBER, mended, parted
from mew_agents.language.calendar_words import CALENDAR_WORDS
from mew_agents.language.calendar_words.vocabulary import SHAPES, CalendarWords, Kind
from mew_agents.language.folding import Folded
from mew_agents.language.found import Language
from mew_agents.language.patterns import Pattern, PatternCompiler
from mew_agents.language.spelling import spelled


class Rule(NamedTuple):
    """One compiled pattern and what it recognises."""

    kind: Kind
    meaning: str
    pattern: Pattern


class Sign(NamedTuple):
    """A word, a numeral or another sign of the folded text, and the letter it is to patterns."""

    text: str
    start: int
    end: int
    letter: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that a rule recognised: `signs[first:last]`, and what its captures hold."""

    rule: Rule
    first: int
    last: int
    _captures: re.Match[str]
    _signs: tuple[Sign, ...]

    @property
    def kind(self) -> Kind:
        return self.rule.kind

    @property
    def meaning(self) -> str:
        return self.rule.meaning

    def has(self, name: str) -> bool:
        return bool(self._captures.groupdict().get(name))

    def words(self, name: str) -> tuple[str, ...]:
        """The folded words of a capture; () when it took no part."""
        if not self.has(name):
            return ()
        return tuple(sign.text for sign in self._signs[self._captures.start(name) : self._captures.end(name)])

    def text(self, name: str) -> str:
        return " ".join(self.words(name))

    def number(self, name: str, default: int = 0) -> int:
        """The number that a capture's words and digits make together: "treinta y cinco" is 35."""
        values = self.rule.pattern.values.get(name, {})
        words = self.words(name)
        return sum(int(word) if word.isdigit() else values.get(word, 0) for word in words) if words else default


@dataclass(frozen=True, slots=True)
class Phrases:
    """What one text holds: its signs, and its phrases in order, none over another."""

    folded: Folded
    grammar: Grammar
    signs: tuple[Sign, ...]
    letters: str  # the signs' letters together
    found: tuple[Phrase, ...]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where `signs[first:last]` stand in the text itself."""
        return self.folded.origin(self.signs[first].start, self.signs[last - 1].end)

    def beside(self, before: int, after: int) -> bool:
        """Whether what ends at sign `before` and what starts at sign `after` are neighbours, a comma apart at most."""
        return before <= after and self.letters[before:after] in ("", ",")

    def at(self, index: int) -> Phrase | None:
        """The phrase of that index, None before the first and after the last."""
        return self.found[index] if 0 <= index < len(self.found) else None

    def beside_a_date(self, index: int) -> bool:
        """Whether a date is the neighbour of the phrase of that index, which makes it that date's time."""
        phrase, before, after = self.found[index], self.at(index - 1), self.at(index + 1)
        if before and before.kind == "date" and self.beside(before.last, phrase.first):
            return True
        return bool(after and after.kind == "date" and self.beside(phrase.last, after.first))

    def between(self, pattern: re.Pattern[str], before: int, after: int) -> re.Match[str] | None:
        """The words from sign `before` to sign `after`, if they are all that `pattern` takes."""
        return pattern.fullmatch(self.letters, before, after) if before <= after else None

    def hedged(self, first: int, last: int) -> bool:
        """Whether the words right before or after leave `signs[first:last]` only partly understood."""
        before, after = self.grammar.before, self.grammar.after
        return bool(before.search(self.letters, max(0, first - _LOOK_BACK), first) or after.match(self.letters, last))


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language's rules, by the sign that a phrase starts with, and its words between phrases."""

    words: CalendarWords
    letters: Mapping[str, str]  # by folded word
    rules: Mapping[str, tuple[Rule, ...]]  # by first letter
    before: re.Pattern[str]
    after: re.Pattern[str]
    date_then_time: re.Pattern[str]
    time_then_date: re.Pattern[str]
    alternative: re.Pattern[str]

    @classmethod
    def of(cls, words: CalendarWords) -> Grammar:
        """Compiles everything. Raises `ValueError` for a pattern that is wrongly written."""
        compiler = PatternCompiler(words.classes, words.macros)
        rules: dict[str, list[Rule]] = {}
        for kind, listed in words.rules.items():
            for meaning, pattern in listed:
                rule = Rule(kind, meaning, compiler.compile(pattern))
                for letter in sorted(rule.pattern.firsts):
                    rules.setdefault(letter, []).append(rule)
        return cls(
            words=words,
            rules={letter: tuple(listed) for letter, listed in rules.items()},
            before=compiler.compile(f"({words.before}) END").expression,
            after=compiler.compile(words.after).expression,
            date_then_time=compiler.compile(words.date_then_time).expression,
            time_then_date=compiler.compile(words.time_then_date).expression,
            alternative=compiler.compile(words.alternative).expression,
            letters=compiler.signs,
        )


@cache  # it takes a tenth of a second: not for languages that nobody speaks here
def grammar_of(language: Language) -> Grammar:
    """The grammar of a language."""
    return Grammar.of(CALENDAR_WORDS[language])


_LOOK_BACK = 5  # signs: the longest words of `before`


@lru_cache(maxsize=16)  # dates, times and moments are looked for in the same message one after the other
def phrases(text: str, language: Language) -> Phrases:
    """Every phrase of `text`: at each word the longest, then on from its end."""
    grammar = grammar_of(language)
    folded = spelled(text, language)
    signs = _mended(_signs(folded.text, grammar, language), grammar, language)
    letters = "".join([sign.letter for sign in signs])
    found: list[Phrase] = []
    at = 0
    while at < len(signs):
        longest = _longest(grammar.rules.get(letters[at], ()), letters, at, signs)
        if longest:
            found.append(longest)
        at = longest.last if longest else at + 1
    return Phrases(folded, grammar, signs, letters, tuple(found))


def _longest(rules: tuple[Rule, ...], letters: str, at: int, signs: tuple[Sign, ...]) -> Phrase | None:
    end, best, chosen = at, None, None
    for rule in rules:
        match = rule.pattern.expression.match(letters, at)
        if match and match.end() > end:
            end, best, chosen = match.end(), match, rule
    return Phrase(chosen, at, end, best, signs) if best and chosen else None


_SIGN = re.compile(
    r"(?P<instant>[0-9]{4}-[0-9]{2}-[0-9]{2}t[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
    r"(?:z|[+-][0-9]{2}(?::?[0-9]{2})?)?(?![0-9a-z]|[.:+-][0-9]))"
    r"|(?P<numeral>[0-9]+(?:[.,:/-][0-9]+)*)|(?P<word>[^\W0-9_]+)|\S"
)
_NUMERALS = re.compile(
    r"(?P<INT>\d\d?)|(?P<INTEGER>\d{3})|(?P<YEAR>\d{4})|(?P<CLOCK>\d\d?:\d\d(?::\d\d)?)|(?P<DOTTED>\d\d?\.\d\d)"
    r"|(?P<DECIMAL>\d{1,3}[.,]\d\d?)|(?P<DAYMONTH>\d\d?/\d\d?)|(?P<ISO>\d{4}-\d\d-\d\d)"
    r"|(?P<DAYMONTHYEAR>\d\d?(?P<sep>[/.-])\d\d?(?P=sep)\d{4}|\d\d?/\d\d?/\d\d)"
)
_NOT_BEFORE_A_NUMERAL = frozenset("$€£¥#+%=&\\^")
_NOT_AFTER_A_NUMERAL = frozenset("$€£¥%=\\^")


def _mended(signs: tuple[Sign, ...], grammar: Grammar, language: Language) -> tuple[Sign, ...]:
    """The signs, with misspelt words of the calendar as they are spelt."""
    unknown = SHAPES["UNKNOWN"]
    if not any(sign.letter == unknown for sign in signs):
        return signs
    words = [sign.text for sign in signs]
    return tuple(one for at in range(len(signs)) for one in _spelt(signs[at], words, at, grammar, language))


def _spelt(sign: Sign, words: Sequence[str], at: int, grammar: Grammar, language: Language) -> Iterator[Sign]:
    """A sign as it is spelt, or the two that lack a blank between them."""
    letters, unknown = grammar.letters, sign.letter == SHAPES["UNKNOWN"]
    parts = tuple(parted(sign.text, language)) if unknown else ()
    if parts:
        start = sign.start
        for part, length in parts:
            yield Sign(part, start, start + length, letters.get(part, SHAPES["UNKNOWN"]))
            start += length
        return
    word = mended(words, at, language, letters) if unknown else None
    yield sign if word is None else sign._replace(text=word, letter=letters[word])


def _signs(text: str, grammar: Grammar, language: Language) -> tuple[Sign, ...]:
    blind = _blind(text) if "@" in text or "://" in text or "www." in text else text
    letters = grammar.letters
    unknown = SHAPES["UNKNOWN"]
    signs: list[Sign] = []
    for match in _SIGN.finditer(blind):
        group, word = match.lastgroup, match[0]
        if group == "word":
            letter = letters.get(word, unknown)
        elif group == "numeral":
            letter = _numeral(blind, match, signs, grammar, language)
        else:
            letter = SHAPES["INSTANT"] if group else word
        signs.append(Sign(word, match.start(), match.end(), letter))
    return tuple(signs)


def _numeral(text: str, match: re.Match[str], before: list[Sign], grammar: Grammar, language: Language) -> str:
    """The shape of a numeral. One that is part of a price, a code or a longer word is a CODE."""
    start, end = match.span()
    months = grammar.words.classes["MONTH"]
    if start and text[start - 1].isalpha() and not _is_suffix(before, grammar):
        joined = before[-1].text in months or before[-1].text in JOINED_TO_NUMBER[language]
        if not joined:
            return SHAPES["CODE"]
    if before and before[-1].text in _NOT_BEFORE_A_NUMERAL and start - before[-1].end <= 1:
        return SHAPES["CODE"]
    after = _AFTER_NUMERAL.match(text, end)
    if after and (
        after["sign"] in _NOT_AFTER_A_NUMERAL or after["glued"] not in (None, *grammar.words.suffixes, *months)
    ):
        return SHAPES["CODE"]
    shape = _NUMERALS.fullmatch(match[0])
    return SHAPES[next(name for name, value in shape.groupdict().items() if value)] if shape else SHAPES["CODE"]


_AFTER_NUMERAL = re.compile(r"(?P<glued>[^\W0-9_]+)| ?(?P<sign>\S)")


def _is_suffix(before: list[Sign], grammar: Grammar) -> bool:
    """Whether the last sign is the h of 17h30."""
    return len(before) > 1 and before[-1].text in grammar.words.suffixes and before[-2].end == before[-1].start


def _blind(text: str) -> str:
    """`text` with addresses blotted out, at the same length: nothing in them is a date."""
    return re.sub(r"\S+", lambda chunk: "_" * len(chunk[0]) if _ADDRESS.search(chunk[0]) else chunk[0], text)


_ADDRESS = re.compile(r"[^@]@[^@]|://|^www\.")
