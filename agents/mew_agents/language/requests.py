"""Messages about the dialogue itself: questions, giving up, wanting a person."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Token
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.spelling import spelled

_Phrases = Mapping[Language, tuple[str, ...]]

# With these a sentence begins that asks something, whether it ends in a question mark or not.
_ASKING: Final[_Phrases] = {
    "es": ("qué", "cuál", "cuáles", "quién", "quiénes", "cómo", "dónde", "cuándo", "cuánto", "cuánta", "cuántos",
           "por qué", "para qué", "xq", "hay que", "se puede", "tienen", "tenés", "puedo", "puede ser que", "aceptan",
           "atienden", "abren", "es posible", "tienes", "tiene", "habrá", "hay algún", "hay alguna", "hay alguien",
           "ustedes tienen", "no tienen", "no hay", "hasta qué", "desde qué", "a qué hora abren", "a qué hora cierran",
           "hasta cuándo", "desde cuándo", "hasta cuánto", "decime qué", "decime hasta", "decime si", "decime cuánto",
           "dime si", "dime qué", "dime hasta", "dime cuánto", "y cuánto", "y cuándo", "y si", "y cómo"),
    "pt": ("que", "qual", "quais", "quem", "como", "onde", "quando", "quanto", "quanta", "quantos", "por que",
           "por quê", "para que", "pra que", "posso", "tem que", "têm", "vocês têm", "aceitam", "atendem", "abrem",
           "é possível", "e quais", "e se", "se eu", "dá para", "dá pra", "tem algum", "tem alguma", "tem alguém",
           "vocês tem", "não tem", "não têm", "há algum", "há alguma", "será que"),
    "en": ("what", "which", "who", "whom", "how", "where", "when", "why", "can", "could", "is", "are", "do", "does",
           "will", "would", "may i", "if i", "is there", "are there", "you got", "you have", "you guys", "u got",
           "got any", "have you", "any chance", "has", "dont you", "do ya"),
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
    "es": ("ya no quiero", "no quiero más", "ya no lo quiero", "ya no la quiero", "no lo quiero más",
           "no la quiero más", "no lo quiero ya", "ya no me interesa", "ya no hace falta", "ya no lo necesito",
           "ya no necesito", "ya no lo saco", "ya no vamos", "ya no voy", "no vamos a ir", "déjalo", "dejalo",
           "dejémoslo", "dejemos", "lo dejo", "lo dejamos", "renuncio", "desisto", "cambié de idea",
           "cambié de opinión", "me arrepentí", "olvídalo", "olvidate", "no sigas", "prefiero no seguir",
           "no quiero ningún", "no quiero ninguna", "ya fue", "cambié de planes", "he cambiado de planes",
           "cambiamos de planes", "cambio de planes", "al final no vamos", "no vamos a necesitar",
           "ya no va a hacer falta",
           "ya no será necesario", "no hace falta que venga", "no hace falta que vengan", "no hace falta que pasen",
           "no hace falta ya", "ya no es necesario", "no vengan", "mejor no vengan"),
    "pt": ("nem precisa mais", "não precisa mais", "não preciso mais", "não quero mais", "não o quero mais",
           "não a quero mais", "já não o quero", "já não a quero", "não me interessa mais", "deixa", "deixa pra lá",
           "deixa para lá", "vou desistir", "desisto", "mudei de ideia", "esquece", "já não quero", "já não preciso",
           "não vamos mais", "não vou mais", "não quero nenhum", "não quero nenhuma", "não vai mais rolar",
           "não vai rolar",
           "já não será necessária", "já não será necessário", "já não é preciso", "já não é necessário",
           "já não precisam",
           "já não precisa", "não é mais necessário", "não precisam mais", "não precisam de vir", "mudança de planos",
           "mudei de planos", "mudamos de planos", "não venham", "pode liberar a", "podem liberar a"),
    "en": ("no need", "wont need", "wont be needing", "dont need", "do not need", "no longer need", "no longer want",
           "dont want this", "dont want it any more", "dont want it anymore", "do not want it", "dont want it",
           "not gonna come", "not going to come", "not coming", "changed my mind", "change of heart", "forget it",
           "leave it", "never mind", "nevermind", "gonna keep it", "going to keep it", "keep it after all",
           "nobody needs to come", "drop it", "call it off", "no longer necessary", "wont be necessary",
           "not necessary anymore", "dont bother", "change of plans", "plans changed", "plans have changed",
           "not happening anymore", "not going ahead", "no longer happening"),
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
# One will not be there: what was agreed on is not wanted any more.
_NOT_COMING: Final[_Phrases] = {
    "es": ("no voy a poder", "no voy a ir", "no voy a llegar", "no puedo ir", "no puedo asistir", "no podré ir",
           "no podré asistir", "no vamos a poder", "no podemos ir", "no llego"),
    "pt": ("não vou poder", "não vou conseguir", "não posso ir", "não consigo ir", "não poderei ir",
           "não vamos poder", "não vamos conseguir", "não podemos ir", "não vai dar", "não dá pra eu ir"),
    "en": ("cant make it", "cannot make it", "wont make it", "not going to make it", "not gonna make it",
           "unable to make it", "wont be able to", "not be able to", "cant come", "cannot come", "cant attend",
           "cannot attend", "cant be there"),
}  # fmt: skip
# Forms of verbs that move something agreed on, and mean other things elsewhere: "pass by".
_MOVING: Final[_Phrases] = {
    "es": ("pásalo", "pásala", "pásame", "pásamelo", "pásamela", "me pasás", "me pasas", "me pasa", "pasarlo",
           "pasarla", "pasarme", "muévelo", "muévela", "muéveme", "movelo", "movela", "moveme", "moverlo", "moverla",
           "mové", "movés", "mueve", "mueves", "mueva", "muevas", "moverme"),
    "pt": ("passa para", "passa pra", "passa pras", "passa pro", "passar para", "passar pra", "passe para", "passe pra",
           "passa a", "passa o", "passa minha", "passa meu", "muda", "mude", "mova", "move", "joga para", "joga pra"),
    "en": ("switch", "swap", "bring it forward", "bring forward", "put it off"),
}  # fmt: skip
# What somebody asks about something that was agreed on: "at what time", "do I have".
_RECALLING: Final[_Phrases] = {
    "es": ("qué hora", "qué horario", "qué día", "qué fecha", "cuándo", "con quién", "con qué", "cuál", "qué nombre",
           "nombre de quién", "tengo", "tenía", "tenemos", "teníamos", "está confirmado", "quedó confirmado",
           "qué pasó con", "qué fue de", "en qué quedó", "cómo quedó"),
    "pt": ("que horas", "que hora", "que horário", "que dia", "que data", "quando", "com quem", "com qual", "qual",
           "nome de quem", "que nome", "tenho", "tinha", "temos", "tínhamos", "está confirmado", "está confirmada",
           "aconteceu com", "o que houve com", "como ficou"),
    "en": ("what time", "what day", "which day", "what date", "when", "who", "whom", "which", "whose name", "what name",
           "do i have", "did i have", "do i still have", "have i got", "do we have", "is my", "was my", "what is my",
           "what was my", "whats my", "what happened to", "what happened with", "what became of"),
}  # fmt: skip
# With these somebody adds to what was agreed on.
_ADDING: Final[_Phrases] = {
    "es": ("agregá", "agrega", "agregar", "agregue", "agregale", "agregarle", "agregue", "agregás", "agregas", "añade",
           "añadir", "añadas", "añada", "sumá", "sumar", "sumale", "anotá", "anota", "anotar", "anote", "poné que",
           "pon que", "poner que", "incluir", "incluí"),
    "pt": ("acrescenta", "acrescente", "acrescentar", "adiciona", "adicione", "adicionar", "anota", "anote", "anotar",
           "inclui", "inclua", "incluir", "coloca que", "coloque que", "põe que"),
    "en": ("add", "adding", "include", "note that", "make a note", "put down that", "write down", "mention"),
}  # fmt: skip
# Words that stand before what somebody has.
_OWNING: Final[_Phrases] = {
    "es": ("mi", "mis", "nuestro", "nuestra", "tengo", "tenía", "tenemos", "teníamos", "es", "era", "fue"),
    "pt": ("meu", "minha", "meus", "minhas", "nosso", "nossa", "tenho", "tinha", "temos", "tínhamos", "é", "era",
           "foi"),
    "en": ("my", "our", "i have", "i still have", "i got", "we have", "is", "was"),
}  # fmt: skip
# A second thing that is wished for, besides the first.
_ANOTHER: Final[_Phrases] = {
    "es": ("y otra", "y otro", "otra más", "otro más", "también otra", "también otro", "y una segunda", "y un segundo",
           "dos turnos", "dos citas", "dos mesas", "dos paquetes", "dos pedidos", "dos reembolsos", "dos retiros",
           "dos reservas", "dos visitas", "dos habitaciones", "y uno para", "y una para"),
    "pt": ("e outra", "e outro", "outra mais", "mais uma", "mais um", "e já agora outra", "e já agora outro",
           "duas consultas", "duas mesas", "dois pacotes", "duas encomendas", "dois pedidos", "duas coletas",
           "duas reservas", "duas visitas", "dois quartos", "e uma para", "e um para"),
    "en": ("and another", "another one", "and a second", "and one for", "also another", "two appointments",
           "two tables", "two parcels", "two pickups", "two orders", "two refunds", "second one",
           "two bookings", "two visits", "two rooms", "two reservations", "and the other", "and also one",
           "plus one for", "one for me and one", "one more for", "as well as one for"),
}  # fmt: skip


# What leads to what is to be done with something, and how a verb ends there.
_PURPOSES_OF: Final[Mapping[Language, frozenset[str]]] = {
    "es": frozenset(("para", "pa", "que", "por")),
    "pt": frozenset(("para", "pra", "que", "por")),
    "en": frozenset(("to",)),
}
_INFINITIVE: Final = re.compile(r"[aei]r(?:l[aoe]s?|me|te|nos|se)?$")
_FOLLOWING: Final = 6  # tokens behind it


def _tables(phrases: _Phrases) -> dict[Language, PhraseTable[None]]:
    return {language: PhraseTable((phrase, None) for phrase in phrases[language]) for language in LANGUAGES}


_ASKING_TABLES, _WITHIN_TABLES, _PURPOSES = _tables(_ASKING), _tables(_WITHIN), _tables(_PURPOSE)
_GIVING_UPS, _PERSONS, _ANOTHERS = _tables(_GIVING_UP), _tables(_PERSON), _tables(_ANOTHER)
_RECALLS, _OWNS = _tables(_RECALLING), _tables(_OWNING)
_BESIDE: Final = 2  # words between "my" and what is mine: "my next dental appointment"
_NOT_COMINGS, _MOVINGS, _ADDINGS = _tables(_NOT_COMING), _tables(_MOVING), _tables(_ADDING)
_OPENING: Final = 3  # tokens before the word that a question begins with: "y para qué"
_TIME: Final = frozenset(("ver", "eu", "me", "pensar"))
_FEW_MORE: Final = 5  # words beside those that give up
_ENDS: Final = frozenset(".!,;¿")
_STOPS: Final = frozenset(".!?")


def is_question(text: str, language: Language) -> bool:
    """Whether a message asks something: by a question mark, the word that a sentence begins with, or a phrase."""
    return _asks(spelled(text, language).tokens, language)


def _asks(tokens: Sequence[Token], language: Language) -> bool:
    if any(token.text == "?" for token in tokens) or _has(tokens, _WITHIN_TABLES[language]):
        return True
    starts = (at for at in range(len(tokens)) if at == 0 or tokens[at - 1].text in _ENDS or tokens[at].opens_line)
    return any(_ASKING_TABLES[language].starting(tokens, at) is not None for at in starts)


def asks_purpose(text: str, language: Language) -> bool:
    """Whether a question is what something is needed for."""
    tokens = spelled(text, language).tokens
    starts = (at for at in range(len(tokens)) if at < _OPENING or tokens[at - 1].text in _ENDS or tokens[at].opens_line)
    return any(_PURPOSES[language].starting(tokens, at) is not None for at in starts)


def gives_up(text: str, language: Language) -> bool:
    """Whether a message says somewhere that nothing is wanted any more: "changed my mind", "al final ya no voy"."""
    return bool(giving_up(text, language))


def giving_up(text: str, language: Language) -> list[tuple[int, int]]:
    """Where a message says that nothing is wanted any more."""
    folded, table = spelled(text, language), _GIVING_UPS[language]
    tokens = folded.tokens
    found = [(at, known[0]) for at in range(len(tokens)) if (known := table.starting(tokens, at)) is not None]
    return [folded.span(at, at + words - 1) for at, words in found if not _lets(tokens, at + words)]


def _lets(tokens: Sequence[Token], after: int) -> bool:
    """Whether what seems to drop something asks for time: "deixa ver", "deixa eu pensar"."""
    return tokens[after - 1].text == "deixa" and after < len(tokens) and tokens[after].text in _TIME


def says_little_but_giving_up(text: str, language: Language) -> bool:
    """Whether a message says hardly anything but that nothing is wanted any more: "la verdad, ya no lo quiero"."""
    spans = giving_up(text, language)
    return bool(spans) and len(text.split()) - len(text[slice(*spans[0])].split()) <= _FEW_MORE


def wants_a_person(text: str, language: Language) -> bool:
    """Whether somebody would rather be served by a person."""
    tokens, table = spelled(text, language).tokens, _PERSONS[language]
    return any(
        table.starting(tokens, at) is not None and not CLAUSES[language].denied(tokens, at) for at in range(len(tokens))
    )


def wants_another(text: str, language: Language) -> bool:
    """Whether a message asks for a second one of the same: "and another for Saturday"."""
    return _has(spelled(text, language).tokens, _ANOTHERS[language])


def recalls(text: str, at: int, language: Language) -> bool:
    """Whether a message asks about something that its sender has, which token `at` names: "when is my appointment?"."""
    tokens = spelled(text, language).tokens
    asking = (one for one in _sentences(tokens) if _asks(one, language))
    if not any(_has(sentence, _RECALLS[language]) for sentence in asking):
        return False
    if _is_for_doing(tokens, at, language):
        return False
    for before in range(at - 1, max(-1, at - 2 - _BESIDE), -1):
        if _OWNS[language].ending(tokens, before) is not None:
            return True
        if tokens[before].kind != "word":
            return False
    return False


def _is_for_doing(tokens: Sequence[Token], at: int, language: Language) -> bool:
    """Whether something is to be done with what token `at` names: "I have a parcel to send"."""
    for place in range(at + 1, min(at + 1 + _FOLLOWING, len(tokens) - 1)):
        behind = tokens[place + 1]
        if tokens[place].text in _PURPOSES_OF[language] and behind.kind == "word":
            return language == "en" or _INFINITIVE.search(behind.text) is not None
        if tokens[place].text in _STOPS:
            return False
    return False


def _sentences(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The sentences of a text, each with the sign that it ends with."""
    first = 0
    for at, token in enumerate(tokens):
        if at > first and (token.opens_line or token.text == "¿"):
            yield tokens[first:at]
            first = at
        if token.text in _STOPS:
            yield tokens[first : at + 1]
            first = at + 1
    yield tokens[first:]


def will_not_come(text: str, language: Language) -> bool:
    """Whether somebody will not be there: "al final no voy a poder ir", "can't make it after all"."""
    return _has(spelled(text, language).tokens, _NOT_COMINGS[language])


def moves(text: str, language: Language) -> bool:
    """Whether a message has a verb that takes back or changes something, be it in a question: "can I move it?"."""
    tokens, clauses = spelled(text, language).tokens, CLAUSES[language]
    return any(
        (clauses.undoes(token.text) or _MOVINGS[language].starting(tokens, at) is not None)
        and not clauses.denied(tokens, at)
        for at, token in enumerate(tokens)
    )


def adds(text: str, language: Language) -> bool:
    """Whether a message adds to something, be it in a question: "can you add a reason?"."""
    tokens, clauses = spelled(text, language).tokens, CLAUSES[language]
    table = _ADDINGS[language]
    return any(table.starting(tokens, at) is not None and not clauses.denied(tokens, at) for at in range(len(tokens)))


def _has(tokens: Sequence[Token], table: PhraseTable[None]) -> bool:
    return any(table.starting(tokens, at) is not None for at in range(len(tokens)))
