"""Rules, inside a Work and outside; and whatever is typed, nothing raises and nothing is made up."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import datetime
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import Definition, shipped
from mew_agents.fluxi.interpreter.base import ProposedWork, Understanding
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import LANGUAGES, Language

from ..utterances import utterances

NOW = datetime(2026, 11, 24, 10, 0, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
DEFINITIONS = list(shipped())
BOOKING = replace(Understanding(language="es", now=NOW), within="appointment_booking")
REFUND = replace(BOOKING, within="refund_request")
AT_17 = "2026-11-27T17:00:00-03:00"


def said(text: str, understanding: Understanding) -> dict[str, Any]:
    proposal = Rules().propose(text, DEFINITIONS, understanding)
    return {} if proposal is None else {slot.path: slot.value for slot in proposal.slots}


@pytest.mark.parametrize(
    ("asked", "held", "text", "filled"),
    [
        ("start", {}, "el viernes a las 17", {"start": AT_17}),
        ("start", {"start": {"date": "2026-11-27"}}, "a las 17", {"start": AT_17}),
        ("start", {"start": {"date": "2026-11-27"}}, "17", {"start": AT_17}),
        ("start", {}, "17", {}),
        ("", {"start": AT_17}, "sí, pero a las 18", {"start": "2026-11-27T18:00:00-03:00"}),
        ("", {"start": AT_17}, "no, mejor a las 18", {"start": "2026-11-27T18:00:00-03:00"}),
        ("", {"start": AT_17}, "no, con Souza mejor", {"doctor": "joao-souza"}),
        ("", {"start": AT_17}, "sí", {}),
        ("", {"start": AT_17}, "a nombre de Ana Pérez", {"patient": "Ana Pérez"}),
        ("doctor", {}, "con la Dra. Clark", {"doctor": "emily-clark"}),
        ("doctor", {}, "no sé", {}),
        ("doctor", {}, "Clark, el viernes a las 17", {"doctor": "emily-clark", "start": AT_17}),
        ("doctor", {}, "quiero un reembolso de 25 dólares", {}),  # no new intent within a Work
        ("patient", {}, "Lucía Gómez", {"patient": "Lucía Gómez"}),
        ("patient", {}, "Ana Pérez", {"patient": "Ana Pérez"}),  # the asked slot first
        ("patient", {}, "con Souza", {"doctor": "joao-souza"}),
        ("patient", {}, "el viernes a las 17", {"start": AT_17}),
        ("patient", {}, "Lucía Gómez, el viernes a las 17", {"patient": "Lucía Gómez", "start": AT_17}),
        ("reason", {}, "me duele desde el viernes", {"reason": "me duele desde el viernes"}),
        ("reason", {}, "mejor con Souza", {"doctor": "joao-souza"}),
        ("reason", {}, "¿qué?", {}),
        ("start", {"start": {"date": "2026-11-27"}}, "às 17h", {"start": AT_17}),  # another language
    ],
)
def test_within_a_booking(asked: str, held: dict[str, Any], text: str, filled: dict[str, Any]) -> None:
    assert said(text, replace(BOOKING, asked=asked, values=held)) == filled


@pytest.mark.parametrize(
    ("asked", "text", "filled"),
    [
        ("order", "A-1001", {"order": "A-1001"}),
        ("order", "1001", {}),
        ("amount", "25", {"amount": {"amount": "25.00", "currency": "USD"}}),
        ("amount", "25 dólares, llegó roto", {"amount": {"amount": "25.00", "currency": "USD"}, "reason": "damaged"}),
        ("amount", "el pedido es A-1002", {"order": "A-1002"}),
        ("reason", "llegó tarde", {"reason": "late"}),
        ("reason", "otro", {"reason": "other"}),
        ("reason", "son 25", {}),
        ("", "el monto es 30", {"amount": {"amount": "30.00", "currency": "USD"}}),
    ],
)
def test_within_a_refund(asked: str, text: str, filled: dict[str, Any]) -> None:
    assert said(text, replace(REFUND, asked=asked)) == filled


def test_what_is_refused_gives_way_and_keeps_its_own_evidence() -> None:
    text = "quiero un reembolso de -5 dólares, no, de 25 dólares, pedido A-1001"
    proposal = Rules().propose(text, DEFINITIONS, Understanding(language="es", now=NOW))
    assert proposal is not None
    amount = next(slot for slot in proposal.slots if slot.path == "amount")
    assert (amount.value, amount.evidence) == ({"amount": "25.00", "currency": "USD"}, "25 dólares")


def test_two_slots_of_one_type_are_filled_in_the_order_of_the_text() -> None:
    stay = _definition(
        {"path": "from", "type": "date", "label": {"es": "desde"}},
        {"path": "to", "type": "date", "label": {"es": "hasta"}},
    )
    text = "quiero alojamiento desde el viernes hasta el lunes"
    proposal = Rules().propose(text, [stay], Understanding(language="es", now=NOW))
    assert proposal is not None
    assert {slot.path: slot.value for slot in proposal.slots} == {"from": "2026-11-27", "to": "2026-11-30"}


def test_a_cue_tells_slots_of_one_type_apart() -> None:
    stay = _definition(
        {"path": "from", "type": "date", "label": {"es": "entrada"}, "cues": {"es": ["llego el"]}},
        {"path": "to", "type": "date", "label": {"es": "salida"}, "cues": {"es": ["me voy el"]}},
    )
    text = "quiero alojamiento, me voy el lunes y llego el viernes"
    proposal = Rules().propose(text, [stay], Understanding(language="es", now=NOW))
    assert proposal is not None
    assert {slot.path: slot.value for slot in proposal.slots} == {"from": "2026-11-27", "to": "2026-11-30"}


def _definition(*slots: dict[str, Any]) -> Definition:
    return Definition.model_validate(
        {
            "typeId": "stay",
            "version": 1,
            "title": {"es": "alojamiento"},
            "intents": {"es": ["alojamiento"]},
            "bindingAttributes": ["from"],
            "slots": list(slots),
        }
    )


def test_no_definitions_and_a_type_that_is_none_of_them() -> None:
    assert Rules().propose("quiero un turno", [], Understanding(language="es", now=NOW)) is None
    assert Rules().propose("el viernes", DEFINITIONS, replace(BOOKING, within="other", asked="")) is None


async def test_what_is_interpreted_is_what_is_proposed() -> None:
    understanding = Understanding(language="es", now=NOW)
    found = await Rules().interpret("quiero un turno", DEFINITIONS, understanding)
    assert found.proposal == Rules().propose("quiero un turno", DEFINITIONS, understanding)
    assert (found.decided_by, found.fault) == ("rules-1", "")


UNDERSTANDINGS = st.builds(
    lambda language, definition, asked, held: Understanding(
        language=language,
        now=NOW,
        within=None if asked is None else definition.type_id,
        asked=None if asked is None else ("", *definition.paths)[asked % (len(definition.paths) + 1)],
        values=held,
    ),
    st.sampled_from(LANGUAGES),
    st.sampled_from(DEFINITIONS),
    st.none() | st.integers(0, 6),
    st.sampled_from([{}, {"start": {"date": "2026-11-27"}}, {"start": {"time": "17:00"}}, {"start": AT_17}]),
)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """What people type, as tests/fluxi/utterances.py makes it."""
    made = utterances(
        Random(draw(st.integers(0, 10**9))), draw(st.sampled_from(DEFINITIONS)), draw(st.sampled_from(LANGUAGES))
    )
    return next(made)


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=300) | damaged(), UNDERSTANDINGS)
def test_whatever_is_typed_evidence_is_verbatim_and_no_stretch_fills_two_slots(
    text: str, understanding: Understanding
) -> None:
    proposal = Rules().propose(text, DEFINITIONS, understanding)
    assert proposal == Rules().propose(text, DEFINITIONS, understanding)
    if proposal is None:
        return
    definition = next(one for one in DEFINITIONS if one.type_id == proposal.type_id)
    for slot in proposal.slots:
        assert slot.evidence == text[slot.start : slot.end]
        assert slot.evidence.strip()
        assert values.checked(definition.slot(slot.path), slot, text, understanding) is not None
        assert slot.value not in slot.alternatives
    _each_stretch_once(proposal)


def _each_stretch_once(proposal: ProposedWork) -> None:
    """But for a day and an hour that stand apart: what is between them may be somebody else's."""
    for one, other in itertools.permutations(proposal.slots, 2):
        apart = one.path == "start" and one.start < other.start and other.end < one.end
        assert apart or one.end <= other.start or other.end <= one.start or (other.path == "start")


PIECES = ("de ", "17 ", "el viernes a las 17 ", "A-1001 ", "25 dólares ", "Pérez ", "monto: 5 ", "a nombre de x ",
          "mañana ", "?", "\0", "👍", "no, ")  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_long_messages_are_read_too(language: Language, piece: str) -> None:
    text = (piece * 10_000)[:10_000]
    for understanding in (
        replace(BOOKING, asked="patient"),
        replace(REFUND, asked="amount"),
        replace(BOOKING, within=None),
    ):
        proposal = Rules().propose(text, DEFINITIONS, replace(understanding, language=language))
        assert proposal is None or all(slot.evidence in text for slot in proposal.slots)
