"""Text with `${NAME}` in it, as upstream's space files write arguments and variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

_PLACE = re.compile(r"\$\{([^}]*)\}")


def fill(text: str, values: Mapping[str, str]) -> str:
    """The text with each `${NAME}` that has a value replaced by it, once; the others stay as they are."""
    return _PLACE.sub(lambda place: values.get(place[1], place[0]), text)
