"""People who are counted in groups: "two adults and three kids" are five, "me and my husband" are two, "just me" is
one, "2 of us" are a part of how many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from mew_agents.fluxi.definitions.slots import NumberSlot
from mew_agents.fluxi.values.people_words import ADULTS, ALONE, CHILDREN, MYSELF, ONE_OF_MINE, PAIRS
from mew_agents.fluxi.values.reading import Reading
from mew_agents.fluxi.values.words import COUNTED
from mew_agents.language.ages import without_ages
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.numbers import numbers
from mew_agents.language.spelling import spelled

_ONE: Final = frozenset(("un", "una", "uno", "um", "uma", "a", "one"))
_BABIES: Final = frozenset(("bebe", "bebes", "baby", "babies", "infant", "infants"))
_JOINED: Final = re.compile(r"(?:-ups)? *(?:,|y|e|and|mas|mais|plus|con|com|with|\+|&)* *")
_JOINED_MINE: Final = re.compile(
    _JOINED.pattern + r"(?:para |pra |for )?(?:l?[oa]s? )?(?:mis?|meus|minhas?|meu|my|our|nuestr[oa]s|noss[oa]s|the)? *"
)
_UNCOUNTED: Final = re.compile(
    r"(?!,? a las\b) *(?:,|y|e|and|con|com|with|\+|&) *(?:[oa]s? )?(?:mis|meus|minhas|my|l[oa]s|the)\b"
)
# "Two of us are vegan" tells of a part, "there are two of us" and "2 of us at 9" of all.
_OF_US: Final = r" *(?:of (?:us|them)|de (?:nosotr[oa]s|ell[oa]s|nos\b|eles|elas)|delas|deles)\b"
_DOING: Final = (
    r"(?:also|too|tambien|tambem|ja|ya|que)? ?(?:(?:is|are|was|were|has|have|had|cant|can|cannot|will|wont|would"
    r"|got|gets"
    r"|eats?|doesnt|dont|didnt|needs?|wants?|uses?|came|comes|who|with|que|es|son|esta|estan|era|eran|tiene|tienen|no|nao"
    r"|come|comen|va|van|usa|usan|necesita|necesitan|quiere|quieren|e|sao|estao|tem|come|comem|vai|vao|usam|precisa"
    r"|precisam|quer|querem|nunca|never|only|solo|so)\b)"
)
# "2 of the guests", "two of our friends": a part of those who are counted.
_OF_THEM: Final = re.compile(
    r" *(?:of (?:the|my|our|those|these)|de (?:l[oa]s|mis|nuestr[oa]s|es[oa]s|est[oa]s)"
    r"|d[oa]s(?: (?:meus|minhas|noss[oa]s))?|dess[ea]s|dest[ea]s) [a-z]"
)
_IN_LAW: Final = ("in", "law")
_PART: Final = re.compile(
    rf"{_OF_US} {_DOING}|{_OF_US}(?:[^.,;!?]*\b(?:allerg|coeliac|celiac|vegan|vegetar|alerg|gluten))"
)


_ALONE: Final = {
    language: re.compile(rf"\b(?:{ALONE[language]})(?! (?:y|e|and|con|com|with|plus)\b)") for language in LANGUAGES
}


class _Group(NamedTuple):
    """So many adults or children, `text[start:end]`."""

    start: int
    end: int
    many: int
    children: bool
    babies: bool = False


class _Person(NamedTuple):
    """One person or several, `text[start:end]`."""

    start: int
    end: int
    many: int
    speaker: bool = False


def group(slot: NumberSlot, text: str, language: Language) -> Reading | None:
    """The sum of adults and children that a text names side by side, for a slot that counts people."""
    if slot.type != "int" or not _counts_people(slot):
        return None
    text = without_ages(text)
    folded = spelled(text, language)
    alone = _ALONE[language].search(folded.text)
    if alone is not None:
        return Reading(1, (folded.origin(*alone.span()),))
    for one, other in pairwise(_groups(text, language)):
        if one.children is not other.children and _JOINED.fullmatch(fold(text[one.end : other.start]).text):
            return _together(one, other)
    return _with_kin(text, language)


def _together(one: _Group, other: _Group) -> Reading:
    """The sum of two groups; whether babies count is asked."""
    sum_, span = one.many + other.many, (one.start, other.end)
    if not (one.babies or other.babies):
        return Reading(sum_, (span,))
    return Reading(sum_, (span,), 0.6, (one.many if other.babies else other.many,), ("ambiguous",))


def _with_kin(text: str, language: Language) -> Reading | None:
    """The speaker and those who are named as theirs: "mi hermana, mis dos hijos y yo" are four."""
    company: list[_Person] = []
    for person in _people(text, language):
        if company and not _JOINED_MINE.fullmatch(fold(text[company[-1].end : person.start]).text):
            if _is_company(company):
                break
            company = []
        company.append(person)
    if not _is_company(company) or _UNCOUNTED.match(fold(text[company[-1].end :]).text):
        return None
    return Reading(sum(person.many for person in company), ((company[0].start, company[-1].end),))


def _people(text: str, language: Language) -> list[_Person]:
    """The speaker, single people of theirs, and counted ones, in the order of the text."""
    before, kin = ONE_OF_MINE[language]
    folded = spelled(text, language)
    found = [_Person(group.start, group.end, group.many) for group in _groups(text, language)]
    words = [token.text for token in folded.tokens]
    for at, word in enumerate(words):
        pair = word in PAIRS[language]
        named = pair or (word in kin and at > 0 and words[at - 1] in before)
        speaker = word in MYSELF[language] and not (at + 1 < len(words) and words[at + 1] in kin | PAIRS[language])
        last = at + 2 if named and tuple(words[at + 1 : at + 3]) == _IN_LAW else at
        start, end = folded.span(at - (named and not pair), at)[0], folded.span(last, last)[1]
        if (named or speaker) and all(end <= other.start or other.end <= start for other in found):
            found.append(_Person(start, end, 1 + pair, speaker))
    return sorted(found)


def _is_company(people: list[_Person]) -> bool:
    """The speaker once, and somebody else."""
    return len(people) > 1 and sum(person.speaker for person in people) == 1


def is_part(slot: NumberSlot, text: str, end: int) -> bool:
    """Whether "of us" or, of people, "of the guests" follows a number: it does not say how many there are."""
    behind = fold(text[end:]).text
    return _PART.match(behind) is not None or (_counts_people(slot) and _OF_THEM.match(behind) is not None)


def _groups(text: str, language: Language) -> Iterator[_Group]:
    """The adults and children of a text with the number right before each."""
    folded = spelled(text, language)
    spans = [folded.span(at, at) for at in range(len(folded.tokens))]
    counts = {end: (start, 1) for (start, end), token in zip(spans, folded.tokens, strict=True) if token.text in _ONE}
    for found in numbers(text, language):
        if found.value == found.value.to_integral_value():
            counts[found.end] = (found.start, int(found.value))
    for at in range(1, len(spans)):
        word, before = folded.tokens[at].text, spans[at - 1][1]
        if before in counts and word in ADULTS[language] | CHILDREN[language] | _BABIES:
            start, many = counts[before]
            yield _Group(start, spans[at][1], many, word not in ADULTS[language], word in _BABIES)


def _counts_people(slot: NumberSlot) -> bool:
    labels = {token.text for label in slot.label.values() for token in fold(label).tokens}
    return any(labels & COUNTED[spoken]["people"] for spoken in LANGUAGES)
