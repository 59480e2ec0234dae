"""Load spaces.yaml or a single-space file: return a configuration, or raise every fault at once with its position."""

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
from mew_gateway.documents.problems import DocumentError, Fault, Problem
from mew_gateway.documents.source import Unreadable, decode, read

from . import (
    build,
    capability_checks,
    hosting_checks,
    listening_checks,
    outbox_checks,
    roles,
    safety_checks,
    token_format,
    validation_errors,
)
from .build import home
from .configuration import Configuration
from .models import SpacesFile
from .single_space_file import SingleSpaceFile, is_single, remarks

_Form = TypeVar("_Form", bound=BaseModel)


class ConfigError(DocumentError):
    """The configuration cannot be used: `problems` in the order of the file, one per line in `str()`."""


def load(path: Path, *, listen: str | None = None, variables: Mapping[str, str] | None = None) -> Configuration:
    """Load a configuration file. Raises `ConfigError` with all problems in the order of the file.

    `listen` replaces `gateway.listen`. `variables` (default: the environment) replace `${NAME}` in values.
    """
    try:
        return _loaded(read(path), path, os.environ if variables is None else variables, listen)
    except Unreadable as error:
        raise _unreadable(error, path) from None


def parse(data: bytes, *, file: Path) -> Configuration:
    """Load a configuration from bytes; `file` is only a name for messages and paths. Raises `ConfigError`."""
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
    if is_single(Node((), document.root)):  # upstream's form: `${}` is substituted when a process starts
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
    """Replace `gateway.listen` in the document, so that the same rules apply."""
    if listen is not None and isinstance(document.root, dict):
        gateway = document.root.setdefault("gateway", {})
        if isinstance(gateway, dict):
            gateway["listen"] = listen


def _warned(configuration: Configuration, document: Document, found: Iterator[Fault], path: Path) -> Configuration:
    """Return the configuration with the warnings about its file. Raises `ConfigError` if no welcome would fit."""
    spaces = configuration.spaces.items()
    settings = [space.settings for _, space in spaces]
    hosted = [(name, who) for name, space in spaces for who, one in space.hosted.items() if one.agent is not None]
    root = Node((), document.root)
    outbox = configuration.gateway.limits.outbox_bytes
    if faults := list(outbox_checks.of_spaces(root, settings, outbox=outbox)):
        raise ConfigError(problems(document, faults, path))
    more = [*capability_checks.warnings(root), *safety_checks.warnings(root, settings, hosted=hosted)]
    return replace(configuration, warnings=tuple(problems(document, [*found, *more], path)))


def place(path: Path, faults: Iterable[Fault]) -> list[Problem]:
    """Return faults that a caller found in a loaded file as problems, with their positions."""
    return problems(compose(read(path)), list(faults), path)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of spaces.yaml (draft 2020-12), with descriptions, defaults and patterns."""
    return json_schema(SpacesFile, "spaces.yaml")


def _parsed(document: Document, form: type[_Form], base: Path, path: Path) -> _Form:
    """Validate the document as `form`. Raises `ConfigError`."""
    parsed, faults = _examine(document, form, base)
    if parsed is None or faults or document.placed:
        raise ConfigError(problems(document, faults, path))
    return parsed


def _examine(document: Document, form: type[_Form], base: Path) -> tuple[_Form | None, list[Fault]]:
    """Return the document as a model, or None, and its faults."""
    if not document.complete:
        return None, []
    if document.root is None and not document.unknown:
        return None, [Fault((), "The file is empty.", "it needs at least `spaces:`")]
    parsed: _Form | None = None
    faults: list[Fault] = []
    try:
        parsed = form.model_validate(document.root)
    except ValidationError as error:
        faults.extend(validation_errors.faults(error, form))
    root = Node((), document.root)
    if form is SpacesFile:
        faults += capability_checks.faults(root)
    return parsed, [*faults, *_between_keys(root, base)]


def _between_keys(root: Node, base: Path) -> Iterator[Fault]:
    """Yield the faults between keys of a document. Relative paths start from `base`."""
    for gateway in root.find("gateway"):
        yield from listening_checks.of_address(gateway)
        yield from listening_checks.of_certificate(gateway, base)
        yield from outbox_checks.of_gateway(gateway)
    for space in root.find("spaces", "*"):
        yield from roles.faults(space, root)
        yield from token_format.duplicates(space.find("participants", "*", "token"))
        for participant in space.find("participants", "*"):
            yield from hosting_checks.of_participant(participant)
    if is_single(root):
        listed = [token for token in root.find("participants", "*", "tokens", "*") if token.path[-1] == 0]
        yield from token_format.duplicates(listed)
        yield from listening_checks.of_short_tokens(listed, root)
    logs = [*root.find("spaces", "*", "participants", "*", "output_log"), *root.find("participants", "*", "output_log")]
    yield from hosting_checks.of_output_logs(logs, base)
