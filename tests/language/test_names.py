"""Names of a list, among them namesakes and names that are everyday words."""

from __future__ import annotations

import pytest

from mew_agents.language.found import Found, Language
from mew_agents.language.names import Names, names

KNOWN = Names(
    {
        "ana": ["Dra. Ana Pérez", "la colorada"],
        "juan": ["Juan Pérez"],
        "paula": ["Paula Martín"],
        "sun": ["Dr. Domingo Viernes"],
        "room1": ["Sala 1"],
        "room2": ["Sala 2"],
        "obrien": ["Kate O'Brien"],
        "cut": ["Corte de pelo"],
    }
)


def only(text: str) -> Found[str]:
    (found,) = KNOWN.found(text, "es")
    return found


def test_namesakes_are_ambiguous_until_more_is_said() -> None:
    assert (only("Pérez").value, only("Pérez").alternatives) == ("ana", ("juan",))
    assert only("juan perez").doubts == ()


def test_an_alias_is_a_name() -> None:
    assert only("con la colorada").value == "ana"


@pytest.mark.parametrize("text", ["Juana", "Paulo", "Martina", "Perezoso", "mar", "el domingo", "viernes", "para con"])
def test_another_name_or_an_everyday_word_is_no_match(text: str) -> None:
    assert KNOWN.found(text, "es") == []


@pytest.mark.parametrize(
    ("text", "evidence"), [("con el Dr. Domingo", "Dr. Domingo"), ("domingo viernes", "domingo viernes")]
)
def test_an_everyday_word_is_a_name_after_a_title_or_in_full(text: str, evidence: str) -> None:
    assert (only(text).value, only(text).evidence(text)) == ("sun", evidence)


@pytest.mark.parametrize("text", ["Laura Pérez", "turno con laura Martín", "Ana Gómez", "Paula Juárez", "sala 3"])
def test_a_name_with_a_stranger_in_it_is_partial(text: str) -> None:
    assert "partial" in only(text).doubts


def test_two_names_without_anything_between_doubt_each_other() -> None:
    found = KNOWN.found("Ana Martín", "es")
    assert [(each.value, each.doubts) for each in found] == [("ana", ("partial",)), ("paula", ("partial",))]


def test_a_number_in_a_name_tells_it_from_others() -> None:
    assert only("la sala 2").value == "room2"
    assert "ambiguous" in only("la sala").doubts


def test_apostrophes_and_slips_are_forgiven() -> None:
    assert only("kate o’brien").doubts == ()
    assert only("Obrian").doubts == ("approximate",)
    assert only("Peres").confidence < 0.85


def test_a_whole_name_beats_a_part_of_one() -> None:
    (found,) = names("Ana", {"first": ["Ana"], "full": ["Ana Pérez"]}, "es")
    assert (found.value, found.doubts) == ("first", ())


def test_nobody_is_known_in_an_empty_list() -> None:
    assert names("Ana", {}, "en") == []
    assert names("Ana", {"nobody": [], "blank": [""]}, "en") == []


@pytest.mark.parametrize(
    ("text", "language", "ids", "evidence"),
    [
        ("con la Dra. Pérez para el viernes", "es", ["ana"], "Dra. Pérez"),
        ("con la doctora perez", "es", ["ana"], "doctora perez"),
        ("el Dr. Pérez", "es", ["juan"], "Dr. Pérez"),
        ("o doutor Pérez", "pt", ["juan"], "doutor Pérez"),
        ("with Mrs Pérez", "en", ["ana"], "Mrs Pérez"),
        ("with Dr. Pérez", "en", ["ana", "juan"], "Pérez"),  # in English it says nothing
        ("la Dra. Clark", "es", ["emily"], "Clark"),  # there is no other
    ],
)
def test_a_title_tells_namesakes_apart(text: str, language: Language, ids: list[str], evidence: str) -> None:
    known = {"ana": ["Dra. Ana Pérez"], "juan": ["Dr. Juan Pérez"], "emily": ["Dra. Emily Clark", "Dr. Emily Clark"]}
    (found,) = names(text, known, language)
    assert [found.value, *found.alternatives] == ids
    assert found.evidence(text) == evidence
