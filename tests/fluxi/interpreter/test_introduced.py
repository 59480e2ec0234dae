"""Names that a message gives of its own accord are found in time that grows with its length."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mew_agents.fluxi.definitions import shipped
from mew_agents.fluxi.interpreter import introduced as module
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.language.folding import Folded, fold

(BOOKING,) = (one for one in shipped() if one.type_id == "appointment_booking")
NOBODY = Understanding(language="en", now=datetime(2027, 3, 10, tzinfo=UTC))


def _names(text: str) -> list[object]:
    return [one.value for one in module.introduced(BOOKING, text, NOBODY, [], set()) if one.path == "patient"]


def test_many_names_fold_little_more_than_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[int] = []

    def counting(text: str) -> Folded:
        folded.append(len(text))
        return fold(text)

    monkeypatch.setattr(module, "fold", counting)
    message = "Ana, " * 400
    _names(message)
    assert 0 < sum(folded) < 5 * len(message)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("book it for my daughter, called Sofía Gómez", ["Sofía Gómez"]),
        ("it is for our dear friend Sofía Gómez", ["Sofía Gómez"]),
        ("my daughter: Sofía, please", ["Sofía"]),
        ("it is for later. we saw Sofía Gómez", []),
        ("it is for later\nwe saw Sofía Gómez", []),
        ("for it all was said and done to Sofía Gómez", []),
    ],
)
def test_a_name_is_led_to_within_its_sentence(text: str, names: list[str]) -> None:
    assert _names(text) == names
