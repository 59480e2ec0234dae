"""Days and hours that somebody tells of other things: "I'm on till one, so quarter past one", "trabajo ese lunes".

What the only day or hour of a message is for is the caller's to judge: "I have to come on Monday".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.language.folding import Folded, Token
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled

# What somebody does at another time than the one that is wanted.
_BUSY: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("trabajo", "estoy trabajando", "salgo", "salgo de", "entro", "entro a", "termino", "curso", "estudio",
           "viajo", "estoy de viaje", "tengo clase", "doy clase", "tengo que", "tengo turno", "tengo guardia",
           "tengo médico", "tengo una reunión", "tengo reunión", "estoy ocupado", "estoy ocupada", "sale", "entra",
           "termina", "tiene clase", "tiene", "cierro", "abro", "libro", "hasta", "no puedo", "me voy"),
    "pt": ("trabalho", "estou trabalhando", "estou a trabalhar", "tô trabalhando", "saio", "saio do", "entro", "acabo",
           "termino", "largo", "estudo", "viajo", "tenho aula", "dou aula", "tenho reunião", "tenho de", "tenho que",
           "tenho plantão", "estou ocupado", "estou ocupada", "sai", "entra", "tem aula", "termina", "tem", "até",
           "não posso", "não consigo"),
    "en": ("working", "im working", "i work", "i finish", "finish", "finishes", "i get off", "i clock off", "im on",
           "on shift", "i start", "i open", "i close", "i teach", "ive got", "i have got", "im in", "im at", "im busy",
           "busy", "hes got", "shes got", "has got", "got work", "away", "im off", "im away", "got", "till", "until",
           "til", "gets out", "lets out", "gets home", "im back", "meeting", "i have a", "im not free", "not free"),
}  # fmt: skip
# What begins another clause.
_JOINTS: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(["y", "e", "pero", "asi", "entonces", "luego", "que", "mejor"]),
    "pt": frozenset(["e", "mas", "entao", "logo", "melhor"]),
    "en": frozenset(["and", "but", "so", "then", "can", "could", "how", "maybe"]),
}
_ENDS: Final = frozenset(".,;:!?…()")
_REACH: Final = 6  # tokens from the word to the day or the hour

_BUSIES = {language: PhraseTable((phrase, None) for phrase in _BUSY[language]) for language in LANGUAGES}


def is_occupied(text: str, start: int, end: int, language: Language) -> bool:
    """Whether the clause of a day or an hour says that somebody is busy then, or only until then: "on Friday I work",
    "I am on till five".
    """
    folded = spelled(text, language)
    tokens = (*_clause(folded, start, language), *_clause(folded, end, language))
    return any(_BUSIES[language].starting(tokens, at) is not None for at in range(len(tokens)))


def _clause(folded: Folded, start: int, language: Language) -> Sequence[Token]:
    """The nearest few tokens of a clause before a place."""
    tokens = folded.tokens
    last = next((at for at in range(len(tokens)) if folded.span(at, at)[1] > start), len(tokens))
    first = last
    while first > 0 and last - first < _REACH:
        before = tokens[first - 1]
        if before.text in _ENDS or before.text in _JOINTS[language]:
            break
        first -= 1
    return tokens[first:last]
