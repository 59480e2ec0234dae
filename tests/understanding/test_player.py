"""The player: what each verdict is given for, on the real engines; and how arguments are compared."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from .__main__ import app
from .cases import Call, Case, CaseFile, Goal, Later, Plain
from .comparing import same, unmatched, unwanted
from .engines import CaseEngine
from .measured import worse
from .player import NotReached, Played, play

NOW = "2027-03-10T09:20:00-03:00"
ZONE = "America/Argentina/Buenos_Aires"
PLAIN = Plain(
    openings={"appointment_booking": "quiero un turno con {doctor}", "transfer": "quiero hacer una transferencia"},
    told={"doctor": "el profesional es {doctor}", "start": "la fecha es {start}"},
)
BOOKED = Call(
    tool="calendar/book_appointment",
    arguments={
        "doctor": "emily-clark",
        "start": "2027-03-12T17:00:00-03:00",
        "duration_minutes": 30,
        "patient": "marta",
    },
)
ANSWERS = {"doctor": "Emily Clark", "start": "el viernes 12 de marzo a las 17:00", "start.time": "a las 17:00"}
SENT = Call(
    tool="ledger/transfer", arguments={"source": "shop", "target": "bruno", "amount": "50.00", "currency": "USD"}
)


def case(message: str, **told: Any) -> Case:
    plain: dict[str, Any] = {
        "id": "appointment_booking-es-0",
        "phenomenon": "opening",
        "wish": "appointment_booking",
        "situation": "…",
        "open": "none",
        "goal": Goal(calls=(BOOKED,)),
        "answers": ANSWERS,
    }
    return Case(**plain | told, message=message)


def transfer(message: str, **told: Any) -> Case:
    return case(message, wish="transfer", goal=Goal(calls=(SENT,)), answers={"payee": "Bruno", "amount": "50"} | told)


@asynccontextmanager
async def engine(definition: Any = "appointment_booking") -> AsyncIterator[CaseEngine]:
    file = CaseFile(
        definition=definition, language="es", now=NOW, timezone=ZONE, sender="marta", plain=PLAIN, cases=(), half="open"
    )
    with tempfile.TemporaryDirectory() as folder:
        found = await CaseEngine.open(file, Path(folder))
        yield found
        found.close()


async def played(one: Case, definition: Any = "appointment_booking") -> Played:
    async with engine(definition) as here:
        return await play(here, one)


async def test_a_message_that_is_taken_whole_is_understood() -> None:
    says = {"doctor": "emily-clark", "start": "2027-03-12T17:00"}
    found = await played(case("Quiero un turno con Emily Clark el viernes a las 17", says=says))
    assert (found.verdict, found.at) == ("understood", 0)
    assert [call for turn in found.turns for call in turn.calls] == [BOOKED]


async def test_what_is_not_said_is_answered_plainly() -> None:
    found = await played(case("Quiero un turno con Emily Clark", says={"doctor": "emily-clark"}))
    assert found.verdict == "understood"
    assert [turn.text for turn in found.turns[1:]] == [ANSWERS["start"], "sí"]


async def test_of_a_moment_only_the_piece_that_is_missing_is_asked_for() -> None:
    says = {"doctor": "emily-clark", "start": {"date": "2027-03-12"}}
    found = await played(case("Quiero un turno con Emily Clark el viernes", says=says))
    assert [str(turn.asked) for turn in found.turns] == ["start.time", "confirm", "None"]
    assert found.verdict == "understood"
    whole = await played(case("Quiero un turno con Emily Clark el viernes", says=says | {"start": "2027-03-12T17:00"}))
    assert whole.verdict == "not_understood"
    assert "start.time as if new" in whole.why


async def test_a_value_that_is_confirmed_is_asked_back_unless_it_should_be() -> None:
    goal = Goal(calls=(Call(tool=BOOKED.tool, arguments=BOOKED.arguments | {"doctor": "juan-perez"}),))
    message, answers = "Quiero un turno con Pérez el viernes a las 17", ANSWERS | {"doctor": "Juan Pérez"}
    says = {"doctor": "juan-perez", "start": "2027-03-12T17:00"}
    wrong = await played(case(message, says=says, goal=goal, answers=answers))
    assert wrong.verdict == "wrong_and_confirmed"  # they say yes to the first of two
    right = await played(case(message, says={"doctor": "ana-perez"}, goal=_with(doctor="ana-perez")))
    assert (right.verdict, "confirmed" in right.why or "check:doctor" in right.why) == ("asked_back", True)
    doubted = await played(case(message, says=says, asks=("doctor",), goal=goal, answers=answers))
    assert doubted.verdict == "understood"


def _with(**arguments: Any) -> Goal:
    return Goal(calls=(Call(tool=BOOKED.tool, arguments=BOOKED.arguments | arguments),))


async def test_a_message_that_opens_nothing_is_not_understood() -> None:
    found = await played(case("el cielo es azul", says={}))
    assert (found.verdict, found.why) == ("not_understood", "calendar/book_appointment was not called")


async def test_saying_that_it_was_not_understood_counts_though_it_ends_well() -> None:
    before = ("Quiero un turno con Emily Clark",)
    found = await played(case("wxrt qlmp", before=before, open="start", phenomenon="question"))
    assert found.verdict == "not_understood"
    assert found.why.startswith("said so: Disculpe, no entendí")


async def test_whoever_is_told_so_says_it_once_more_before_the_yes() -> None:
    before = ("Quiero un turno con João Souza el viernes 12 de marzo a las 17:00",)
    told: dict[str, Any] = {
        "before": before,
        "open": "confirm",
        "phenomenon": "correction",
        "says": {"doctor": "emily-clark"},
    }
    found = await played(case("wxrt qlmp", **told))
    assert [turn.text for turn in found.turns[found.at + 1 :]] == ["el profesional es Emily Clark", "sí"]
    assert found.verdict == "not_understood"


async def test_what_a_question_is_about_must_be_told() -> None:
    before = ("quiero hacer una transferencia",)
    told: dict[str, Any] = {"before": before, "open": "payee", "phenomenon": "question", "wish": "transfer"}
    told |= {"goal": Goal(calls=(SENT,)), "answers": {"payee": "Bruno", "amount": "50"}}
    found = await played(case("¿qué significa?", tells=("Bruno", "Lucía"), **told), "banking")
    assert found.verdict == "understood", found.why
    found = await played(case("¿qué significa?", tells=("Zoë",), **told), "banking")
    assert (found.verdict, found.why[:18]) == ("not_understood", "did not tell Zoë: ")


async def test_another_value_than_the_goals_is_wrong_and_confirmed() -> None:
    found = await played(case("Quiero un turno con Emily Clark el viernes a las 18", says={}))
    assert found.verdict == "wrong_and_confirmed"
    assert "18:00" in found.why


async def test_an_optional_value_that_is_dropped_is_wrong_and_confirmed() -> None:
    goal = Goal(calls=(SENT,), held={"concept": "alquiler"})
    told: dict[str, Any] = {"wish": "transfer", "goal": goal, "answers": {"payee": "Bruno", "amount": "50"}}
    heard = await played(case("transferir 50 a Bruno, concepto: alquiler", **told), "banking")
    assert heard.verdict == "understood"
    dropped = await played(case("transferir 50 a Bruno", **told), "banking")
    assert (dropped.verdict, dropped.why) == ("wrong_and_confirmed", "{'concept': 'alquiler'} is not held")


async def test_whoever_wants_nothing_any_more_must_be_let_go() -> None:
    before = ("Quiero un turno con Emily Clark el viernes 12 de marzo a las 17:00",)
    told: dict[str, Any] = {"before": before, "open": "confirm", "phenomenon": "change", "goal": Goal(), "answers": {}}
    assert (await played(case("no, cancelá", **told))).verdict == "understood"
    assert (await played(case("no", **told))).verdict == "asked_back"  # asked what is to be different
    assert (await played(case("dale", **told))).verdict == "wrong_and_confirmed"


async def test_a_second_wish_may_not_be_forgotten_in_silence() -> None:
    seen = Call(tool="balance", arguments={})
    later = Later(calls=(seen,), mentions=("saldo",), plain="¿Cuál es mi saldo?")
    told: dict[str, Any] = {"wish": "transfer", "answers": {"payee": "Bruno", "amount": "50"}}
    both = case("ver mi saldo y transferir 50 a Bruno", goal=Goal(calls=(SENT,), later=later), **told)
    assert (await played(both, "banking")).verdict in ("understood", "asked_back")  # it may ask which comes first
    later = Later(calls=(seen,), mentions=("horóscopo",), plain="¿Cuál es mi saldo?")
    one = case("transferir 50 a Bruno y después el horóscopo", goal=Goal(calls=(SENT,), later=later), **told)
    found = await played(one, "banking")
    assert (found.verdict, found.why) == ("wrong_and_confirmed", "balance was forgotten in silence")


async def test_the_whole_message_may_be_the_value() -> None:
    said = "La página se cierra sola cuando pago con tarjeta"
    call = Call(
        tool="support/open_ticket",
        arguments={"category": "access", "details": "{message}", "channel": "email", "email": "ana@example.org"},
    )
    told: dict[str, Any] = {
        "wish": "support_ticket",
        "before": ("quiero hacer un reclamo", "acceso"),
        "open": "details",
        "says": {"details": "{message}"},
        "goal": Goal(calls=(call,)),
        "answers": {"category": "acceso", "details": "no anda", "channel": "correo", "email": "ana@example.org"},
    }
    found = await played(case(said, **told), "support_ticket")
    assert found.verdict == "understood", found.why


async def test_a_flow_without_a_tool_is_compared_by_what_it_holds() -> None:
    told = {"name": "Ana Paz", "age": 30, "email": "ana@example.org", "city": "Funes"}
    answers = {path: str(value) for path, value in told.items()}
    goal = Goal(calls=(Call(tool="onboarding", arguments=told),))
    found = await played(case("quiero registrarme", wish="onboarding", goal=goal, answers=answers), "onboarding")
    assert found.verdict == "understood", found.why


async def test_a_state_that_is_not_reached_is_no_verdict() -> None:
    with pytest.raises(NotReached, match="confirm is to be open, and start is"):
        await played(case("sí", before=("Quiero un turno con Emily Clark",), open="confirm"))


async def test_cases_of_a_file_do_not_meet() -> None:
    message, says = "Quiero un turno con Emily Clark el viernes a las 17", {"doctor": "emily-clark"}
    async with engine() as here:
        for number in range(3):
            found = await play(here, case(message, id=f"appointment_booking-es-{number}", says=says))
            assert found.verdict == "understood", found.why


@pytest.mark.parametrize(
    ("wanted", "found", "is_same"),
    [
        ("Sofía Gómez", "sofia  gomez.", True),
        ("Sofía Gómez", "Sofía", False),
        (3, 3, True),
        (True, 1, False),
        ({"about": "no puedo entrar"}, "es que no puedo entrar", True),
        ({"about": "no puedo entrar"}, "puedo entrar", False),
        ({"about": "no puedo"}, "uno dos tres cuatro cinco seis siete ocho nueve no puedo", False),
        ({"amount": "5.00", "currency": "USD"}, {"amount": "5.00", "currency": "EUR"}, False),
        ({"amount": "5.00"}, {"amount": "5.00", "currency": "EUR"}, False),
        ("{message}", "No, gracias", True),
        ("{message}", "gracias", False),
    ],
)
def test_values_are_the_same_as_people_read_them(wanted: Any, found: Any, is_same: bool) -> None:
    assert same(wanted, found, ["no, gracias"]) is is_same


def test_every_call_counts_once() -> None:
    assert unwanted([SENT], [SENT, SENT]) == [SENT]
    assert unmatched([SENT, SENT], [SENT]) == [SENT]


def test_the_held_half_is_not_played_by_chance() -> None:
    for half in ("held", ""):
        result = CliRunner().invoke(app, ["play", "--half", half])
        assert result.exit_code == 2
        assert "--look-once" in result.output


def test_figures_that_are_worse_or_of_other_cases_are_told() -> None:
    known = {"cases": 10, "understood": 8, "asked_back": 1, "not_understood": 1, "wrong_and_confirmed": 0}
    assert list(worse(known, known)) == []
    assert list(worse(known, known | {"understood": 9, "not_understood": 0})) == []
    assert list(worse(known, known | {"understood": 7, "wrong_and_confirmed": 1})) == [
        "7 are understood, and 8 were",
        "1 are wrong_and_confirmed, and 0 were",
    ]
    assert list(worse(known, known | {"cases": 11})) == [
        "11 cases are written, and the figures are of 10: record them anew"
    ]
