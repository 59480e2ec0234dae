"""A state machine as a picture: Mermaid, Graphviz or plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, assert_never

Style: TypeAlias = Literal["mermaid", "text", "dot"]
_WIDTH = 96


class Edge(NamedTuple):
    """From one state to another; `source` None is the beginning. `words` are for styles that have the room."""

    source: str | None
    target: str
    label: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """What there is to draw. `notes`, by state, one thing a line; `ends`: the states in which everything is over."""

    title: str
    edges: Sequence[Edge]
    notes: Mapping[str, Sequence[str]]
    ends: Sequence[str]

    @property
    def states(self) -> tuple[str, ...]:
        """Every state, in the order of the edges."""
        both = (state for edge in self.edges for state in (edge.source, edge.target) if state is not None)
        return tuple(dict.fromkeys(both))

    @property
    def arrows(self) -> dict[tuple[str | None, str], list[str]]:
        """The labels between two states, as one arrow."""
        found: dict[tuple[str | None, str], list[str]] = {}
        for edge in self.edges:
            labels = found.setdefault((edge.source, edge.target), [])
            if edge.label not in labels:
                labels.append(edge.label)
        return found


def draw(drawing: Drawing, style: Style) -> str:
    """The picture, ending in a line break."""
    match style:
        case "mermaid":
            return _mermaid(drawing)
        case "dot":
            return _dot(drawing)
        case "text":
            return _text(drawing)
        case _:
            assert_never(style)


def _mermaid(drawing: Drawing) -> str:
    lines = ["---", f"title: {_quoted(drawing.title)}", "---", "stateDiagram-v2"]
    for (source, target), labels in drawing.arrows.items():
        lines.append(f"    {source or '[*]'} --> {target}: {'<br>'.join(labels)}")
    lines += [f"    {end} --> [*]" for end in drawing.ends]
    for state, notes in drawing.notes.items():
        lines += [f"    note right of {state}", *(f"        {_flat(note)}" for note in notes), "    end note"]
    return "\n".join(lines) + "\n"


def _dot(drawing: Drawing) -> str:
    lines = [
        "digraph work {",
        f"    label={_quoted(drawing.title)}; labelloc=t; node [shape=box, style=rounded];",
        '    "" [shape=point];',
    ]
    for state in drawing.states:
        shown = "\n".join((state, *drawing.notes.get(state, ())))
        rim = ", peripheries=2" if state in drawing.ends else ""
        lines.append(f"    {state} [label={_quoted(shown)}{rim}];")
    for (source, target), labels in drawing.arrows.items():
        lines.append(f"    {source or _quoted('')} -> {target} [label={_quoted(chr(10).join(labels))}];")
    return "\n".join([*lines, "}"]) + "\n"


def _text(drawing: Drawing) -> str:
    lines = [drawing.title]
    for state in (None, *drawing.states):
        out = [edge for edge in drawing.edges if edge.source == state]
        notes = drawing.notes.get(state, ()) if state is not None else ()
        if not out and not notes and state not in drawing.ends:
            continue
        lines += ["", f"{state or '∅'}{'  (the end)' if state in drawing.ends else ''}"]
        lines += [wrapped for note in notes for wrapped in _wrapped(note, "  · ", "    ")]
        for edge in out:
            arrow = f"  → {edge.target}  {edge.label}: " if edge.target != state else f"  ↺ {edge.label}: "
            lines += _wrapped(arrow + edge.words, "", " " * 6)
    return "\n".join(lines) + "\n"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    indent = first + text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text.strip(), _WIDTH, initial_indent=indent, subsequent_indent=rest)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _flat(text: str) -> str:
    """Without what ends a statement in Mermaid."""
    return " ".join(text.replace(";", ",").split())
