"""JSON as it is stored: one spelling for one value."""

from __future__ import annotations

from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder()


def written(value: Any) -> str:
    """The canonical text of a JSON value; a dataclass is the object of its fields."""
    return _ENCODER.encode(value).decode()


def read(text: str) -> Any:
    """The value of a stored text."""
    return _DECODER.decode(text)
