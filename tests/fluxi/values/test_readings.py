"""What a text holds for a slot of each type: asked for, open, or only where it says so itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Understanding

Told = Callable[..., Understanding]


@pytest.mark.parametrize(
    ("path", "text", "value", "evidence"),
    [
        # asked for: a bare value counts
        ("code", "AB123", "AB123", "AB123"),
        ("code", "es el ab123, gracias", "AB123", "ab123"),
        ("name", "Lucía Gómez, por favor", "Lucía Gómez", "Lucía Gómez"),
        ("name", "hola, me llamo Lucía  Gómez.", "Lucía Gómez", "Lucía  Gómez"),
        ("name", "a nombre de Lucía Gómez", "Lucía Gómez", "a nombre de Lucía Gómez"),
        ("note", "me duele la cabeza desde el viernes", "me duele la cabeza desde el viernes", "…"),
        ("people", "3", 3, "3"),
        ("people", "somos tres", 3, "tres"),
        ("weight", "12,5", "12.5", "12,5"),
        ("price", "25", {"amount": "25.00", "currency": "ARS"}, "25"),
        ("price", "mil quinientos", {"amount": "1500.00", "currency": "ARS"}, "mil quinientos"),
        ("price", "US$ 20", {"amount": "20.00", "currency": "USD"}, "US$ 20"),
        ("gift", "sí", True, "sí"),
        ("gift", "no, gracias", False, "no"),
        ("size", "grande", "large", "grande"),
        ("day", "el viernes", "2026-11-27", "viernes"),
        ("day", "30", "2026-11-30", "30"),
        ("hour", "17", "17:00", "17"),
        ("hour", "cinco y media", "17:30", "cinco y media"),
        ("start", "el viernes a las 17", "2026-11-27T17:00:00-03:00", "viernes a las 17"),
        ("start", "viernes", {"date": "2026-11-27"}, "viernes"),
        ("length", "media hora", 1_800_000, "media hora"),
        ("phone", "11 4567 8901", "+541145678901", "11 4567 8901"),
        ("mail", "es ana@EXAMPLE.com", "ana@example.com", "ana@EXAMPLE.com"),
        ("doctor", "souza", "joao", "souza"),
        ("room", "la azul", "r1", "azul"),
    ],
)
def test_what_was_asked_for(
    everything: Definition, told: Told, path: str, text: str, value: Any, evidence: str
) -> None:
    understanding, slot = told(asked=path), everything.slot(path)
    first, *_ = (values.settle(slot, one, understanding) for one in values.candidates(slot, text, understanding))
    assert first.value == value
    assert first.evidence == text[first.start : first.end] == (text if evidence == "…" else evidence)
    checked = values.checked(slot, first, text, understanding)
    assert checked is not None
    assert checked.checked
    assert values.refusal(slot, value, understanding) is None


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("name", "¿quién atiende?"),
        ("name", "quién atiende"),
        ("name", "sí"),
        ("name", "no, gracias"),
        ("name", "cancelar"),
        ("name", "¿cómo va?"),
        ("name", "no sé"),
        ("name", "sí, pero a las 18"),
        ("name", "por favor"),
        ("name", "👍"),
        ("note", "¿por qué?"),
        ("start", "17"),  # a day or an hour
        ("code", "AB1234"),
        ("code", "XAB123"),
        ("code", "AB123-4"),
        ("mail", "ana@"),
        ("phone", "12"),
        ("doctor", "el cardiólogo"),
        ("gift", "tal vez"),
    ],
)
def test_what_is_no_answer(everything: Definition, told: Told, path: str, text: str) -> None:
    assert values.candidates(everything.slot(path), text, told(asked=path)) == ()


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("name", "a nombre de Lucía Gómez para mañana", "Lucía Gómez"),
        ("name", "el nombre es Lucía", "Lucía"),
        ("note", "por motivo de fiebre", "fiebre"),
        ("people", "las personas son 4", 4),
        ("people", "personas: 4", 4),
        ("weight", "pesa 3 kilos", "3"),
        ("price", "son 20 dólares", {"amount": "20.00", "currency": "USD"}),
        ("price", "el precio es 20", {"amount": "20.00", "currency": "ARS"}),
        ("price", "somos 20", None),
        ("people", "somos 20", 20),
        ("gift", "sí, mejor el viernes", None),
        ("gift", "regalo: sí", True),
        ("gift", "regalo: no", False),
        ("gift", "sin regalo", False),
        ("gift", "¿hacen regalos?", None),
        ("name", "Lucía Gómez", None),
        ("code", "y el AB123", "AB123"),
    ],
)
def test_while_another_slot_was_asked_for_only_what_says_so_itself(
    everything: Definition, told: Told, path: str, text: str, value: Any
) -> None:
    found = values.candidates(everything.slot(path), text, told(asked="mail"))
    expected = [] if value is None else [value]
    assert [one.value for one in found] == expected


def test_outside_a_work_a_number_counts_where_the_slot_has_no_cues(everything: Definition, told: Told) -> None:
    outside = told(within=None, asked=None)
    assert [one.value for one in values.candidates(everything.slot("people"), "para 4", outside)] == [4]
    assert values.candidates(everything.slot("weight"), "para 4", outside) == ()


def test_the_likeliest_comes_first_and_doubts_are_carried_over(everything: Definition, told: Told) -> None:
    found = values.candidates(everything.slot("doctor"), "con Pérez o con Souza", told(asked="doctor"))
    assert [(one.value, one.doubts, one.alternatives) for one in found] == [
        ("joao", (), ()),
        ("ana", ("ambiguous",), ("juan",)),
    ]
    assert found[0].confidence > found[1].confidence


@pytest.mark.parametrize(
    ("text", "value", "evidence"),
    [
        ("con la Dra. Pérez", "ana", "Dra. Pérez"),
        ("con el dr perez", "juan", "dr perez"),
        ("Ana Pérez", "ana", "Ana Pérez"),
    ],
)
def test_a_title_tells_namesakes_apart(
    everything: Definition, told: Told, text: str, value: str, evidence: str
) -> None:
    (found,) = values.candidates(everything.slot("doctor"), text, told())
    assert (found.value, found.evidence, found.doubts) == (value, evidence, ())


def test_a_list_that_is_not_known_yet_names_nobody(everything: Definition, told: Told) -> None:
    assert values.candidates(everything.slot("room"), "la azul", told(lists={})) == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"evidence": "martes"},
        {"evidence": "viernes a", "end": 10},
        {"start": 3, "end": 3, "evidence": ""},
        {"start": -4, "end": 3},
        {"start": 3, "end": 99},
        {"start": 2, "end": 3, "evidence": " "},
    ],
)
def test_evidence_that_does_not_stand_there_is_none(everything: Definition, told: Told, wrong: dict[str, Any]) -> None:
    given: dict[str, Any] = {"start": 3, "end": 10, "evidence": "viernes", **wrong}
    candidate = Candidate(path="day", value="2026-11-27", **given)
    assert values.checked(everything.slot("day"), candidate, "el viernes", told()) is None


def test_a_value_that_its_evidence_does_not_say_is_unchecked(everything: Definition, told: Told) -> None:
    slot = everything.slot("day")
    wrong: list[Any] = ["2026-11-28", None, {"x": []}, "viernes"]
    for value in wrong:
        candidate = Candidate(path="day", value=value, start=3, end=10, evidence="viernes")
        checked = values.checked(slot, candidate, "el viernes", told())
        assert checked is not None
        assert (checked.checked, checked.value) == (False, value)


def test_evidence_with_two_values_bears_out_neither(everything: Definition, told: Told) -> None:
    text = "20 dólares o 30 dólares"
    candidate = Candidate(
        path="price", value={"amount": "30.00", "currency": "USD"}, start=0, end=len(text), evidence=text
    )
    checked = values.checked(everything.slot("price"), candidate, text, told())
    assert checked is not None
    assert not checked.checked


def test_words_in_another_language_bear_out_a_value(everything: Definition, told: Told) -> None:
    candidate = Candidate(path="day", value="2026-11-26", start=0, end=22, evidence="the day after tomorrow")
    checked = values.checked(everything.slot("day"), candidate, "the day after tomorrow", told())
    assert checked is not None
    assert checked.checked


@pytest.mark.parametrize(
    ("text", "held", "value"),
    [
        ("30", "USD", {"amount": "30.00", "currency": "USD"}),
        ("$ 30", "USD", {"amount": "30.00", "currency": "USD"}),
        ("30", "ARS", {"amount": "30.00", "currency": "ARS"}),
        ("30 pesos", "USD", {"amount": "30.00", "currency": "ARS"}),
        ("30 dólares", "ARS", {"amount": "30.00", "currency": "USD"}),
    ],
)
def test_a_corrected_amount_keeps_the_currency_that_is_held(
    everything: Definition, told: Told, text: str, held: str, value: Any
) -> None:
    slot = everything.slot("price")
    understanding = told(asked="price", values={"price": {"amount": "25.00", "currency": held}})
    first, *_ = (values.settle(slot, one, understanding) for one in values.candidates(slot, text, understanding))
    assert first.value == value


def test_a_plain_amount_of_an_interpreter_keeps_the_currency_that_is_held(everything: Definition, told: Told) -> None:
    understanding = told(values={"price": {"amount": "25.00", "currency": "USD"}})
    slot = everything.slot("price")
    for plain in ("30", 30, {"amount": "30"}):
        assert values.normal(slot, plain, understanding) == {"amount": "30.00", "currency": "USD"}
