"""Words and codes: what a pattern fits, what stands behind a cue, and the whole answer to a question for it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any

import re2

from mew_agents.fluxi.definitions.slots import StringSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.addresses import addresses, is_address, lead_before
from mew_agents.fluxi.values.answer import core
from mew_agents.fluxi.values.cues import Cue, cues
from mew_agents.fluxi.values.kind import Kind
from mew_agents.fluxi.values.pattern_example import example_of
from mew_agents.fluxi.values.people_words import KIN
from mew_agents.fluxi.values.places import token_at
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.told_words import BECAUSE
from mew_agents.fluxi.values.words import CONJUNCTIONS, LEADS, OF, POSSESSIVES, QUESTION_WORDS, STOPS, TAILS
from mew_agents.language.answers import answer, asks_status, opens_with_no, wants_to_cancel
from mew_agents.language.folding import Folded, Token
from mew_agents.language.found import LANGUAGES, Doubt, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.requests import giving_up
from mew_agents.language.retractions import corrective
from mew_agents.language.spelling import spelled

_ENDS = frozenset(',;!?¡¿\n"()[]{}|…')
_ARTICLES = frozenset(("o", "a"))
_QUOTES = frozenset('"“”«»')
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_COPULAS = frozenset((":", "=", "is", "are", "es", "son", "e", "sao"))
_SENTENCE_ENDS = frozenset(".!?")
_LONGEST_NAME = 8  # words
# What leads to a count, and follows it: "there are 2 of us".
_LEADS = {
    language: PhraseTable(
        (phrase, None) for phrase in (*(one for leads in LEADS[language].values() for one in leads), "of us", "de nós")
    )
    for language in LANGUAGES
}
_SENTENCES = re.compile(r"[^.!?\n]+")
_SENTENCE = re.compile(r"[.;!]\s")
_BECAUSE = {language: re.compile(rf"(?:^|(?<=[\s,.;!]))(?:{BECAUSE[language]})\s*") for language in LANGUAGES}
# What begins another clause after a name.
_CLAUSES: dict[Language, frozenset[str]] = {
    "es": frozenset(("pero", "porque", "aunque", "cuando")),
    "pt": frozenset(("mas", "porque", "embora", "quando")),
    "en": frozenset(("but", "because", "although", "when")),
}
_COURTESY = 3  # words before an address that say nothing of it: "Ah, perdone."
_LONGEST_ABBREVIATION = 3
# Letters, figures and letters with a blank or a sign between two of them.
_PARTED = re.compile(r"(?<!\w)[A-Z]{1,6}(?=[ ./-]?\d+[ ./-]|[ ./-])[ ./-]?\d{1,10}[ ./-]?[A-Z]{1,6}(?!\w)")
_CODE = 8
_LONGEST_CODE = 200  # characters; and only the first so many finds of a pattern
_FINDS = 8


class Strings(Kind[StringSlot]):
    """`string` and `text`."""

    specific = 1

    def specificity(self, slot: StringSlot) -> int:
        """A code says more than words."""
        return _CODE if slot.pattern is not None else self.specific

    def is_free(self, slot: StringSlot) -> bool:
        """Words, without a pattern."""
        return slot.pattern is None

    def reserved(self, slot: StringSlot, text: str, understanding: Understanding) -> Iterable[Span]:
        """A name behind a cue ("a nombre de Ana Pérez"), the sentence behind a colon, and an address."""
        if is_address(slot, understanding.language):
            yield from addresses(text, understanding.language, understanding.now)
        folded = spelled(text, understanding.language)
        for cue, last in _behind(slot, folded, understanding.language, ()):
            if slot.type == "string":
                yield folded.span(cue.first, last)
            elif _says_so(folded, cue):
                yield folded.span(cue.first, min(last, _sentence_end(folded, cue.after)))

    def readings(
        self,
        slot: StringSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),
    ) -> Iterable[Reading]:
        """Codes of its pattern and addresses anywhere, else words behind a cue, else, when it was asked for, the
        whole answer.
        """
        language = understanding.language
        found = list(_codes(slot, text)) if slot.pattern is not None else []
        if is_address(slot, language):
            found = list(_addresses(text, understanding, taken, asked=attention is Attention.ASKED))
        if not found:
            folded = spelled(text, language)
            for cue, last in _behind(slot, folded, language, taken):
                span = folded.span(cue.after, last)
                found += _read(slot, text, _unquoted(slot, text, span), (folded.span(cue.first, last)[0], span[1]))
        if not found and attention is Attention.ASKED:
            found = list(_whole(slot, text, language, taken))
        return found

    def refusal(self, slot: StringSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """Its length, its pattern, and that it is text that a database holds."""
        if not isinstance(value, str) or not value.strip() or not _storable(value):
            return Refusal("form")
        if len(value) < slot.min_length:
            return Refusal("too_short", {"limit": slot.min_length})
        if len(value) > slot.max_length:
            return Refusal("too_long", {"limit": slot.max_length})
        if slot.pattern is not None and not _compiled(slot.pattern).fullmatch(value):
            example = example_of(slot.pattern)
            return Refusal("pattern", {} if example is None else {"example": example})
        return None


def _storable(value: str) -> bool:
    """No half signs, and no controls but line breaks and tabs."""
    return all(sign in "\n\t" for sign in _CONTROLS.findall(value))


def _codes(slot: StringSlot, text: str) -> Iterator[Reading]:
    """What the pattern fits, in either case, if it has a digit in it: a pattern for words would fit every sentence."""
    pattern = slot.pattern or ""
    searched = _CONTROLS.sub("\ufffd", text)
    for match in islice(_compiled(pattern, caseless=True).finditer(searched), _FINDS):
        start, end = match.span()
        if 0 < end - start <= _LONGEST_CODE and _stands_alone(text, start, end):
            value = cased(pattern, text[start:end])
            if value is not None and any(sign.isdigit() for sign in value):
                yield Reading(value, ((start, end),))
    yield from _parted(pattern, searched)


def _parted(pattern: str, text: str) -> Iterator[Reading]:
    """Codes in capitals with blanks or signs between their letters and their figures: "AB 123 CD"."""
    for match in islice(_PARTED.finditer(text), _FINDS):
        letters = "".join(sign for sign in match[0] if sign.isalnum())
        if _stands_alone(text, *match.span()) and _compiled(pattern).fullmatch(letters):
            yield Reading(letters, (match.span(),))


def _stands_alone(text: str, start: int, end: int) -> bool:
    """It is not a part of a longer word or code: neither "A-10012" nor "A-1001-7"."""
    before, after = text[:start][-2:], text[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum() or "_" in (before[-1:], after[:1]):
        return False
    return not (before[-1:] in "-/." and before[:-1].isalnum()) and not (after[:1] in "-/." and after[1:].isalnum())


def cased(pattern: str, written: str) -> str | None:
    """As it is written, or in the case that the pattern wants."""
    compiled = _compiled(pattern)
    return next((form for form in (written, written.upper(), written.lower()) if compiled.fullmatch(form)), None)


def _read(slot: StringSlot, text: str, span: Span, claim: Span) -> list[Reading]:
    """The words of a stretch as a value, if they may be one. `claim`: what is used up for it."""
    words = " ".join(_CONTROLS.sub(" ", text[span[0] : span[1]]).split())
    value = words if slot.pattern is None else cased(slot.pattern, words)
    if value is None or not any(sign.isalnum() for sign in value):
        return []
    return [Reading(value, (claim,))]


def _behind(slot: StringSlot, folded: Folded, language: Language, taken: Sequence[Span]) -> Iterator[tuple[Cue, int]]:
    """Each cue with a value behind it, and the index of the value's last token."""
    found = cues(Same(slot), folded.original, language)
    limits = [*(cue.first for cue in found[1:]), len(folded.tokens)]
    for cue, limit in zip(found, limits, strict=False):
        whole = slot.type == "text" and _says_so(folded, cue)
        end = _sentence_end(folded, cue.after) if whole else 0
        beyond = [span for span in taken if not whole or span[0] >= folded.span(0, min(end, limit - 1))[1]]
        if whole and beyond:
            limit = min(limit, end + 1)
        if slot.type == "string":
            cue = cue._replace(after=_past_kin(folded, cue.after, language))
        last = _last(slot, folded, cue.after, limit, language, beyond)
        if last is not None:
            yield cue, last


def _unquoted(slot: StringSlot, text: str, span: Span) -> Span:
    """Words without the quotation mark that they begin with, and all from the next one on."""
    if slot.type != "text" or text[span[0]] not in _QUOTES:
        return span
    ends = [at for at in range(span[0] + 1, span[1]) if text[at] in _QUOTES]
    return span[0] + 1, ends[0] if ends else span[1]


def _past_kin(folded: Folded, first: int, language: Language) -> int:
    """Where a name begins that says first whose it is: "my husband, Rui Prado"."""
    tokens, at = folded.tokens, first
    if language == "pt" and at + 2 < len(tokens) and tokens[at].text in _ARTICLES:  # "o Domingos Sábado"
        begins = [folded.original[folded.span(one, one)[0]] for one in range(at, at + 3)]
        return at + 1 if begins[0].islower() and begins[1].isupper() and begins[2].isupper() else first
    if at >= len(tokens) or tokens[at].text not in POSSESSIVES[language]:
        return first
    while at < len(tokens) and tokens[at].text in POSSESSIVES[language] | KIN[language] | {","}:
        at += 1
    named = at < len(tokens) and folded.original[folded.span(at, at)[0]].isupper()
    return at if named else first


def _says_so(folded: Folded, cue: Cue) -> bool:
    """Whether a cue ends as one says what something is: then what follows is the value, whatever else it looks like."""
    return folded.tokens[cue.after - 1].text in _COPULAS


def _sentence_end(folded: Folded, first: int) -> int:
    """The last token of the sentence that a token begins."""
    for at in range(first, len(folded.tokens)):
        if folded.tokens[at].text in _SENTENCE_ENDS and at > first:
            return at
        if folded.tokens[at].opens_line and at > first:
            return at - 1
    return len(folded.tokens) - 1


def _last(
    slot: StringSlot, folded: Folded, first: int, limit: int, language: Language, taken: Sequence[Span]
) -> int | None:
    """The index of the last token of a value that starts at `first`. None: there is no value."""
    last: int | None = None
    interrupted = limit < len(folded.tokens)
    for at in range(first, limit):
        start = folded.span(at, at)[0]
        if any(begin <= start < end for begin, end in taken):
            interrupted = True
            break
        if _ends(slot, folded.tokens, first, at, language):
            break
        if folded.tokens[at].kind != "symbol":
            last = at
    if last is None:
        return None
    return _untailed(folded, first, last, language, tails=slot.type == "string" or interrupted)


def _ends(slot: StringSlot, tokens: Sequence[Token], first: int, at: int, language: Language) -> bool:
    """Whether a value ends before this token: a text at the line's end, a name at the end of its part of a sentence."""
    token = tokens[at]
    if slot.type == "text":
        return token.opens_line and at > first
    if token.text == ".":  # of an abbreviation ("M. Pérez"), or the end
        return at > first and len(tokens[at - 1].text) > _LONGEST_ABBREVIATION
    if token.text in _ENDS or at - first >= _LONGEST_NAME:
        return True
    return at > first and (token.text in STOPS[language] or _leads_on(tokens, at, language))


def _leads_on(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Whether "and the", "and my" begin something else there: "Prado e o telefone", but not "Silva e Souza"."""
    if tokens[at].text not in CONJUNCTIONS[language] or at + 1 >= len(tokens):
        return False
    return tokens[at + 1].text in (TAILS[language] | POSSESSIVES[language]) - OF[language]


def _untailed(folded: Folded, first: int, last: int, language: Language, *, tails: bool = True) -> int | None:
    """The last token without politeness, and without words that lead to something else ("fiebre, con la …")."""
    leading = TAILS[language] if tails else frozenset()
    start, end = folded.span(first, last)
    kept = core(folded.original[start:end], language)
    if kept is None:
        return None
    while last > first and folded.span(last, last)[0] >= start + kept[1]:
        last -= 1
    while last > first and (folded.tokens[last].kind == "symbol" or folded.tokens[last].text in leading):
        last -= 1
    return None if folded.tokens[last].text in leading else last


def _whole(slot: StringSlot, text: str, language: Language, taken: Sequence[Span]) -> Iterator[Reading]:
    """The message as the answer to a question for this slot; a question is none, nor is yes, no, cancel, status.

    A name ends where something else begins that was understood. A text goes on, unless nothing else is said.
    """
    kept = core(text, language, introduced=slot.type == "string")
    if kept is None or _is_question(slot, text, language) or _answers_something_else(slot, text, language):
        return
    if slot.type == "text":
        kept = (kept[0], _with_signs(text, kept[1]))
    inside = [span for span in taken if span[0] < kept[1] and kept[0] < span[1]]
    folded = spelled(text, language)
    if inside and _says_nothing_else(text, kept, inside, language):
        return
    if slot.type == "string" and (inside or _goes_on(text, kept) or _has_more(folded, kept, language)):
        first = token_at(folded, kept[0])
        last = _last(slot, folded, first, len(folded.tokens), language, inside)
        if last is None:
            return
        kept = folded.span(first, last)
    elif inside and slot.type == "text":
        kept = _after_a_correction(text, kept, inside, language)
    for item in _read(slot, text, kept, kept):
        yield replace(item, confidence=0.8)


def _addresses(text: str, understanding: Understanding, taken: Sequence[Span], *, asked: bool) -> Iterator[Reading]:
    """The addresses of a text. The answer to a question for one goes on to the end of its sentence, unless something
    else is said there; words in other sentences may belong to it, and leave a doubt.
    """
    language = understanding.language
    found = addresses(text, language, understanding.now)
    for start, end in found:
        if not asked:
            yield Reading(text[start:end], ((start, end),))
            continue
        stop = min((at for at in (text.find(sign, end) for sign in ".!?\n") if at >= 0), default=len(text))
        if not any(end <= begin < stop for begin, _ in (*taken, *found)):
            kept = core(text[start:stop], language)
            end = end if kept is None else max(end, start + kept[1])
        before = text[: lead_before(text, start, language)]
        unled = len(before) == start or any(map(str.isdigit, before)) or opens_with_no(before, language)
        beside = len(before.split()) > _COURTESY and unled
        doubted = beside or not _is_understood(text, stop, taken, language)
        doubts: tuple[Doubt, ...] = ("partial",) if doubted else ()
        yield Reading(" ".join(text[start:end].split()), ((start, end),), 0.8, (), doubts)


def _is_understood(text: str, start: int, taken: Sequence[Span], language: Language) -> bool:
    """Whether a value stands in each sentence from there on that says anything."""
    for match in _SENTENCES.finditer(text, start):
        said = core(match[0], language) is not None
        if said and not any(match.start() <= begin < match.end() for begin, _ in taken):
            return False
    return True


def _goes_on(text: str, kept: Span) -> bool:
    """Whether more than a name is said: "Pablo Rey, and one of us is allergic", but not "Rey, Pablo"."""
    behind = re.search(r"[,;!?\n(]\s*([^\W\d_])", text[kept[0] : kept[1]])
    return behind is not None and behind[1].islower() and text[kept[0]].isupper()


def _has_more(folded: Folded, kept: Span, language: Language) -> bool:
    """Whether "but" or "because" follows the name: "Marta Reis, mas vou chegar tarde"."""
    first = token_at(folded, kept[0])
    return any(
        at > first and token.text in _CLAUSES[language] and folded.span(at, at)[0] < kept[1]
        for at, token in enumerate(folded.tokens)
    )


def _with_signs(text: str, end: int) -> int:
    """Where an answer ends with the pictures behind it, which say something."""
    while end < len(text) and (text[end] == " " or unicodedata.category(text[end]) in ("So", "Sk", "Cf", "Mn")):
        end += 1
    return len(text[:end].rstrip())


def _after_a_correction(text: str, kept: Span, inside: Sequence[Span], language: Language) -> Span:
    """An answer without a correction of something else that it begins with: "better at 4, because it hurts"."""
    folded = spelled(text, language)
    corrects = any(corrective(folded.tokens, at, language) for at in range(len(folded.tokens)))
    because = [one.span() for one in _BECAUSE[language].finditer(folded.text)]
    for first, after in sorted([*because, *(one.span() for one in _SENTENCE.finditer(folded.text))]):
        if not corrects or not first or after >= len(folded.text):
            continue
        end, start = folded.origin(0, first)[1], folded.origin(after, after + 1)[0]
        told = [span for span in inside if span[1] <= end]
        if told and start < kept[1] and _says_nothing_else(text, (kept[0], end), told, language):
            return start, kept[1]
    return kept


def _says_nothing_else(text: str, kept: Span, inside: Sequence[Span], language: Language) -> bool:
    """Whether all other words of an answer only lead from one understood stretch to the next, or correct them."""
    folded = spelled(text, language)
    corrected = -1
    for at, token in enumerate(folded.tokens):
        led = _LEADS[language].starting(folded.tokens, at)
        words = max(corrective(folded.tokens, at, language), 0 if led is None else led[0])
        corrected = max(corrected, at + words - 1)
        start, end = folded.span(at, at)
        outside = kept[0] <= start < kept[1] and not any(begin < end and start < stop for begin, stop in inside)
        if outside and at > corrected and token.kind != "symbol" and token.text not in TAILS[language]:
            return False
    return True


def _is_question(slot: StringSlot, text: str, language: Language) -> bool:
    """Whether an answer is a question: of a text one that is all of it ("Cuando entro, da error" is none)."""
    tokens = spelled(text, language).tokens
    if slot.type == "text":
        said = [token.text for token in tokens if token.kind != "symbol" or token.text in ".!?"]
        ends = [at for at, sign in enumerate(said) if sign in (".", "!", "?")]
        return said[-1:] == ["?"] and len(ends) == 1
    if any(token.text in "?¿" for token in tokens):
        return True
    first = next((token.text for token in tokens if token.kind == "word"), "")
    return first in QUESTION_WORDS[language]


def _answers_something_else(slot: StringSlot, text: str, language: Language) -> bool:
    """A yes or a no before a name answers something else; a text may begin with it: "No puedo entrar"."""
    said = answer(text, language)
    if is_address(slot, language) and giving_up(text, language) and not any(map(str.isdigit, text)):
        return True
    if said.kind == "no" and slot.type == "text" and slot.required:
        return False  # there is nothing to tell, in these words
    if said.kind != "none" or (said.leading is not None and slot.type != "text"):
        return True
    return wants_to_cancel(text, language) or asks_status(text, language)


@lru_cache(maxsize=256)
def _compiled(pattern: str, *, caseless: bool = False) -> Any:
    options = re2.Options()
    options.case_sensitive = not caseless
    options.log_errors = False
    return re2.compile(pattern, options)
