"""What a person's words ask of a run: the traps, the shape of the answer, and what holds for any text."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.classifier.classifier import RULES, classify, is_stop_word
from mew_gateway.sdk.classifier.lexicon import LEXICONS, phrases
from mew_gateway.sdk.classifier.normalise import LONGEST, fold, wording
from mew_gateway.sdk.classifier.signs import read

Typing: TypeAlias = Callable[[str], str]
Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

FIRM = 0.75
STOPS = sorted({phrase for lexicon in LEXICONS for phrase in phrases(lexicon.signs["stop"])})
PROFILE = settings(derandomize=True, deadline=None, max_examples=200)
# Pieces that rules look for, so that random texts reach them.
PIECES = sorted({phrase for lexicon in LEXICONS for listed in lexicon.signs.values() for phrase in phrases(listed)})
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from([*PIECES, ",", "?", '"', "Berlin"]), max_size=12).map(" ".join),
)


@pytest.mark.parametrize("text", ["no, mejor mañana", "no, better tomorrow", "não, melhor amanhã"])
def test_the_canonical_correction_overrides_firmly(text: str) -> None:
    found = classify(text)
    assert found.class_ == "override"
    assert found.confidence >= 0.85


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no problem, go on", "queue"),
        ("no hay problema, sigue", "queue"),
        ("para mañana", "queue"),
        ("para que sirve eso?", "clarification"),
        ("don't stop", "queue"),
        ("no pares", "queue"),
        ("não pare", "queue"),
        ("stop words are interesting", "queue"),
        ("I can't stop laughing", "queue"),
        ("the bus stop", "queue"),
        ("nunca paras de sorprenderme", "queue"),
        ("parada de autobús", "queue"),
        ("cancel culture", "queue"),
        ("actually yes, that is right", "queue"),
        ("I like honey instead of sugar", "queue"),
        ("use honey instead of sugar", "override"),
        ("basta con eso, gracias", "cancel"),
        ("basta decir que llegó", "queue"),
        ("o trem chega amanhã", "queue"),
        ("chega", "cancel"),
        ("es muy alto", "queue"),
        ("¡alto!", "cancel"),
        ("pará", "cancel"),
        ("ya está", "cancel"),
        ("ya está lloviendo", "queue"),
        ("deixa", "cancel"),
        ("deixa eu ver", "queue"),
        ("no sigas", "cancel"),
        ("no lo mandes", "override"),
        ('what does "stop" mean?', "clarification"),
        ("she shouted 'stop' at me", "queue"),
        ("help! stop everything", "cancel"),
        ("stop por favor, mejor amanhã", "override"),
        ("stop and book the train", "override"),
        ("never mind, I found it", "cancel"),
        ("that's all, you can stop", "cancel"),
        ("two adults and a child, that's all", "queue"),
    ],
)
def test_the_traps(text: str, expected: str) -> None:
    assert classify(text).class_ == expected


@pytest.mark.parametrize("text", ["espera", "wait", "espere um momento", "hold on"])
def test_a_pause_is_a_clarification(text: str) -> None:
    assert classify(text).class_ == "clarification"
    assert not is_stop_word(text)


@pytest.mark.parametrize("text", ["no", "actually", "stop?", "cancel my meeting", "that's all", "sorry, late train"])
def test_a_weak_hint_stops_nothing(text: str) -> None:
    assert classify(text).confidence < FIRM


@pytest.mark.parametrize("text", ["", " ", "...", "😂", "ok", "hola", "lista de la compra"])
def test_ordinary_words_are_queued_and_never_ignored(text: str) -> None:
    found = classify(text)
    assert (found.class_, found.confidence >= FIRM) == ("queue", True)


def test_the_rule_names_the_language_of_its_phrase() -> None:
    assert classify("stop").rule == "en:stop"
    assert classify("basta").rule == "es:stop"
    assert classify("chega").rule == "pt:stop"
    assert classify("no, mejor mañana").rule == "es:turn"
    assert classify("milk, eggs").rule == "otherwise"


def test_the_class_is_called_class_when_written_down() -> None:
    assert msgspec.to_builtins(classify("stop")) == {"class": "cancel", "confidence": 0.95, "rule": "en:stop"}


@pytest.mark.parametrize(
    "text", ["stop please", "para por favor", "pare!", "STOOOP", "ok, stop now", "¡para ya!", "🛑"]
)
def test_a_stop_word_may_be_polite_or_loud(text: str) -> None:
    assert is_stop_word(text)


@pytest.mark.parametrize(
    "text",
    ["stop it and go", "stop?", "don't stop", "para mañana", "that's all", "can you stop", "no", '"stop"', "alto", ""],
)
def test_what_may_be_an_answer_is_no_stop_word(text: str) -> None:
    assert not is_stop_word(text)


def longer(word: str) -> str:
    """A word with its last letter held down; a double one stays, because it would be read as a single one."""
    return word if word[-2:-1] == word[-1] else word + 4 * word[-1]


@PROFILE
@given(
    st.sampled_from(STOPS),
    st.sampled_from([str.lower, str.upper, str.capitalize, longer]),
    st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]),
    st.text(alphabet="!.… ", max_size=4),
)
def test_how_a_stop_word_is_typed_changes_nothing(stop: str, typing: Typing, form: Form, behind: str) -> None:
    typed = unicodedata.normalize(form, typing(stop)) + behind
    assert classify(typed) == classify(stop)
    assert is_stop_word(typed)


@pytest.mark.parametrize("stop", STOPS)
def test_every_stop_word_is_one(stop: str) -> None:
    assert is_stop_word(stop)
    assert classify(stop).class_ == "cancel"


@PROFILE
@given(TEXTS)
def test_any_text_has_a_class_and_the_same_one_each_time(text: str) -> None:
    found = classify(text)
    assert found == classify(text)
    assert found.class_ in CLASSES and found.class_ != "emergency"
    assert 0 <= found.confidence <= 1
    assert RULES[found.rule.rpartition(":")[2]] == (found.class_, found.confidence)
    if is_stop_word(text):
        assert (found.class_, found.confidence) == ("cancel", RULES["stop"][1])


@PROFILE
@given(TEXTS)
def test_the_normal_form_of_a_text_changes_nothing(text: str) -> None:
    assert classify(unicodedata.normalize("NFC", text)) == classify(unicodedata.normalize("NFD", text))


@PROFILE
@given(st.text(alphabet=st.sampled_from("ab' \"“«¿ﷺ,-\u0301"), max_size=4 * LONGEST))
def test_what_is_read_of_a_text_is_bounded(text: str) -> None:
    words = wording(text)
    assert sum(map(len, words.words)) <= LONGEST
    assert len(words.breaks) == len(words.words) + 1
    assert classify(text) == classify(text[:LONGEST])


@PROFILE
@given(TEXTS)
def test_a_text_is_read_once_from_front_to_back(text: str) -> None:
    reading = read(text)
    ends = [mark.end for mark in reading.marks]
    assert ends == sorted(set(ends))
    assert reading.rest <= len(reading.text.words)


def test_no_phrase_of_a_table_can_fail_to_be_found() -> None:
    for lexicon in LEXICONS:
        for listed in (*lexicon.signs.values(), lexicon.tails, lexicon.tags, lexicon.praise):
            for phrase in phrases(listed):
                assert " ".join(wording(phrase).words) == phrase == fold(phrase)


def test_the_rules_keep_the_bounds_of_the_confidences() -> None:
    for rule, (class_, confidence) in RULES.items():
        assert class_ in CLASSES and class_ != "emergency", rule
        assert 0.5 <= confidence <= 0.95, rule
        assert confidence >= FIRM or class_ != "queue", rule
