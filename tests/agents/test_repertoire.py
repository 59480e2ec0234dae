"""What the speaker says: in the language of the words, about what they name, with what they ask for taken in."""

from __future__ import annotations

import pytest

from mew_agents.repertoire import TOPICS, compose, sentences


@pytest.mark.parametrize(
    ("words", "override", "language", "agreed", "when"),
    [
        ("Tell me about my appointment", "no, better tomorrow", "en", "All right, better tomorrow.", "tomorrow"),
        ("Cuénteme qué hay en mi cita", "no, mejor mañana", "es", "De acuerdo, mejor mañana.", "mañana"),
        ("Conte como é a minha consulta", "não, melhor amanhã", "pt", "Está bem, melhor amanhã.", "amanhã"),
    ],
)
def test_an_override_is_taken_in(words, override, language, agreed, when):
    first = compose(words, language="en")
    assert (first.topic, first.language) == ("appointment", language)
    second = compose(override, language="en", before=first)
    assert (second.topic, second.language, second.when) == ("appointment", language, when)
    assert second.sentences[0] == agreed
    assert when in second.sentences[1] and when not in first.sentences[0]
    assert second.sentences[2:] == first.sentences[1:]


@pytest.mark.parametrize("language", ["en", "es", "pt"])
@pytest.mark.parametrize("words", ["", "?", "...", "no"])
def test_words_that_say_nothing_get_the_usual_in_the_usual_language(words, language):
    speech = compose(words, language=language)
    assert (speech.topic, speech.language) == ("appointment", language)
    assert compose(words, language="en", before=speech) == speech  # nothing to take in


@pytest.mark.parametrize(
    ("words", "topic", "language"),
    [
        ("the tour, please", "tour", "en"),
        ("un cuento y una visita", "tour", "es"),
        ("conte uma história", "story", "pt"),
    ],
)
def test_what_is_named_is_told(words, topic, language):
    before = compose("my appointment", language="en")
    assert compose(words, language="en", before=before)[0:3:2] == (topic, language)


def test_somebodys_words_are_no_template_and_not_too_many():
    before = compose("my appointment", language="en")
    said = compose("no, " + "{when}{0}" * 100, language="en", before=before).sentences[0]
    assert said.startswith("All right, {when}{0}{when}") and len(said) < 150


def test_every_text_is_cut_into_sentences_that_make_it_up():
    for texts in TOPICS.phrases.values():
        for text in texts.values():
            parts = sentences(text)
            assert len(parts) >= 6 and " ".join(parts) == text
            assert all(part[-1] in ".!?…" for part in parts)
