"""Messages about the dialogue itself: questions, giving up, wanting a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Token, fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable

_Phrases = Mapping[Language, tuple[str, ...]]

# With these a sentence begins that asks something, whether it ends in a question mark or not.
_ASKING: Final[_Phrases] = {
    "es": ("qué", "cuál", "cuáles", "quién", "quiénes", "cómo", "dónde", "cuándo", "cuánto", "cuánta", "cuántos",
           "por qué", "para qué", "xq", "hay que", "se puede", "tienen", "tenés", "puedo", "puede ser que", "aceptan",
           "atienden", "abren", "es posible"),
    "pt": ("que", "qual", "quais", "quem", "como", "onde", "quando", "quanto", "quanta", "quantos", "por que",
           "por quê", "para que", "pra que", "posso", "tem que", "têm", "vocês têm", "aceitam", "atendem", "abrem",
           "é possível", "e quais", "e se", "se eu", "dá para", "dá pra"),
    "en": ("what", "which", "who", "whom", "how", "where", "when", "why", "can", "could", "is", "are", "do", "does",
           "will", "would", "may i", "if i", "is there", "are there"),
}  # fmt: skip
# What is asked about within a sentence: "I would be glad to know whether".
_WITHIN: Final[_Phrases] = {
    "es": ("quisiera saber", "querría saber", "quiero saber", "me pregunto", "me dice si", "me dices si",
           "me decís si"),
    "pt": ("gostaria de saber", "queria saber", "me informasse", "informasse se", "me diz se", "saber se", "diga me só",
           "diga me uma coisa"),
    "en": ("i wonder", "like to know", "want to know", "tell me if", "tell me whether", "wondering"),
}  # fmt: skip
_PURPOSE: Final[_Phrases] = {
    "es": ("por qué", "para qué", "por que motivo", "xq", "con qué fin"),
    "pt": ("por que", "por quê", "para que", "pra que", "por que motivo", "porque"),
    "en": ("why", "what for", "for what reason", "what do you need"),
}
_GIVING_UP: Final[_Phrases] = {
    "es": ("ya no quiero", "no quiero más", "ya no hace falta", "ya no lo necesito", "ya no necesito", "ya no lo saco",
           "ya no vamos", "ya no voy", "no vamos a ir", "déjalo", "dejalo", "dejémoslo", "dejemos", "lo dejo",
           "lo dejamos", "renuncio", "desisto", "cambié de idea", "cambié de opinión", "me arrepentí", "olvídalo",
           "olvidate", "no sigas", "prefiero no seguir", "no quiero ningún", "no quiero ninguna", "ya fue"),
    "pt": ("nem precisa mais", "não precisa mais", "não preciso mais", "não quero mais", "deixa", "deixa pra lá",
           "deixa para lá", "vou desistir", "desisto", "mudei de ideia", "esquece", "já não quero", "já não preciso",
           "não vamos mais", "não vou mais", "não quero nenhum", "não quero nenhuma"),
    "en": ("no need", "wont need", "wont be needing", "dont need", "do not need", "no longer need", "no longer want",
           "dont want it", "not gonna come", "not going to come", "not coming", "changed my mind", "change of heart",
           "forget it", "leave it", "never mind", "nevermind", "gonna keep it", "going to keep it", "keep it after all",
           "nobody needs to come", "drop it", "call it off"),
}  # fmt: skip
_PERSON: Final[_Phrases] = {
    "es": ("hablar con una persona", "hablar con alguien", "hablar con un humano", "hablar con un agente",
           "que me atienda una persona", "que me atienda alguien", "pásame con alguien", "pasame con alguien",
           "un operador", "una persona real", "persona de verdad", "atención humana"),
    "pt": ("falar com uma pessoa", "falar com alguém", "falar com um humano", "falar com um atendente",
           "um atendente", "uma atendente", "pessoa de verdade", "pessoa real", "atendimento humano"),
    "en": ("talk to a person", "talk to someone", "talk to somebody", "talk to a human", "speak to a person",
           "speak to someone", "speak with someone", "speak to a human", "speak with a person", "a real person",
           "human agent", "an operator"),
}  # fmt: skip
# A second thing that is wished for, besides the first.
_ANOTHER: Final[_Phrases] = {
    "es": ("y otra", "y otro", "otra más", "otro más", "también otra", "también otro", "y una segunda", "y un segundo",
           "dos turnos", "dos citas", "dos mesas", "dos paquetes", "dos pedidos", "dos reembolsos", "dos retiros"),
    "pt": ("e outra", "e outro", "outra mais", "mais uma", "mais um", "e já agora outra", "e já agora outro",
           "duas consultas", "duas mesas", "dois pacotes", "duas encomendas", "dois pedidos", "duas coletas"),
    "en": ("and another", "another one", "and a second", "and one for", "also another", "two appointments",
           "two tables", "two parcels", "two pickups", "two orders", "two refunds", "second one"),
}  # fmt: skip


def _tables(phrases: _Phrases) -> dict[Language, PhraseTable[None]]:
    return {language: PhraseTable((phrase, None) for phrase in phrases[language]) for language in LANGUAGES}


_ASKING_TABLES, _WITHIN_TABLES, _PURPOSES = _tables(_ASKING), _tables(_WITHIN), _tables(_PURPOSE)
_GIVING_UPS, _PERSONS, _ANOTHERS = _tables(_GIVING_UP), _tables(_PERSON), _tables(_ANOTHER)
_ENDS: Final = frozenset(".!\n,;¿")


def is_question(text: str, language: Language) -> bool:
    """Whether a message asks something: by a question mark, the word that a sentence begins with, or a phrase."""
    tokens = fold(text).tokens
    if any(token.text == "?" for token in tokens) or _has(tokens, _WITHIN_TABLES[language]):
        return True
    starts = (at for at in range(len(tokens)) if at == 0 or tokens[at - 1].text in _ENDS)
    return any(_ASKING_TABLES[language].starting(tokens, at) is not None for at in starts)


def asks_purpose(text: str, language: Language) -> bool:
    """Whether a question is what something is needed for."""
    return _has(fold(text).tokens, _PURPOSES[language])


def gives_up(text: str, language: Language) -> bool:
    """Whether a message says somewhere that nothing is wanted any more: "changed my mind", "al final ya no voy"."""
    return _has(fold(text).tokens, _GIVING_UPS[language])


def wants_a_person(text: str, language: Language) -> bool:
    """Whether somebody would rather be served by a person."""
    tokens, table = fold(text).tokens, _PERSONS[language]
    return any(
        table.starting(tokens, at) is not None and not CLAUSES[language].denied(tokens, at) for at in range(len(tokens))
    )


def wants_another(text: str, language: Language) -> bool:
    """Whether a message asks for a second one of the same: "and another for Saturday"."""
    return _has(fold(text).tokens, _ANOTHERS[language])


def _has(tokens: Sequence[Token], table: PhraseTable[None]) -> bool:
    return any(table.starting(tokens, at) is not None for at in range(len(tokens)))
