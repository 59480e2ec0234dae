"""A second wish is one that somebody has: what a message says of the first speaks for no other operation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mew_agents.fluxi.definitions.loader import parse
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

from ..bookings import START

_PETS = {
    "dog": {"es": ["perro", "perra"], "pt": ["cachorro", "cachorra"], "en": ["dog"]},
    "cat": {"es": ["gato", "gata"], "pt": ["gato", "gata"], "en": ["cat"]},
}


def _slot(path: str, kind: str, **more: Any) -> dict[str, Any]:
    words = dict.fromkeys(("es", "pt", "en"), path)
    return {"path": path, "type": kind, "required": True, "label": words, "prompt": words, **more}


_VISIT = {
    "typeId": "vet_visit",
    "version": 1,
    "title": {"es": "visita al veterinario", "pt": "consulta veterinária", "en": "vet visit"},
    "intents": {
        "es": ["pedir turno", "quiero un turno", "turno para mi perro", "turno para mi gato", "vacunar"],
        "pt": ["marcar consulta", "quero uma consulta", "consulta para meu cachorro", "vacinar"],
        "en": ["book a visit", "want an appointment", "bring my dog", "bring my cat", "vaccinate"],
    },
    "bindingAttributes": ["species", "start"],
    "slots": [_slot("species", "enum", options=_PETS), _slot("start", "datetime")],
    "policies": {"grants": ["*"]},
}
_BOARDING = {
    "typeId": "boarding",
    "version": 1,
    "title": {"es": "guardería", "pt": "hospedagem", "en": "boarding"},
    "intents": {
        "es": ["guardería", "dejar en la guardería"],
        "pt": ["hospedagem", "hospedar"],
        "en": ["boarding", "board my"],
    },
    "bindingAttributes": ["arrival"],
    "slots": [_slot("arrival", "date")],
    "policies": {"grants": ["*"]},
}
BOTH = [parse(json.dumps(one).encode()) for one in (_VISIT, _BOARDING)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "quiero dejar a mis dos perros en la guardería"),
        ("es", "quiero dejar a mis dos perros en la guardería el lunes"),
        ("es", "dejo el perro en la guardería el lunes"),
        ("pt", "quero deixar os dois cachorros na hospedagem na segunda"),
        ("en", "boarding for two dogs and a cat from Monday"),
        ("en", "I want boarding for the dogs"),
    ],
)
def test_what_a_wish_is_for_is_no_other_wish(language: Language, text: str) -> None:
    proposal = Rules().propose(text, BOTH, Understanding(language=language, now=START))
    assert proposal is not None
    assert (proposal.type_id, proposal.later, proposal.second) == ("boarding", (), None)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "quiero un turno para mi perro y después dejarlo en la guardería"),
        ("pt", "quero uma consulta para o gato e depois hospedagem"),
        ("en", "I want an appointment for my dog and boarding for my cat"),
    ],
)
def test_two_wishes_are_two(language: Language, text: str) -> None:
    proposal = Rules().propose(text, BOTH, Understanding(language=language, now=START))
    assert proposal is not None and proposal.second is not None
    assert (proposal.type_id, proposal.second.type_id) == ("vet_visit", "boarding")
