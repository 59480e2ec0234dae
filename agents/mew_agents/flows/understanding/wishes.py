"""What a message wishes for when no trigger says it word for word, and the wishes that it has besides the first.

Only while nothing is at hand: a flow that is begun asks and confirms, and can be left again. Where two flows fit about
as well, both are named, and the person is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final, NamedTuple

from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Action, Collect
from mew_agents.flows.understanding.amends import amended
from mew_agents.flows.understanding.asides import alike
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.filling import understanding
from mew_agents.flows.understanding.heard import heard
from mew_agents.flows.understanding.noted import note_asked_for, without_note
from mew_agents.flows.understanding.triggers import Wanted, wanted
from mew_agents.flows.understanding.units import tied, with_noun
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention, Span
from mew_agents.fluxi.values.remembered import Same
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.sightings import Phrasing
from mew_agents.language.value_words import VOCABULARIES

_ENOUGH: Final = 0.6  # of a trigger's words, by weight
_NEARLY: Final = 0.5  # where two flows fit about as well, and the person can choose
_AS_WRITTEN: Final = 0.9  # likeness of a word that is no other one mistyped
_FORM: Final = 0.95  # likeness of another form of the same word
_MISTYPED: Final = 0.5
_JOINED: Final = 7  # letters of two words without their blank
_SURER: Final = 0.15  # how much better one flow must fit than another
_SOFT: Final = 0.25  # weight of a word that says little: "have", "my"
_VALUE: Final = 0.3  # what a value for a slot adds
_COMPLETE: Final = 0.5  # what it adds if all that a flow asks is said: "Bruno should get 300 dollars from my account"
_SPECIFIC: Final = ("enum", "ref", "email", "phone", "money")
_BREAK: Final = ";"  # ends a name
_LONGEST: Final = 600  # characters of a message in which two wishes are looked for in one sentence
_MOST_JOINTS: Final = 12  # places in it where one wish may end and another begin


class Later(NamedTuple):
    """A wish that is not begun now: of this flow, in `text[start:end]`."""

    flow: str
    start: int
    end: int


def likely(text: str, standing: Standing) -> Wanted | None:
    """The flows that most of the words fit. None: none, or one that acts before it asks anything."""
    folded = fold(text)
    meant = [flow for flow in standing.flows if all(_seen(flow, folded, spoken) is not None for spoken in LANGUAGES)]
    for language in dict.fromkeys((standing.language, *LANGUAGES)):
        scored = {flow.name: _score(flow, text, standing, language) for flow in meant}
        best = max(scored.values(), default=0.0)
        fitting = sorted((name for name in scored if scored[name] > best - _SURER), key=lambda name: -scored[name])
        if best < (_ENOUGH if len(fitting) == 1 else _NEARLY):
            continue
        if len(fitting) == 1 and acts_first(_named(fitting[0], standing)) and best < 1:
            continue
        return Wanted(tuple(fitting), (), language, ())
    return None


def wishes(text: str, standing: Standing) -> tuple[str | None, tuple[Later, ...]]:
    """The flow that a message asks for first, if any, and the wishes that it has besides."""
    first: str | None = None
    note: Candidate | None = None
    found: list[Later] = []
    for start, end in _wishing(text, standing):
        part = text[start:end]
        names = _meant(part, standing)
        if not names or (first is not None and (len(names) > 1 or amended(part, standing.language).marked)):
            continue
        if first is None:
            first = names[0]
            note = note_asked_for(_named(first, standing), text, standing)
        elif note is not None and note.start < end and start < note.end:
            continue  # "…and write "rent" as the reference"
        elif (names[0] != first and _is_worded(names[0], part, standing)) or _says_anew(
            _named(first, standing), text, start, part, standing
        ):
            found.append(Later(names[0], start, end))
    if found:
        return first, tuple(found)
    names = _meant(text, standing)
    if len(names) != 1:
        return first, ()
    at = _doubled(_named(names[0], standing), text, standing)
    return names[0], () if at is None else (Later(names[0], at, len(text.rstrip())),)


def _again(standing: Standing, meant: Wanted) -> tuple[str, ...]:
    """The flow at hand, where the words are for it."""
    return (standing.at_hand.name,) if meant.again and standing.at_hand is not None else ()


def _named(name: str, standing: Standing) -> Flow:
    at_hand = standing.at_hand
    if at_hand is not None and at_hand.name == name:
        return at_hand
    return next(flow for flow in standing.flows if flow.name == name)


def acts_first(flow: Flow) -> bool:
    """Whether a flow calls a tool before it asks anything."""
    return flow.program.first is not None and isinstance(flow.program.steps[flow.program.first], Action)


def _score(flow: Flow, text: str, standing: Standing, language: Language) -> float:
    """How much of a trigger the text has in any order, and how many slots it has values for."""
    folded = fold(text)
    seen = _seen(flow, folded, language) or {}
    definition = heard(flow)
    fresh = replace(standing, values={})  # what is held is of the flow at hand, not of this one
    known = understanding(fresh, language, within=None, asked=None)
    valued = [] if definition is None else [slot for slot in definition.slots if _is_said(slot, text, known)]
    money = _MONEY[language] if any(slot.type == "money" for slot in valued) else frozenset[str]()
    words = max((_share(trigger, seen, money) for trigger in _triggers(Same(flow.definition), language)), default=0.0)
    asked = {step.collect for step in flow.program.steps.values() if isinstance(step, Collect)}
    complete = len(asked) > 1 and asked <= {slot.path for slot in valued}
    return words + _VALUE * len(valued) + (_COMPLETE if complete else 0)


def _is_said(slot: Slot, text: str, known: Understanding) -> bool:
    specific = slot.type in _SPECIFIC or not (values.is_free(slot) or slot.type != "string")
    if not specific:
        return False
    found = values.readings(slot, text, known, closely=Attention.ASKED)
    return any("approximate" not in reading.doubts and reading.confidence >= _AS_WRITTEN for reading in found)


def _share(trigger: tuple[tuple[str, float], ...], seen: Mapping[str, float], money: frozenset[str]) -> float:
    """How much of a trigger was seen; an amount stands for "money" beside another word of it: "send 50"."""
    if not any(weight == 1 and word in seen for word, weight in trigger):
        return 0.0
    found = sum(weight * (1 if word in money else seen.get(word, 0)) for word, weight in trigger)
    return found / sum(weight for _, weight in trigger)


def _seen(flow: Flow, folded: Folded, language: Language) -> Mapping[str, float] | None:
    """The words of a flow's triggers that a text has a form of, and how much each counts: one that may be another word
    mistyped counts half. None: the text denies or undoes one that says much.
    """
    triggers = _triggers(Same(flow.definition), language)
    clauses = CLAUSES[language]
    words = {word: weight for trigger in triggers for word, weight in trigger}
    undoing = any(map(clauses.undoes, words))
    found = dict[str, float]()
    for one in _phrasing(Same(flow.definition), language).seen(folded):
        undone = not undoing and clauses.undone(folded.tokens, one.first, one.last)
        if words[one.id] == 1 and (undone or _denied(folded, one.first)):
            return None
        if one.likeness >= _AS_WRITTEN:
            found[one.id] = max(found.get(one.id, 0), 1 if one.likeness >= _FORM else _MISTYPED)
    for at, token in enumerate(folded.tokens):
        forms = [word for word in words if alike(word, token.text)]
        if forms and _denied(folded, at):
            return None
        found |= dict.fromkeys((*forms, *_joined(Same(flow.definition), language).get(token.text, ())), 1.0)
    return found


def _denied(folded: Folded, at: int) -> bool:
    """Whether words of any language deny what begins at a token: people mix languages."""
    return any(clauses.denied(folded.tokens, at) for clauses in CLAUSES.values())


@lru_cache(maxsize=256)
def _triggers(definition: Same[Definition], language: Language) -> tuple[tuple[tuple[str, float], ...], ...]:
    """The triggers and the title, each as its words with their weights."""
    phrases = (*definition.it.intents.get(language, ()), definition.it.title.get(language, ""))
    told = (tuple((word, _weight(word, language)) for word in _words(phrase)) for phrase in phrases)
    return tuple(one for one in told if any(weight == 1 for _, weight in one))


@lru_cache(maxsize=256)
def _joined(definition: Same[Definition], language: Language) -> Mapping[str, tuple[str, str]]:
    """Words of triggers that follow each other, by what they are without the blank: "unacuenta"."""
    phrases = (*definition.it.intents.get(language, ()), definition.it.title.get(language, ""))
    pairs = {pair for phrase in phrases for pair in pairwise(_words(phrase))}
    return {"".join(pair): pair for pair in sorted(pairs) if len("".join(pair)) >= _JOINED}


@lru_cache(maxsize=256)
def _phrasing(definition: Same[Definition], language: Language) -> Phrasing:
    words = {word for trigger in _triggers(definition, language) for word, _ in trigger}
    return Phrasing({word: (word,) for word in sorted(words)}, language)


def _words(phrase: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(token.text for token in fold(phrase).tokens if token.kind == "word"))


def _weight(word: str, language: Language) -> float:
    return _SOFT if word in _LITTLE[language] else 1.0


# Several wishes


def _sentences(text: str) -> Iterator[Span]:
    """The parts of a message that could be wishes of their own."""
    begin = 0
    for match in _PARTING.finditer(text):
        if text[begin : match.start()].strip():
            yield begin, match.start()
        begin = match.end() if match["mark"] else match.start()
    if text[begin:].strip():
        yield begin, len(text.rstrip())


def _wishing(text: str, standing: Standing) -> Iterator[Span]:
    """The same, and of a sentence that asks for one flow and for another both parts: "ver mi saldo y transferir 50"."""
    for start, end in _sentences(text):
        begin = start
        for match in _joints(text, start, end) if _names_two(text[start:end], standing) else ():
            before, after = text[begin : match.start()], text[match.end() : end]
            first, second = _meant(before, standing), _meant(after, standing)
            differ = len(first) == len(second) == 1 and first != second and _is_worded(second[0], after, standing)
            if differ and not amended(after, standing.language).marked:
                yield begin, match.start()
                begin = match.end()
        yield begin, end


def _joints(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The first places in a stretch where a second wish may begin. Both sides of each are understood, which takes long:
    a long message has none.
    """
    if len(text) <= _LONGEST:
        yield from islice(_AND.finditer(text, start, end), _MOST_JOINTS)


def _names_two(part: str, standing: Standing) -> bool:
    """Whether words of two flows stand in a part of a message."""
    return len([flow for flow in standing.flows if _is_worded(flow.name, part, standing)]) > 1


def _is_worded(name: str, part: str, standing: Standing) -> bool:
    """Whether words of a flow stand in a part of a message, and not only values that it could take."""
    folded, flow = fold(part), _named(name, standing)
    if any(_says_much(flow, _seen(flow, folded, spoken) or {}, spoken) for spoken in LANGUAGES):
        return True
    asked_for = wanted(part, standing)
    return asked_for is not None and name in asked_for.flows


def _says_much(flow: Flow, seen: Mapping[str, float], language: Language) -> bool:
    """Whether one of these words of a flow's triggers says more than "my" or "have"."""
    triggers = _triggers(Same(flow.definition), language)
    return any(weight == 1 and word in seen for trigger in triggers for word, weight in trigger)


def _meant(part: str, standing: Standing) -> tuple[str, ...]:
    """The flows that a part of a message asks for."""
    meant = wanted(part, standing) or likely(part, standing)
    return () if meant is None else meant.flows or _again(standing, meant)


def _says_anew(flow: Flow, text: str, start: int, part: str, standing: Standing) -> bool:
    """Whether a part says other values than what stands before it in the text: of two slots, or of one where the text
    says that it is about two things.
    """
    definition, language = heard(flow), standing.language
    if definition is None:
        return False
    known = understanding(standing, language, within=None, asked=None)
    counted = [[_counted(slot, said, language) for slot in definition.slots] for said in (text[:start], part)]
    doubled = sum(bool(earlier and now and earlier != now) for earlier, now in zip(*counted, strict=True))
    # What is counted is no amount, and "2 bolsas" are no two orders.
    before, part, whole = (_without_counted(said, definition, language) for said in (text[:start], part, text))
    for slot in definition.slots:
        if slot.type in _SPECIFIC or (slot.type == "string" and not values.is_free(slot)):
            earlier, now = (
                {repr(one.value) for one in values.readings(slot, said, known, closely=Attention.ASKED)}
                for said in (before, part)
            )
            doubled += bool(earlier and now - earlier)
    return doubled > (0 if _TWO.search(whole) else 1)


def _counted(slot: Slot, text: str, language: Language) -> set[str]:
    """The figures that count what the slot counts."""
    return {text[start:end] for start, end in tied(slot, text, language)}


def _without_counted(text: str, definition: Definition, language: Language) -> str:
    """A text without the figures that count what a slot counts, and their nouns, at the same length."""
    for slot in definition.slots:
        for figure in tied(slot, text, language):
            start, end = with_noun(text, *figure, language)
            text = f"{text[:start]}{_BREAK * (end - start)}{text[end:]}"
    return text


def _doubled(flow: Flow, text: str, standing: Standing) -> int | None:
    """Where the second of two wishes for one flow begins: two slots or more have a value on either side of it."""
    note = note_asked_for(flow, text, standing)
    text = text if note is None else without_note(text, note)
    for match in _joints(text, 0, len(text)):
        after = text[match.end() :]
        corrects = amended(after, standing.language).marked or amended(text, standing.language).again is not None
        if not corrects and _says_anew(flow, text, match.start(), after, standing):
            return match.end()
    return None


_PARTING: Final = re.compile(
    r"(?P<mark>[.;!?\n]+(?=\s|$))|(?<=[\s,])(?=(?:y )?(?:despu[eé]s|luego|adem[aá]s|tambi[eé]n|aparte|hecho eso"
    r"|depois|em seguida|tamb[eé]m|al[eé]m disso|and then|then|after that|afterwards|also|and also)\b)",
    re.IGNORECASE,
)
# Words that say that a message is about two things of a kind: "dos problemas", "outra reclamação".
_TWO: Final = re.compile(
    r"\b(?:a second one|another one|una segunda|otr[oa] m[aá]s|uma segunda|outr[oa] mais)\b"
    r"|\b(?:dos|dois|duas|two|2) (?:\w+ )?[^\W\d]{3,}s\b|\b(?:otr[oa]|outr[oa]|another|second) "
    r"(?:problem|reclam|quej|queix|chamado|complaint|issue|ticket|transfer|incidenc|pedido|bloque|block)",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"[,;.]? (?:y|e|and|&)(?: a| para)? |[;.] |, ", re.IGNORECASE)
_LITTLE: Final = {
    language: frozenset(
        token.text
        for phrase in (
            *STEERING[language].soft,
            *VOCABULARIES[language].phrases.fillers,
            *VOCABULARIES[language].names.common,
        )
        for token in fold(phrase).tokens
        if len(fold(phrase).tokens) == 1
    )
    for language in LANGUAGES
}
_MONEY: Final = {
    language: frozenset(token.text for phrase in STEERING[language].money for token in fold(phrase).tokens)
    for language in LANGUAGES
}
