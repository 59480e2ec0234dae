"""How a word is written where it begins a sentence, and where it does not."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.replies.sentence import small


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("¿Cuánto desea?", "¿cuánto desea?"),
        ("¿A quién desea transferir?", "¿a quién desea transferir?"),
        ("I need a name.", "I need a name."),
        ("SWIFT?", "SWIFT?"),
        ("A-1001?", "A-1001?"),
        ("25?", "25?"),
    ],
)
def test_a_first_letter_becomes_small_unless_the_word_is_written_large(text: str, becomes: str) -> None:
    assert small(text) == becomes
