"""Live transcript of a space: a line an envelope, thoughts indented under their sequence.

`Transcript.line` formats an envelope in two steps: `format` looks up the formatter of its kind in `_FORMATTERS` and
returns a `Line` (who, when, a mark, the text); `lay_out` makes columns of it for the terminal it is printed on. Other
modules use the steps apart, to add something to a line in between (`timeline_lines`).

A transcript remembers what a later line refers to: open sequences, when interrupts were sent, whose proposals are
whose, who is halted. Each memory is bounded by `_MAX_REMEMBERED`.

Participants choose what they send: every text goes through `clean` or `one_line` before it is printed. Where to go
next: `sentences` (kinds that belong to no sequence), `timeline_lines` (the same for recorded events).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.reasons import EMERGENCY

from ..interrupts.report import ACK_STYLES
from ..printing.ids import short
from ..printing.moment import between, clock, duration
from ..printing.terminal import clean, one_line
from ..proposals import preview
from . import sentences
from .halt_tracker import HaltTracker

_PALETTE = ("cyan", "magenta", "green", "blue", "bright_cyan", "bright_magenta", "bright_green", "bright_blue")
_MAX_REMEMBERED = 1_000  # sequences and interrupts
_WIDEST_NAME = 14
_EVENTS = {
    "join": ("●", "joins"),
    "leave": ("○", "leaves"),
    "update": ("●", "may send something else now"),
    "invited": ("○", "is invited"),
    "removed": ("○", "is a guest no more"),
}


class Line(NamedTuple):
    """One line: who and when, a mark for its kind, and the text, which may have several lines."""

    at: str
    who: str
    mark: str
    text: Text
    style: str | None = None  # of the mark; None: its owner's colour


@dataclass
class _Sequence:
    """A reasoning sequence, as far as it was seen."""

    owner: str
    started: str
    thoughts: int = 0


class Transcript:
    """Formatter of envelopes. Remembers sequences, interrupts, halts and the colours of participants."""

    def __init__(self) -> None:
        self.halts = HaltTracker()
        self._colours: dict[str, str] = {}
        self._sequences: dict[str, _Sequence] = {}
        self._sent_at: dict[str, str] = {}  # interrupts, by id
        self._proposals: dict[str, str] = {}  # proposers, by id

    def line(self, envelope: Envelope) -> RenderableType | None:
        """Return the printable line of an envelope, None for one that says nothing to a person (a welcome)."""
        line = self.format(envelope)
        return None if line is None else self.lay_out(line)

    def format(self, envelope: Envelope) -> Line | None:
        """Return the line before it is laid out, so that the caller can add to it."""
        return _FORMATTERS.get(envelope.kind, Transcript._other)(self, envelope)

    def lay_out(self, line: Line) -> RenderableType:
        """Return a line as it is printed."""
        return _LaidOutLine(line, self._colour(line.who))

    def _colour(self, who: str) -> str:
        if who not in self._colours:
            self._colours[who] = _PALETTE[len(self._colours) % len(_PALETTE)]
        return self._colours[who]

    # One formatter a kind.

    def _chat(self, envelope: Envelope) -> Line:
        return self._line(envelope, _to(envelope), Text(_field(envelope, "text"), style="bold"))

    def _start(self, envelope: Envelope) -> Line:
        _remember(self._sequences, envelope.id, _Sequence(envelope.sender, envelope.ts))
        text = Text.assemble(
            (_field(envelope, "message") or "thinking", "bold"), (f"  {short(envelope.id, self._sequences)}", "dim")
        )
        return self._line(envelope, "┌", text)

    def _thought(self, envelope: Envelope) -> Line:
        sequence = self._sequences.get(_root(envelope))
        if sequence is not None:
            sequence.thoughts += 1
        depth = (envelope.context or "").count("/")
        text = Text(_field(envelope, "message") or _payload(envelope))
        open_runs = sum(one.owner == envelope.sender for one in self._sequences.values())
        if open_runs > 1:  # say which one it is
            text.append(f"  {short(_root(envelope), self._sequences)}", style="dim")
        return self._line(envelope, "│ " + "  " * depth, text)

    def _conclusion(self, envelope: Envelope) -> Line:
        if "/" in (envelope.context or ""):
            return self._thought(envelope)
        sequence = self._sequences.pop(_root(envelope), None)
        payload = envelope.payload or {}
        parts = [one_line(payload["outcome"])] if payload.get("outcome") else []
        if envelope.kind == "reasoning/cancel":
            parts.append("cancelled")
        if sequence is not None:
            took = between(sequence.started, envelope.ts)
            parts.append(f"{sequence.thoughts} thought{'' if sequence.thoughts == 1 else 's'}")
            parts += [] if took is None else [duration(took)]
        message = _field(envelope, "message") or _field(envelope, "reason") or "concluded"
        text = Text.assemble((message, "bold"), (f"  ({', '.join(parts)})" if parts else "", "dim"))
        failure = _failure(payload.get("error"))
        if failure:
            text.append(f"  {failure}", style="red")
        return self._line(envelope, "└", text)

    def _interrupt(self, envelope: Envelope) -> Line:
        _remember(self._sent_at, envelope.id, envelope.ts)
        self.halts.interrupt(envelope)
        payload = envelope.payload or {}
        why = ", ".join(one_line(payload[name]) for name in ("reason", "class") if payload.get(name))
        what = "halts" if payload.get("class") == EMERGENCY else "interrupts"
        text = Text.assemble(
            (f"{what} {_names(envelope.to)}", "bold yellow"),
            (f" ({why})" if why else "", "yellow"),
            _message_suffix(envelope),
            (f"  of {short((envelope.correlation_id or ['?'])[0])}", "dim"),
        )
        return self._line(envelope, "■", text, style="bold yellow")

    def _cancel(self, envelope: Envelope) -> Line:
        """Format a `reasoning/cancel`: of one's own sequence it is an end, of another participant's an interrupt."""
        sequence = self._sequences.get(_root(envelope))
        if sequence is None or sequence.owner == envelope.sender:
            return self._conclusion(envelope)
        reason = _field(envelope, "reason")
        text = Text(f"cancels a sequence of {sequence.owner}{f': {reason}' if reason else ''}", style="bold yellow")
        return self._line(envelope, "■", text, style="bold yellow")

    def _ack(self, envelope: Envelope) -> Line:
        status = _field(envelope, "status")
        sent_at = self._sent_at.get((envelope.correlation_id or [""])[0])
        took = None if sent_at is None else between(sent_at, envelope.ts)
        style = f"bold {ACK_STYLES.get(status, '')}"
        text = Text.assemble(
            (status.replace("_", " "), style),
            _message_suffix(envelope),
            ("" if took is None else f"  after {duration(max(0, took))}", "dim"),
        )
        return self._line(envelope, "■", text, style=style)

    def _error(self, envelope: Envelope) -> Line:
        text = Text.assemble((_field(envelope, "error"), "bold red"), _message_suffix(envelope))
        return Line(clock(envelope.ts), "gateway", "✗", text, style="bold red")

    def _presence(self, envelope: Envelope) -> Line:
        payload = envelope.payload or {}
        participant = payload.get("participant")
        who = one_line(participant.get("id") if isinstance(participant, dict) else "?")
        event = one_line(payload.get("event"))
        mark, text = _EVENTS.get(event, ("●", event))
        return Line(clock(envelope.ts), who, mark, Text(text, style="dim"))

    def _request(self, envelope: Envelope) -> Line:
        payload = envelope.payload or {}
        text = Text(preview.summary(payload.get("method"), payload.get("params")), style="bold")
        if any(id in self._proposals for id in envelope.correlation_id or ()):
            return self._line(envelope, f"✓ approves {_to(envelope)}".strip(), text, style="green")
        return self._line(envelope, f"{_to(envelope)} request".strip(), text)

    def _proposal(self, envelope: Envelope) -> Line:
        _remember(self._proposals, envelope.id, envelope.sender)
        payload = envelope.payload or {}
        what = preview.summary(payload.get("method"), payload.get("params"))
        text = Text.assemble(
            (what, "bold"), ("  waits for approval ", "yellow"), (short(envelope.id, self._proposals), "dim")
        )
        return self._line(envelope, f"? proposes {_to(envelope)}".strip(), text, style="bold yellow")

    def _response(self, envelope: Envelope) -> Line:
        payload = envelope.payload or {}
        failed = "error" in payload
        text = Text(_compact(payload["error"] if failed else payload.get("result")), style="red" if failed else "")
        return self._line(envelope, f"{_to(envelope)} response".strip(), text)

    def _resume(self, envelope: Envelope) -> Line:
        parts = sentences.resume(envelope, self.halts.resume(envelope))
        return self._line(envelope, parts.mark, parts.text, style=parts.style)

    def _welcome(self, _: Envelope) -> None:
        return None

    def _other(self, envelope: Envelope) -> Line:
        sentence = sentences.SENTENCES.get(envelope.kind)
        if sentence is not None:
            parts = sentence(envelope)
            return self._line(envelope, parts.mark, parts.text, style=parts.style)
        text = Text.assemble((one_line(envelope.kind), "cyan"), f" {_payload(envelope)}")
        return self._line(envelope, _to(envelope), text)

    def _line(self, envelope: Envelope, mark: str, text: Text, *, style: str | None = None) -> Line:
        return Line(clock(envelope.ts), one_line(envelope.sender).removeprefix("system:"), mark, text, style)


class _LaidOutLine:
    """A line laid out for its console: on a terminal the text wraps under itself, elsewhere it stays whole."""

    def __init__(self, line: Line, colour: str) -> None:
        self._line = line
        self._colour = colour

    def __rich_console__(self, console: Console, _: ConsoleOptions) -> RenderResult:
        line = self._line
        mark = f"{line.mark} " if line.mark else ""
        if not console.is_terminal:
            text = Text(f"{line.at} {line.who:<{_WIDEST_NAME}} {mark}") + line.text
            indented = "\n" + " " * (len(line.at) + _WIDEST_NAME + 2)
            yield Text(text.plain.replace("\n", indented), no_wrap=True, overflow="ignore")
            return
        grid = Table.grid(expand=False)
        grid.add_column(width=len(line.at) + 1, no_wrap=True)
        grid.add_column(min_width=_WIDEST_NAME + 1, no_wrap=True)
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        bars = "\n".join([mark] * (len(line.text.wrap(console, self._room(console, mark))) if "│" in mark else 1))
        grid.add_row(
            Text(line.at, style="dim"),
            Text(line.who, style=self._colour),
            Text(bars, style=self._colour if line.style is None else line.style),
            line.text,
        )
        yield grid

    def _room(self, console: Console, mark: str) -> int:
        """Return the columns that are left for the text."""
        return max(10, console.width - len(self._line.at) - 1 - max(_WIDEST_NAME + 1, len(self._line.who)) - len(mark))


Formatter = Callable[[Transcript, Envelope], Line | None]

_FORMATTERS: dict[str, Formatter] = {
    "chat": Transcript._chat,
    "mcp/request": Transcript._request,
    "mcp/proposal": Transcript._proposal,
    "mcp/response": Transcript._response,
    "participant/resume": Transcript._resume,
    "reasoning/start": Transcript._start,
    "reasoning/thought": Transcript._thought,
    "reasoning/conclusion": Transcript._conclusion,
    "reasoning/cancel": Transcript._cancel,
    "reasoning/interrupt": Transcript._interrupt,
    "reasoning/interrupt-ack": Transcript._ack,
    "system/error": Transcript._error,
    "system/presence": Transcript._presence,
    "system/welcome": Transcript._welcome,
}


def _remember(memory: dict[str, Any], id: str, value: Any) -> None:
    memory[id] = value
    while len(memory) > _MAX_REMEMBERED:
        del memory[next(iter(memory))]


def _root(envelope: Envelope) -> str:
    return (envelope.context or "").partition("/")[0]


def _names(names: list[str] | None) -> str:
    return ", ".join(map(one_line, names or []))


def _to(envelope: Envelope) -> str:
    return f"→ {_names(envelope.to)}" if envelope.to else ""


def _field(envelope: Envelope, name: str) -> str:
    value = (envelope.payload or {}).get(name)
    return "" if value is None else clean(value)


def _message_suffix(envelope: Envelope) -> str:
    message = _field(envelope, "message")
    return f": {message}" if message else ""


def _failure(error: object) -> str:
    """Return why a run failed: `ValueError: delay must be positive`; empty if nothing is said."""
    if not isinstance(error, dict):
        return ""
    return ": ".join(one_line(error[name]) for name in ("type", "message") if error.get(name))


def _payload(envelope: Envelope) -> str:
    return _compact(envelope.payload) if envelope.payload else ""


def _compact(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False))
