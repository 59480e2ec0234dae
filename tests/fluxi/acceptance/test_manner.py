"""Language, tone, formality, signs and rules of a PolicyContext shape every reply (docs/fluxi.md §1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...kit.stores import Fresh
from .dialogue_player import DialoguePlayer

# What each setting changes; the last word is how a reply shows it.
SETTINGS = (
    "",
    '= language "pt"',
    '= language "en"',
    '= tone "warm"',
    '= tone "brief"',
    '= formality "informal"',
    "= emojis true",
    '= rules ["after: Gracias por escribirnos."]',
)
# A story that says most of what there is to say.
STORY = """
= define {"effects": ["keyed", "plain"]}
%s
> hola
> turno médico
> ¿cómo va?
> cancelar
> sí
> Quiero un turno con Pérez para el viernes
> no
> sí
> no sé
> ¿cómo va?
> ayer a las 17
> a las 17
> no
> a las 18
> ¿cómo va?
= tools busy lost lost refused
> sí
> a las 19
> ¿cómo va?
* wait 2s
> ¿cómo va?
> Quiero un turno con Pérez para el viernes
* wait 31m
> ¿cómo va?
"""


async def replies(url: str, folder: Path, setting: str) -> list[str]:
    """What is said in the story, without its kinds and reasons."""
    folder.mkdir()
    played = [line async for line in DialoguePlayer(url, folder).play(STORY % setting)]
    return [line.split(": ", 1)[1] for line in played if line.startswith("< ")]


async def test_every_setting_changes_every_reply(fresh: Fresh, tmp_path: Path) -> None:
    said = [await replies(fresh(), tmp_path / str(number), setting) for number, setting in enumerate(SETTINGS)]
    plain, *others = said
    assert len(plain) == 24
    for setting, changed in zip(SETTINGS[1:], others, strict=True):
        same = [one for one, other in zip(plain, changed, strict=True) if one == other]
        asked = ["¿Con qué profesional desea atenderse?"]  # in the definition's own words, which brief leaves alone
        assert same == (asked if setting == '= tone "brief"' else []), setting


@pytest.mark.parametrize("mode", ["off", "suggest"])
async def test_no_mode_but_auto_consumes_anything(fresh: Fresh, tmp_path: Path, mode: str) -> None:
    played = [line async for line in DialoguePlayer(fresh(), tmp_path).play(STORY % f'= mode "{mode}"')]
    assert [line for line in played if line[:2] in ("! ", ". ", "- ")] == []
    kinds = {line.split(":")[0] for line in played if line.startswith("< ")}
    assert kinds == {"< no_action/off" if mode == "off" else "< reply/suggestion"}
    decisions = [line for line in played if line.startswith("? ")]
    assert (decisions == []) == (mode == "off")
