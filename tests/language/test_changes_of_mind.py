"""Wanting nothing any more, without the word for it."""

from __future__ import annotations

import pytest

from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.found import Language


@pytest.mark.parametrize(
    ("language", "text", "kinds"),
    [
        ("es", "uf, mucho trámite, otro día", ["drops"]),
        ("es", "ah no, ya le pagué en efectivo", ["settled"]),
        ("es", "la encontré! no la bloquees", ["settled", "drops"]),
        ("es", "eso no te lo voy a decir, chau", ["refuses", "drops"]),
        ("pt", "muita burocracia, fica pra próxima", ["drops", "later"]),
        ("es", "mejor otro día", ["later"]),
        ("en", "maybe another time", ["later"]),
        ("pt", "meu filho já resolveu, pode esquecer", ["settled", "drops"]),
        ("pt", "isso não é da sua conta, tchau", ["refuses", "drops"]),
        ("en", "you know what, not worth it", ["drops"]),
        ("en", "it's just turned up, no need for the ticket", ["settled", "drops"]),
        ("en", "I'm not telling you my name", ["refuses"]),
    ],
)
def test_a_clause_says_it(language: Language, text: str, kinds: list[str]) -> None:
    assert [one.kind for one in changes_of_mind(text, language)] == kinds


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "el paquete todavía no me llegó"),
        ("es", "ya tengo cuenta pero no me deja entrar"),
        ("es", "creo que no me olvido de nada"),
        ("pt", "o pedido ainda não chegou"),
        ("pt", "deixa ver... Caio Prado"),
        ("en", "my order still hasn't turned up"),
        ("en", "the door is open, leave the parcel there"),
        ("es", "dejalo en recepción"),
        ("es", "no me interesa el descuento"),
        ("es", "ya te mandé las fotos"),
        ("pt", "pode deixar na recepção"),
        ("en", "I already sent you the photos"),
    ],
)
def test_what_only_sounds_like_it_is_none(language: Language, text: str) -> None:
    assert not changes_of_mind(text, language)


def test_the_clause_is_the_evidence() -> None:
    text = "You're not having my number, forget it"
    assert [text[one.start : one.end].strip() for one in changes_of_mind(text, "en")] == text.split(", ")
