"""What a message says beyond the values that were read is guessed, asked about or cleared."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from mew_agents.fluxi.definitions import Definition, load, shipped
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.remainder import Remainder, remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.language.found import Language
from mew_agents.language.retractions import is_correction

NOW = datetime(2027, 3, 10, 9, 20, tzinfo=ZoneInfo("America/Argentina/Buenos_Aires"))
UNSHIPPED = Path(__file__).parents[2] / "understanding" / "definitions"
DEFINITIONS = {one.type_id: one for one in (*shipped(), load(UNSHIPPED / "table_booking.yaml"))}
TABLE: dict[str, object] = {"people": 6, "day": "2027-03-12", "time": "21:00", "terrace": True}
VISIT: dict[str, object] = {"doctor": "ana-perez", "start": "2027-03-12T10:30:00-03:00", "patient": "marta"}
REFUND: dict[str, object] = {"order": "A-1001", "amount": {"amount": "25.00", "currency": "USD"}, "reason": "late"}


def read(
    name: str, text: str, held: dict[str, object], *, language: Language = "es", asked: str = ""
) -> tuple[dict[str, object], Remainder]:
    definition: Definition = DEFINITIONS[name]
    understanding = Understanding(language=language, now=NOW, within=name, asked=asked, values=held)
    proposal = Rules().propose(text, [definition], understanding)
    certain, left = remainder(definition, text, understanding, proposal.slots if proposal else ())
    return {one.path: one.value for one in certain}, left


@pytest.mark.parametrize(
    ("text", "language", "people"),
    [
        ("para 3 personas", "es", 3),
        ("actually make it 7 people", "en", 7),
        ("somos 5", "es", 5),
        ("De pessoas são 9", "pt", 9),
        ("dos adultos y dos niños, cuatro en total", "es", 4),
        ("para mí y mi cuñada", "es", 2),
        ("es para mi suegra, mi primo y yo", "es", 3),
        ("para mim e a minha vizinha", "pt", 2),
        ("seremos eu e um colega", "pt", 2),
        ("it's for me and my cousin", "en", 2),
        ("my aunt, my niece and myself", "en", 3),
        ("somos mi pareja, mis tres nenes y yo", "es", 5),
        ("my husband, me, the three girls and my father in law, so 6", "en", 6),
        ("me, my parents and my nan", "en", 4),
        ("vamos eu, a esposa e os três meninos", "pt", 5),
        ("para mim e para a minha mulher", "pt", 2),
        ("vamos mi señora, los dos pibes y yo", "es", 4),
        ("mis suegros, mi marido y yo", "es", 4),
        ("se sumaron dos más, así que 9", "es", 9),
    ],
)
def test_a_number_beside_its_label_is_certain(text: str, language: Language, people: int) -> None:
    certain, left = read("table_booking", text, TABLE, language=language)
    assert (certain, bool(left)) == ({"people": people}, False)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("2 dos convidados não podem subir escadas", "pt"),
        ("dos de los invitados son celíacos", "es"),
        ("two of the guests are in wheelchairs", "en"),
        ("três das meninas são alérgicas", "pt"),
    ],
)
def test_a_part_of_the_people_is_not_how_many_there_are(text: str, language: Language) -> None:
    certain, left = read("table_booking", text, TABLE, language=language)
    assert (certain, bool(left)) == ({"notes": text}, False)


@pytest.mark.parametrize("text", ["me, my partner and my kids", "my boss and my cousin", "my daughter told me"])
def test_people_who_are_not_all_counted_are_no_number(text: str) -> None:
    assert read("table_booking", text, TABLE, language="en")[0] == {}


def test_a_bare_number_that_several_slots_take_is_asked_about() -> None:
    certain, left = read("table_booking", "2", TABLE)
    assert (certain, [(one.words, one.paths) for one in left.unclear]) == ({}, [("2", ("people", "day", "time"))])


def test_a_bare_number_that_one_slot_takes_is_guessed() -> None:
    certain, left = read("refund_request", "quise decir 61,50", REFUND)
    assert certain == {}
    assert [(one.path, one.value["amount"], one.alternatives) for one in left.guesses] == [
        ("amount", "61.50", (REFUND["amount"],))
    ]


def test_a_number_that_counts_something_else_is_no_value() -> None:
    assert not read("refund_request", "las 2 tazas que traía", REFUND)[1]


@pytest.mark.parametrize("text", ["mejor a la tarde", "better in the afternoon"])
def test_a_part_of_the_day_clears_an_hour_outside_of_it(text: str) -> None:
    language: Language = "en" if "better" in text else "es"
    assert read("appointment_booking", text, VISIT, language=language)[1].cleared == {
        "start": {"date": "2027-03-12", "part": ["12:00", "20:00"], "said": text.split(maxsplit=1)[1]}
    }
    held = read("table_booking", text, TABLE, language=language)[0]["time"]
    assert held == {"part": ["12:00", "20:00"], "said": text.split(maxsplit=1)[1]}
    assert not read("appointment_booking", text, {**VISIT, "start": "2027-03-12T16:00:00-03:00"}, language=language)[1]


def test_a_new_day_with_a_part_of_the_day_drops_the_old_hour() -> None:
    certain, _ = read("appointment_booking", "no, mejor el lunes a la tarde", VISIT)
    assert certain == {"start": {"date": "2027-03-15", "part": ["12:00", "20:00"], "said": "a la tarde"}}


def test_what_is_taken_back_is_cleared_or_replaced() -> None:
    assert read("refund_request", "tarde no llegó", REFUND)[1].cleared == {"reason": None}
    assert read("refund_request", "dañado en lugar de tarde", REFUND)[0] == {"reason": "damaged"}


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("es para mi hija Sofía Gómez", "es", "Sofía Gómez"),
        ("es para mi hija, Sofía", "es", "Sofía"),
        ("para Nicolás Herrera.", "es", "Nicolás Herrera"),
        ("É pro meu vizinho, um senhorzinho, Gonçalo Reis.", "pt", "Gonçalo Reis"),
        ("it is for my mum, Grace O'Neil de la Cruz", "en", "Grace O'Neil de la Cruz"),
        ("for Ethan Price, a colleague of mine", "en", "Ethan Price"),
    ],
)
def test_a_name_that_is_introduced_is_certain(text: str, language: Language, name: str) -> None:
    certain, left = read("appointment_booking", text, VISIT, language=language)
    assert (certain, bool(left)) == ({"patient": name}, False)


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("para mi hija", "es", "mi hija"),
        ("quiero turno para mi hija sofia gomez", "es", "sofia gomez"),
        ("for my dad please", "en", "my dad"),
        ("pra minha sogra", "pt", "minha sogra"),
    ],
)
def test_for_whom_it_is_without_a_capital_is_guessed(text: str, language: Language, name: str) -> None:
    guesses = read("appointment_booking", text, VISIT, language=language)[1].guesses
    assert [(one.path, one.value) for one in guesses] == [("patient", name)]


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("3 pessoas, 16 de março, 2 da tarde, Almeida. Quero reservar mesa.", "pt", "Almeida"),
        ("mesa para 4, viernes a las 21, Lucía Prado", "es", "Lucía Prado"),
        ("table for 4, friday at 9 pm, Walker, +442079460958", "en", "Walker"),
        ("a table for 5 people, and the name's Vera Lake. Thank you so much", "en", "Vera Lake"),
        ("põe no nome do meu marido, Rui Prado", "pt", "Rui Prado"),
    ],
)
def test_a_name_among_commas_is_the_one_that_is_wanted(text: str, language: Language, name: str) -> None:
    assert read("table_booking", text, {}, language=language)[0]["name"] == name


@pytest.mark.parametrize(
    ("text", "language"),
    [("Hola Juan, mesa para 4", "es"), ("MESA PARA 4, URGENTE, GRACIAS", "es"), ("Table for 4, Thanks.", "en")],
)
def test_greetings_and_capitals_are_no_names(text: str, language: Language) -> None:
    certain, left = read("table_booking", text, {}, language=language)
    assert "name" not in certain
    assert left.guesses == []


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("por un lunar que creció, por favor", "es", "un lunar que creció"),
        ("es xq no duermo bien", "es", "no duermo bien"),
        ("avisale: dolor de rodilla, no puedo subir escaleras", "es", "dolor de rodilla, no puedo subir escaleras"),
        ("me duele la espalda", "es", "me duele la espalda"),
        ("tengo fiebre y tos, me das un turno el martes?", "es", "tengo fiebre y tos"),
        ("no martes, a sore back", "en", "a sore back"),
        ("and I have a stiff neck, thanks", "en", "I have a stiff neck"),
        ("é pra renovar uma receita", "pt", "renovar uma receita"),
        ("por causa de tosse que não passa", "pt", "tosse que não passa"),
        ("O motivo, se é preciso dizê-lo já, é dor de cabeça.", "pt", "dor de cabeça"),
        ("reason is cannot sleep, 3 weeks now 😩", "en", "cannot sleep, 3 weeks now"),
    ],
)
def test_words_that_give_a_reason_are_certain(text: str, language: Language, words: str) -> None:
    certain, left = read("appointment_booking", text, VISIT, language=language)
    assert (certain["reason"], left.guesses) == (words, [])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("¿tienen opciones sin gluten?", "es"),
        ("Perdonen la molestia", "es"),
        ("we will be 12: 10 grown-ups, 2 kids", "en"),
        ("is the place wheelchair friendly?", "en"),
    ],
)
def test_questions_politeness_and_figures_are_no_notes(text: str, language: Language) -> None:
    certain, left = read("table_booking", text, TABLE, language=language)
    assert "notes" not in certain
    assert left.guesses == []


def test_what_is_not_said_back_is_confirmed() -> None:
    silent = DEFINITIONS["appointment_booking"]
    silent = silent.model_copy(update={"confirmation": silent.confirmation.model_copy(update={"summary": {}})})
    understanding = Understanding(language="es", now=NOW, within=silent.type_id, asked="", values=VISIT)
    certain, left = remainder(silent, "es para mi hija Sofía Gómez", understanding, ())
    assert (certain, [one.value for one in left.guesses]) == ((), ["Sofía Gómez"])


def test_a_day_is_certain_whatever_part_of_it_is_said() -> None:
    certain, left = read("table_booking", "sí pero el sábado 27 de marzo a la noche", {**TABLE, "time": "13:00"})
    piece = {"part": ["18:00", "23:59"], "said": "a la noche"}
    assert (certain, left.cleared) == ({"day": "2027-03-27", "time": piece}, {})


@pytest.mark.parametrize(
    ("text", "word", "language", "corrects"),
    [
        ("I meant morning.", "morning", "en", True),
        ("sí, pero a la noche", "noche", "es", True),
        ("de manhã em vez de à noite", "de manhã", "pt", True),
        ("no, está equivocado", "equivocado", "es", False),
        ("buen día, por la tarde estoy", "tarde", "es", False),
    ],
)
def test_a_correction_says_that_a_value_is_to_be_different(
    text: str, word: str, language: Language, corrects: bool
) -> None:
    start = text.index(word)
    assert is_correction(text, start, start + len(word), language) is corrects


@pytest.mark.parametrize(
    ("text", "language", "people"),
    [
        ("2 adultos y 3 niños", "es", 5),
        ("para dos adultos y un niño", "es", 3),
        ("2 adultos e 2 crianças", "pt", 4),
        ("two adults, one child", "en", 3),
        ("10 grown-ups and 2 kids", "en", 12),
        ("People: 10 grown-ups, 2 kids, 12 people in all", "en", 12),
        ("a table for 5, 2 of us are vegan", "en", 5),
    ],
)
def test_groups_are_added_and_parts_are_not_counted(text: str, language: Language, people: int) -> None:
    assert read("table_booking", text, {}, language=language, asked="people")[0]["people"] == people


def test_groups_that_are_not_the_number_said_are_asked_about() -> None:
    understanding = Understanding(language="en", now=NOW)
    proposal = Rules().propose("table for 5, 2 adults and 2 kids", [DEFINITIONS["table_booking"]], understanding)
    assert proposal is not None
    assert [(one.value, one.alternatives) for one in proposal.slots] == [(5, (4,))]


@pytest.mark.parametrize(
    ("text", "language", "terrace"),
    [
        ("en la terraza, que nos gusta el aire fresco", "es", True),
        ("¿podría ser en la terraza?", "es", True),
        ("sin terraza", "es", False),
        ("adentro mejor", "es", False),
        ("se tiver lugar no terraço a gente prefere", "pt", True),
        ("lá dentro", "pt", False),
        ("no terrace please", "en", False),
        ("half past 12, n inside pls", "en", False),
        ("can we sit outside", "en", True),
        ("do you have a terrace?", "en", None),
        ("is there anything outside?", "en", None),
        ("mesa dentro de 3 días", "es", None),
        ("si no fuera molestia", "es", None),
    ],
)
def test_a_yes_or_no_is_told_by_its_subject(text: str, language: Language, terrace: bool | None) -> None:
    held = {"people": 6, "day": "2027-03-12", "time": "21:00"}
    assert read("table_booking", text, held, language=language)[0].get("terrace") is terrace


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("wait, make that 4pm", "en", {"start": "2027-03-12T16:00:00-03:00"}),
        ("no wait, i can't tomorrow, thursday", "en", {"start": "2027-03-11T10:30:00-03:00"}),
        ("actually with Souza", "en", {"doctor": "joao-souza"}),
        ("no puedo el viernes, mejor el lunes", "es", {"start": "2027-03-15T10:30:00-03:00"}),
        ("uy no, con Souza", "es", {"doctor": "joao-souza"}),
        ("perdón, era a las 16", "es", {"start": "2027-03-12T16:00:00-03:00"}),
        ("não, melhor segunda", "pt", {"start": "2027-03-15T10:30:00-03:00"}),
        ("desculpa, era às 16h", "pt", {"start": "2027-03-12T16:00:00-03:00"}),
        (
            "mejor a las 16 porque me duele mucho",
            "es",
            {"start": "2027-03-12T16:00:00-03:00", "reason": "me duele mucho"},
        ),
        ("No puedo masticar desde el sábado", "es", {"reason": "No puedo masticar desde el sábado"}),
        ("perdón, se me rompió el viernes a las 3", "es", {"reason": "se me rompió el viernes a las 3"}),
        ("sorry, it's been hurting since Friday", "en", {"reason": "it's been hurting since Friday"}),
        ("dói desde sexta", "pt", {"reason": "dói desde sexta"}),
    ],
)
def test_a_correction_is_no_answer_in_words(text: str, language: Language, told: dict[str, object]) -> None:
    assert read("appointment_booking", text, VISIT, language=language, asked="reason")[0] == told


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("na verdade segunda", "2027-03-15T10:30:00-03:00"),
        ("melhor segunda e com a Clark", "2027-03-15T10:30:00-03:00"),
        ("quinta, e em nome de Bia", "2027-03-11T10:30:00-03:00"),
        ("a segunda opção", None),
        ("melhor a segunda opção", None),
    ],
)
def test_a_short_weekday_is_a_day_beside_other_words(text: str, start: str | None) -> None:
    assert read("appointment_booking", text, VISIT, language="pt")[0].get("start") == start


@pytest.mark.parametrize(
    ("part", "text", "language", "start", "doubts"),
    [
        (["04:00", "12:59"], "a las 3", "es", "2027-03-12T15:00:00-03:00", ("partial",)),
        (["12:00", "20:00"], "10:30", "es", "2027-03-12T10:30:00-03:00", ("partial",)),
        (["12:00", "20:00"], "a las 4", "es", "2027-03-12T16:00:00-03:00", ()),
        (["04:00", "12:59"], "às 9", "pt", "2027-03-12T09:00:00-03:00", ()),
        (["12:00", "20:00"], "at 9:30", "en", "2027-03-12T09:30:00-03:00", ("partial",)),
    ],
)
def test_an_hour_outside_of_the_part_that_was_said_is_doubted(
    part: list[str], text: str, language: Language, start: str, doubts: tuple[str, ...]
) -> None:
    definition = DEFINITIONS["appointment_booking"]
    held = {"doctor": "ana-perez", "start": {"date": "2027-03-12", "part": part}}
    understanding = Understanding(language=language, now=NOW, within=definition.type_id, asked="start", values=held)
    proposal = Rules().propose(text, [definition], understanding)
    assert proposal is not None
    assert [(one.value, one.doubts) for one in proposal.slots] == [(start, doubts)]


def test_a_day_keeps_the_part_that_is_said_of_it() -> None:
    certain, _ = read("appointment_booking", "turno con Souza el viernes a la mañana", {})
    assert certain["start"] == {"date": "2027-03-12", "part": ["04:00", "12:59"], "said": "a la mañana"}


@pytest.mark.parametrize(
    ("name", "text", "language", "asked", "values"),
    [
        ("table_booking", 'anoten "somos 3 celíacos, sin harina"', "es", "", {"notes": "somos 3 celíacos, sin harina"}),
        ("appointment_booking", 'the reason: "a check-up at 50"', "en", "", {"reason": "a check-up at 50"}),
        ("appointment_booking", "pará que falta el motivo de la consulta: dolor de rodilla", "es", "",
         {"reason": "dolor de rodilla"}),
        ("table_booking", "no nome da família Prado e o zap é +5511912345678", "pt", "name",
         {"name": "família Prado", "phone": "+5511912345678"}),
        ("table_booking", "Ana Trindade e Silva", "pt", "name", {"name": "Ana Trindade e Silva"}),
        ("table_booking", "Vera Lake's my name", "en", "", {"name": "Vera Lake"}),
        ("table_booking", "do you have heaters out on the terrace?", "en", "terrace", {}),
        ("table_booking", "¿tienen calefacción en la terraza?", "es", "terrace", {}),
        ("table_booking", "tem aquecedor na esplanada?", "pt", "terrace", {}),
        ("table_booking", "do you have a table on the terrace?", "en", "terrace", {"terrace": True}),
        ("table_booking", "¿hay lugar en la terraza?", "es", "terrace", {"terrace": True}),
        ("table_booking", "desculpa aí, pode ser oito e meia", "pt", "time", {"time": "20:30"}),
        ("table_booking", "em vez da sexta, quinta. obrigada", "pt", "", {"day": "2027-03-11"}),
        ("table_booking", "lo del viernes que puse nada que ver, es martes 16", "es", "", {"day": "2027-03-16"}),
        ("table_booking", "Marta Reis mas vou chegar atrasada", "pt", "name", {"name": "Marta Reis"}),
        ("table_booking", "two more people are coming", "en", "", {}),
        ("appointment_booking", "o doente é o Domingos Sábado", "pt", "", {"patient": "Domingos Sábado"}),
        ("appointment_booking", "o motivo é renovar a receita, em nome do Bruno Reis", "pt", "",
         {"reason": "renovar a receita", "patient": "Bruno Reis"}),
        ("appointment_booking", "It's about my blood pressure. For Ivy Stone.", "en", "",
         {"reason": "my blood pressure", "patient": "Ivy Stone"}),
        ("refund_request", "I paid 40 but only want 25 back", "en", "amount",
         {"amount": {"amount": "25.00", "currency": "USD"}}),
        ("refund_request", "paguei 80 euros e quero metade", "pt", "amount", {}),
        ("appointment_booking", "desde el lunes 8 me duele", "es", "", {"reason": "desde el lunes 8 me duele"}),
        ("table_booking", "cambiá el viernes por el sábado y las 9 por las 10", "es", "",
         {"day": "2027-03-13", "time": "22:00"}),
        ("appointment_booking", "the reason for the visit should be back pain", "en", "", {"reason": "back pain"}),
        ("table_booking", "é para quem vier: o bebê dorme", "pt", "", {"notes": "o bebê dorme"}),
    ],
)  # fmt: skip
def test_a_piece_is_given_to_no_neighbouring_slot(
    name: str, text: str, language: Language, asked: str, values: dict[str, object]
) -> None:
    held = {"table_booking": TABLE, "appointment_booking": VISIT, "refund_request": REFUND}[name]
    held = {path: value for path, value in held.items() if path != asked}
    assert read(name, text, held, language=language, asked=asked)[0] == values


def test_a_part_of_the_day_takes_back_the_hour_outside_of_it() -> None:
    noon: dict[str, object] = {**TABLE, "time": "13:00"}
    certain, left = read("table_booking", "si pero mejor de noche y el sabado 27 de marzo", noon)
    assert certain["day"] == "2027-03-27"
    assert "13:00" not in certain.values()
    assert left.cleared or left.guesses or "time" in certain


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("família prado ia ficar melhor, pode ser?", "pt", ["família prado"]),
        ("Harris would be better, is that ok?", "en", ["Harris"]),
        ("la tarde sería mejor", "es", []),
        ("otro día sería mejor", "es", []),
        ("later would be better", "en", []),
    ],
)
def test_another_name_that_would_be_better_is_a_guess(text: str, language: Language, names: list[str]) -> None:
    left = read("table_booking", text, {**TABLE, "name": "Pablo Rey"}, language=language)[1]
    assert [one.value for one in left.guesses if one.path == "name"] == names
