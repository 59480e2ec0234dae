"""Generate the tables of docs/limits.md from the table of limits and the defaults of the models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, get_args

from pydantic import BaseModel

from mew_gateway.config.models import SpacesFile

from .limit import Limit


def markdown(limits: Iterable[Limit]) -> str:
    """Return the Markdown table of one section."""
    limits = list(limits)
    bound = "default" if any(one.value is None for one in limits) else "bound"
    rows = [f"| {_named(one)} | {_valued(one)} | {one.counted} | {one.outcome} |" for one in limits]
    return "\n".join([f"| limit | {bound} | counted | when it is passed |", "|---|---|---|---|", *rows, ""])


def _named(limit: Limit) -> str:
    return f"`{limit.key}`" if limit.value is None else limit.key


def _valued(limit: Limit) -> str:
    value = limit.value if limit.value is not None else default_of(limit.key)
    if value is None:
        return "never"
    return f"`{json.dumps(value)}`" if isinstance(value, list) else str(value)


def default_of(key: str) -> Any:
    """Return the default of a key of spaces.yaml, in its written form."""
    model: type[BaseModel] = SpacesFile
    *path, name = key.split(".")
    for step in path:
        if step != "*":  # what is in a mapping is one of its field's models, too
            model = next(_models(model.model_fields[step].annotation))
    field = model.model_fields[name]
    extra = field.json_schema_extra
    return extra["default"] if isinstance(extra, dict) else field.default


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models(argument)
