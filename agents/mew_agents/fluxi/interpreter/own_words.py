"""Words that a definition itself uses for something else: they are no value of a slot, however near they come.

A word of its title, its phrases, its labels or its cues is no slip of an option's: "pedido" is not "perdido". A figure
after another slot's label is not how many there are: "order B 22".
"""

from __future__ import annotations

from functools import lru_cache

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import EnumSlot, MoneySlot, NumberSlot, Slot
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.values import Reading
from mew_agents.fluxi.values.remembered import Same
from mew_agents.fluxi.values.synonyms import SYNONYMS
from mew_agents.fluxi.values.words import LIGHT, TAILS
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.sightings import BENT, stem


def is_of_another(
    definition: Definition, slot: Slot, text: str, reading: Reading, understanding: Understanding
) -> bool:
    """Whether the words of a reading are the definition's own for something else than the slot's value."""
    language = understanding.language
    if isinstance(slot, EnumSlot):
        words = text[reading.start : reading.end]
        foreign = understanding.asked != slot.path and _is_foreign(slot, words, language)
        return (_is_slip(reading) or foreign) and is_own(definition, words)
    if isinstance(slot, NumberSlot):
        if values.is_marked(slot, text, reading.start, reading.end, language):
            return False
        others = (one for one in definition.slots if not isinstance(one, NumberSlot | MoneySlot))
        return any(values.follows_label(one, text, reading.start, language) for one in others)
    return False


def _is_slip(reading: Reading) -> bool:
    """Whether an option was named in other words than its own, or in a form of them."""
    return "approximate" in reading.doubts or (not reading.doubts and reading.confidence < BENT)


def _is_foreign(slot: EnumSlot, words: str, language: Language) -> bool:
    """Whether an option is called so in other languages only."""
    said = fold(words).text
    spoken = {
        spoken
        for wordings in slot.options.values()
        for spoken, phrases in wordings.items()
        if any(fold(one).text == said for one in phrases)
    }
    return bool(spoken) and language not in spoken


def is_own(definition: Definition, words: str) -> bool:
    """Whether a word is one that the definition uses in any of its languages."""
    own = _words(Same(definition))
    tokens = [token.text for token in fold(words).tokens if token.kind == "word"]
    return any((language, stem(word, language)) in own for word in tokens for language in definition.languages)


def words_for_itself(definition: Definition, language: Language) -> frozenset[str]:
    """The stems of the words of a definition's title and phrases in a language, and of others for the same."""
    return _words_for_itself(Same(definition), language)


@lru_cache(maxsize=256)
def _words_for_itself(definition: Same[Definition], language: Language) -> frozenset[str]:
    written = [*definition.it.intents.get(language, ()), definition.it.title[language]]
    words = {token.text for text in written for token in fold(text).tokens if token.kind == "word"}
    words |= {token.text for one in words for other in SYNONYMS[language].get(one, ()) for token in fold(other).tokens}
    return frozenset(stem(word, language) for word in words - LIGHT[language] - TAILS[language])


@lru_cache(maxsize=256)
def _words(definition: Same[Definition]) -> frozenset[tuple[Language, str]]:
    """The stems of the words that a definition has for itself and for its slots, by language."""
    own: set[tuple[Language, str]] = set()
    for language in definition.it.languages:
        written = [*definition.it.intents.get(language, ()), definition.it.title[language]]
        for slot in definition.it.slots:
            written += [slot.label.get(language, ""), *slot.cues.get(language, ())]
        own |= {(language, stem(token.text, language)) for text in written for token in fold(text).tokens}
    return frozenset(own)
