"""Which language a message is written in, by words that only one of the languages has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.language.folding import fold, word_set
from mew_agents.language.found import LANGUAGES, Language

_OWN: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("""el los las un una quiero quisiera necesito tengo hola buenas buenos dias gracias mi soy y con muy
        donde cuando turno cita reembolso pedido llego manana hoy puedo puede tienen lo por favor usted"""),
    "pt": word_set("""o os um uma quero queria preciso tenho ola bom boa dia obrigado obrigada meu minha sou e com muito
        onde quando consulta reembolso nao voce voces chegou amanha hoje posso pode tem do da no na em por favor"""),
    "en": word_set("""the an to of with for i want need would like hello hi good morning thanks thank my is am and not
        please you appointment refund order it on at what could can tomorrow today"""),
}
_ENOUGH: Final = 2  # words more than the other language has


def language_of(text: str, current: Language) -> Language:
    """The language of a text: the current one, unless another has clearly more of the words."""
    said = {token.text for token in fold(text).tokens if token.kind == "word"}
    count = {language: len(said & _only(language)) for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: count[language])
    return best if count[best] >= count[current] + _ENOUGH else current


def _only(language: Language) -> frozenset[str]:
    """Its words that no other language has."""
    return _OWN[language].difference(*(words for other, words in _OWN.items() if other != language))
