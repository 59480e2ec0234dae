"""What a message says beside the flow: drop it, what do you mean, get me a person, hello."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, Literal

from mew_agents.flows.understanding.whole import Span, Whole
from mew_agents.flows.understanding.words import STEERING
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import QUESTION_WORDS
from mew_agents.language.answers import answer, only_polite, wants_to_cancel
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.sightings import Phrasing
from mew_agents.language.value_words import VOCABULARIES
from mew_agents.language.value_words.vocabulary import phrases

# Where a clause may end, and another begin.
_CLAUSES = re.compile(r"[,.;:!?\n]+|\s(?=(?:porque|pq|ya|because|cause|cos|i'?m|j[aá]|pois)\s)", re.IGNORECASE)
_MOST_CLAUSES = 20  # of a message: each is looked at in three languages
_NEAR = 3  # tokens from "no quiero" to the flow that is not wanted
_NOTHING: Final[dict[Language, re.Pattern[str]]] = {
    "es": re.compile(r"\bno (?:me |le |lo |la |les )?(?P<verb>\w+(?:es|as|e|a|en|an|is)) nada\b"),
    "pt": re.compile(r"\bn(?:ao)? (?:me |lhe )?(?P<verb>\w+(?:es|as|e|a|em|am)) nada\b"),
    "en": re.compile(r"\b(?:dont|do not|please dont) (?P<verb>\w+) (?:anything|it|this)\b"),
}
# Verbs of which that says something else: "no cambies nada", "no falta nada", "I don't understand it".
_KEEPING: Final = {
    fold(word).text
    for word in phrases("""
        cambies | cambie | cambien | modifiques | modifique | toques | toque | corrijas | corrija | falta | sabe | dice
       | pasa | importa | entiende | queda | haya | mude | mudem | mudes | altere | alteres | mexas | mexa | falte
       | acontece | diz | sei | percebe | entende | change | touch | alter | edit | understand | get | know | see | have
       | like | need | remember | find | mind | believe | think | want""")
}
_ALIKE: Final = 6  # letters that forms of a word share: "reclamo", "reclamación"
_MOST_OF_IT: Final = 0.6  # of the longer one
_SHORT = 4  # letters: shorter words of a title do not name its flow


def dropped(text: str, language: Language, at_hand: Definition | None) -> Literal["top", "all"] | None:
    """Which flows a message wants to end. Words of any language count; the flow at hand may be named by its title."""
    folded = fold(text)
    if not any(_drops(folded, spoken, at_hand, own=spoken == language) for spoken in _spoken(language)):
        return None
    everything = any(_EVERYTHING[spoken].starting(folded.tokens, at) for spoken in LANGUAGES for at in _words(folded))
    return "all" if everything else "top"


def dropped_first(
    text: str, language: Language, at_hand: Definition | None
) -> tuple[Literal["top", "all"], int] | None:
    """The same of a message that goes on about something else behind it, and where it does: “dejalo, la veo hoy”."""
    for match in islice(_CLAUSES.finditer(text), _MOST_CLAUSES):
        scope = dropped(text[: match.start()], language, at_hand) if match.start() else None
        if scope is not None:
            return scope, match.start()
    return None


def unwanted(text: str, language: Language, at_hand: Definition) -> int | None:
    """Where a clause ends that says that the flow at hand is not wanted: “al final no quiero cuenta”. None: none does.

    Words may stand before it and behind it; the flow is named right behind what denies it.
    """
    begin = 0
    for end in islice((*(match.start() for match in _CLAUSES.finditer(text)), len(text)), _MOST_CLAUSES):
        folded = fold(text[begin:end])
        for spoken in _spoken(language):
            named = [seen.last for seen in _title(Same(at_hand), spoken).seen(folded)]
            words = _title_words(Same(at_hand), spoken)
            named += [at for at, said in enumerate(folded.tokens) if any(alike(word, said.text) for word in words)]
            denied = (seen for seen in _DENIES_WISH[spoken].seen(folded))
            if any(0 < last - seen.last <= _NEAR for seen in denied for last in named):
                return end
        begin = end
    return None


def forbids_all(text: str, language: Language) -> bool:
    """Whether a message says that nothing is to be done: “No abras nada”, “don't send anything”."""
    words = " ".join(token.text for token in fold(text).tokens)
    return any(
        found["verb"] not in _KEEPING for spoken in _spoken(language) for found in _NOTHING[spoken].finditer(words)
    )


def forbids(text: str, language: Language) -> bool:
    """Whether a message begins by forbidding what is there to be confirmed: “No abras nada. Los llamo yo”."""
    return answer(text, language).leading == "no"


def _drops(folded: Folded, language: Language, at_hand: Definition | None, *, own: bool) -> bool:
    if own and wants_to_cancel(folded.original, language):
        return True
    if _DROPS[language].is_said(folded):
        return True
    if at_hand is None or not _DROPS_IT[language].begins(folded):
        return False
    named = [folded.span(seen.first, seen.last) for seen in _title(Same(at_hand), language).seen(folded)]
    return bool(named) and _DROPS_IT[language].is_said(folded, beside=named)


def asks_meaning(text: str, language: Language) -> bool:
    """Whether the whole message asks what is meant: “¿qué significa?”, “why do you ask?”."""
    folded = fold(text)
    return any(_ASKS[spoken].is_said(folded) for spoken in _spoken(language))


def asks_to_wait(text: str, language: Language) -> bool:
    """Whether the whole message asks for time: “esperá”, “un momento”, “hold on”."""
    folded = fold(text)
    return any(_WAITS[spoken].is_said(folded) for spoken in _spoken(language))


def is_question(text: str, language: Language) -> bool:
    """Whether the last sentence of a message asks something, but for thanks."""
    folded = fold(text)
    tokens = folded.tokens
    asked = max((at for at, token in enumerate(tokens) if token.text == "?"), default=None)
    rest = None if asked is None else text[folded.span(asked, asked)[1] :]
    if rest is not None and (not any(sign.isalnum() for sign in rest) or only_polite(rest, language)):
        return True
    return any(_asks_first(folded, spoken) for spoken in _spoken(language))


def _asks_first(folded: Folded, language: Language) -> bool:
    """Whether the first word that says something asks: “wait who gets to see this”."""
    tokens, at = folded.tokens, 0
    while at < len(tokens):
        if tokens[at].text in QUESTION_WORDS[language] or _ASKS_ABOUT[language].starting(tokens, at) is not None:
            return True
        polite = _POLITE[language].starting(tokens, at)
        if tokens[at].kind != "symbol" and polite is None:
            return False
        at += 1 if polite is None else polite[0]
    return False


def asks_about(text: str, language: Language) -> bool:
    """Whether a message asks what something is, or what it is for: “¿para qué necesitan mi edad?”."""
    folded = fold(text)
    if any(token.kind == "digits" for token in folded.tokens):
        return False
    return any(_begins(folded, spoken) for spoken in _spoken(language))


def _begins(folded: Folded, language: Language) -> bool:
    """With the words for it, politeness skipped."""
    tokens, at = folded.tokens, 0
    while at < len(tokens):
        if _ASKS_ABOUT[language].starting(tokens, at) is not None:
            return True
        if tokens[at].kind == "symbol":
            at += 1
        elif (polite := _POLITE[language].starting(tokens, at)) is not None:
            at += polite[0]
        else:
            return False
    return False


def wants_a_person(text: str, language: Language, *, alone: bool) -> bool:
    """Whether a message asks for a person. `alone`: it must say nothing else."""
    folded = fold(text)
    for spoken in _spoken(language):
        seen = [one for one in _PERSON[spoken].seen(folded) if not CLAUSES[spoken].denied(folded.tokens, one.first)]
        spans = [folded.span(one.first, one.last) for one in seen] or _said(folded, spoken)
        if spans and (not alone or SOFT[spoken].covers(folded, spans)):
            return True
    return False


def _said(folded: Folded, language: Language) -> list[Span]:
    """The same, word for word: a phrase may have more little words in it than are passed over."""
    found = ((at, _PERSON_WORDS[language].starting(folded.tokens, at)) for at in _words(folded))
    known = [(at, at + known[0] - 1) for at, known in found if known is not None]
    return [folded.span(at, last) for at, last in known if not CLAUSES[language].denied(folded.tokens, at)]


def only_chats(text: str, language: Language) -> bool:
    """Whether the whole message is a greeting, thanks, a laugh, small talk."""
    folded = fold(text)
    return any(only_polite(text, spoken) or _CHATS[spoken].is_said(folded) for spoken in _spoken(language))


def _spoken(language: Language) -> Iterator[Language]:
    """The conversation's language, then the others: people mix them."""
    yield language
    yield from (other for other in LANGUAGES if other != language)


def _words(folded: Folded) -> Iterator[int]:
    return (at for at, token in enumerate(folded.tokens) if token.kind == "word")


def _polite(language: Language) -> tuple[str, ...]:
    return VOCABULARIES[language].answers.polite


def _openers(language: Language) -> Iterable[str]:
    """What may stand before any of it, and says nothing."""
    return (*_polite(language), *STEERING[language].openers)


@lru_cache(maxsize=256)
def _title(definition: Same[Definition], language: Language) -> Phrasing:
    """A flow by its title, a trigger, or one long word of them: "cancelar el bloqueo", "ya no quiero transferir"."""
    title = definition.it.title.get(language, "")
    triggers = definition.it.intents.get(language, ())
    long = _title_words(definition, language)
    named = tuple(dict.fromkeys((*((title,) if title.strip() else ()), *long, *triggers)))
    return Phrasing({definition.it.type_id: named}, language)


@lru_cache(maxsize=256)
def _title_words(definition: Same[Definition], language: Language) -> tuple[str, ...]:
    """The long words of a flow's title and triggers that say something."""
    little = {token.text for phrase in STEERING[language].soft for token in fold(phrase).tokens}
    phrases_of_it = (definition.it.title.get(language, ""), *definition.it.intents.get(language, ()))
    words = (token for phrase in phrases_of_it for token in fold(phrase).tokens if token.kind == "word")
    return tuple(dict.fromkeys(one.text for one in words if len(one.text) >= _SHORT and one.text not in little))


def alike(word: str, said: str) -> bool:
    """Whether two words are forms of one, as far as their first letters tell: "reclamo", "reclamación"."""
    if word[:_ALIKE] != said[:_ALIKE] or min(len(word), len(said)) < _ALIKE:
        return False
    longer = max(len(word), len(said))
    same = next(
        (at for at, pair in enumerate(zip(word, said, strict=False)) if pair[0] != pair[1]), min(len(word), len(said))
    )
    return same / longer > _MOST_OF_IT


def _whole(said: Iterable[str], language: Language) -> Whole:
    return Whole(said, _openers(language))


def _dropping(language: Language) -> Iterator[str]:
    """Also what cancels anything, with all of it behind: "cancelar todas"."""
    words = STEERING[language]
    yield from words.drops
    yield from VOCABULARIES[language].answers.cancel
    yield from (f"{verb} {everything}" for verb in words.drops_it for everything in words.everything)


def _denials(language: Language) -> tuple[str, ...]:
    """The phrases with a "no" of those that drop what is named behind them."""
    negators = {fold(word).text for word in VOCABULARIES[language].phrases.negators} | {"dont", "nothing"}
    drops = STEERING[language].drops_it
    return tuple(one for one in drops if negators.intersection(token.text for token in fold(one).tokens))


SOFT: Final = {
    language: Whole((*STEERING[language].soft, *STEERING[language].joins), _polite(language)) for language in LANGUAGES
}
_DROPS = {
    language: Whole(_dropping(language), (*_openers(language), *STEERING[language].idle)) for language in LANGUAGES
}
_DROPS_IT = {
    language: Whole(
        STEERING[language].drops_it,
        (*_openers(language), *VOCABULARIES[language].phrases.fillers, *STEERING[language].idle),
    )
    for language in LANGUAGES
}
_DENIES_WISH = {language: Phrasing({"denied": _denials(language)}, language) for language in LANGUAGES}
_WAITS = {language: _whole(STEERING[language].waits, language) for language in LANGUAGES}
_ASKS = {language: _whole(STEERING[language].asks, language) for language in LANGUAGES}
_CHATS = {language: _whole(STEERING[language].chats, language) for language in LANGUAGES}
_ASKS_ABOUT = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].asks_about) for language in LANGUAGES
}
_EVERYTHING = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].everything) for language in LANGUAGES
}
_POLITE = {language: PhraseTable((phrase, None) for phrase in _openers(language)) for language in LANGUAGES}
_PERSON_WORDS = {
    language: PhraseTable((phrase, None) for phrase in STEERING[language].person) for language in LANGUAGES
}
_PERSON = {language: Phrasing({"person": STEERING[language].person}, language) for language in LANGUAGES}
