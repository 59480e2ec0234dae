"""Words that a message says beside its figures, for the slot that takes any: a remark, and what a thing is for.

The remark is a guess, which is asked back; what it is for stands in the question that is confirmed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.flows.commands import CorrectSlot, SetSlot
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Collect
from mew_agents.flows.understanding.amends import called
from mew_agents.flows.understanding.asides import is_question
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.unplaced_words import PURPOSES, RECURRENCES
from mew_agents.flows.understanding.words import STEERING, Steering
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import MoneySlot, NumberSlot
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.values import Attention
from mew_agents.language.dates import dates
from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.hesitations import bare
from mew_agents.language.times import times
from mew_agents.language.value_words import VOCABULARIES

_FEWEST: Final = 2  # words that no value explains, of a message that is a remark
_MORE: Final = 4  # the same, where each figure is tied to its slot
_SHORT: Final = 2  # letters of words that say nothing
_EDGES: Final = " .,;:!?"

Made = Mapping[str, SetSlot | CorrectSlot | None]


def with_remark(text: str, definition: Definition, standing: Standing, language: Language, made: Made) -> Made:
    """What a message to a confirmation comes to, if it says figures and more words than belong to them: the whole is
    asked back as the remark, and of the figures only those count that a word ties to their slot.
    """
    notes = [slot for slot in definition.slots if slot.type == "text" and slot.path in standing.values]
    told = [one for one in made.values() if one is not None]
    figures = all(isinstance(definition.slot(one.path), NumberSlot | MoneySlot) for one in told)
    if standing.question != "execution" or len(notes) != 1 or not told or not figures or is_question(text, language):
        return made
    if called(definition, text, language):
        return made  # it names what is to be different
    known = Understanding(language=language, now=standing.now, within=definition.type_id, values=standing.values)
    tied = {
        one.path: one
        for one in told
        if any(
            reading.value == one.value
            for reading in values.readings(definition.slot(one.path), text, known, closely=Attention.MARKED)
        )
    }
    if _unexplained(text, told, language) < (_MORE if len(tied) == len(told) else _FEWEST):
        return made
    words = text.strip()
    start = text.index(words)
    note = notes[0].path
    held = (standing.values[note],)
    asked = CorrectSlot(
        path=note, value=words, start=start, end=start + len(words), evidence=words, alternatives=held, checked=False
    )
    return tied | {note: asked}


def _unexplained(text: str, told: Sequence[SetSlot | CorrectSlot], language: Language) -> int:
    """How many words of a text say something, and stand in no value."""
    folded = fold(text)
    count = 0
    for at, token in enumerate(folded.tokens):
        start, end = folded.span(at, at)
        inside = any(one.start < end and start < one.end for one in told)
        little = token.kind != "word" or len(token.text) <= _SHORT or token.text in STEERING_WORDS[language]
        count += not inside and not little
    return count


def purpose(flow: Flow, text: str, standing: Standing, found: Sequence[SetSlot | CorrectSlot]) -> Candidate | None:
    """What the end of a wish says that it is for, if the flow has one slot of words for such a thing, which it never
    asks for: "transferir 50 a Ana por el alquiler de marzo".
    """
    asked = {step.collect for step in flow.program.steps.values() if isinstance(step, Collect)}
    language = standing.language
    slots = [
        slot
        for slot in flow.definition.slots
        if slot.type == "string" and values.is_free(slot) and slot.cues and slot.path not in asked
    ]
    last = max((one.end for one in found), default=0)
    if len(slots) != 1 or not found or any(one.path == slots[0].path for one in found):
        return None
    for lead in PURPOSES[language].finditer(text, min(one.start for one in found)):
        if any(one.start < lead.end() + 1 and lead.start() < one.end for one in found) or _is_led(lead, found):
            continue
        end = _end(text, lead.end(), standing)
        end = min((one.start for one in found if one.start >= lead.end()), default=end)
        if end < last and text[lead.end() : end].rstrip()[-1:] not in ",;.":
            continue  # what stands between two values says how they go together
        words = text[lead.end() : _unclosed(text, lead.end(), end, language)].strip(_EDGES)
        if len(words) > _SHORT and not _is_somebody(text, lead.end(), words) and not _names_one(flow, words, standing):
            start = text.index(words, lead.end())
            return Candidate(path=slots[0].path, value=words, start=start, end=start + len(words), evidence=words)
    return None


def _is_led(lead: re.Match[str], found: Sequence[SetSlot | CorrectSlot]) -> bool:
    """Whether a value stands right behind what leads to a purpose: "por 50 dólares", "for Ana"."""
    return any(0 <= one.start - lead.end() <= 1 for one in found)


def _names_one(flow: Flow, words: str, standing: Standing) -> bool:
    """Whether words name somebody of a list that the flow has: "pro Bruno, é pra Lucía"."""
    known = Understanding(language=standing.language, now=standing.now, lists=standing.lists)
    lists = (slot for slot in flow.definition.slots if slot.type == "ref")
    return any(values.readings(slot, words, known, closely=Attention.ASKED) for slot in lists)


def _is_somebody(text: str, start: int, words: str) -> bool:
    """Whether the words are one name in capitals: "for Kevin"."""
    return re.fullmatch(r"[A-ZÀ-Þ]\w+(?: [A-ZÀ-Þ]\w+)?", words) is not None and not text[:start].isupper()


def _unclosed(text: str, start: int, end: int, language: Language) -> int:
    """Where words end that politeness, or an aside behind a comma, follows: "for the gas please, ta"."""
    begin, stop = bare(text, start, end, language)
    comma = re.search(r",\s+(?!y |e |and )", text[begin:stop])
    return stop if comma is None else begin + comma.start()


# Before a day that belongs to the words before it: "la cena del viernes", "dinner on Friday".
_OF: Final = re.compile(r"(?i)\S\s+(?:del?|do|da|de|of|on|for|from|'s)\s+(?:the\s+)?$|\S\s*$(?<!,)(?<!, )")


def _end(text: str, start: int, standing: Standing) -> int:
    """Where the words end: at the end of the sentence, or at a day, an hour or a recurrence."""
    language = standing.language
    stop = re.compile(r"[.;!?\n]").search(text, start)
    ends = [len(text) if stop is None else stop.start()]
    days = (one for one in dates(text, language, now=standing.now) if one.end > start)
    ends += [one.start for one in days if not _OF.search(text[start : one.start])]
    ends += [one.start for one in times(text, language) if one.end > start]
    folded = fold(text)
    said = (folded.origin(*one.span()) for one in RECURRENCES[language].finditer(folded.text))
    ends += [begin for begin, end in said if end > start]
    return max(start, min(ends))


def _steering(words: Steering, language: Language) -> frozenset[str]:
    """The words that steer a dialogue, and say nothing of their own."""
    answers = VOCABULARIES[language].answers
    said = (
        *words.corrects, *words.takes_back, *words.corrects_behind, *words.changes, *words.joins, *words.instead_of,
        *words.said_before, *words.wrong, *words.little, *words.says, *words.puts, *words.openers, *words.soft,
        *words.mistaken, *answers.polite, *answers.yes,
    )  # fmt: skip
    return frozenset(token.text for phrase in said for token in fold(phrase).tokens)


STEERING_WORDS: Final = {language: _steering(STEERING[language], language) for language in LANGUAGES}
