"""Numbers written in digits: "1.500,50", "-5", "15k". A date, an hour, a code or a telephone number is none."""

from __future__ import annotations

import re
from decimal import Decimal

from mew_agents.language.folding import Folded
from mew_agents.language.numeral import Numeral, trimmed
from mew_agents.language.value_words.currencies import CODES
from mew_agents.language.value_words.vocabulary import NumberWords


def figures(folded: Folded, words: NumberWords) -> dict[int, Numeral]:
    """All figures of a text by their first token. Each stands alone between white space, but for usual punctuation."""
    found: dict[int, Numeral] = {}
    matches = list(_FIGURE.finditer(folded.text)) if _DIGIT.search(folded.text) else []
    if not matches:
        return found
    begins = {token.start: at for at, token in enumerate(folded.tokens)}
    ends = {token.end: at for at, token in enumerate(folded.tokens)}
    for match in matches:
        first, last = begins.get(match.start("value")), ends.get(match.end("value"))
        read = _read(match["digits"], words)
        if read is None or first is None or last is None:
            continue
        figure = _scaled(read._replace(first=first, last=last), match)
        found[first] = figure
    return found


_DIGIT = re.compile("[0-9]")
_CODE = "|".join(code.casefold() for code in CODES)
# What is measured or counted, and often written right behind the figure: "20kg", "4pax".
_UNIT = "kgs?|kilos?|quilos?|kilogram(?:o|a)?s?|quilogramas?|gente|personas?|pessoas?|people|persons?|pax|ppl"
# A word of four letters or more may follow at once ("35dolares"): only its blank is missing, see `Folded.stands_alone`.
# Nothing of it can be matched in two ways, so that no text takes long.
_FIGURE = re.compile(
    rf"""(?<![\w@\#/\\+=°&.,:'-])(?<!\d\ )(?<!\d\)\ )
         (?:{_CODE}|u\$s|s/)?
         (?P<value>(?P<minus>-)?
         (?P<digits>[0-9]{{1,3}}(?:\ [0-9]{{3}})+(?:,[0-9]{{1,2}})?(?!\ ?[0-9])|[0-9]+(?:[.,][0-9]+)*)
         (?P<k>k(?=(?:{_CODE})?(?!\w)))?)(?P<code>{_CODE})?
         (?=(?:{_UNIT})\b|[^\W\d_]{{4,}}(?![\w@/-])|[^\w]|$)(?![@\#/\\+=°&]|-(?=\w)|[:.,'][0-9]|[:']\w|\)?\ [0-9])""",
    re.VERBOSE,
)
_MAX_DIGITS = 15
_ID_DIGITS = 7  # from here on, ungrouped digits are rather a document or a telephone, unless they are round


def _scaled(figure: Numeral, match: re.Match[str]) -> Numeral:
    """With its sign, and "k" for thousand. Letters of a currency stuck to it leave it no number by itself."""
    factor = Decimal(1000 if match["k"] else 1) * (-1 if match["minus"] else 1)
    return figure._replace(
        value=trimmed(figure.value * factor) if match["k"] else figure.value * factor,
        alternatives=() if match["k"] else tuple(other * factor for other in figure.alternatives),
        unsure=figure.unsure and not match["k"],
        plain=figure.plain and not match["code"],
    )


def _read(digits: str, words: NumberWords) -> Numeral | None:
    """The value of digits with points, commas or blanks among them, by the local way of writing; None: a code."""
    parts = re.split("[., ]", digits)
    if len(digits) > 2 * _MAX_DIGITS or sum(map(len, parts)) > _MAX_DIGITS or (len(parts[0]) > 1 and digits[0] == "0"):
        return None
    signs = [sign for sign in digits if sign in "., "]
    if not signs:
        plain = len(digits) < _ID_DIGITS or digits.endswith("000")
        return Numeral(Decimal(digits), 0, 0, plain=plain)
    if len(signs) == 1:
        return _with_one_sign(parts[0], signs[0], parts[1], words)
    *grouping, last = signs
    if len(set(signs)) == 1 and _are_groups(parts):  # 1.234.567
        return _number("".join(parts), unsure=last == " ")
    if len(set(grouping)) == 1 and last not in grouping and last != " " and _are_groups(parts[:-1]):  # 1.234,56
        return _number("".join(parts[:-1]), parts[-1], unsure=" " in grouping)
    return None


def _with_one_sign(whole: str, sign: str, rest: str, words: NumberWords) -> Numeral:
    if sign == " ":
        return _number(whole + rest, unsure=True)
    grouped = len(rest) == 3 and len(whole) <= 3 and whole != "0"
    if sign == words.decimal:
        if not grouped:
            return _number(whole, rest)
        readings = (_number(whole + rest), _number(whole, rest))
        sure, other = readings if words.strays else readings[::-1]
        return sure._replace(unsure=True, alternatives=(other.value,))
    return _number(whole + rest) if grouped else _number(whole, rest, unsure=whole != "0")


def _are_groups(parts: list[str]) -> bool:
    return 1 <= len(parts[0]) <= 3 and parts[0] != "0" and all(len(part) == 3 for part in parts[1:])


def _number(whole: str, decimals: str = "", *, unsure: bool = False) -> Numeral:
    value = Decimal(f"{whole}.{decimals}" if decimals else whole)
    return Numeral(value, 0, 0, unsure=unsure, decimals=len(decimals))
