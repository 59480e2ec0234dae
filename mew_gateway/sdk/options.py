"""Options of an agent, and the errors for invalid ones."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from mew_gateway.errors import Misconfigured


class Options(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Options of an agent. A subclass gives each a name, a type and a default; constraints by `msgspec.Meta`."""


OptionsT = TypeVar("OptionsT", bound=Options)


def options_from(given: Mapping[str, Any], expected: type[OptionsT]) -> OptionsT:
    """Parse options from a mapping. Raises `Misconfigured`, which names the option and suggests a similar one."""
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
