"""Loading spaces.yaml, or a file of a single space: every fault in it at once, with its place, or a configuration."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mew_gateway.documents.composer import compose
from mew_gateway.documents.document import Document, Node
from mew_gateway.documents.json_schema import json_schema
from mew_gateway.documents.placing import problems
from mew_gateway.documents.problems import Fault, Problem
from mew_gateway.documents.source import Unreadable, decode, read

from . import build, capability_checks, explain, references, safety_checks
from .build import home
from .configuration import Configuration
from .models import SpacesFile
from .problems import ConfigError
from .single import SingleSpaceFile, is_single, remarks

_Form = TypeVar("_Form", bound=BaseModel)


def load(path: Path, *, listen: str | None = None, variables: Mapping[str, str] | None = None) -> Configuration:
    """The configuration in a file. Raises `ConfigError` with all its problems in the order of the file.

    `listen` stands in for `gateway.listen`; `variables` (None: the environment's) for `${NAME}` in the values.
    """
    try:
        return _loaded(read(path), path, os.environ if variables is None else variables, listen)
    except Unreadable as error:
        raise _unreadable(error, path) from None


def parse(data: bytes, *, file: Path) -> Configuration:
    """The configuration in the bytes of a file that is only named. Raises `ConfigError`."""
    try:
        return _loaded(decode(data), file, {}, None)
    except Unreadable as error:
        raise _unreadable(error, file) from None


def _unreadable(error: Unreadable, path: Path) -> ConfigError:
    line, column = error.mark or (0, 0)
    suggestion = "`mew init` writes one" if error.is_missing else error.suggestion
    return ConfigError([Problem(path, line, column, "", error.message, suggestion)])


def _loaded(text: str, path: Path, variables: Mapping[str, str], listen: str | None) -> Configuration:
    document = compose(text)
    file = Path(os.path.abspath(path))
    if is_single(Node((), document.root)):  # upstream's: what stands in `${}` is filled in when a program starts
        _listen_at(document, listen)
        single = _parsed(document, SingleSpaceFile, home(file), path)
        configuration = build.single(single, file)
        found = remarks(Node((), document.root), single)
    else:
        document = compose(text, variables) if "${" in text else document
        _listen_at(document, listen)
        configuration = build.configuration(_parsed(document, SpacesFile, file.parent, path), file)
        found = iter(())
    return _warned(configuration, document, found, path)


def _listen_at(document: Document, listen: str | None) -> None:
    """Let the gateway listen elsewhere than the file says, by the same rules."""
    if listen is not None and isinstance(document.root, dict):
        gateway = document.root.setdefault("gateway", {})
        if isinstance(gateway, dict):
            gateway["listen"] = listen


def _warned(configuration: Configuration, document: Document, found: Iterator[Fault], path: Path) -> Configuration:
    """The configuration with the warnings about its file."""
    spaces = configuration.spaces.items()
    settings = [space.settings for _, space in spaces]
    hosted = [(name, who) for name, space in spaces for who, one in space.hosted.items() if one.agent is not None]
    root = Node((), document.root)
    more = [*capability_checks.warnings(root), *safety_checks.warnings(root, settings, hosted=hosted)]
    return replace(configuration, warnings=tuple(problems(document, [*found, *more], path)))


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
    root = Node((), document.root)
    if form is SpacesFile:
        faults += capability_checks.faults(root)
    return parsed, [*faults, *references.faults(root, base)]
