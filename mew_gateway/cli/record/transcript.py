"""What a person reads of a space, live: a line an envelope, thoughts under the sequence they belong to."""

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
from ..proposals import preview as asked
from . import sentences
from .halted import Halted

_PALETTE = ("cyan", "magenta", "green", "blue", "bright_cyan", "bright_magenta", "bright_green", "bright_blue")
_REMEMBERED = 1_000  # sequences and interrupts
_WIDEST_NAME = 14
_EVENTS = {
    "join": ("●", "joins"),
    "leave": ("○", "leaves"),
    "update": ("●", "may send something else now"),
    "invited": ("○", "is invited"),
    "removed": ("○", "is a guest no more"),
}


class Line(NamedTuple):
    """One thing said: who and when, a mark that shows what it is, and the text, on several lines if it has them."""

    at: str
    who: str
    mark: str
    text: Text
    style: str | None = None  # of the mark; None: its owner's colour


@dataclass
class _Thread:
    """A reasoning sequence, as far as it was seen."""

    owner: str
    started: str
    thoughts: int = 0


class Transcript:
    """Turns envelopes into lines. Remembers what it has seen of sequences, interrupts, halts and owners' colours."""

    def __init__(self) -> None:
        self.halted = Halted()
        self._colours: dict[str, str] = {}
        self._threads: dict[str, _Thread] = {}
        self._asked: dict[str, str] = {}  # when each interrupt was sent
        self._proposals: dict[str, str] = {}  # whose each is

    def line(self, envelope: Envelope) -> RenderableType | None:
        """The line of an envelope, None for what tells a person nothing (a welcome)."""
        line = self.told(envelope)
        return None if line is None else self.lay_out(line)

    def told(self, envelope: Envelope) -> Line | None:
        """The same, for whoever adds something before it is laid out."""
        return _TELLERS.get(envelope.kind, Transcript._other)(self, envelope)

    def lay_out(self, line: Line) -> RenderableType:
        """A line as it is printed."""
        return _Laid(line, self._colour(line.who))

    def _colour(self, who: str) -> str:
        if who not in self._colours:
            self._colours[who] = _PALETTE[len(self._colours) % len(_PALETTE)]
        return self._colours[who]

    # One teller a kind.

    def _chat(self, envelope: Envelope) -> Line:
        return self._say(envelope, _to(envelope), Text(_field(envelope, "text"), style="bold"))

    def _start(self, envelope: Envelope) -> Line:
        _keep(self._threads, envelope.id, _Thread(envelope.sender, envelope.ts))
        text = Text.assemble(
            (_field(envelope, "message") or "thinking", "bold"), (f"  {short(envelope.id, self._threads)}", "dim")
        )
        return self._say(envelope, "┌", text)

    def _thought(self, envelope: Envelope) -> Line:
        thread = self._threads.get(_root(envelope))
        if thread is not None:
            thread.thoughts += 1
        depth = (envelope.context or "").count("/")
        text = Text(_field(envelope, "message") or _rest(envelope))
        if sum(one.owner == envelope.sender for one in self._threads.values()) > 1:  # of several runs at a time, which
            text.append(f"  {short(_root(envelope), self._threads)}", style="dim")
        return self._say(envelope, "│ " + "  " * depth, text)

    def _conclusion(self, envelope: Envelope) -> Line:
        if "/" in (envelope.context or ""):
            return self._thought(envelope)
        thread = self._threads.pop(_root(envelope), None)
        payload = envelope.payload or {}
        told = [one_line(payload["outcome"])] if payload.get("outcome") else []
        if envelope.kind == "reasoning/cancel":
            told.append("cancelled")
        if thread is not None:
            took = between(thread.started, envelope.ts)
            told.append(f"{thread.thoughts} thought{'' if thread.thoughts == 1 else 's'}")
            told += [] if took is None else [duration(took)]
        message = _field(envelope, "message") or _field(envelope, "reason") or "concluded"
        text = Text.assemble((message, "bold"), (f"  ({', '.join(told)})" if told else "", "dim"))
        failure = _failure(payload.get("error"))
        if failure:
            text.append(f"  {failure}", style="red")
        return self._say(envelope, "└", text)

    def _interrupt(self, envelope: Envelope) -> Line:
        _keep(self._asked, envelope.id, envelope.ts)
        self.halted.interrupted(envelope)
        payload = envelope.payload or {}
        why = ", ".join(one_line(payload[name]) for name in ("reason", "class") if payload.get(name))
        what = "halts" if payload.get("class") == EMERGENCY else "interrupts"
        text = Text.assemble(
            (f"{what} {_names(envelope.to)}", "bold yellow"),
            (f" ({why})" if why else "", "yellow"),
            _said(envelope),
            (f"  of {short((envelope.correlation_id or ['?'])[0])}", "dim"),
        )
        return self._say(envelope, "■", text, style="bold yellow")

    def _cancel(self, envelope: Envelope) -> Line:
        """A `reasoning/cancel` ends one's own sequence; of somebody else's it is an interrupt."""
        thread = self._threads.get(_root(envelope))
        if thread is None or thread.owner == envelope.sender:
            return self._conclusion(envelope)
        reason = _field(envelope, "reason")
        text = Text(f"cancels a sequence of {thread.owner}{f': {reason}' if reason else ''}", style="bold yellow")
        return self._say(envelope, "■", text, style="bold yellow")

    def _ack(self, envelope: Envelope) -> Line:
        status = _field(envelope, "status")
        asked = self._asked.get((envelope.correlation_id or [""])[0])
        took = None if asked is None else between(asked, envelope.ts)
        style = f"bold {ACK_STYLES.get(status, '')}"
        text = Text.assemble(
            (status.replace("_", " "), style),
            _said(envelope),
            ("" if took is None else f"  after {duration(max(0, took))}", "dim"),
        )
        return self._say(envelope, "■", text, style=style)

    def _error(self, envelope: Envelope) -> Line:
        text = Text.assemble((_field(envelope, "error"), "bold red"), _said(envelope))
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
        text = Text(asked.summary(payload.get("method"), payload.get("params")), style="bold")
        if any(id in self._proposals for id in envelope.correlation_id or ()):
            return self._say(envelope, f"✓ approves {_to(envelope)}".strip(), text, style="green")
        return self._say(envelope, f"{_to(envelope)} request".strip(), text)

    def _proposal(self, envelope: Envelope) -> Line:
        _keep(self._proposals, envelope.id, envelope.sender)
        payload = envelope.payload or {}
        what = asked.summary(payload.get("method"), payload.get("params"))
        text = Text.assemble(
            (what, "bold"), ("  waits for approval ", "yellow"), (short(envelope.id, self._proposals), "dim")
        )
        return self._say(envelope, f"? proposes {_to(envelope)}".strip(), text, style="bold yellow")

    def _response(self, envelope: Envelope) -> Line:
        payload = envelope.payload or {}
        failed = "error" in payload
        text = Text(_compact(payload["error"] if failed else payload.get("result")), style="red" if failed else "")
        return self._say(envelope, f"{_to(envelope)} response".strip(), text)

    def _resume(self, envelope: Envelope) -> Line:
        told = sentences.resume(envelope, self.halted.resumed(envelope))
        return self._say(envelope, told.mark, told.text, style=told.style)

    def _welcome(self, _: Envelope) -> None:
        return None

    def _other(self, envelope: Envelope) -> Line:
        tell = sentences.SENTENCES.get(envelope.kind)
        if tell is not None:
            told = tell(envelope)
            return self._say(envelope, told.mark, told.text, style=told.style)
        text = Text.assemble((one_line(envelope.kind), "cyan"), f" {_rest(envelope)}")
        return self._say(envelope, _to(envelope), text)

    def _say(self, envelope: Envelope, mark: str, text: Text, *, style: str | None = None) -> Line:
        return Line(clock(envelope.ts), one_line(envelope.sender).removeprefix("system:"), mark, text, style)


class _Laid:
    """A line, laid out where it is printed: on a terminal its text wraps under itself, elsewhere it stays whole."""

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
        """The columns that are left for the text."""
        return max(10, console.width - len(self._line.at) - 1 - max(_WIDEST_NAME + 1, len(self._line.who)) - len(mark))


Teller = Callable[[Transcript, Envelope], Line | None]

_TELLERS: dict[str, Teller] = {
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


def _keep(memory: dict[str, Any], id: str, value: Any) -> None:
    memory[id] = value
    while len(memory) > _REMEMBERED:
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


def _said(envelope: Envelope) -> str:
    message = _field(envelope, "message")
    return f": {message}" if message else ""


def _failure(error: object) -> str:
    """Why a run failed: `ValueError: delay must be positive`; empty where nothing is said of it."""
    if not isinstance(error, dict):
        return ""
    return ": ".join(one_line(error[name]) for name in ("type", "message") if error.get(name))


def _rest(envelope: Envelope) -> str:
    return _compact(envelope.payload) if envelope.payload else ""


def _compact(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False))
