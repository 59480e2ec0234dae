"""Words that are told in quotation marks, or before "that is why"."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.values.telling import quoted, reason_before, without_request
from mew_agents.language.found import Language


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('please note "no nuts, 1 of us is allergic".', "no nuts, 1 of us is allergic"),
        ("anoten “somos 3 celíacos, sin harina” y listo", "somos 3 celíacos, sin harina"),
        ("põe na nota «tocar 2 vezes»", "tocar 2 vezes"),
        ("note: 'we can't climb stairs'", "we can't climb stairs"),
        ('the name is "Los Pinos"', None),
        ("'ave yer got a kids' menu", None),
        ('it is 5" wide and 6" long', None),
    ],
)
def test_quoted_words_are_more_than_a_name(text: str, words: str | None) -> None:
    span = quoted(text)
    assert (None if span is None else text[slice(*span)]) == words


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("hola: no duermo desde hace 3 semanas, x eso pido cita", "es", "no duermo desde hace 3 semanas"),
        ("não consigo dormir há 3 semanas, é por isso que vou. às 10", "pt", "não consigo dormir há 3 semanas"),
        ("I've had a cough for 3 weeks, that's why I'm coming", "en", "I've had a cough for 3 weeks"),
        ("por eso pido cita", "es", None),
        ("why is that?", "en", None),
    ],
)
def test_a_reason_stands_before_that_is_why(text: str, language: Language, words: str | None) -> None:
    span = reason_before(text, language)
    assert (None if span is None else text[slice(*span)]) == words


@pytest.mark.parametrize(
    ("words", "left"),
    [
        ("no comemos carne, que quede anotado", "no comemos carne"),
        ("one of us is coeliac, just so you know", "one of us is coeliac"),
        ("o bebé dorme, para saberem.", "o bebé dorme"),
        ("que quede anotado", "que quede anotado"),
    ],
)
def test_a_request_to_note_is_no_part_of_the_note(words: str, left: str) -> None:
    assert without_request(words) == left
