"""Chat spelling made plain: "kiero 1 turno xa el vierens alas5" is read as "quiero 1 turno para el viernes a las 5".

A word is respelt if the table of its language has it, if letters are repeated, if it sounds like a word that is
looked for, or if one slip (in long words two) leads to one such word and to no other. Words that the language has are
left as they are. Only what words are compared with is respelt: the places of what `spelled` gives are those of the
original, from which names and texts are cut as they were written.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from mew_agents.language.folding import Change, Folded, Token, fold
from mew_agents.language.found import Language
from mew_agents.language.spelling_lexicon import Lexicon, lexicon_of, plain_word

_ENDS: Final = frozenset(".!?¡¿")
_JOINED: Final = frozenset("-_/@#+&")
# What may be glued to a figure behind it, as it is read.
LEADING: Final = {
    one: {"alas": "a las", "ala": "a la"}.get(one, one)
    for one in ["alas", "las", "ala", "el", "al", "dia", "para", "as", "at", "for", "from", "do"]
}
_CONTRACTED: Final = {"wed": "we would"}  # no Wednesday
_GLUES: Final = frozenset(("am", "pm", "hs", "h"))  # read as well where a figure is before them
_ADDRESS: Final = ("@", "://", "www.")


@lru_cache(maxsize=32)  # the extractors read the same message one after the other
def spelled(text: str, language: Language) -> Folded:
    """`text` folded, with its words as they are spelt."""
    folded, lexicon = fold(text), lexicon_of(language)
    changes = [change for at in range(len(folded.tokens)) for change in _changes(folded, at, lexicon)]
    return folded.rewritten(changes) if changes else folded


def _changes(folded: Folded, at: int, lexicon: Lexicon) -> list[Change]:
    """What becomes of a token."""
    token = folded.tokens[at]
    if at > 0 and folded.tokens[at - 1].kind == "digits" and folded.tokens[at - 1].end == token.start:
        plain = lexicon.behind_figure(token.text) if not folded.text[token.end : token.end + 1].isalnum() else None
        return [] if plain is None else [Change(token.start, token.end, plain if plain in _GLUES else f" {plain}")]
    if token.text in _CONTRACTED and _has_apostrophe(folded, token):
        return [Change(token.start, token.end, _CONTRACTED[token.text])]
    if _is_day_with_an_s(folded, token, lexicon):
        return [Change(token.start, token.end, token.text[:-1])]
    if token.kind != "word" or _is_in_code(folded, token):
        return []
    behind = folded.text[token.end : token.end + 1]
    if behind.isdigit():
        return [Change(token.start, token.end, f"{LEADING[token.text]} ")] if token.text in LEADING else []
    if token.text == "n" and not _is_before_a_word(folded.tokens, at):  # a no, not "en" or "em"
        return []
    if len(token.text) == 1 and (
        _beside_a_figure(folded.tokens, at) or folded.original[folded.span(at, at)[0]].isupper()
    ):
        return []
    plain = plain_word(token.text, lexicon.language, capital=_is_capital(folded, at))
    return [] if plain is None or plain == token.text else [Change(token.start, token.end, plain)]


def _is_day_with_an_s(folded: Folded, token: Token, lexicon: Lexicon) -> bool:
    """Whether it is a day or a month and "is": "Friday's the day"."""
    if not token.text.endswith("s") or token.text[:-1] not in lexicon.calendar or lexicon.language != "en":
        return False
    return _has_apostrophe(folded, token)


def _has_apostrophe(folded: Folded, token: Token) -> bool:
    start, end = folded.origin(token.start, token.end)
    return "'" in folded.original[start:end].replace("’", "'")


def _is_in_code(folded: Folded, token: Token) -> bool:
    """Whether figures or signs tie a word to what stands before or behind it: "A-1001", "17hs", an address."""
    text = folded.text
    before, behind = text[: token.start][-1:], text[token.end : token.end + 1]
    if before.isalnum() or before in _JOINED or behind in _JOINED:
        return True
    start, end = text.rfind(" ", 0, token.start) + 1, text.find(" ", token.end)
    chunk = text[start : len(text) if end < 0 else end]
    return any(sign in chunk for sign in _ADDRESS)


def _is_before_a_word(tokens: Sequence[Token], at: int) -> bool:
    return at + 1 < len(tokens) and tokens[at + 1].kind != "symbol"


def _beside_a_figure(tokens: Sequence[Token], at: int) -> bool:
    """Whether a letter may be one of a figure's: "n 204", "3 c", "c.". "16 d marzo" and "x 4" are none."""
    if tokens[at].text in ("d", "x"):
        return at > 0 and tokens[at - 1].kind == "digits" and tokens[at].text == "x"
    near = (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
    return any(one.kind == "digits" or one.text in (".", "º", "°") for one in near)


def _is_capital(folded: Folded, at: int) -> bool:
    """Whether a word has a capital within a sentence, where names have one."""
    if at == 0 or folded.tokens[at].opens_line or folded.tokens[at - 1].text in _ENDS:
        return False
    start, end = folded.span(at, at)
    return folded.original[start : start + 1].isupper() and not folded.original[start:end].isupper()
