"""What a figure is said to be of: "5 de propina". Articles are no thing, and some of a thing is of that thing."""

from __future__ import annotations

import pytest

from mew_agents.fluxi.values.units import thing_behind


@pytest.mark.parametrize(
    ("text", "thing"),
    [
        ("5 de propina", "propina"),
        ("5 de la propina", "propina"),
        ("2 de los huéspedes", "huespedes"),
        ("2 de las camas", "camas"),
        ("5 de gorjeta", "gorjeta"),
        ("5 for the tip", "tip"),
        ("2 of the guests", "guests"),
        ("1 of the 6 glasses", None),
        ("1 de los 6 vasos", None),
        ("1 de las 6 copas", None),
        ("1 de unas 6 copas", None),
        ("5 de la tarde", None),
        ("5 de março", None),
        ("4 of you", None),
    ],
)
def test_the_thing_behind_a_figure(text: str, thing: str | None) -> None:
    found = thing_behind(text, 1)
    assert (None if found is None else found.kind) == thing
    assert found is None or found.end == len(text)
