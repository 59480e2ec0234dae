"""Translate pydantic errors of a configuration into faults. A token is never repeated."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mew_gateway.documents import validation_errors
from mew_gateway.documents.problems import Fault, KeyPath, echo

_MAPPINGS = ("model_type", "dict_type")


def faults(error: ValidationError, model: type[BaseModel]) -> Iterator[Fault]:
    """Yield the faults of a document that does not fit the model, in no particular order."""
    return validation_errors.faults(error, model, _special)


def _special(path: KeyPath, details: ErrorDetails) -> Fault | None:
    if path[-1:] == ("token",) or path[-2:-1] == ("tokens",):  # never repeated
        return Fault(path, "Expected the token as text.", "quote it")
    if path == ("gateway", "listen"):
        port = details["input"]
        where = f"127.0.0.1:{port}" if isinstance(port, int) and not isinstance(port, bool) else "127.0.0.1:8080"
        return Fault(path, "An address is `host:port`.", f"such as {where}")
    if path[-1:] == ("tokens",):
        return Fault(path, "Expected a list of tokens.", "put it in `[ ]`")
    if details["type"] in _MAPPINGS and isinstance(details["input"], str) and path and isinstance(path[-1], int):
        capability = echo(f"{{kind: {details['input']}}}")  # the lists of mappings here are capabilities
        return validation_errors.type_fault(path, validation_errors.MAPPING, details["input"], capability)
    return None
