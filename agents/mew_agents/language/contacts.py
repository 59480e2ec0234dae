"""How to reach somebody: telephone numbers and e-mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import phonenumbers

from mew_agents.language.folding import fold
from mew_agents.language.found import Doubt, Found, Language

_MIN_DIGITS, _MAX_DIGITS = 7, 15  # E.164
_MAX_LOCAL, _MAX_DOMAIN = 64, 253  # characters: RFC 5321 §4.5.3.1
_MAX_CANDIDATES = 20  # of one text: checking one takes a while


def phones(text: str, language: Language, *, region: str) -> list[Found[str]]:
    """The valid telephone numbers of a text, as E.164 ("+541145678901").

    `region` (ISO 3166, "AR") is whose way of dialling a number without "+" is in; with an unknown one only numbers with
    "+" are read. Doubt: "partial" when an extension follows, in words of `language`: E.164 cannot say it.
    """
    folded = fold(text)
    found: list[Found[str]] = []
    for match in islice(_PHONE.finditer(folded.text), _MAX_CANDIDATES):
        read = next(_readings(folded.text, match, region), None)
        if read is not None:
            number, first, last = read
            start, end = folded.origin(first, last)
            doubts: tuple[Doubt, ...] = ("partial",) if _EXTENSIONS[language].match(folded.text, last) else ()
            found.append(Found(number, start, end, 0.8 if doubts else 1.0, (), doubts))
    return found


def emails(text: str) -> list[Found[str]]:
    """The e-mail addresses of a text, their domain in small letters: ASCII only, a real shape, a domain with a dot.

    Also as people say them: "ana arroba example punto com", "ana at example dot com".
    """
    written = [
        Found(f"{match['local']}@{match['domain'].lower()}", match.start(), match.end())
        for match in _EMAIL.finditer(text)
        if len(match["local"]) <= _MAX_LOCAL and len(match["domain"]) <= _MAX_DOMAIN
    ]
    return written or [*_spoken(text)]


def _spoken(text: str) -> Iterator[Found[str]]:
    for match in islice(_SPOKEN.finditer(text), _MAX_CANDIDATES):
        address = _SIGN_SPOKEN.sub(lambda sign: _SIGN_OF.get(sign.lastgroup or "", "."), match[0])
        if (whole := _EMAIL.fullmatch(address)) is not None:
            yield Found(f"{whole['local']}@{whole['domain'].lower()}", match.start(), match.end())


def emails_without_sign(text: str) -> list[Found[str]]:
    """What would be an address with an "@" for its blank: "ana.paz example.com". Doubt: "approximate".

    What stands before the domain has a sign or a digit in it, as words have not.
    """
    return [
        Found(f"{match['local']}@{match['domain'].lower()}", match.start(), match.end(), 0.6, (), ("approximate",))
        for match in _NO_SIGN.finditer(text)
    ]


# Neither is ever tried from the middle of a run of its signs, so that no text takes long.
_EMAIL = re.compile(
    r"""(?<![\w.+%@/-])(?P<local>[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*)@
        (?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,24})(?![\w@-]|\.\w)""",
    re.VERBOSE,
)
_NO_SIGN = re.compile(
    r"""(?<![\w.+%@/-])(?=[A-Za-z]*[0-9_.%+-])(?P<local>[A-Za-z0-9_%+-]{1,64}(?:\.[A-Za-z0-9_%+-]{1,63}){0,3})[ ]
        (?P<domain>(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,24})(?![\w@-]|\.\w)""",
    re.VERBOSE,
)
# The signs of an address as people say them.
_SAID_SIGNS = {
    "@": r"arroba|at",
    ".": r"punto|ponto|dot",
    "_": r"gui[oó]n bajo|underline|underscore|sublinhado|tra[cç]o baixo|barra baja",
    "-": r"gui[oó]n(?: medio)?|h[ií]fen|hyphen|dash|tra[cç]o",
}
_DOTS = rf"(?:\.|\s+(?:{_SAID_SIGNS['.']})\s+)"
_SIGNS = rf"(?:\.|\s+(?:{_SAID_SIGNS['.']}|{_SAID_SIGNS['_']}|{_SAID_SIGNS['-']})\s+)"
_SPOKEN = re.compile(
    rf"(?<![\w.+%@/-])[A-Za-z0-9_%+-]{{1,64}}(?:{_SIGNS}[A-Za-z0-9_%+-]{{1,63}}){{0,3}}\s+(?:{_SAID_SIGNS['@']})\s+"
    rf"[A-Za-z0-9-]{{1,63}}(?:{_DOTS}[A-Za-z0-9-]{{1,63}}){{0,3}}{_DOTS}[A-Za-z]{{2,24}}(?![\w@-])",
    re.IGNORECASE,
)
_SIGN_SPOKEN = re.compile(
    rf"\s+(?P<at>{_SAID_SIGNS['@']})\s+|\s+(?P<low>{_SAID_SIGNS['_']})\s+|\s+(?P<dash>{_SAID_SIGNS['-']})\s+"
    rf"|\s*(?:\.|\b(?:{_SAID_SIGNS['.']})\b)\s*",
    re.IGNORECASE,
)
_SIGN_OF = {"at": "@", "low": "_", "dash": "-"}
_PHONE = re.compile(r"(?<![\w+.,@/#-])(?:\+\ ?)?\(?[0-9](?:[\ .()/-]{0,2}[0-9]){6,19}(?![\w@]|[.,/-][0-9])")


def _extension(words: str) -> re.Pattern[str]:
    return re.compile(rf" {{0,2}}[,(]? ?(?:{words})\.? ?[0-9]")


_EXTENSIONS: dict[Language, re.Pattern[str]] = {
    "es": _extension("ext|int|interno|extension|anexo"),
    "pt": _extension("ramal|ext"),
    "en": _extension("ext|extension|x"),
}
_AMOUNT = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}")


def _readings(text: str, match: re.Match[str], region: str) -> Iterator[tuple[str, int, int]]:
    """The valid number in a run of digits, and where it is: all of it, or all but what a blank parts at an end."""
    start, end = match.span()
    if _AMOUNT.fullmatch(match[0]) or _DATE.match(match[0]):
        return
    blanks = [blank.span() for blank in re.finditer(" +", match[0])]
    spans = [(start, end)]
    if blanks:
        spans += [(start + blanks[0][1], end), (start, start + blanks[-1][0])]
    for first, last in spans:
        number = _e164(text[first:last], region)
        if number is not None:
            yield number, first, last


def _e164(written: str, region: str) -> str | None:
    if not _MIN_DIGITS <= sum(sign.isdigit() for sign in written) <= _MAX_DIGITS:
        return None
    try:
        number = phonenumbers.parse(written, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
