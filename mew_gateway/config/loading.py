"""Loading spaces.yaml, or a file of a single space: every fault in it at once, with its place, or a configuration."""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mew_gateway.documents.composer import compose
from mew_gateway.documents.document import Document, Node
from mew_gateway.documents.json_schema import json_schema
from mew_gateway.documents.placing import problems
from mew_gateway.documents.problems import Fault, Problem
from mew_gateway.documents.source import Unreadable, decode, read

from . import build, explain, references
from .build import home
from .configuration import Configuration
from .models import SpacesFile
from .problems import ConfigError
from .single import SingleSpaceFile, is_single, remarks

_Form = TypeVar("_Form", bound=BaseModel)


def load(path: Path) -> Configuration:
    """The configuration in a file. Raises `ConfigError` with all its problems in the order of the file."""
    try:
        return _loaded(read(path), path)
    except Unreadable as error:
        raise _unreadable(error, path) from None


def parse(data: bytes, *, file: Path) -> Configuration:
    """The configuration in the bytes of a file that is only named. Raises `ConfigError`."""
    try:
        return _loaded(decode(data), file)
    except Unreadable as error:
        raise _unreadable(error, file) from None


def _unreadable(error: Unreadable, path: Path) -> ConfigError:
    line, column = error.mark or (0, 0)
    suggestion = "`mew init` writes one" if error.is_missing else error.suggestion
    return ConfigError([Problem(path, line, column, "", error.message, suggestion)])


def _loaded(text: str, path: Path) -> Configuration:
    document = compose(text)
    file = Path(os.path.abspath(path))
    root = Node((), document.root)
    if is_single(root):
        single = _parsed(document, SingleSpaceFile, home(file), path)
        return build.single(single, file, problems(document, list(remarks(root, single)), path))
    return build.configuration(_parsed(document, SpacesFile, file.parent, path), file)


def place(path: Path, faults: Iterable[Fault]) -> list[Problem]:
    """Faults that were found elsewhere in a file that `load` took, each with its place."""
    return problems(compose(read(path)), list(faults), path)


def schema() -> dict[str, Any]:
    """The JSON Schema of spaces.yaml (draft 2020-12), with descriptions, defaults and patterns."""
    return json_schema(SpacesFile, "spaces.yaml")


def _parsed(document: Document, form: type[_Form], base: Path, path: Path) -> _Form:
    """The file as a model of that form. Raises `ConfigError`."""
    parsed, faults = _examine(document, form, base)
    if parsed is None or faults or document.placed:
        raise ConfigError(problems(document, faults, path))
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
