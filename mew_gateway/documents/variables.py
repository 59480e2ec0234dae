"""Substitute variables in values: `${NAME}`, and `${NAME:-default}` for one that is unset or empty."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .problems import echo

_PLACE = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)?(?::-([^}]*))?(\}?)")


def substitute(text: str, variables: Mapping[str, str]) -> str:
    """Substitute the variables of a text, once; `$${` becomes `${`. Raises `ValueError` with a sentence."""

    def value(place: re.Match[str]) -> str:
        name, default, end = place.groups()
        if place[0] == "$${":
            return "${"
        if name is None or not end:
            raise ValueError(f"{echo(text)} has no valid variable: write `${{NAME}}`, or `$${{` for the text itself.")
        found = variables.get(name)
        if default is not None:
            return found or default
        if found is None:
            raise ValueError(f"The variable {name} is not set: set it, or write `${{{name}:-default}}`.")
        return found

    return _PLACE.sub(value, text)
