"""What the words around a phrase do to it: deny it, or turn it into its undoing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mew_agents.language.folding import Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.sightings import stem
from mew_agents.language.value_words import VOCABULARIES

_STOPS = frozenset('.,;:!?¡¿"()…')
_REACH = 4  # tokens from a negator to what it denies
_NEVER = frozenset(("nunca", "jamas", "jamais"))
_PLAIN_NOS = frozenset(("no", "nao"))
_FETCHING = (["por"], ["buscar"], ["retirar"], ["recoger"], ["pegar"], ["recolher"], ["coletar"], ["levantar"])
_PURPOSE = frozenset(("para", "pra", "to", "for", "por"))


@dataclass(frozen=True, slots=True)
class Clauses:
    """The words of a language that part clauses, deny, and undo."""

    language: Language
    negators: frozenset[str]
    not_negating: PhraseTable[None]
    turns: PhraseTable[None]
    wishes: PhraseTable[None]
    undoing: frozenset[str]  # stems

    def denied(self, tokens: Sequence[Token], first: int) -> bool:
        """Whether a negator shortly before token `first`, in its clause, denies what begins there."""
        start = max(self._start(tokens, first), first - _REACH)
        return any(self._denies(tokens, at) for at in range(start, first))

    def directly_denied(self, tokens: Sequence[Token], first: int) -> bool:
        """Whether the token right before says no to what begins at `first`: "no efectivo"."""
        return first > 0 and tokens[first - 1].text in self.negators

    def undone(self, tokens: Sequence[Token], first: int, last: int) -> bool:
        """Whether the clause of tokens `first` to `last` has a verb that takes back or changes: "cancelar el turno".

        After the phrase, not if it says what the phrase is for: "un turno para cambiar el aceite".
        """
        if any(self._undoes_at(tokens, at) for at in range(self._start(tokens, first), last + 1)):
            return True
        for at in range(last + 1, len(tokens)):
            if tokens[at].text in _STOPS or tokens[at].opens_line or self.turns.starting(tokens, at) is not None:
                return False
            if self._undoes_at(tokens, at) and tokens[at - 1].text not in _PURPOSE:
                return True
        return False

    def undoes(self, word: str) -> bool:
        """Whether a folded word is a form of such a verb."""
        return stem(word, self.language) in self.undoing

    def _undoes_at(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a verb takes back there; "pasar a por un paquete" fetches it."""
        if not self.undoes(tokens[at].text):
            return False
        behind = [token.text for token in tokens[at + 1 : at + 3]]
        fetches = behind[:1] == ["por"] or (behind[:1] in (["a"], ["para"], ["pra"]) and behind[1:] in _FETCHING)
        return not (tokens[at].text.startswith("pas") and fetches)

    def _start(self, tokens: Sequence[Token], first: int) -> int:
        """Where the clause of a token begins."""
        for at in range(first - 1, -1, -1):
            if tokens[at].text in _STOPS or tokens[at + 1].opens_line:
                return at + 1
            if self._begins(tokens, at):
                return at
        return 0

    def _begins(self, tokens: Sequence[Token], at: int) -> bool:
        """A word that opens a clause, unless it is denied itself: "no quiero"."""
        denied = at > 0 and self._denies(tokens, at - 1)
        opens = self.turns.starting(tokens, at) or self.wishes.starting(tokens, at)
        return opens is not None and not denied

    def _denies(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a token denies what follows; the "nunca" of "no lo hice nunca" belongs to the "no" before it."""
        if tokens[at].text not in self.negators or self._is_harmless(tokens, at):
            return False
        before = tokens[max(0, at - _REACH) : at]
        return tokens[at].text not in _NEVER or all(token.text not in _PLAIN_NOS for token in before)

    def _is_harmless(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether the negator is part of a phrase that denies nothing: "no sé cómo"."""
        return any(
            (found := self.not_negating.starting(tokens, begin)) is not None and begin + found[0] > at
            for begin in range(max(0, at - _REACH), at + 1)
        )


def _clauses(language: Language) -> Clauses:
    words = VOCABULARIES[language].phrases
    return Clauses(
        language,
        frozenset(fold(word).text for word in words.negators),
        PhraseTable((phrase, None) for phrase in words.not_negating),
        PhraseTable((phrase, None) for phrase in words.turns),
        PhraseTable((phrase, None) for phrase in words.wishes),
        frozenset(stem(fold(word).text, language) for word in words.undoing),
    )


CLAUSES: dict[Language, Clauses] = {language: _clauses(language) for language in LANGUAGES}
