"""Compose a document from YAML text. Duplicate keys, tags, anchors, aliases and deep nesting are faults.

The composer reads the parser's events, not its nodes: events come one by one, so every bound is checked before
anything is expanded or recursed into.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from ruamel.yaml.scanner import Scanner, ScannerError

from . import scalars, source, syntax
from .document import Document, Mark
from .problems import Fault, KeyPath
from .variables import substitute

MAX_DEPTH = 64
MAX_VALUES = 50_000
_MAX_FAULTS = 100
_LONGEST_TAG = 1_000
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def compose(text: str, variables: Mapping[str, str] | None = None) -> Document:
    """Compose the document of a text. Never raises for any text: the faults are in `Document.placed`.

    With `variables`, `${NAME}` and `${NAME:-default}` in values are substituted, and `$${` becomes `${`.
    """
    composer = _Composer(text, variables)
    try:
        for event in _parser().parse(text):
            composer.take(event)
    except _LimitReached:
        composer.document.complete = False
    except MarkedYAMLError as error:
        mark, message, suggestion = syntax.explain(error, text)
        composer.abort(_mark(mark), message, suggestion)
    except AssertionError:  # raised by the parser for an unknown version
        composer.abort(source.place(text, max(0, text.find("%YAML"))), "This file is read as YAML 1.2 only.", None)
    except (ValueError, OverflowError):  # the parser does not check escapes: \UFFFFFFFF is not a character
        escape = source.place(text, syntax.impossible_escape(text))
        composer.abort(escape, "This escape is not a character.", None)
    return composer.document


def _parser() -> YAML:
    parser = YAML(typ="safe", pure=True)
    parser.Scanner = _Scanner
    return parser


class _Scanner(Scanner):
    """Scanner with a bound on tags: the parser's own needs quadratic time in a tag's length."""

    def scan_tag(self) -> Any:
        begins = self.reader.prefix(_LONGEST_TAG)
        if len(begins) == _LONGEST_TAG and not any(map(str.isspace, begins)):
            mark = self.reader.get_mark()
            raise ScannerError("while scanning a tag", mark, "it is too long", mark)
        return super().scan_tag()


class _LimitReached(Exception):
    """Raised to stop reading at a bound."""


class _Frame:
    """A mapping or list being read. `key` is the mapping key whose value comes next."""

    __slots__ = ("awaits_key", "ignored", "key", "path", "value")

    def __init__(self, path: KeyPath, value: dict[str, Any] | list[Any]) -> None:
        self.path = path
        self.value = value
        self.key = ""
        self.awaits_key = isinstance(value, dict)
        self.ignored = False  # the next value has no usable key

    @property
    def next_path(self) -> KeyPath:
        if isinstance(self.value, list):
            return (*self.path, len(self.value))
        return self.path if self.awaits_key else (*self.path, self.key)


class _Composer:
    """Builds the document from parser events."""

    def __init__(self, text: str, variables: Mapping[str, str] | None) -> None:
        self.document = Document()
        self._text = text
        self._variables = variables
        self._last = Mark(1, 1)
        self._frames: list[_Frame] = []
        self._documents = 0
        self._values = 0
        self._refused = False

    def take(self, event: Event) -> None:
        self._last = _mark(event.start_mark)
        if isinstance(event, DocumentStartEvent):
            self._start_document(event)
        elif isinstance(event, NodeEvent):
            self._take_node(event)
        elif isinstance(event, CollectionEndEvent):
            self._place_value(self._frames.pop().value)
        if len(self.document.placed) >= _MAX_FAULTS:
            raise _LimitReached

    def abort(self, mark: Mark, message: str, suggestion: str | None) -> None:
        """Record that the parser failed. After a refused tag or alias the failure is only a consequence."""
        self.document.complete = False
        if not self._refused:
            self._fault(mark, self._path, message, suggestion)

    @property
    def _path(self) -> KeyPath:
        return self._frames[-1].next_path if self._frames else ()

    def _fault(self, mark: Mark, path: KeyPath, message: str, suggestion: str | None = None) -> None:
        if self.document.placed and self.document.placed[-1][0] == mark:
            return  # one fault for each position
        self.document.placed.append((mark, Fault(path, message, suggestion)))

    def _fault_in_value(self, message: str, suggestion: str | None = None) -> None:
        """Record a fault in the value being read, whose value is unknown."""
        self._fault(self._last, self._path, message, suggestion)
        if not (self._frames and self._frames[-1].awaits_key):
            self.document.unknown.add(self._path)

    def _start_document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fault(self._last, (), "A second document starts here.", "one file holds one document")
            raise _LimitReached
        if event.version not in (None, (1, 2)):
            self._fault(Mark(1, 1), (), "This file is read as YAML 1.2 only.", "delete the `%YAML` line")

    def _take_node(self, event: NodeEvent) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._fault(self._last, self._path, f"The file holds more than {MAX_VALUES} values.")
            raise _LimitReached
        refusal = syntax.refusal(event, self._text)
        if refusal is not None:
            self._refused = True
            self._fault_in_value(*refusal)
        if isinstance(event, CollectionStartEvent):
            self._open({} if isinstance(event, MappingStartEvent) else [])
        elif isinstance(event, ScalarEvent):
            self._take_scalar(event, known=refusal is None)
        elif isinstance(event, AliasEvent):
            self._place_value(None)

    def _open(self, value: dict[str, Any] | list[Any]) -> None:
        if len(self._frames) >= MAX_DEPTH:
            self._fault(self._last, self._path, f"Nested deeper than {MAX_DEPTH} levels.")
            raise _LimitReached
        self.document.values.setdefault(self._path, self._last)
        self._frames.append(_Frame(self._path, value))

    def _take_scalar(self, event: ScalarEvent, *, known: bool) -> None:
        text = event.value = _PAIR.sub(_join_surrogates, event.value)
        unusable = next((char for char in text if char == "\0" or "\ud800" <= char <= "\udfff"), None)
        if unusable is not None:
            message = f"The text holds U+{ord(unusable):04X}, which is not allowed."
            self._fault_in_value(message, "leave it out")
            known = False
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.awaits_key:
            self._take_key(frame, text, usable=known)
        else:
            self.document.values.setdefault(self._path, self._last)
            self._place_value(self._resolve(event) if known else None)

    def _take_key(self, frame: _Frame, text: str, *, usable: bool) -> None:
        """Take a key as the written text: JSON has no other keys."""
        frame.awaits_key = False
        frame.key = text
        frame.ignored = not usable or text in frame.value
        if usable and frame.ignored:
            first = self.document.keys[frame.next_path].line
            self._fault(self._last, frame.next_path, f"Duplicate key, first on line {first}.", "delete one")
        elif usable:
            self.document.keys[frame.next_path] = self._last

    def _resolve(self, event: ScalarEvent) -> Any:
        try:
            text = event.value if self._variables is None else substitute(event.value, self._variables)
            return scalars.resolve(text) if event.implicit[0] else text  # else quoted or a block
        except ValueError as error:
            self._fault_in_value(str(error))
            return None

    def _place_value(self, value: Any) -> None:
        """Put a finished value into its mapping or list, or at the root."""
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            self.document.root = value
        elif isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.awaits_key:  # a key that is not text: `? [a, b]`, `*alias`
            self._fault(self._last, frame.path, "A key must be text.")
            frame.awaits_key, frame.ignored = False, True
        else:
            if not frame.ignored:
                frame.value[frame.key] = value
            frame.awaits_key, frame.ignored = True, False


def _join_surrogates(pair: re.Match[str]) -> str:
    """Join the surrogate pair of a JSON escape into one character."""
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _mark(mark: StreamMark | None) -> Mark:
    return Mark(1, 1) if mark is None else Mark(mark.line + 1, mark.column + 1)
