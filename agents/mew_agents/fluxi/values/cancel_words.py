"""The words with which people cancel what they asked for, and the words that may stand beside these."""

from __future__ import annotations

from mew_agents.language.folding import word_set
from mew_agents.language.found import Language
from mew_agents.language.value_words import VOCABULARIES

# Verbs that cancel whatever is there, in one of their forms.
CANCELLING: dict[Language, tuple[str, ...]] = {
    "es": ("cancelar", "anular"),
    "pt": ("cancelar", "anular", "desmarcar"),
    "en": ("cancel", "abort"),
}
# Words that cancel only if what is cancelled follows: "no quiero el turno".
DROPPING: dict[Language, tuple[str, ...]] = {
    "es": ("olvidate", "olvidate de", "olvídese", "olvidemos", "olvide", "olvida", "dejá", "deje", "deja",
           "dejemos", "no quiero", "no lo quiero", "ya no quiero", "no necesito", "ya no necesito", "no queremos",
           "suspende", "suspender", "suspenda", "eliminá", "elimina", "eliminar", "elimine", "borrá", "borra",
           "borrar", "borre", "desmarcá", "desmarca", "desmarcar", "desmarque", "quitá", "quita",
           "dar de baja", "da de baja", "dale de baja", "dejá sin efecto", "dejar sin efecto", "deja sin efecto",
           "descartá", "descarta", "descartar", "descarte", "no me hace falta", "no hace falta", "no hagas",
           "no haga"),
    "pt": ("esquece", "esquece de", "esqueça", "deixa", "deixe", "deixa pra lá", "deixa para lá", "não quero",
           "não quero mais", "já não quero", "não preciso", "não preciso mais", "já não preciso", "não queremos",
           "não precisa", "não faça", "não faz", "suspende", "suspenda", "suspender", "apaga", "apague", "apagar",
           "elimina", "elimine", "eliminar", "tira", "tire", "tirar", "dar baixa", "dá baixa", "desfaz", "desfazer",
           "descarta", "descarte", "descartar"),
    "en": ("forget", "forget about", "drop", "call off", "scrap", "scratch", "delete", "remove", "undo", "bin", "ditch",
           "get rid of", "i dont want", "dont want", "do not want", "no longer want", "i dont need", "dont need",
           "do not need", "no longer need", "dont make", "do not make", "dont book", "do not book", "skip"),
}  # fmt: skip
# What people call it, whatever the definition calls it.
CANCELLED: dict[Language, frozenset[str]] = {
    "es": word_set("turno cita reserva reservacion pedido solicitud tramite operacion gestion"),
    "pt": word_set("reserva pedido solicitacao marcacao agendamento operacao tramite"),
    "en": word_set("appointment booking reservation request order operation"),
}
_BESIDE: dict[Language, frozenset[str]] = {
    "es": word_set("""entonces pues ya todo toda todos eso esto lo la le me nomas directamente mejor quiero
        quisiera prefiero preferiria queria vamos voy final igual eh ah mm hmm uf uy bah che listo favor
        que solicito necesito deseo hay tendria tengo gustaria querria vos usted tu mi mis nuestro nuestra
        su sus este esta ese esa si no y o ahora hoy tranquilo perdon disculpe disculpa espera"""),
    "pt": word_set("""entao pois que ja tudo isso isto melhor quero queria prefiro preferia pode podes podem poderia
        vamos vou favor gostaria preciso tenho desejo ai ah hm hmm olha enfim meu minha nosso nossa seu sua este esta
        esse essa sim nao e ou agora hoje desculpa desculpe espera so me lhe pra mim voce"""),
    "en": word_set("""then so well just now all it that this want would like prefer rather please let us lets need have
        id ill im wanna gotta going to gonna actually after guess think better may ah oh hm hmm um right away my our
        your yes no and or whole thing everything i we you go ahead sorry wait ya ye"""),
}  # fmt: skip


def _idle(language: Language) -> frozenset[str]:
    said = VOCABULARIES[language].answers
    every = (*said.yes, *said.weak_yes, *said.alone, *said.polite)
    return _BESIDE[language] | {word for phrase in every for word in phrase.split()}


# Words that change nothing of what a clause cancels.
IDLE: dict[Language, frozenset[str]] = {language: _idle(language) for language in _BESIDE}
# What begins the reason for it, or something else.
BREAKING: frozenset[str] = word_set("porque pq pois pero mas but because cause cuz since que")
# Forms in which somebody tells that it was done: "me cancelaron el turno".
TOLD = r"(?:aron|aram|ado|ada|ados|adas|aba|ava|ou|ed|ing)$"
