"""A folded text: comparable, and every piece of it leads back to the original's."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mew_agents.language.folding import Token, fold

# Signs that change their length, vanish, or stand for each other, mixed with anything.
TEXTS = st.text(max_size=200) | st.text("aeñÉ\u0301\u200d\ufe0f\U0001f3fd👍ß’' 1٣ﬁº½-—\ud800\n", max_size=60)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("¡Sí, MAÑANA!", "¡si, manana!"),
        ("Sei\u0301 I\u0301", "sei i"),
        ("I’m o'clock d´água", "im oclock dagua"),
        ("dogs' 'x'", "dogs' 'x'"),
        ("👍🏽 ✔️", "👍 ✔"),
        ("٣ ３", "3 3"),
        ("ﬁn Straße 1º", "fin strasse 1o"),
        ("R＄ 5\u00a0000", "r$ 5 000"),
        ("a—b “c”", 'a-b "c"'),
        ("\u202a+54\u202c", "+54"),
        ("", ""),
    ],
)
def test_it_is_folded(text: str, folded: str) -> None:
    assert fold(text).text == folded


def test_tokens_are_words_digits_and_single_signs() -> None:
    assert fold("A las 17h30!").tokens == (
        Token("a", 0, 1, "word"),
        Token("las", 2, 5, "word"),
        Token("17", 6, 8, "digits"),
        Token("h", 8, 9, "word"),
        Token("30", 9, 11, "digits"),
        Token("!", 11, 12, "symbol"),
    )


def test_a_mark_belongs_to_the_sign_before_it() -> None:
    folded = fold("👍🏽cafe\u0301!")
    assert [folded.original[slice(*folded.span(at, at))] for at in range(3)] == ["👍🏽", "cafe\u0301", "!"]


def test_a_span_of_tokens_stands_in_the_original() -> None:
    text = "¿El d\u0131\u0301a, I’m?"
    folded = fold(text)
    last = len(folded.tokens) - 1
    assert text[slice(*folded.span(0, last))] == text
    assert text[slice(*folded.span(last - 1, last - 1))] == "I’m"


@given(TEXTS)
def test_the_map_runs_forward_and_stays_inside(text: str) -> None:
    folded = fold(text)
    spans = [folded.origin(at, at + 1) for at in range(len(folded.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before <= after for before, after in pairwise(spans))


@given(TEXTS)
def test_a_token_s_slice_folds_to_the_token(text: str) -> None:
    folded = fold(text)
    for at, token in enumerate(folded.tokens):
        assert folded.text[token.start : token.end] == token.text
        if token.text != "'":  # what stands around it decides what an apostrophe is
            assert fold(text[slice(*folded.span(at, at))]).text == token.text


@given(TEXTS, st.data())
def test_a_slice_leads_back_to_what_it_was_folded_from(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    if len(folded.tokens) < 2:
        return
    first = data.draw(st.integers(0, len(folded.tokens) - 1))
    last = data.draw(st.integers(first, len(folded.tokens) - 1))
    piece = folded.text[folded.tokens[first].start : folded.tokens[last].end]
    if not piece.startswith("'") and not piece.endswith("'"):
        assert fold(text[slice(*folded.span(first, last))]).text == piece
