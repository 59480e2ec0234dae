"""Loading spaces.yaml, or a file of a single space: every fault in it at once, with its place, or a configuration."""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from . import build, explain, references
from .build import home
from .composer import compose
from .configuration import Configuration
from .document import Document, Mark, Node
from .models import SpacesFile
from .problems import ConfigError, Fault, Problem, dotted
from .single import SingleSpaceFile, is_single, remarks
from .source import Unreadable, read

_MOST = 100
_Form = TypeVar("_Form", bound=BaseModel)


def load(path: Path) -> Configuration:
    """The configuration in a file. Raises `ConfigError` with all its problems in the order of the file."""
    try:
        text = read(path)
    except Unreadable as error:
        line, column = error.mark or (0, 0)
        raise ConfigError([Problem(path, line, column, "", error.message, error.suggestion)]) from None
    document = compose(text)
    file = Path(os.path.abspath(path))
    root = Node((), document.root)
    if is_single(root):
        single = _parsed(document, SingleSpaceFile, home(file), path)
        return build.single(single, file, _problems(document, list(remarks(root, single)), path))
    return build.configuration(_parsed(document, SpacesFile, file.parent, path), file)


def place(path: Path, faults: Iterable[Fault]) -> list[Problem]:
    """Faults that were found elsewhere in a file that `load` took, each with its place."""
    return _problems(compose(read(path)), list(faults), path)


def schema() -> dict[str, Any]:
    """The JSON Schema of spaces.yaml (draft 2020-12), with descriptions, defaults and patterns."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **SpacesFile.model_json_schema(schema_generator=_Untitled),
        "title": "spaces.yaml",
    }


class _Untitled(GenerateJsonSchema):
    """Keys are their own titles."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False


def _parsed(document: Document, form: type[_Form], base: Path, path: Path) -> _Form:
    """The file as a model of that form. Raises `ConfigError`."""
    parsed, faults = _examine(document, form, base)
    if parsed is None or faults or document.placed:
        raise ConfigError(_problems(document, faults, path))
    return parsed


def _examine(document: Document, form: type[_Form], base: Path) -> tuple[_Form | None, list[Fault]]:
    """The file as a model, if it is one, and what is wrong with it."""
    if not document.complete:
        return None, []
    if document.root is None and not document.unknown:
        return None, [Fault((), "The file is empty.", "it needs at least `spaces:`")]
    parsed: _Form | None = None
    faults: list[Fault] = []
    try:
        parsed = form.model_validate(document.root)
    except ValidationError as error:
        faults.extend(explain.faults(error, form))
    return parsed, [*faults, *references.faults(Node((), document.root), base)]


def _problems(document: Document, faults: list[Fault], file: Path) -> list[Problem]:
    """The problems in the order of the file; a value is complained about once, by who came first."""
    placed = list(document.placed)
    settled = set(document.unknown)
    for fault in faults:
        around = (fault.path[:length] for length in range(len(fault.path) + (not fault.at_key)))
        if settled.isdisjoint(around):
            placed.append((document.mark(fault), fault))
            if not fault.at_key:
                settled.add(fault.path)
    placed.sort(key=lambda pair: pair[0])
    problems = [_problem(mark, fault, file) for mark, fault in placed[:_MOST]]
    if len(placed) > _MOST:
        problems.append(Problem(file, 0, 0, "", f"There are {len(placed) - _MOST} problems more."))
    return problems


def _problem(mark: Mark, fault: Fault, file: Path) -> Problem:
    return Problem(file, mark.line, mark.column, dotted(fault.path), fault.message, fault.suggestion)
