"""Loading flow files: bytes of YAML or JSON to flows, or everything wrong with them, each with its place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from mew_agents.fluxi.definitions.lint import Finding
from mew_gateway.documents import validation_errors
from mew_gateway.documents.composer import compose
from mew_gateway.documents.document import Document
from mew_gateway.documents.placing import problems
from mew_gateway.documents.problems import DocumentError, Fault, Problem
from mew_gateway.documents.source import Unreadable, decode, read

from .lint import lint
from .model import Flow, FlowFile

_UNNAMED = Path("flows.yaml")
SUFFIXES = (".yaml", ".yml", ".json")


class FlowError(DocumentError):
    """Flow files that cannot be used: `problems` file by file, one a line in `str()`."""


class Checked(NamedTuple):
    """What is known of files: their flows unless there are errors, and what is wrong or doubtful with them."""

    flows: tuple[Flow, ...] | None
    errors: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def require(self) -> tuple[Flow, ...]:
        """The flows. Raises `FlowError`."""
        if self.flows is None:
            raise FlowError(self.errors)
        return self.flows


class Source(NamedTuple):
    """A file that could be read as text, or what is wrong with it."""

    file: Path
    text: str = ""
    problem: Problem | None = None


def check(data: bytes, *, file: Path = _UNNAMED, tools: Collection[str] | None = None) -> Checked:
    """Everything about the bytes of one file; it never raises. `file` is only named.

    `tools` are those there are, as `participant/name`, or `participant/*` for all of one; None: any may be called. What
    does not fit the form comes first; only flows that do are looked at for their sense.
    """
    try:
        return _checked([Source(file, decode(data))], tools)
    except Unreadable as error:
        return _checked([_unreadable(error, file)], tools)


def check_files(paths: Iterable[Path], *, tools: Collection[str] | None = None) -> Checked:
    """Everything about files, and the files in folders (not those in folders of theirs), together. It never raises."""
    return _checked([_source(file) for path in paths for file in _files(path)], tools)


def load(*paths: Path, tools: Collection[str] | None = None) -> tuple[Flow, ...]:
    """The flows in files and folders, in their order. Raises `FlowError`."""
    return check_files(paths, tools=tools).require()


def parse(data: bytes, *, file: Path = _UNNAMED, tools: Collection[str] | None = None) -> tuple[Flow, ...]:
    """The flows in some bytes. Raises `FlowError`."""
    return check(data, file=file, tools=tools).require()


def shipped() -> tuple[Flow, ...]:
    """The flows that come with this package, file by file."""
    folder = resources.files(__package__) / "shipped"
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
    return tuple(flow for entry in found for flow in parse(entry.read_bytes(), file=Path(entry.name)))


def _files(path: Path) -> list[Path]:
    try:
        inside = sorted(path.iterdir()) if path.is_dir() else None
    except (OSError, ValueError):
        inside = None
    return [path] if inside is None else [file for file in inside if file.suffix in SUFFIXES and file.is_file()]


def _source(file: Path) -> Source:
    try:
        return Source(file, read(file))
    except Unreadable as error:
        return _unreadable(error, file)


def _unreadable(error: Unreadable, file: Path) -> Source:
    line, column = error.mark or (0, 0)
    return Source(file, problem=Problem(file, line, column, "", error.message, error.suggestion))


class _Read(NamedTuple):
    """A file, its document, and the flows in it if it has the right form."""

    file: Path
    document: Document
    flows: tuple[Flow, ...] = ()


def _checked(sources: list[Source], tools: Collection[str] | None) -> Checked:
    files: list[_Read] = []
    errors: list[Problem] = []
    for source in sources:
        if source.problem is not None:
            errors.append(source.problem)
            continue
        document = compose(source.text)
        flows, faults = _parsed(document)
        files.append(_Read(source.file, document, flows))
        errors += problems(document, faults, source.file)
    if errors:
        return Checked(None, tuple(errors))
    known: dict[str, Flow] = {}
    for one in files:
        errors += _doubled(one, files, known)
        known |= {flow.name: known.get(flow.name, flow) for flow in one.flows}
    found = [(one, list(_findings(one, known, tools))) for one in files]
    for one, findings in found:
        errors += problems(one.document, (fault for is_error, fault in findings if is_error), one.file)
    warnings = [
        told
        for one, findings in found
        for told in problems(one.document, (fault for is_error, fault in findings if not is_error), one.file)
    ]
    return Checked(None if errors else tuple(known.values()), tuple(errors), tuple(warnings))


def _parsed(document: Document) -> tuple[tuple[Flow, ...], list[Fault]]:
    if not document.complete:
        return (), []
    if document.root is None and not document.unknown:
        return (), [Fault((), "The file is empty.", "docs/flow-files.md shows one")]
    if isinstance(document.root, dict) and "typeId" in document.root and "flows" not in document.root:
        return (), [Fault((), "This defines a kind of Work, no flow.", "`mew fluxi definitions check` reads it")]
    try:
        file = FlowFile.model_validate(document.root)
    except ValidationError as error:
        return (), list(validation_errors.faults(error, FlowFile))
    return tuple(Flow(name, body) for name, body in file.flows.items()), []


def _doubled(one: _Read, files: list[_Read], known: dict[str, Flow]) -> Iterator[Problem]:
    """Flows that an earlier file has as well. Within one file the reader refuses a key that stands twice."""
    for flow in one.flows:
        if flow.name in known:
            first = next(other for other in files if any(its.name == flow.name for its in other.flows))
            line = first.document.mark(_key_of(flow)).line
            message = f"Another flow has this name, in {first.file}:{line}."
            yield from problems(one.document, [_key_of(flow)._replace(message=message)], one.file)


def _key_of(flow: Flow) -> Fault:
    return Fault(("flows", flow.name), "", "give it another", at_key=True)


def _findings(one: _Read, known: dict[str, Flow], tools: Collection[str] | None) -> Iterator[Finding]:
    for flow in one.flows:
        for is_error, fault in lint(flow, known, tools=tools):
            yield Finding(is_error, fault._replace(path=("flows", flow.name, *fault.path)))
