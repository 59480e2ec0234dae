"""Groups of options: a dataclass as one parameter of a command, its fields as options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any


def flatten_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return the command as typer reads it: a parameter that is a dataclass becomes one option for each field.

    The fields are keyword-only and annotated as parameters are. Raises `ValueError` if a name occurs twice.
    """
    signature = inspect.signature(command, eval_str=True)
    annotated = {name: one.annotation for name, one in signature.parameters.items()}
    groups = {name: kind for name, kind in annotated.items() if isinstance(kind, type) and is_dataclass(kind)}

    @functools.wraps(command)
    def grouping(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    flat: list[inspect.Parameter] = []
    for name, one in signature.parameters.items():
        flat += inspect.signature(groups[name], eval_str=True).parameters.values() if name in groups else [one]
    vars(grouping)["__signature__"] = signature.replace(parameters=flat)
    return grouping
