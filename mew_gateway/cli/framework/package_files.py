"""Files of the package: inside a wheel, or in the repository beside it."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import mew_gateway

from .failure import Failure


def package_file(name: str) -> Traversable:
    """Return a file by its path in the repository. Raises `Failure` if this installation lacks it."""
    inside = resources.files(mew_gateway) / "data" / name
    beside = Path(mew_gateway.__file__).parent.parent / name
    for candidate in (inside, beside):
        if candidate.is_file():
            return candidate
    raise Failure(f"This installation lacks {name}: install the package anew.")
