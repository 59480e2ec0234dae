"""Other words for the same."""

from __future__ import annotations

from mew_agents.language.choices import Wordings, choices
from mew_agents.language.thesaurus import others

_REASONS: dict[str, Wordings] = {
    "lost": {"es": ("perdida", "la perdí"), "en": ("lost", "missing"), "pt": ("perdido",)},
    "stolen": {"es": ("robada", "robo"), "en": ("stolen", "theft"), "pt": ("roubado",)},
}


def test_a_phrase_of_a_group_brings_the_others() -> None:
    assert "nicked" in others(["stolen"], "options", "en")
    assert "stolen" not in others(["stolen"], "options", "en")
    assert others(["a word of no group"], "options", "en") == ()


def test_what_stands_behind_the_colon_brings_nothing() -> None:
    assert others(["thief"], "options", "en") == ()


def test_options_are_named_by_other_words() -> None:
    assert [one.value for one in choices("can't find it anywhere", _REASONS, "en")] == ["lost"]
    assert [one.value for one in choices("me la afanaron en el subte", _REASONS, "es")] == ["stolen"]
    assert [one.value for one in choices("levaram na rua", _REASONS, "pt")] == ["stolen"]


def test_other_words_are_taken_as_they_are_written() -> None:
    access: dict[str, Wordings] = {"access": {"pt": ("acesso",), "es": ("acceso",)}}
    assert choices("en lugar de la otra", access, "es") == []
