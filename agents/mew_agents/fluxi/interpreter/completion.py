"""The seam to a language model: what it is told and what it says back, as text."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from mew_gateway.errors import MewError


class ModelError(MewError):
    """A model cannot be had as it was asked for, and a person must do something: the text says what.

    `code`: `missing_library`, `missing_option` or `bad_url`. The text never holds a key.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ModelFault(Exception):
    """This time the model was of no use: `code` says why (`timeout`, `http_500`, `not_json`, …), and nothing else."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Completion(ABC):
    """One model behind one address. `model` is its name there."""

    model: str

    @abstractmethod
    async def complete(self, *, told: str, asked: str, schema: Mapping[str, Any]) -> str:
        """What the model answers to `asked`, `told` how. `schema` is what its JSON should look like, if it can be held
        to one. Raises ModelFault, and nothing else.
        """

    @abstractmethod
    async def aclose(self) -> None:
        """Lets go of its connections."""
