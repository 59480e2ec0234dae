"""What a message takes back: "the 16th instead of the 11th", "at 11... no, better at 18", "not broken"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable


def _words(written: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(written.split())


# Words right before a value that is not meant.
_BEFORE: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("en lugar de", "en vez de", "en vez del", "en lugar del", "y no", "no", "ni", "tampoco", "salvo", "menos",
           "excepto", "no es", "no era", "no son", "no llegó", "ni llegó", "ni vino", "no vino", "no está",
           "nada", "ningún", "ninguna", "sin", "no hay nada"),
    "pt": ("em vez de", "em vez do", "em vez da", "em vez dos", "em vez das", "em lugar de", "no lugar de",
           "no lugar do", "no lugar da", "ao invés de", "ao invés do", "e não", "não", "nem", "exceto", "menos",
           "não é", "não era", "não são", "não chegou", "nem chegou", "nem veio", "não veio", "não está", "não tá",
           "nada", "nenhum", "nenhuma", "sem"),
    "en": ("instead of", "rather than", "and not", "not", "nor", "neither", "except", "but not", "isnt", "wasnt",
           "not on", "not at", "didnt arrive", "never", "nothing", "without", "nothing is"),
}  # fmt: skip
# Words that may stand between those and the value.
_BETWEEN: Final[Mapping[Language, frozenset[str]]] = {
    "es": _words("a al de del el la las lo los un una unos unas por en para con"),
    "pt": _words("a ao as o os de do da dos das um uma para pra no na em por com"),
    "en": _words("a an the on at in to of by for with"),
}
_NEGATORS: Final = frozenset(("no", "nao", "not"))
_VERBS: Final = _words("llego vino esta es era fue funciona puedo quiero chegou veio e foi posso")  # "tarde no llegó"
_ENDS: Final = frozenset(".,;:!?…")
# Words after which a later value replaces the earlier one.
_TURNS: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("perdón", "perdona", "perdone", "perdoná", "disculpa", "disculpe", "digo", "quise decir", "quería decir",
           "espera", "esperá", "espere", "en realidad", "corrijo", "me equivoqué", "me confundí", "mejor", "al final",
           "pensándolo bien", "pero es", "pero son", "que sea", "que sean", "era", "no,", "no.", "no..", "no…", "uy",
           "mejor dicho", "o mejor"),
    "pt": ("desculpa", "desculpe", "perdão", "digo", "quis dizer", "quer dizer", "ou melhor", "melhor", "espera",
           "espere", "na verdade", "aliás", "me enganei", "enganei-me", "errei", "afinal", "pensando bem", "mas é",
           "não,", "não.", "não…", "opa", "melhor dizendo"),
    "en": ("sorry", "pardon", "forgive me", "i mean", "i meant", "wait", "hold on", "actually", "correction",
           "scratch that", "make it", "make that", "rather", "better", "no,", "no.", "no…", "oops", "on second thought",
           "it was", "it is"),
}  # fmt: skip
_REACH: Final = 3  # tokens that may stand between a retracting word and the value

_RETRACTS = {language: PhraseTable((phrase, None) for phrase in _BEFORE[language]) for language in LANGUAGES}
_CORRECTS = {language: PhraseTable((phrase, None) for phrase in _TURNS[language]) for language in LANGUAGES}


def retracted(text: str, start: int, end: int, language: Language) -> bool:
    """Whether the words around say that `text[start:end]` is not meant.

    A "no" that opens the message answers what was asked, and denies nothing after it.
    """
    folded = fold(text)
    tokens = folded.tokens
    first, after = _at(folded, start), _at(folded, end)
    before = first - 1
    while before >= 0 and first - before <= _REACH and tokens[before].text in _BETWEEN[language]:
        if _denies(tokens, before, language):
            return True
        before -= 1
    return _denies(tokens, before, language) or _denied_after(tokens, after)


def _denies(tokens: Sequence[Token], at: int, language: Language) -> bool:
    found = _RETRACTS[language].ending(tokens, at)
    return found is not None and at - found[0] >= 0


def _denied_after(tokens: Sequence[Token], after: int) -> bool:
    """Whether "no" follows at the end of a clause: "broken not.", "in the morning no"."""
    if after >= len(tokens) or tokens[after].text not in _NEGATORS:
        return False
    return after + 1 == len(tokens) or tokens[after + 1].text in _ENDS or tokens[after + 1].text in _VERBS


def replaced(text: str, end: int, start: int, language: Language) -> bool:
    """Whether what ends at `end` is corrected by what starts at `start`, later in the text."""
    folded = fold(text)
    table, tokens = _CORRECTS[language], folded.tokens
    return any(table.starting(tokens, at) is not None for at in range(_at(folded, end), _at(folded, start)))


def _at(folded: Folded, offset: int) -> int:
    """The index of the first token that starts at an offset of the original, or later."""
    return bisect_left(range(len(folded.tokens)), offset, key=lambda at: folded.span(at, at)[0])
