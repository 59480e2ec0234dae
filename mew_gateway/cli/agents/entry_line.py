"""An entry of an agent's timeline, as a line for people and as an object for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from string import Formatter
from typing import Any

from rich.text import Text

from mew_gateway.protocol.envelope import timestamp
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.replay import INPUT

from ..printing.ids import short
from ..printing.moment import clock_of
from ..printing.terminal import one_line

_STYLES = {
    INPUT: "dim",
    "run_begun": "bold cyan",
    "interruption": "bold yellow",
    "decided": "yellow",
    "classified": "yellow",
    "run_concluded": "green",
    "halted": "bold red",
    "resumed": "red",
    "lost": "red",
    "overdue": "red",
}

_IDS = ("after", "to", "caused_by", "checkpoint_id", "rolled_back_to", "interrupt", "run", "id")

_REPLACEMENTS = {"when": {"instead": "instead of"}}

# The parts of each kind's line, in order; a part is left out if the entry lacks its field. Other kinds show all fields.
_PARTS = {
    "started": (),
    "run_begun": ("{message}", "for {user}"),
    "span_begun": ("{name}", "{kind}", "{policy}", "{side_effect}", "{limit_ms} ms at most"),
    "span_state": ("{from} → {to}",),
    "thought": ("thought {n}",),
    "checkpoint": ("{checkpoint_id}",),
    "interruption": ("{class} from {sender}", "{source}", "scope {scope}", "{reason}", "“{message}”"),
    "classified": ("{class}", "rule {rule}", "confidence {confidence}"),
    "decided": (
        *("{class} → {status}", "{policy}", "{outcome}", "{reason_code}"),
        *("rule {rule}", "confidence {confidence}", "{latency_ms} ms"),
    ),
    "rolled_back": ("to {to}",),
    "queued": ("{class} from {sender}", "“{message}”", "to be heard {when} this run"),
    "followed": ("heard {when} {after}",),
    "run_concluded": ("{outcome}", "put back to {rolled_back_to}"),
    "halted": (),
    "resumed": ("by {by}",),
}


def line_of(entry: Entry) -> Text:
    """Return an entry on one line: its number, when, what, in which run and span, and because of what."""
    line = Text.assemble((f"{entry.seq:>6} {clock_of(entry.at)}  ", "dim"))
    line.append(f"{one_line(entry.kind):<14} ", style=_STYLES.get(entry.kind, "cyan"))
    line.append(f"{_short(entry.trace_id):<10} {_short(entry.span_id):<10}  ", style="dim")
    text = ", ".join(_parts(entry))
    line.append(text)
    if entry.cause_id:
        line.append(f"{'  ' if text else ''}because of {short(entry.cause_id)}", style="dim")
    return line


def json_of(entry: Entry) -> dict[str, Any]:
    """Return an entry as an object: `at` is RFC 3339, `at_ms` the number that is in the chain."""
    return {
        "seq": entry.seq,
        "at": timestamp(entry.at),
        "at_ms": entry.at,
        "kind": entry.kind,
        "execution_id": entry.execution_id,
        "trace_id": entry.trace_id,
        "span_id": entry.span_id,
        "cause_id": entry.cause_id,
        "data": entry.data,
        "hash": entry.hash,
    }


def _short(id: str | None) -> str:
    return short(id) if id else "-"


def _parts(entry: Entry) -> Iterator[str]:
    facts = _fields(entry.data)
    if entry.kind == INPUT:
        event = entry.data.get("event")
        yield one_line(event.get("type") if isinstance(event, Mapping) else "")
        return
    for part in _PARTS.get(
        entry.kind, tuple(f"{_words(name)} {{{name}}}" for name in entry.data if name.isidentifier())
    ):
        fields = [field for _, field, _, _ in Formatter().parse(part) if field is not None]
        values = {field: _value(field, facts.get(field)) for field in fields}
        if all(values.values()):
            yield one_line(part.format_map(values))


def _fields(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of an entry, with those of an interrupt that it contains."""
    kept = data.get("interrupt")
    return {**kept, **data} if isinstance(kept, Mapping) else data


def _value(name: str, value: object) -> str:
    if value is None or value == "":
        return ""
    if not isinstance(value, str):
        return str(value)
    return short(value) if name in _IDS else _REPLACEMENTS.get(name, {}).get(value, value)


def _words(name: str) -> str:
    return name.replace("_", " ")
