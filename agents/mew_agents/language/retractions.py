"""What a message takes back: "the 16th instead of the 11th", "at 11... no, better at 18", "not broken"."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.language.folding import Folded, Token, word_set
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled

# Words right before a value that is not meant.
_BEFORE: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("en lugar de", "en vez de", "en vez del", "en lugar del", "y no", "no", "ni", "tampoco", "salvo", "menos",
           "excepto", "no es", "no era", "no son", "no llegó", "ni llegó", "ni vino", "no vino", "no está",
           "nada", "ningún", "ninguna", "sin", "no hay nada", "fuera de", "fuera del", "que no sea", "que no sean",
           "que no caiga", "distinto de", "distinto del", "menos los", "excepto los", "salvo los", "aparte del"),
    "pt": ("em vez de", "em vez do", "em vez da", "em vez dos", "em vez das", "em lugar de", "no lugar de",
           "no lugar do", "no lugar da", "ao invés de", "ao invés do", "e não", "não", "nem", "exceto", "menos",
           "não é", "não era", "não são", "não chegou", "nem chegou", "nem veio", "não veio", "não está", "não tá",
           "nada", "nenhum", "nenhuma", "sem", "fora de", "fora do", "fora da",
           "que não seja", "que não sejam", "que não caia", "a não ser", "tirando", "fora", "diferente de", "salvo"),
    "en": ("instead of", "rather than", "and not", "not", "nor", "neither", "except", "but not", "isnt", "wasnt",
           "not on", "not at", "didnt arrive", "never", "nothing", "without", "nothing is", "nothings",
           "nothing got", "nothing was", "nowt", "nowts",
           "nowt got", "nowt was", "none of it",
           "other than", "day but", "days but", "time but", "anything but", "apart from", "excluding", "except for",
           "except on", "thats not", "that isnt", "that is not"),
}  # fmt: skip
# Words that may stand between those and the value.
_BETWEEN: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("a al de del el la las lo los un una unos unas por en para con"),
    "pt": word_set("a ao as o os de do da dos das um uma para pra no na em por com"),
    "en": word_set("a an the on at in to of by for with"),
}
_NEGATORS: Final = frozenset(("no", "nao", "not"))
_PLAIN: Final[Mapping[Language, frozenset[str]]] = {
    "es": word_set("no"),
    "pt": word_set("nao"),  # "no" is "in the"
    "en": word_set("no not"),
}
_VERBS: Final = word_set(
    "sirve va da llego vino esta es era fue funciona puedo quiero podemos estoy estamos tengo trabajo chegou veio e foi"
    " posso quero estou tenho trabalho consigo serve"
)  # "tarde no llegó"
_ENDS: Final = frozenset(".,;:!?…")
_SENTENCE_ENDS: Final = frozenset(".;!?")
# Words after which a later value replaces the earlier one.
_TURNS: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("perdón", "perdona", "perdone", "perdoná", "disculpa", "disculpe", "digo", "quise decir", "quería decir",
           "espera", "esperá", "espere", "en realidad", "corrijo", "me equivoqué", "me confundí", "mejor", "al final",
           "pensándolo bien", "no,", "no.", "no..", "no…", "uy", "mejor dicho", "o mejor", "ay no", "ay, no",
           "ah no", "ah, no", "qué digo", "que digo", "mentira", "ay que", "corrección", "error"),
    "pt": ("desculpa", "desculpe", "perdão", "digo", "quis dizer", "quer dizer", "ou melhor", "melhor", "espera",
           "espere", "na verdade", "aliás", "me enganei", "enganei-me", "errei", "afinal", "pensando bem",
           "não,", "não.", "não…", "opa", "melhor dizendo", "ai não", "ai, não", "ah não", "ah, não", "que digo",
           "mentira", "ai que", "o que digo", "correção"),
    "en": ("sorry", "pardon", "forgive me", "i mean", "i meant", "wait", "hold on", "actually", "correction",
           "scratch that", "make it", "make that", "rather", "better", "no,", "no.", "no…", "oops",
           "on second thought", "oh no", "ah no", "what am i saying", "my mistake", "my bad"),
}  # fmt: skip
# Words that do so only right before the later value: "11... it was 12", but not "the party it was for, and 12".
_LEADS: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("era", "eran", "pero es", "pero son", "que sea", "que sean"),
    "pt": ("era", "eram", "mas é", "mas são", "que seja", "que sejam"),
    "en": ("it was", "it is", "its", "they are"),
}
# What follows is to be different.
_YES_BUT: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("sí, pero", "sí pero", "bueno, pero", "dale, pero", "ok, pero", "está bien, pero", "solo que", "salvo que"),
    "pt": ("sim, mas", "sim mas", "ok, mas", "está bem, mas", "tá, mas", "certo, mas", "só que"),
    "en": ("yes, but", "yes but", "yeah, but", "yeah but", "ok, but", "okay, but", "fine, but", "except that"),
}
_INSTEAD_OF: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("en lugar de", "en vez de", "en vez del", "en lugar del", "y no"),
    "pt": ("em vez de", "em vez do", "em vez da", "em lugar de", "no lugar de", "ao invés de", "e não"),
    "en": ("instead of", "rather than", "and not", "not"),
}
# Of these, the ones that may stand before both: "instead of Friday, Monday".
_IN_PLACE_OF: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("en lugar de", "en vez de", "en vez del", "en lugar del"),
    "pt": ("em vez de", "em vez do", "em vez da", "em lugar de", "no lugar de", "no lugar da", "ao invés de",
           "ao invés da", "ao invés do"),
    "en": ("instead of", "rather than", "in place of"),
}  # fmt: skip
# Words with which somebody corrects what is settled, besides these: "I can't tomorrow, Thursday".
_UNABLE: Final[Mapping[Language, tuple[str, ...]]] = {
    "es": ("no puedo", "no voy a poder", "no me sirve", "no llego", "mejor", "no", "era", "es", "que sea", "cambia",
           "cambialo", "cámbialo", "ponlo", "ponelo", "y"),
    "pt": ("não posso", "não consigo", "não vou poder", "não me serve", "não dá", "melhor", "não", "era", "é",
           "que seja", "muda", "mude", "e"),
    "en": ("i cant", "i cannot", "cant", "cannot", "i cant do", "i cant make", "no", "its", "it was", "it is", "was",
           "should be", "change it to", "change that to", "make", "let us say", "and"),
}  # fmt: skip
_REACH: Final = 3  # tokens that may stand between a retracting word and the value

_RETRACTS = {language: PhraseTable((phrase, None) for phrase in _BEFORE[language]) for language in LANGUAGES}
_CORRECTS = {language: PhraseTable((phrase, None) for phrase in _TURNS[language]) for language in LANGUAGES}
_BUTS = {language: PhraseTable((phrase, None) for phrase in _YES_BUT[language]) for language in LANGUAGES}
_INSTEAD = {language: PhraseTable((phrase, None) for phrase in _INSTEAD_OF[language]) for language in LANGUAGES}
_IN_PLACES = {language: PhraseTable((phrase, None) for phrase in _IN_PLACE_OF[language]) for language in LANGUAGES}
_UNABLES = {language: PhraseTable((phrase, None) for phrase in _UNABLE[language]) for language in LANGUAGES}
_LEADING = {language: PhraseTable((phrase, None) for phrase in _LEADS[language]) for language in LANGUAGES}


def retracted(text: str, start: int, end: int, language: Language) -> bool:
    """Whether the words around say that `text[start:end]` is not meant.

    A "no" that opens the message answers what was asked, and denies nothing after it.
    """
    return retraction(text, start, end, language) is not None


def retraction(text: str, start: int, end: int, language: Language, *, opening: bool = False) -> tuple[int, int] | None:
    """Where `text[start:end]` stands with the words that say that it is not meant. None: there are none.

    `opening`: a "no" that opens the message denies as well what follows it at once: "no terrace".
    """
    folded = spelled(text, language)
    tokens = folded.tokens
    first, after = _at(folded, start), _at(folded, end)
    before = first - 1
    while before >= 0:
        denied_from = _denied_from(tokens, before, language)
        if opening and denied_from is None and tokens[before].text in _PLAIN[language]:
            denied_from = before
        answers = denied_from == 0 and tokens[0].text in _NEGATORS and tokens[0].text != "not"
        if denied_from is not None and (opening or not answers):
            return folded.span(denied_from, before)[0], end
        if first - before > _REACH or tokens[before].text not in _BETWEEN[language]:
            break
        before -= 1
    return (start, folded.span(after, after)[1]) if _denied_after(tokens, after) else None


def _denied_from(tokens: Sequence[Token], at: int, language: Language) -> int | None:
    """The first token of the words that take something back, and end at a token."""
    found = _RETRACTS[language].ending(tokens, at)
    return None if found is None else at + 1 - found[0]


def _denied_after(tokens: Sequence[Token], after: int) -> bool:
    """Whether "no" follows at the end of a clause: "broken not.", "in the morning no"."""
    if after >= len(tokens) or tokens[after].text not in _NEGATORS:
        return False
    return after + 1 == len(tokens) or tokens[after + 1].text in _ENDS or tokens[after + 1].text in _VERBS


def replaced(text: str, end: int, start: int, language: Language) -> bool:
    """Whether what ends at `end` is corrected by what starts at `start`, later in the text."""
    folded = spelled(text, language)
    table, tokens = _CORRECTS[language], folded.tokens
    first, last = _at(folded, end), _at(folded, start) - 1
    if any(table.starting(tokens, at) is not None for at in range(first, last + 1)):
        return True
    while last >= first and tokens[last].text in _BETWEEN[language]:
        last -= 1
    led = _LEADING[language].ending(tokens, last)
    return led is not None and last - led[0] + 1 >= first


def corrective(tokens: Sequence[Token], at: int, language: Language) -> int:
    """How many tokens from that index on are words that only correct something; 0: none."""
    tables = (_CORRECTS[language], _LEADING[language], _BUTS[language], _UNABLES[language])
    return max((one[0] for table in tables if (one := table.starting(tokens, at)) is not None), default=0)


def is_correction(text: str, start: int, end: int, language: Language) -> bool:
    """Whether a message says that `text[start:end]` is to be instead of something: "I meant X", "yes, but X",
    "X instead of Y".
    """
    folded = spelled(text, language)
    tokens, first, after = folded.tokens, _at(folded, start), _at(folded, end)
    said = (_CORRECTS[language], _LEADING[language], _BUTS[language])
    for at in range(first):
        found = max((one[0] for table in said if (one := table.starting(tokens, at)) is not None), default=0)
        if any(token.kind == "word" and token.text not in _NEGATORS for token in tokens[at : at + found]):
            return True  # a "no" alone answers what was asked
        instead = _IN_PLACES[language].starting(tokens, at)
        if instead is not None and at + instead[0] < first - 1 and not _SENTENCE_ENDS & _texts(tokens[at:first]):
            return True  # "instead of the evening, the morning"
    return _INSTEAD[language].starting(tokens, after) is not None


def _texts(tokens: Sequence[Token]) -> set[str]:
    return {token.text for token in tokens}


def _at(folded: Folded, offset: int) -> int:
    """The index of the first token that starts at an offset of the original, or later."""
    return bisect_left(range(len(folded.tokens)), offset, key=lambda at: folded.span(at, at)[0])
