"""What the agent says when it is not the graph that speaks."""

from __future__ import annotations

from typing import Final

from mew_agents.phrasebook import Phrasebook

REPLIES: Final = Phrasebook(
    {
        "cancelled": {
            "en": "This is cancelled. You can start again.",
            "es": "Esto quedó cancelado. Puede empezar de nuevo.",
            "pt": "Isto foi cancelado. Pode começar de novo.",
        },
        "graph_failed": {
            "en": "Something went wrong, and this could not be finished. You can start again.",
            "es": "Algo falló y no se pudo terminar. Puede empezar de nuevo.",
            "pt": "Algo falhou e não foi possível terminar. Pode começar de novo.",
        },
        "question_closed": {
            "en": "That question is closed: nothing has changed.",
            "es": "Esa pregunta ya está cerrada: no cambió nada.",
            "pt": "Essa pergunta já está encerrada: nada mudou.",
        },
        "not_yours": {
            "en": "That question was for somebody else: nothing has changed.",
            "es": "Esa pregunta era para otra persona: no cambió nada.",
            "pt": "Essa pergunta era para outra pessoa: nada mudou.",
        },
        "question_not_out": {
            "en": "That came before this question had reached you: {text}",
            "es": "Eso llegó antes que esta pregunta: {text}",
            "pt": "Isso chegou antes desta pergunta: {text}",
        },
        "unreadable": {
            "en": "This message cannot be read.",
            "es": "Este mensaje no se puede leer.",
            "pt": "Esta mensagem não pode ser lida.",
        },
        "off": {
            "en": "This is switched off at the moment.",
            "es": "Esto está desactivado por ahora.",
            "pt": "Isto está desativado por enquanto.",
        },
    }
)

EVENTS: Final = Phrasebook(
    {
        "asked": {"en": "It asks, and waits", "es": "Pregunta, y espera", "pt": "Pergunta, e espera"},
        "cancelled": {"en": "It is cancelled", "es": "Se cancela", "pt": "É cancelado"},
        "completed": {
            "en": "The graph has come to its end",
            "es": "El grafo llegó a su fin",
            "pt": "O grafo chegou ao fim",
        },
        "failed": {"en": "The graph has failed", "es": "El grafo falló", "pt": "O grafo falhou"},
        "refused": {
            "en": "That is no answer to what is asked",
            "es": "Eso no responde a lo que se pregunta",
            "pt": "Isso não responde ao que se pergunta",
        },
    }
)
