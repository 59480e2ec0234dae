"""YAML text to a document: duplicate keys, tags, anchors, aliases and deep nesting are refused with their place.

Composed from the parser's events, not from its nodes: events come one by one, so that nothing is expanded and
nothing recurses before a bound is looked at.
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
from .variables import filled

MAX_DEPTH = 64
MAX_VALUES = 50_000
_MAX_FAULTS = 100
_LONGEST_TAG = 1_000
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def compose(text: str, variables: Mapping[str, str] | None = None) -> Document:
    """The document in a text that holds one. Never raises for any text; see `Document.placed`.

    With `variables`, `${NAME}` and `${NAME:-default}` in values stand for them, and `$${` for `${`.
    """
    composer = _Composer(text, variables)
    try:
        for event in _parser().parse(text):
            composer.take(event)
    except _Enough:
        composer.document.complete = False
    except MarkedYAMLError as error:
        mark, message, suggestion = syntax.explain(error, text)
        composer.broken(_mark(mark), message, suggestion)
    except AssertionError:  # the parser's, of a version that it has not heard of
        composer.broken(source.place(text, max(0, text.find("%YAML"))), "This file is read as YAML 1.2 only.", None)
    except (ValueError, OverflowError):  # the parser turns escapes into characters unchecked: \UFFFFFFFF is none
        escape = source.place(text, syntax.impossible_escape(text))
        composer.broken(escape, "This escape stands for no character.", None)
    return composer.document


def _parser() -> YAML:
    parser = YAML(typ="safe", pure=True)
    parser.Scanner = _Scanner
    return parser


class _Scanner(Scanner):
    """The parser's, which would take the square of a tag's length to read it."""

    def scan_tag(self) -> Any:
        begins = self.reader.prefix(_LONGEST_TAG)
        if len(begins) == _LONGEST_TAG and not any(map(str.isspace, begins)):
            mark = self.reader.get_mark()
            raise ScannerError("while scanning a tag", mark, "it is too long", mark)
        return super().scan_tag()


class _Enough(Exception):
    """Reading on would only cost time."""


class _Frame:
    """A mapping or list that is being read; `key` is the mapping key whose value comes next."""

    __slots__ = ("awaits_key", "ignored", "key", "path", "value")

    def __init__(self, path: KeyPath, value: dict[str, Any] | list[Any]) -> None:
        self.path = path
        self.value = value
        self.key = ""
        self.awaits_key = isinstance(value, dict)
        self.ignored = False  # the value that comes next belongs to no usable key

    @property
    def next_path(self) -> KeyPath:
        if isinstance(self.value, list):
            return (*self.path, len(self.value))
        return self.path if self.awaits_key else (*self.path, self.key)


class _Composer:
    """Takes events one by one and builds the document."""

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
            self._settle(self._frames.pop().value)
        if len(self.document.placed) >= _MAX_FAULTS:
            raise _Enough

    def broken(self, mark: Mark, message: str, suggestion: str | None) -> None:
        """The parser gave up. After a refused tag or alias that is only its consequence."""
        self.document.complete = False
        if not self._refused:
            self._fault(mark, self._path, message, suggestion)

    @property
    def _path(self) -> KeyPath:
        return self._frames[-1].next_path if self._frames else ()

    def _fault(self, mark: Mark, path: KeyPath, message: str, suggestion: str | None = None) -> None:
        if self.document.placed and self.document.placed[-1][0] == mark:
            return  # one complaint is enough for one place
        self.document.placed.append((mark, Fault(path, message, suggestion)))

    def _doubt(self, message: str, suggestion: str | None = None) -> None:
        """A fault in the value that is being read: what it was meant to be is not known."""
        self._fault(self._last, self._path, message, suggestion)
        if not (self._frames and self._frames[-1].awaits_key):
            self.document.unknown.add(self._path)

    def _start_document(self, event: DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            self._fault(self._last, (), "A second document starts here.", "one file holds one document")
            raise _Enough
        if event.version not in (None, (1, 2)):
            self._fault(Mark(1, 1), (), "This file is read as YAML 1.2 only.", "delete the `%YAML` line")

    def _take_node(self, event: NodeEvent) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._fault(self._last, self._path, f"The file holds more than {MAX_VALUES} values.")
            raise _Enough
        refusal = syntax.refusal(event, self._text)
        if refusal is not None:
            self._refused = True
            self._doubt(*refusal)
        if isinstance(event, CollectionStartEvent):
            self._open({} if isinstance(event, MappingStartEvent) else [])
        elif isinstance(event, ScalarEvent):
            self._take_scalar(event, known=refusal is None)
        elif isinstance(event, AliasEvent):
            self._settle(None)

    def _open(self, value: dict[str, Any] | list[Any]) -> None:
        if len(self._frames) >= MAX_DEPTH:
            self._fault(self._last, self._path, f"Nested deeper than {MAX_DEPTH} levels.")
            raise _Enough
        self.document.values.setdefault(self._path, self._last)
        self._frames.append(_Frame(self._path, value))

    def _take_scalar(self, event: ScalarEvent, *, known: bool) -> None:
        text = event.value = _PAIR.sub(_joined, event.value)
        unusable = next((char for char in text if char == "\0" or "\ud800" <= char <= "\udfff"), None)
        if unusable is not None:
            message = f"The text holds U+{ord(unusable):04X}, which cannot be used."
            self._doubt(message, "leave it out")
            known = False
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.awaits_key:
            self._take_key(frame, text, usable=known)
        else:
            self.document.values.setdefault(self._path, self._last)
            self._settle(self._resolve(event) if known else None)

    def _take_key(self, frame: _Frame, text: str, *, usable: bool) -> None:
        """A key is text as it is written: JSON knows no other."""
        frame.awaits_key = False
        frame.key = text
        frame.ignored = not usable or text in frame.value
        if usable and frame.ignored:
            first = self.document.keys[frame.next_path].line
            self._fault(self._last, frame.next_path, f"The key stands twice, first on line {first}.", "delete one")
        elif usable:
            self.document.keys[frame.next_path] = self._last

    def _resolve(self, event: ScalarEvent) -> Any:
        try:
            text = event.value if self._variables is None else filled(event.value, self._variables)
            return scalars.resolve(text) if event.implicit[0] else text  # else quoted or a block
        except ValueError as error:
            self._doubt(str(error))
            return None

    def _settle(self, value: Any) -> None:
        """Put a finished value where it belongs."""
        frame = self._frames[-1] if self._frames else None
        if frame is None:
            self.document.root = value
        elif isinstance(frame.value, list):
            frame.value.append(value)
        elif frame.awaits_key:  # a key that is no text: `? [a, b]`, `*alias`
            self._fault(self._last, frame.path, "A key must be text.")
            frame.awaits_key, frame.ignored = False, True
        else:
            if not frame.ignored:
                frame.value[frame.key] = value
            frame.awaits_key, frame.ignored = True, False


def _joined(pair: re.Match[str]) -> str:
    """The character that JSON's escapes give as two."""
    return pair[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _mark(mark: StreamMark | None) -> Mark:
    return Mark(1, 1) if mark is None else Mark(mark.line + 1, mark.column + 1)
