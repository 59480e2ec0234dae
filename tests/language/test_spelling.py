"""Chat spelling is read as the words that it is, at the places of the original."""

from __future__ import annotations

import pytest

from mew_agents.language.folding import fold
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.language.spelling import spelled
from mew_agents.language.spelling_lexicon import lexicon_of


@pytest.mark.parametrize(
    ("text", "language", "plain"),
    [
        ("ola nesesito un turno a las sinco d la tarde", "es", "hola necesito un turno a las cinco de la tarde"),
        ("kiero reserbar xa el vierens alas5", "es", "quiero reservar para el viernes a las 5"),
        ("q sea a als 22 por favro", "es", "que sea a las 22 por favor"),
        ("kero p terssa as15 pfv", "pt", "quero para terca as 15 por favor"),
        ("n dá pq hj eh feriado, obg", "pt", "nao da porque hoje e feriado, obrigado"),
        ("presiso de um orario na quinat", "pt", "preciso de um horario na quinta"),
        ("wanna see u tmrw inthe mornin plss", "en", "want to see you tomorrow in the morning please"),
        ("cann we do20:30 thursdy", "en", "can we do 20:30 thursday"),
        ("Thersday aftrnoon, n Friday's fine", "en", "thursday afternoon, and friday fine"),
        ("we'd like 20:30plss", "en", "we would like 20:30 please"),
    ],
)
def test_chat_spelling_is_read_as_plain_words(text: str, language: Language, plain: str) -> None:
    assert spelled(text, language).text == plain


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Marco viene el jueves con Julia, parada 4", "es"),
        ("pedido A-1001, apto 3 C, n 204", "pt"),
        ("mail.vier@kiero.example", "es"),
        ("the world went within a mile", "en"),
        ("J. R. Ewing", "en"),
        ("abren los domingos por las mañanas", "es"),
        ("abrem aos domingos, às sextas", "pt"),
        ("open on sundays and in the mornings", "en"),
    ],
)
def test_words_names_and_codes_stay(text: str, language: Language) -> None:
    assert spelled(text, language).text == fold(text).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_that_is_looked_for_is_respelt(language: Language) -> None:
    lexicon = lexicon_of(language)
    respelt = {word: lexicon.plain(word) for word in lexicon.targets if word not in lexicon.short}
    assert {word: plain for word, plain in respelt.items() if plain not in (None, word)} == {}


def test_places_are_those_of_the_original() -> None:
    text = "¡ola! alas5 xfa"
    read = spelled(text, "es")
    words = [text[slice(*read.span(at, at))] for at in range(len(read.tokens))]
    assert [token.text for token in read.tokens] == ["¡", "hola", "!", "a", "las", "5", "por", "favor"]
    assert words == ["¡", "ola", "!", "alas", "alas", "5", "xfa", "xfa"]
