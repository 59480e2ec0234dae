"""One out of a few: yes or no, an option, somebody or something out of a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from mew_agents.fluxi.definitions.slots import BoolSlot, EnumSlot, RefSlot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values.cues import follows_cue
from mew_agents.fluxi.values.kind import Kind
from mew_agents.fluxi.values.named_bools import named_bools
from mew_agents.fluxi.values.reading import Attention, Reading, Refusal, Span, reading
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.words import OTHERS, TAILS
from mew_agents.language.answers import is_polite, yes_or_no
from mew_agents.language.choices import Choices
from mew_agents.language.folding import fold
from mew_agents.language.found import Found, Language
from mew_agents.language.names import Names
from mew_agents.language.requests import is_question
from mew_agents.language.retractions import retracted
from mew_agents.language.sightings import BENT, stem
from mew_agents.language.spelling import spelled

_SURE_LENGTH = 5  # letters of a word that may be misspelt
_INTERROGATIVES: dict[Language, frozenset[str]] = {
    "es": frozenset(["cuanto", "cuanta", "cuantos", "cuantas", "cuando", "cual", "cuales"]),
    "pt": frozenset(["quanto", "quanta", "quantos", "quantas", "quando", "qual", "quais"]),
    "en": frozenset(["how", "when", "which"]),
}
_ONE_SLIP = 0.79  # likeness of such a word with one slip in it
_FEW = 8  # that can be named in a sentence


class Bools(Kind[BoolSlot]):
    """`bool`: the answer to its question, or a yes or no behind a cue."""

    specific = 3

    def readings(
        self,
        slot: BoolSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Yes or no, to its question or behind its cue; else what it is about, named or denied ("inside, please")."""
        language = understanding.language
        said = yes_or_no(text, language)
        cued = [item for item in said if follows_cue(slot, text, item.start, language)]
        named = [] if cued else named_bools(slot, text, language)
        if named:
            yield from named
        elif cued or attention is Attention.ASKED:
            yield from (reading(item, bool) for item in cued or said)

    def refusal(self, slot: BoolSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """True or false."""
        return None if isinstance(value, bool) else Refusal("form")

    def normal(self, slot: BoolSlot, value: Any, understanding: Understanding) -> Any:  # noqa: ARG002
        """`"true"` and `"false"` too."""
        return value == "true" if value in ("true", "false") else value

    def written(self, slot: BoolSlot, value: Any) -> str:  # noqa: ARG002
        """`true` or `false`"""
        return "true" if value else "false"


class Enums(Kind[EnumSlot]):
    """`enum`: the id of an option."""

    specific = 5

    def readings(
        self,
        slot: EnumSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Its words; not in a greeting ("good morning"), nor where they only name the slot or another noun.

        A word with a slip is doubted, unless it answers the slot's question and there is but one slip.
        """
        sure = _ONE_SLIP if attention is Attention.ASKED else BENT
        elsewhere = understanding.within is not None and understanding.asked not in (None, "", slot.path)
        options = _options if not elsewhere else _own_options
        found = options(Same(slot), understanding.language).found(text, sure=sure)
        if elsewhere and _asks(text, understanding.language):
            found = [item for item in found if item.confidence == 1]
        meant = [item for item in found if not _in_passing(slot, item, text, understanding.language)]
        return [reading(item, str) for item in _named(meant, text, understanding.language)]

    def refusal(self, slot: EnumSlot, value: Any, understanding: Understanding) -> Refusal | None:  # noqa: ARG002
        """One of the options."""
        if not isinstance(value, str):
            return Refusal("form")
        return None if value in slot.options else Refusal("unknown", {"options": list(slot.options)})


class Refs(Kind[RefSlot]):
    """`ref`: an id out of the definition's list, or of the one that a tool has (`Understanding.lists`)."""

    specific = 6

    def readings(
        self,
        slot: RefSlot,
        text: str,
        understanding: Understanding,
        attention: Attention,  # noqa: ARG002
        *,
        taken: Sequence[Span] = (),  # noqa: ARG002
    ) -> Iterable[Reading]:
        """Names in its list."""
        known = _known(slot, understanding)
        if not known:
            return []
        return [reading(item, str) for item in _index(Same(known)).found(text, understanding.language)]

    def refusal(self, slot: RefSlot, value: Any, understanding: Understanding) -> Refusal | None:
        """Somebody who is in the list."""
        if not isinstance(value, str):
            return Refusal("form")
        known = _known(slot, understanding)
        if value in known:
            return None
        return Refusal("unknown", {"options": list(known)} if 0 < len(known) <= _FEW else {})


def _named(found: Sequence[Found[str]], text: str, language: Language) -> Sequence[Found[str]]:
    """The options but for "other" alone, if another one is meant: "por el envío… no, ese es otro, es el P-64781"."""
    others = [item for item in found if _says_other(item, text, language)]
    named = [item for item in found if item not in others]
    meant = any(not retracted(text, item.start, item.end, language) for item in named)
    return named if meant else found


def _says_other(item: Found[str], text: str, language: Language) -> bool:
    """Whether words are for "other" alone, or lead on to something else: "outra coisa, minha conta não entra"."""
    said = fold(item.evidence(text))
    leads_on = text[item.end : item.end + 1] == "," and said.tokens[0].text in OTHERS[language]
    return leads_on or said.text in OTHERS[language]


def _in_passing(slot: EnumSlot, item: Found[str], text: str, language: Language) -> bool:
    """Whether words of an option are said without meaning it: its label, "another" before a noun, a greeting."""
    said = [token.text for token in fold(item.evidence(text)).tokens]
    label = {token.text for token in fold(slot.label.get(language, "")).tokens}
    if "approximate" in item.doubts and item.end - item.start < _SURE_LENGTH:
        return True  # a short word that is nearly an option is another word
    before = fold(text[: item.start]).tokens[-1:]
    counted = text[: item.start].endswith(" ") and (text[: item.start].split() or [""])[-1].isdigit()
    if counted and len(said) == 1 and not _is_called(slot, said[0], language):
        return True  # "3 pieces" where one is broken "in pieces", not "2 pizzas" where there is pizza
    another = bool(before) and before[0].text in OTHERS[language]  # "another reason", of a slot that is called so
    if (all(word in label for word in said) and not another) or is_polite(text, item.start, item.end, language):
        return True
    following = fold(text[item.end :]).tokens
    if not following or following[0].kind != "word" or len(said) > 1 or said[0] not in OTHERS[language]:
        return False
    return following[0].text not in TAILS[language] | label


def _is_called(slot: EnumSlot, word: str, language: Language) -> bool:
    """Whether an option is called by this one word, in any form of it."""
    called = (fold(phrase).text for wordings in slot.options.values() for phrase in wordings.get(language, ()))
    return stem(word, language) in {stem(phrase, language) for phrase in called}


@lru_cache(maxsize=256)
def _options(slot: Same[EnumSlot], language: Language) -> Choices:
    return Choices(slot.it.options, language)


@lru_cache(maxsize=256)
def _own_options(slot: Same[EnumSlot], language: Language) -> Choices:
    """The words of a language alone: those of others are no value while something else is asked for."""
    options = {name: {language: words.get(language, ())} for name, words in slot.it.options.items()}
    return Choices(options, language)


def _asks(text: str, language: Language) -> bool:
    """Whether a message asks something, also without a sign and with words before: "y la plata cuánto tarda"."""
    tokens = spelled(text, language).tokens
    asked = any(token.text in words for token in tokens for words in _INTERROGATIVES.values())
    return asked or is_question(text, language)


def _known(slot: RefSlot, understanding: Understanding) -> Mapping[str, Sequence[str]]:
    return slot.known if slot.tool is None else understanding.lists.get(slot.tool, {})


@lru_cache(maxsize=128)
def _index(known: Same[Mapping[str, Sequence[str]]]) -> Names:
    return Names(known.it)
