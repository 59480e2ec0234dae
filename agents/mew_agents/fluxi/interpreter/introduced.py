"""Names and words that a message adds of its own accord: "for my daughter, Sofía Gómez", "because my knee hurts".

They belong to the one slot that takes names, and to the one that takes words. What is said back before anything is done
counts at once; a definition that does not say it back has it confirmed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot, StringSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.preferred import preferred
from mew_agents.fluxi.interpreter.quoting import told_apart
from mew_agents.fluxi.interpreter.segments import Segment, meets, segments
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.passing_on import passed_on
from mew_agents.fluxi.values.people_words import KIN
from mew_agents.fluxi.values.telling import reason_before, without_request
from mew_agents.fluxi.values.told_words import BECAUSE, CONCERNS, LINKING, TELL
from mew_agents.fluxi.values.words import COUNTED, FOR, POSSESSIVES, TAILS, WISHES
from mew_agents.language.answers import only_polite, opens_with_no
from mew_agents.language.asking import may_ask
from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import says_nothing
from mew_agents.language.naming import NAMINGS
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import giving_up, is_question
from mew_agents.language.sentences import sentence
from mew_agents.language.tenses import told_days

_CAPITALISED: Final = r"[^\W\d_a-zà-þ](?:\w{0,2}\.(?= )|[\w'’-]+)"
_NAME: Final = re.compile(rf"{_CAPITALISED}(?:(?: (?:d[aeo]s?|del|l[ao]s?|van|von|y|e))* {_CAPITALISED})*")
_BECAUSE: Final = {language: re.compile(rf"(?:^|(?<=[\s,.;!]))(?:{BECAUSE[language]})\s*") for language in LANGUAGES}
_WISHES: Final = {language: PhraseTable((one, None) for one in WISHES[language]) for language in LANGUAGES}
_CONCERNS: Final = {language: re.compile(rf"\b(?:{CONCERNS[language]})") for language in LANGUAGES}
_TELL: Final = {
    language: re.compile(rf"(?i)(?<!\w)(?:{TELL[language]})(?: que| to|,|:)* +(?P<words>[^\n.!?]*[^\s.!?])")
    for language in LANGUAGES
}
_REASONS: Final = frozenset(("motivo", "razon", "razao", "reason", "causa", "cause", "problema", "problem", "consulta"))
_CONFIDENCE: Final = 0.5
_LED: Final = 5  # tokens from "for" to the name
_ENDS: Final = frozenset(".;!?")
_CALLED: Final = frozenset((",", ":", "(", "que", "se", "llama", "chama", "called", "named"))
# What says of the words before it that they are a name: "Vera Lake's my name".
_IS_THE_NAME: Final = re.compile(
    r"(?i)(?:['’]s|,? (?:is|es|é))(?: my| the| mi| el| o| meu| o meu) (?:name|nombre|nome)\b"
)
_NEAR: Final = 16  # characters after a name that are looked at
_FEWEST: Final = 3  # words that are told before another value, but for one
_FEWEST_TOLD: Final = 4  # words of what happened
# With these somebody says that they have not what was asked for. Over folded text.
_LACKING: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(r"\b(?:no (?:se|la|lo|tengo|recuerdo|me acuerdo|encuentro)|ni idea|olvide|despues|luego)\b"),
    "pt": re.compile(r"\b(?:nao (?:sei|tenho|lembro|me lembro|encontro|acho)|sem ideia|esqueci|depois)\b"),
    "en": re.compile(r"\b(?:(?:do not|dont|cant|not) (?:know|have|remember|find|sure)|no idea|forgot|later)\b"),
}
_LONGEST_NAME: Final = 4  # words of a name that stands alone among commas
_LONG: Final = 5  # words that say something else before what is told


def introduced(
    definition: Definition,
    text: str,
    understanding: Understanding,
    used: Sequence[Span],
    filled: Collection[str],
    *,
    wish: Span | None = None,
) -> list[Candidate]:
    """The values that a text introduces outside of the stretches that are used, for slots that are not filled.

    `wish`: where it asks for the operation. Words that are told are not there; a name may stand within.
    """
    if understanding.asked and _takes_words(definition.slot(understanding.asked)):
        return []
    name = _name(definition, text, understanding, used, filled)
    if wish is not None:
        used = [*used, wish]
    if name is not None:
        used = [*used, (name.start, name.end)]
    words = _texts(definition, text, understanding, used, filled)
    if words is not None and _gives_up(text, words, understanding.language):
        words = None
    words = words or _told_story(definition, text, understanding, used, filled)
    return [one for one in (name, words) if one is not None]


def _gives_up(text: str, words: Candidate, language: Language) -> bool:
    """Whether words say that nothing is wanted any more, and are not told as something to be passed on."""
    spans = giving_up(text, language)
    handed = passed_on(text, language)
    told = handed is not None and handed[0] == words.start
    named = text[: words.start].rstrip().endswith(":")
    return not (told or named) and meets((words.start, words.end), spans)


def _takes_words(slot: Slot) -> bool:
    return isinstance(slot, StringSlot) and slot.type == "text"


def _asks_why(slot: Slot) -> bool:
    """Whether a slot is for a reason, by its label: what somebody says of a "because" belongs to one."""
    words = (token.text for label in slot.label.values() for token in fold(label).tokens)
    return any(word in _REASONS for word in words)


def _takes_names(slot: Slot) -> bool:
    return isinstance(slot, StringSlot) and slot.type == "string" and slot.pattern is None


def is_said_back(definition: Definition, path: str, language: Language) -> bool:
    """Whether people see a slot's value before they say yes to what is done."""
    summary = definition.confirmation.summary.get(language)
    if summary is None or not definition.confirmation.execute or not definition.effects:
        return False
    return path in template.parse(summary).names


def _candidate(
    definition: Definition,
    slot: Slot,
    text: str,
    span: Span,
    understanding: Understanding,
    *,
    sure: bool,
) -> Candidate | None:
    """The words of a stretch as a value. `sure`: it counts if it is said back."""
    evidence = text[span[0] : span[1]]
    if _takes_words(slot):
        evidence = without_request(evidence)
    value = " ".join(evidence.split())
    if not value or understanding.values.get(slot.path) == value:
        return None
    if values.refusal(slot, value, understanding) is not None:
        return None
    guessed = not (sure and is_said_back(definition, slot.path, understanding.language))
    return Candidate(
        path=slot.path,
        value=value,
        start=span[0],
        end=span[0] + len(evidence),
        evidence=evidence,
        confidence=_CONFIDENCE if guessed else 1.0,
        guessed=guessed,
    )


# Names


def _name(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Candidate | None:
    """Somebody's name behind words such as "for my daughter", or alone among commas where a name is wanted."""
    taking = [slot for slot in definition.slots if _takes_names(slot)]
    if len(taking) != 1 or taking[0].path in filled:
        return None
    slot, language = taking[0], understanding.language
    wanted = slot.required and slot.path not in understanding.values
    folded = fold(text)
    ends = [folded.origin(token.start, token.end)[1] for token in folded.tokens]
    for match in _NAME.finditer(text):
        start, end = match.start(), match.start() + len(match[0].rstrip("."))
        first, _, rest = match[0].partition(" ")
        if rest and fold(first).text in FOR[language]:  # "For Ivy Stone"
            start += len(first) + 1
        if any(start < stop and begin < end for begin, stop in used):
            continue
        whole, at = " " in text[start:end], bisect_right(ends, start)
        if (called := _IS_THE_NAME.search(text, start, end + _NEAR)) is not None and called.start() <= end:
            return _candidate(definition, slot, text, (start, called.start()), understanding, sure=True)
        if (whole and _is_led_to(folded.tokens, at, language)) or _is_of_kin(folded.tokens, at, language):
            return _candidate(definition, slot, text, (start, end), understanding, sure=True)
        if wanted and _stands_alone(text, start, end, language, whole=whole):
            return _candidate(definition, slot, text, (start, end), understanding, sure=True)
        opens = understanding.within is None and not slot.required and _behind_comma(text, start)
        if opens and whole and _stands_alone(text, start, end, language, whole=whole):
            return _candidate(definition, slot, text, (start, end), understanding, sure=False)
        if wanted and not whole and _is_for(folded.tokens, at, text[end:], language):
            return _candidate(definition, slot, text, (start, end), understanding, sure=False)
        if _corrects(slot, text, start, understanding) and _stands_alone(text, start, end, language, whole=whole):
            return _candidate(definition, slot, text, (start, end), understanding, sure=False)
    better = preferred(definition, text, understanding, used) if slot.path in understanding.values else None
    if better is not None:
        return _candidate(definition, slot, text, better, understanding, sure=False)
    kin = None if slot.required else _unnamed(text, used, language)
    return None if kin is None else _candidate(definition, slot, text, kin, understanding, sure=False)


def _behind_comma(text: str, start: int) -> bool:
    """Whether a comma stands right before: "Appointment, Olivia Hughes"."""
    return text[:start].rstrip().endswith(",")


def _is_for(tokens: Sequence[Token], at: int, behind: str, language: Language) -> bool:
    """Whether "for" stands right before a name of one word, and a comma behind it: "for Kim, 3 next month"."""
    if at == 0 or tokens[at - 1].text not in FOR[language] or tokens[at].text in NAMINGS[language].common:
        return False
    return behind.startswith(",")


def _corrects(slot: Slot, text: str, start: int, understanding: Understanding) -> bool:
    """Whether a name stands right behind a no, where another one is held: "no, Bruno, and he's 6"."""
    held = slot.path in understanding.values
    return held and opens_with_no(text, understanding.language) and len(fold(text[:start]).tokens) <= _LED


def _is_led_to(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Whether a word that introduces a person stands shortly before the token, in the same sentence."""
    for before in range(at - 1, max(at - _LED, 0) - 1, -1):
        if tokens[before].text in _ENDS or tokens[before + 1].opens_line:
            return False
        if tokens[before].text in KIN[language] | FOR[language]:
            return True
    return False


def _is_of_kin(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Whether "my daughter" stands right before the token, or with a comma or "called" between."""
    last = at - 1
    while last >= 0 and tokens[last].text in _CALLED:
        last -= 1
    return last > 0 and tokens[last].text in KIN[language] and tokens[last - 1].text in POSSESSIVES[language]


def _stands_alone(text: str, start: int, end: int, language: Language, *, whole: bool) -> bool:
    """Whether a name is all that stands between two signs; one that begins a sentence has two words.

    Nothing that a message begins with, where people greet.
    """
    before, after = text[:start].rstrip(" "), text[end:].lstrip(" ")
    if (after and after[0] not in ",.;!\n(") or (before and before[-1] not in ",.;!?\n)"):
        return False
    words = [token.text for token in fold(text[start:end]).tokens if token.kind == "word"]
    if not before or text.isupper() or len(words) > _LONGEST_NAME or only_polite(words[0], language):
        return False
    if any(word in NAMINGS[language].common | TAILS[language] for word in words):
        return False
    return whole or before[-1:] == ","


def _unnamed(text: str, used: Sequence[Span], language: Language) -> Span | None:
    """For whom it is, in words that are no name: "for my daughter"; a name in small letters goes with it."""
    folded = fold(text)
    tokens = folded.tokens
    for at in range(len(tokens) - 2):
        if tokens[at].text not in FOR[language] or tokens[at + 1].text not in POSSESSIVES[language]:
            continue
        if tokens[at + 2].text not in KIN[language]:
            continue
        last = at + 2
        while last + 1 < len(tokens) and tokens[last + 1].kind == "word" and last < at + 2 + _LONGEST_NAME - 1:
            if tokens[last + 1].text in TAILS[language] or meets(folded.span(last + 1, last + 1), used):
                break
            last += 1
        first = at + 3 if last > at + 2 else at + 1
        span = folded.span(first, last)
        return None if meets(span, used) else span
    return None


# Words


def _texts(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Candidate | None:
    """Words behind a colon or a "because", or of a pain, an allergy and the like, for the one optional text."""
    slots = [slot for slot in definition.slots if _takes_words(slot) and not slot.required]
    if len(slots) != 1 or slots[0].path in filled:
        return None
    folded, language = fold(text), understanding.language
    said = told_apart(definition, text, understanding)
    if said is not None and not meets(said, used):
        return _candidate(definition, slots[0], text, said, understanding, sure=True)
    before = reason_before(text, language) if _asks_why(slots[0]) else None
    if before is not None and not meets(before, used):
        return _candidate(definition, slots[0], text, before, understanding, sure=True)
    handed = passed_on(text, language)
    if handed is not None and (span := _before_others(text, handed, used, language)) is not None:
        return _candidate(definition, slots[0], text, span, understanding, sure=True)
    if slots[0].path in understanding.values:
        return None
    told = _TELL[language].search(text)
    if told is not None and not meets(told.span("words"), used) and not is_question(text, language):
        return _candidate(definition, slots[0], text, told.span("words"), understanding, sure=True)
    parts = segments(text, used)
    for at, part in enumerate(parts):
        first = _first(folded, part, used, language, reasons=_asks_why(slots[0]))
        if first is None or _is_asked(text, part.first, used, language):
            continue
        last = _last(folded, parts[at:], language)
        start, end = folded.span(first, last)
        kept = core(text[start:end], language)
        if kept is not None:
            span = (start + kept[0], start + kept[1])
            return _candidate(definition, slots[0], text, span, understanding, sure=True)
    return None


def _told_story(
    definition: Definition, text: str, understanding: Understanding, used: Sequence[Span], filled: Collection[str]
) -> Candidate | None:
    """What happened, and since when, for the one text that is wanted and not yet asked for: it is asked back.

    While a code is asked for, so are other words that are no code and no question: "hace un ruido raro el motor".
    """
    slots = [slot for slot in definition.slots if _takes_words(slot) and slot.required]
    if len(slots) != 1 or slots[0].path in filled or slots[0].path in understanding.values:
        return None
    language = understanding.language
    days = told_days(text, language, now=understanding.now)
    asked = next((slot for slot in definition.slots if slot.path == understanding.asked), None)
    code = asked is not None and values.is_code(asked) and asked.path not in filled and not used
    unsure = code and (opens_with_no(text, language) or is_question(text, language) or may_ask(text, language))
    unsure = unsure or says_nothing(text, language) or bool(_LACKING[language].search(fold(text).text))
    for part in segments(text, used):
        start, end = fold(text).span(part.first, part.last)
        told = any(start <= begin and stop <= end for begin, stop in days)
        kept = core(text[start:end], language)
        if kept is None or len(text[start:end].split()) < _FEWEST_TOLD or not (told or (code and not unsure)):
            continue
        if not told and any(map(str.isdigit, text[start:end])):
            continue
        end = fold(text).span(part.first, _last(fold(text), [part, *_behind(text, used, part)], language))[1]
        span = (start + kept[0], max(start + kept[1], end))
        return _candidate(definition, slots[0], text, span, understanding, sure=False)
    return None


def _behind(text: str, used: Sequence[Span], part: Segment) -> list[Segment]:
    """The segments behind one."""
    return [one for one in segments(text, used) if one.first > part.last]


def _before_others(text: str, span: Span, used: Sequence[Span], language: Language) -> Span | None:
    """The words up to what another slot has of them; None: there are none."""
    start, end = span
    cut = min((begin for begin, stop in used if begin < end and start < stop), default=end)
    kept = core(text[start:cut], language) if cut > start else None
    if kept is None:
        return None
    words = text[start + kept[0] : start + kept[1]]
    if cut < end:
        tokens = fold(words).tokens
        last = len(tokens) - 1
        while last >= 0 and (tokens[last].kind == "symbol" or tokens[last].text in TAILS[language]):
            last -= 1
        if last < _FEWEST:
            return None
        words = words[: fold(words).span(last, last)[1]]
    return start + kept[0], start + kept[0] + len(words)


def _first(folded: Folded, part: Segment, used: Sequence[Span], language: Language, *, reasons: bool) -> int | None:
    """Where the words begin that a segment gives of its own accord. None: it gives none."""
    tokens = folded.tokens
    begin, end = tokens[part.first].start, tokens[part.last].end
    because = _BECAUSE[language].search(folded.text, begin, end)
    if because is not None and because.end() < end:
        concerns = _CONCERNS[language].search(folded.text, because.end(), end) is not None
        if not (reasons or concerns) or _only_wishes(folded, because.end(), language):
            return None
        return next(at for at in range(part.first, part.last + 1) if tokens[at].start >= because.end())
    behind_colon = part.first > 1 and tokens[part.first - 1].text == ":" and tokens[part.first - 2].kind == "word"
    if behind_colon and part.last > part.first:
        rest = folded.span(part.first, part.first)[0], sentence(folded.original, part.first)[1]
        return None if meets(rest, used) else part.first
    told = _CONCERNS[language].search(folded.text, begin, end)
    return None if told is None else _unlinked(tokens, part, told.start(), language)


def _only_wishes(folded: Folded, after: int, language: Language) -> bool:
    """Whether a "because" only says that something is wanted: "because I need one"."""
    at = next((at for at, token in enumerate(folded.tokens) if token.start >= after), len(folded.tokens))
    return _WISHES[language].starting(folded.tokens, at) is not None


def _unlinked(tokens: Sequence[Token], part: Segment, told: int, language: Language) -> int:
    """The first token without "and it is for": of a long segment the last such word before what is told."""
    first, named = part.first, next(at for at in range(part.first, part.last + 1) if tokens[at].end > told)
    if named - first > _LONG:
        linked = [at for at in range(first, named) if tokens[at].text in LINKING[language]]
        first = linked[-1] if linked else first
    idle = LINKING[language].union(*COUNTED[language].values())  # "for 4 people and a baby"
    while first < named and tokens[first].text in idle:
        first += 1
    return first


def _last(folded: Folded, parts: Sequence[Segment], language: Language) -> int:
    """The last token of what the first segment begins: what follows after a comma belongs to it."""
    tokens, last = folded.tokens, parts[0].last
    for part in parts[1:]:
        start, end = folded.span(part.first, part.last)
        piece = folded.original[start:end]
        runs_on = part.last + 1 < len(tokens) and tokens[part.last + 1].kind != "symbol"
        if not part.joined or runs_on or only_polite(piece, language) or is_question(piece, language):
            break
        last = part.last
    cut = last + 1 < len(tokens) and tokens[last + 1].kind != "symbol"
    while cut and last > parts[0].first and tokens[last].text in TAILS[language]:
        last -= 1
    return last


def _is_asked(text: str, at: int, used: Sequence[Span], language: Language) -> bool:
    """Whether a sentence only asks something, and nothing of it is used."""
    start, end = sentence(text, at)
    tokens = fold(text).tokens
    if at and tokens[at - 1].text == ":":
        start = fold(text).span(at, at)[0]
    return is_question(text[start:end], language) and not meets((start, end), used)
