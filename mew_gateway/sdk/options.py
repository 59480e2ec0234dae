"""What an agent can be told from outside, and the errors for what it cannot."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from mew_gateway.errors import Misconfigured


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent's options. A subclass names each with its type and default; constraints by `msgspec.Meta`."""


OptionsT = TypeVar("OptionsT", bound=Options)


def options_from(given: Mapping[str, Any], expected: type[OptionsT]) -> OptionsT:
    """The options in a mapping. Raises `Misconfigured`, naming the option and, if it can, what was meant."""
    names = [field.encode_name for field in msgspec.structs.fields(expected)]
    for name in given:
        if name not in names:
            raise Misconfigured(f"There is no option {name!r}.{_meant(name, names)}")
    try:
        return msgspec.convert(dict(given), expected)
    except msgspec.ValidationError as error:
        raise Misconfigured(f"An option is wrong: {error}.") from None


def _meant(name: str, names: list[str]) -> str:
    close = difflib.get_close_matches(name, names, 1)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" There are: {', '.join(names)}." if names else " This agent has none."
