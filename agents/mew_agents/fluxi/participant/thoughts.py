"""What a run thinks aloud: each transition of a Work in words, for whoever watches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.ports import RunOutcome, Thought
from mew_agents.fluxi.work import WorkEvent
from mew_agents.language.found import Language
from mew_agents.phrasebook import Phrasebook

EVENTS: Final = Phrasebook(
    {
        Event.WORK_OPENED: {"en": "A Work is opened", "es": "Se abre un trabajo", "pt": "Abre-se um trabalho"},
        Event.STATE_CHANGED: {
            "en": "The Work has its first values",
            "es": "El trabajo tiene sus primeros datos",
            "pt": "O trabalho tem os primeiros dados",
        },
        Event.DELTA_COMMITTED: {"en": "New values", "es": "Datos nuevos", "pt": "Dados novos"},
        Event.SLOT_REQUESTED: {
            "en": "Something is missing: a question",
            "es": "Falta un dato: una pregunta",
            "pt": "Falta um dado: uma pergunta",
        },
        Event.INPUT_UNRESOLVED: {
            "en": "Nothing usable was said",
            "es": "No se dijo nada que sirva",
            "pt": "Nada do que foi dito serve",
        },
        Event.CONFIRMATION_REQUESTED: {
            "en": "A yes is asked for",
            "es": "Se pide una confirmación",
            "pt": "Pede-se uma confirmação",
        },
        Event.SEMANTIC_COMMIT: {"en": "Confirmed", "es": "Confirmado", "pt": "Confirmado"},
        Event.SEMANTIC_REJECTED: {"en": "Denied", "es": "Rechazado", "pt": "Recusado"},
        Event.SEMANTIC_SUPERSEDED: {
            "en": "Another value takes its place",
            "es": "Otro dato ocupa su lugar",
            "pt": "Outro dado toma o seu lugar",
        },
        Event.SEMANTIC_EXPIRED: {
            "en": "The question has expired",
            "es": "La pregunta ha vencido",
            "pt": "A pergunta expirou",
        },
        Event.EFFECT_CLAIMED: {
            "en": "The effect {effect_id} is to happen, once",
            "es": "El efecto {effect_id} ha de ocurrir, una sola vez",
            "pt": "O efeito {effect_id} deve acontecer, uma só vez",
        },
        Event.EFFECT_CLAIM_FAILED: {
            "en": "Somebody else has claimed it: no call",
            "es": "Otro ya lo ha reclamado: no se llama",
            "pt": "Outro já o reivindicou: não se chama",
        },
        Event.EFFECT_PROPOSED: {
            "en": "The call of {effect_id} waits for somebody to approve it",
            "es": "La llamada de {effect_id} espera que alguien la apruebe",
            "pt": "A chamada de {effect_id} espera que alguém a aprove",
        },
        Event.EFFECT_RECORDED: {
            "en": "The effect {effect_id}: {outcome}",
            "es": "El efecto {effect_id}: {outcome}",
            "pt": "O efeito {effect_id}: {outcome}",
        },
        Event.EFFECT_IN_DOUBT: {
            "en": "Nobody can tell whether {effect_id} happened",
            "es": "Nadie puede decir si {effect_id} ocurrió",
            "pt": "Ninguém sabe dizer se {effect_id} aconteceu",
        },
        Event.EFFECT_RECONCILED: {
            "en": "What became of {effect_id} is known: {outcome}",
            "es": "Ya se sabe qué pasó con {effect_id}: {outcome}",
            "pt": "Já se sabe o que aconteceu com {effect_id}: {outcome}",
        },
        Event.RETRY_SCHEDULED: {
            "en": "{effect_id} will be tried again",
            "es": "Se volverá a intentar {effect_id}",
            "pt": "{effect_id} será tentado de novo",
        },
        Event.WORK_COMPLETED: {"en": "Done", "es": "Hecho", "pt": "Feito"},
        Event.WORK_FAILED: {"en": "Failed", "es": "Fallido", "pt": "Falhou"},
        Event.WORK_CANCELLED: {"en": "Cancelled", "es": "Cancelado", "pt": "Cancelado"},
        Event.CANCEL_REQUESTED: {
            "en": "To be cancelled as soon as the outcome of the call is known",
            "es": "Se cancelará en cuanto se sepa el resultado de la llamada",
            "pt": "Será cancelado assim que se souber o resultado da chamada",
        },
        Event.WORK_SUSPENDED: {"en": "Suspended", "es": "Suspendido", "pt": "Suspenso"},
        Event.WORK_RESUMED: {"en": "Resumed", "es": "Reanudado", "pt": "Retomado"},
        Event.EXPIRED: {"en": "Its time is over", "es": "Se acabó su tiempo", "pt": "O seu tempo acabou"},
        Event.WORK_REOPENED: {"en": "Reopened", "es": "Reabierto", "pt": "Reaberto"},
    }
)

OUTCOMES: Final = Phrasebook(
    {
        "applied": {"en": "done", "es": "hecho", "pt": "feito"},
        "not_applied": {"en": "not done", "es": "no hecho", "pt": "não feito"},
        "unknown": {"en": "unknown", "es": "se desconoce", "pt": "desconhecido"},
    }
)

OCCASIONS: Final = Phrasebook(
    {
        "turn": {"en": "{who} says something", "es": "{who} dice algo", "pt": "{who} diz algo"},
        "timer": {"en": "A time limit has passed", "es": "Venció un plazo", "pt": "Um prazo venceu"},
        "resumed": {
            "en": "What was begun goes on",
            "es": "Sigue lo que se había empezado",
            "pt": "Continua o que se tinha começado",
        },
        "retry": {"en": "It is time to act", "es": "Es hora de actuar", "pt": "É hora de agir"},
        "recovery": {
            "en": "Finding out what became of an effect",
            "es": "Se averigua qué pasó con un efecto",
            "pt": "Descobre-se o que aconteceu com um efeito",
        },
        "news": {
            "en": "There is news of a call",
            "es": "Hay novedades de una llamada",
            "pt": "Há novidades de uma chamada",
        },
        "operator": {"en": "{who} acts", "es": "{who} interviene", "pt": "{who} intervém"},
    }
)

ENDINGS: Final = Phrasebook(
    {
        "waiting": {"en": "It waits", "es": "Queda a la espera", "pt": "Fica à espera"},
        "completed": {"en": "Done", "es": "Hecho", "pt": "Feito"},
        "cancelled": {"en": "Cancelled", "es": "Cancelado", "pt": "Cancelado"},
        "failed": {"en": "It came to nothing", "es": "No pudo ser", "pt": "Não deu certo"},
        "in_doubt": {
            "en": "In doubt: a person has to find out",
            "es": "En duda: una persona tiene que averiguarlo",
            "pt": "Em dúvida: uma pessoa tem de descobrir",
        },
    }
)

_OUTCOMES: Final[Mapping[State, RunOutcome]] = {
    State.COMPLETED: "completed",
    State.FAILED: "failed",
    State.EXPIRED: "failed",
    State.CANCELLED: "cancelled",
}


def told(event: WorkEvent, language: Language) -> str:
    """A transition in words."""
    note = event.delta.get("note") or {}
    outcome = str(note.get("outcome"))
    said = OUTCOMES.say(outcome, language) if outcome in OUTCOMES.phrases else ""
    return EVENTS.say(event.type, language, effect_id=note.get("effect_id", ""), outcome=said)


def thought_of(event: WorkEvent, language: Language) -> Thought:
    """A transition, for whoever watches its Work."""
    doubtful = event.type is Event.EFFECT_IN_DOUBT or event.delta.get("suspended_reason") == "in_doubt"
    return Thought(
        text=told(event, language),
        subject=event.work_id,
        payload={"event": event.type, "revision": event.revision, "from": event.source, "to": event.target},
        outcome="in_doubt" if doubtful else _OUTCOMES.get(State(event.target), "waiting"),
    )


FAULT: Final = Phrasebook(
    {
        "turn": {
            "en": "Something failed here, and I could not answer that. Please ask me for the status, or say it again.",
            "es": "Algo falló de mi lado y no pude responder. Pregúnteme cómo va, o dígamelo de nuevo.",
            "pt": "Algo falhou do meu lado e não pude responder. Pergunte-me como está, ou diga de novo.",
        }
    }
)
