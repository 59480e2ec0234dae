"""Signs at the front of a text, one after the other, and where the rest of the text begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from mew_gateway.sdk.classifier.lexicon import LEXICONS, Lexicon, Sign, phrases
from mew_gateway.sdk.classifier.normalise import Wording, wording

Found: TypeAlias = Literal[Sign, "not-stop", "drop-perhaps", "forbid"]

# What comes after one of these belongs to it.
_LAST = ("change", "forbid", "question", "question-perhaps", "unclear", "later", "remark")
# How far a dropped object may reach, in words.
_OBJECT = 3

T = TypeVar("T")


class Mark(NamedTuple):
    """A sign found in a text, the language of its table, and the index of the word after it."""

    sign: Found
    language: str
    end: int


class Reading(NamedTuple):
    """A text, the marks at its front without fillers and links, and the index of the first word after them."""

    text: Wording
    marks: tuple[Mark, ...]
    rest: int


class Phrases(dict[str, T]):
    """Known phrases. `reach` has, by first word, the number of words of the longest."""

    def __init__(self, known: Iterable[tuple[str, T]]) -> None:
        super().__init__(known)
        self.reach: dict[str, int] = {}
        for phrase in self:
            first = phrase.partition(" ")[0]
            self.reach[first] = max(self.reach.get(first, 0), _length(phrase))


def listed(pick: Callable[[Lexicon], str]) -> Phrases[None]:
    """Return the phrases of one list in all languages."""
    return _all(",".join(map(pick, LEXICONS)))


def _all(phrases_listed: str) -> Phrases[None]:
    return Phrases((phrase, None) for phrase in phrases(phrases_listed))


def _length(phrase: str | None) -> int:
    return len(phrase.split()) if phrase else 0


class _Negations(NamedTuple):
    """How a language says "do not stop", "do not go on", and "do not" of other things."""

    language: str
    negations: Phrases[None]
    clitics: Phrases[None]
    stopping: Phrases[None]
    going: Phrases[None]
    forbids: Phrases[None]
    imperatives: Phrases[None]

    @classmethod
    def of(cls, one: Lexicon) -> _Negations:
        lists = (one.negations, one.clitics, one.stopping, one.going, one.forbids, one.imperatives)
        return cls(one.language, *map(_all, lists))


def _signs() -> Iterator[tuple[str, tuple[Sign, str]]]:
    for lexicon in LEXICONS:
        for sign, listed in lexicon.signs.items():
            for phrase in phrases(listed):
                yield phrase, (sign, lexicon.language)


# The same phrase in two languages is the first one's; what takes an object stands apart: "cancel" is a stop as well.
_TAKES_OBJECT = ("drop", "halt")
_SIGNS = Phrases(one for one in reversed(list(_signs())) if one[1][0] not in _TAKES_OBJECT)
_DROPS = Phrases(one for one in reversed(list(_signs())) if one[1][0] in _TAKES_OBJECT)
_NEGATING = tuple(_Negations.of(one) for one in LEXICONS)
_TAILS = listed(lambda lexicon: lexicon.tails)
_OBJECTS = listed(lambda lexicon: lexicon.objects)
_RUNS = listed(lambda lexicon: lexicon.runs)
_REASONS = listed(lambda lexicon: lexicon.reasons)
_POINTERS = listed(lambda lexicon: lexicon.pointers)
_ENDINGS = tuple(sorted(word[1:] for word in _OBJECTS if word.startswith("~")))
_IMPERATIVES = listed(lambda lexicon: lexicon.imperatives)
_ENCLITICS = tuple(sorted(listed(lambda lexicon: lexicon.enclitics)))


def read(text: str) -> Reading:
    """Read the signs at the front of a text."""
    return read_from(wording(text), 0)


def read_from(words: Wording, at: int) -> Reading:
    """Read the signs from word `at` on."""
    marks: list[Mark] = []
    while (mark := _mark(words, at)) is not None:
        at = mark.end
        if mark.sign not in ("filler", "link"):
            marks.append(mark)
        if mark.sign in _LAST:
            break
    return Reading(words, tuple(marks), at)


def phrase_at(words: Wording, at: int, known: Phrases[T]) -> str | None:
    """Return the longest known phrase that begins with word `at`, within one clause."""
    if at >= len(words.words):
        return None
    reach = known.reach.get(words.words[at], 0)
    for end in range(words.clause_end(at, at_most=reach) if reach else at, at, -1):
        if (phrase := " ".join(words.words[at:end])) in known:
            return phrase
    return None


def orders(words: Wording, at: int) -> bool:
    """Return true if word `at` begins an order: "book …", "búscame …"."""
    if at >= len(words.words):
        return False
    word = words.words[at]
    return word in _IMPERATIVES or any(
        word.endswith(enclitic) and word.removesuffix(enclitic) in _IMPERATIVES for enclitic in _ENCLITICS
    )


def _mark(words: Wording, at: int) -> Mark | None:
    """Return the sign at word `at`, if it is meant as one there."""
    if at >= len(words.words):
        return None
    mark = _negated(words, at)
    phrase = phrase_at(words, at, _SIGNS)
    if phrase is not None and (mark is None or mark.end <= at + _length(phrase)):
        mark = Mark(*_SIGNS[phrase], at + _length(phrase))
    if mark is None:
        return _dropped(words, at)
    if mark.sign in ("stop", "enough", "all"):
        return _stopping(words, at, mark) or _dropped(words, at)
    return _meant(words, mark)


def sign_at(words: Wording, at: int) -> Sign | None:
    """Return the sign of the phrase at word `at`, whether or not it is meant there."""
    phrase = phrase_at(words, at, _SIGNS)
    return _SIGNS[phrase][0] if phrase is not None else None


def _negated(words: Wording, at: int) -> Mark | None:
    """Return a negated stop ("no pares", "don't ever stop"), go on ("no sigas") or other order ("no lo mandes")."""
    for one in _NEGATING:
        verb = at + _length(phrase_at(words, at, one.negations))
        if verb == at or words.breaks[verb]:
            continue
        forbids = phrase_at(words, at, one.forbids) is not None
        if phrase_at(words, verb, one.clitics) is not None and not words.breaks[verb + 1]:
            verb += 1
        if (phrase := phrase_at(words, verb, one.going)) is not None:
            return Mark("enough", one.language, verb + _length(phrase))
        if (phrase := phrase_at(words, verb, one.stopping)) is not None:
            return Mark("not-stop", one.language, verb + _length(phrase))
        if forbids and words.words[verb].removesuffix("s") in one.imperatives:
            return Mark("forbid", one.language, verb + 1)
    return None


def _stopping(words: Wording, at: int, mark: Mark) -> Mark | None:
    """Return a stop with its tail ("stop it now"), unless it belongs to words that follow ("para mañana")."""
    end = mark.end
    while not words.breaks[end] and (tail := phrase_at(words, end, _TAILS)) is not None:
        end += _length(tail)
    if words.breaks[end]:
        return mark._replace(end=end)
    explained = mark.end - at > 1 and phrase_at(words, end, _REASONS) is not None
    return mark._replace(end=end) if explained or sign_at(words, end) in ("link", "stop", "enough", "all") else None


def _dropped(words: Wording, at: int) -> Mark | None:
    """Return a stop with an object: "cancel the search", "stop talking", "forget Berlin, try Hamburg".

    "Cancel my meeting" may also be another task.
    """
    phrase = phrase_at(words, at, _DROPS)
    if phrase is None or words.breaks[start := at + _length(phrase)]:
        return None
    end = _object_end(words, start)
    verb, language = _DROPS[phrase]
    first, last = words.words[start], words.words[end - 1]
    deed = first.endswith(_ENDINGS)
    named = deed or first in _OBJECTS or (verb == "drop" and _length(phrase) > 1)
    if end - start > _OBJECT or not (named or _goes_on(words, end)):
        return None
    return Mark("drop" if verb == "drop" or deed or last in _RUNS else "drop-perhaps", language, end)


def _object_end(words: Wording, start: int) -> int:
    """Return where an object ends: at the clause's end, or before an "and" or "please"."""
    end = words.clause_end(start, at_most=_OBJECT + 1)
    return next((index for index in range(start + 1, end) if sign_at(words, index) == "link"), end)


def _goes_on(words: Wording, at: int) -> bool:
    """Return true if an order follows, after fillers at most."""
    while sign_at(words, at) in ("filler", "link"):
        at += _length(phrase_at(words, at, _SIGNS))
    return orders(words, at)


def _meant(words: Wording, mark: Mark) -> Mark | None:
    """Return the mark, unless it is a "wait" or "sorry" that continues an ordinary sentence ("wait times are long")."""
    if mark.sign not in ("wait", "sorry") or words.breaks[mark.end]:
        return mark
    if mark.sign == "sorry" and phrase_at(words, mark.end, _POINTERS) is not None:
        return mark
    return mark if sign_at(words, mark.end) or _negated(words, mark.end) or orders(words, mark.end) else None
