"""What a message tells besides dropping everything is no value; what it wishes for instead is one."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.dropping import drops_all
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language

from .test_peoples_words import DEFINITIONS, NOW

VISIT: dict[str, object] = {"doctor": "ana-perez", "start": "2027-03-20T10:30:00-03:00", "patient": "marta"}
TABLE: dict[str, object] = {"people": 6, "day": "2027-03-12", "time": "21:00", "terrace": True}


def dropped(name: str, text: str, language: Language, held: dict[str, object], asked: str = "") -> bool:
    definition = DEFINITIONS[name]
    understanding = Understanding(language=language, now=NOW, within=name, asked=asked, values=held)
    proposal = Rules().propose(text, [definition], understanding)
    certain, left = remainder(definition, text, understanding, proposal.slots if proposal else ())
    return drops_all(definition, text, language, (*certain, *left.guesses))


@pytest.mark.parametrize(
    ("name", "text", "language", "asked"),
    [
        ("appointment_booking", "you know what, leave it, I'm feeling miles better today", "en", ""),
        ("appointment_booking", "I'll leave the doctor's visit aside for the moment", "en", "start"),
        ("appointment_booking", "Mejor así lo dejamos, ya se me quitó el dolor", "es", ""),
        ("table_booking", "se suspende el cumpleaños. La mesa ya no la quiero", "es", ""),
        ("table_booking", "olhe, deixe estar, afinal vamos jantar a casa da minha sogra", "pt", "name"),
        ("table_booking", "don't worry about it then, my aunt has organised something at hers", "en", "name"),
        ("courier_pickup", "Not giving out my address. Leave it", "en", "address"),
    ],
)
def test_what_is_told_besides_keeps_nothing(name: str, text: str, language: Language, asked: str) -> None:
    assert dropped(name, text, language, VISIT if name == "appointment_booking" else TABLE, asked)


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("appointment_booking", "no, forget it, make it Friday the 19th", "en"),
        ("appointment_booking", "forget that, on Friday the 19th at 10:30", "en"),
        ("table_booking", "deixa pra lá, melhor no domingo", "pt"),
        ("table_booking", "déjalo, quisiera venir mejor el domingo con mi familia", "es"),
        ("courier_pickup", "Please add for the courier: no need to ring, the door is open", "en"),
        ("table_booking", 'if it is not too much trouble, a note saying "we are 2 vegans, no milk"', "en"),
        ("courier_pickup", "espere, de manhã afinal não vou estar em casa, só da parte da tarde", "pt"),
    ],
)
def test_what_is_wished_for_instead_is_a_value(name: str, text: str, language: Language) -> None:
    assert not dropped(name, text, language, VISIT if name == "appointment_booking" else TABLE)
