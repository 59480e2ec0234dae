"""Loading definitions: bytes of YAML or JSON to a definition, or everything wrong with it, each with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from mew_gateway.documents import validation_errors
from mew_gateway.documents.composer import compose
from mew_gateway.documents.document import Document
from mew_gateway.documents.placing import problems
from mew_gateway.documents.problems import DocumentError, Fault, Problem
from mew_gateway.documents.source import Unreadable, decode, read

from .lint import lint
from .model import Definition

_UNNAMED = Path("definition.yaml")


class DefinitionError(DocumentError):
    """A definition that cannot be used: `problems` in the order of the file, one a line in `str()`."""


class Checked(NamedTuple):
    """What is known of a file: the definition unless there are errors, and what is wrong or doubtful with it."""

    definition: Definition | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def require(self) -> Definition:
        """The definition. Raises `DefinitionError`."""
        if self.definition is None:
            raise DefinitionError(self.errors)
        return self.definition


def check(data: bytes, *, file: Path = _UNNAMED, tools: Collection[str] | None = None) -> Checked:
    """Everything about some bytes; it never raises. `file` is only named.

    `tools` are those there are, as `participant/name`, or `participant/*` for all of one; None: any may be called. What
    does not fit the form comes first; only a definition that does is looked at for its sense.
    """
    try:
        text = decode(data)
    except Unreadable as error:
        return _unreadable(error, file)
    return _checked(text, file, tools)


def check_file(path: Path, *, tools: Collection[str] | None = None) -> Checked:
    """Everything about a file; it never raises, not even when there is none."""
    try:
        text = read(path)
    except Unreadable as error:
        return _unreadable(error, path)
    return _checked(text, path, tools)


def load(path: Path, *, tools: Collection[str] | None = None) -> Definition:
    """The definition in a file. Raises `DefinitionError`."""
    return check_file(path, tools=tools).require()


def parse(data: bytes, *, file: Path = _UNNAMED, tools: Collection[str] | None = None) -> Definition:
    """The definition in some bytes. Raises `DefinitionError`."""
    return check(data, file=file, tools=tools).require()


def shipped() -> tuple[Definition, ...]:
    """The definitions that come with this package, by name."""
    folder = resources.files(__package__) / "shipped"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return tuple(parse(entry.read_bytes(), file=Path(entry.name)) for entry in found)


def _unreadable(error: Unreadable, file: Path) -> Checked:
    line, column = error.mark or (0, 0)
    return Checked(None, (Problem(file, line, column, "", error.message, error.suggestion),))


def _checked(text: str, file: Path, tools: Collection[str] | None) -> Checked:
    document = compose(text)
    definition, faults = _parsed(document)
    if definition is None or document.placed:
        return Checked(None, tuple(problems(document, faults, file)))
    findings = tuple(lint(definition, tools=tools))
    errors = _placed(document, (finding.fault for finding in findings if finding.is_error), file)
    warnings = _placed(document, (finding.fault for finding in findings if not finding.is_error), file)
    return Checked(None if errors else definition, errors, warnings)


def _parsed(document: Document) -> tuple[Definition | None, list[Fault]]:
    if not document.complete:
        return None, []
    if document.root is None and not document.unknown:
        return None, [Fault((), "The file is empty.", "docs/definitions.md shows one")]
    if isinstance(document.root, dict) and "flows" in document.root and "typeId" not in document.root:
        return None, [Fault((), "This is a file of flows, no kind of Work.", "`mew flows check` reads it")]
    try:
        return Definition.model_validate(document.root), []
    except ValidationError as error:
        return None, list(validation_errors.faults(error, Definition))


def _placed(document: Document, faults: Iterable[Fault], file: Path) -> tuple[Problem, ...]:
    return tuple(problems(document, faults, file))
