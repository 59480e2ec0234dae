"""Plays a script of what a core is told, and writes down what it says (test_transcripts.py says what a script is)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import msgspec

from mew_gateway.errors import MewError
from mew_gateway.sdk.execution import events
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.effects import (
    Attend,
    Classify,
    Effect,
    End,
    Follow,
    Lose,
    Note,
    Pause,
    Resume,
    Send,
    Talk,
)
from mew_gateway.sdk.execution.events import Event
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.policy import POLICIES
from mew_gateway.sdk.execution.spans import Declaration

START = 1_700_000_000_000
_LINE = re.compile(r"@(?P<time>[\d.]+) +(?:(?P<who>[\w.:-]+)> +)?(?P<verb>[\w-]+)(?P<rest>.*)")


class Line(NamedTuple):
    """A line of a script: who does what with which subject, further words, fields, and what stands in JSON."""

    at: int
    who: str | None
    verb: str
    words: list[str]
    fields: dict[str, str]
    json: Any

    @property
    def subject(self) -> str:
        """What it is about."""
        return self.words[0]

    def listed(self, field: str) -> tuple[str, ...]:
        """A field of several."""
        return tuple(one for one in self.fields.get(field, "").split(",") if one)

    def number(self, field: str) -> int | None:
        """A field in milliseconds."""
        return int(self.fields[field]) if field in self.fields else None

    def certainty(self, otherwise: Any) -> Any:
        """How sure somebody is."""
        return float(self.fields["sure"]) if "sure" in self.fields else otherwise


def read(source: str) -> Line:
    """A line of a script."""
    match = _LINE.fullmatch(source)
    assert match is not None, f"not a line of a script: {source}"
    words, found = match["rest"], None
    start = re.search(r' (?=[{"\[])', words)
    if start is not None:
        words, found = words[: start.start()], json.loads(words[start.end() :])
    plain = words.split()
    fields = dict(word.split("=", 1) for word in plain if "=" in word)
    at = START + round(float(match["time"]) * 1000)
    return Line(at, match["who"], match["verb"], [word for word in plain if "=" not in word], fields, found)


class Player:
    """One core, and what the script has told it so far. `through` changes an event on its way, or does not."""

    def __init__(self, through: Callable[[Event], Event] = lambda event: event) -> None:
        self.core = Core()
        self.effects: list[tuple[Effect, ...]] = []
        self._through = through
        self._runs: dict[str, str] = {}  # by span
        self._ids = 0

    def play(self, script: str) -> Iterator[str]:
        """The lines of the outcome: every line of the script with its effects, then what is left."""
        for source in script.splitlines():
            if not source.strip() or source.startswith("#"):
                continue
            yield source
            yield from self._perform(read(source))
        yield from self._left()

    def _perform(self, line: Line) -> Iterator[str]:
        before = self.core.deadline
        try:
            effects = self.core.handle(self._through(_EVENTS[line.verb](self, line)), line.at)
        except MewError as error:
            yield f"    refused: {type(error).__name__}: {error}"
            return
        self.effects.append(effects)
        for effect in effects:
            yield f"    {_render(effect)}"
        if not effects:
            yield "    (nothing)"
        if self.core.deadline != before:
            yield f"    ~ {_time(self.core.deadline)}"

    def _left(self) -> Iterator[str]:
        state = self.core.state
        for run in state.runs.values():
            spans = ", ".join(f"{span.id} {span.state}" for span in run.spans.values())
            yield f"= {run.id}{' is lost' if run.lost else ''}: {spans}"
        focus = state.focused()
        if focus is not None:
            yield f"= focus on {focus[1].id}"
        for halt in state.halts.values():
            yield f"= halted by {halt.interrupt}{'' if halt.vouched else ' (not vouched for)'}"

    def fresh(self, prefix: str) -> str:
        """An id of its own."""
        self._ids += 1
        return f"{prefix}{self._ids}"

    def place(self, name: str) -> tuple[str, str]:
        """A run and a span: the one of that name, or a run's root."""
        return (self._runs[name], name) if name in self._runs else (name, f"{name}:root")

    def begins(self, span: str, run: str) -> str:
        """Remember whose span it is."""
        self._runs[span] = run
        return span


def _declared(line: Line) -> Declaration:
    policy = next(one for one in POLICIES if one in line.words)
    side: Any = line.fields.get("side_effect", "none")
    sure: list[Any] = [float(one) for one in line.listed("sure")] or [None, None]
    return Declaration(
        policy,
        side_effect=side,
        limit=line.number("limit"),
        foreground="background" not in line.words,
        ignored_below=sure[0],
        queued_below=sure[1],
    )


def _begin(player: Player, line: Line) -> Event:
    run, state = line.subject, json.loads(line.fields.get("state", "{}"))
    return events.Began(
        run,
        player.begins(f"{run}:root", run),
        f"{run}:end",
        _declared(line),
        line.json,
        line.listed("re"),
        user=line.fields.get("user"),
        caused_by=line.fields.get("cause"),
        state=state,
        silent="silent" in line.words,
        within=line.fields.get("within"),
    )


def _span(player: Player, line: Line) -> Event:
    run, parent = player.place(line.words[2])
    state = json.loads(line.fields.get("state", "{}"))
    return events.SpanBegan(run, player.begins(line.subject, run), parent, _declared(line), state=state)


def _boundary(player: Player, line: Line) -> Event:
    return events.BoundaryReached(*player.place(line.subject), player.fresh("t"), line.json)


def _end(player: Player, line: Line) -> Event:
    run, span = player.place(line.subject)
    how: Any = line.words[1]
    if run != line.subject:
        return events.SpanEnded(run, span, how)
    return events.Ended(run, how, line.json, line.fields.get("outcome"), timeline=line.fields.get("timeline"))


def _interrupt(player: Player, line: Line) -> Event:
    id, run = line.words
    class_: Any = line.verb
    names = ("scope", "source", "on_reject", "reason")
    optional: dict[str, Any] = {name: line.fields[name] for name in names if name in line.fields}
    interrupt = Interrupt(
        id,
        line.who or "",
        None if run == "-" else run,
        class_,
        input=line.json,
        span_id=line.fields.get("span"),
        confidence=line.certainty(1.0),
        **optional,
    )
    return events.Interrupted(interrupt, player.fresh("ack"), line.at - int(line.fields.get("after", "0")))


def _order(_: Player, line: Line) -> Event:
    order: Any = line.verb
    sources: dict[str, Any] = {"removed": "gateway"}
    source = sources.get(order, "control")
    interrupt = Interrupt(line.subject, line.who or "", None, "cancel", source=source, scope="participant", rule=order)
    return events.Ordered(order, interrupt, line.at)


def _say(player: Player, line: Line) -> Event:
    mode: Any = line.fields.get("mode", "any")
    allowed: Any = line.listed("may")
    ack = None if "no-ack" in line.words else player.fresh("ack")
    text = str(line.json)
    return events.Heard(
        line.subject, line.who or "", text, line.at, line.certainty(None), allowed, mode, line.number("model"), ack
    )


def _classify(_: Player, line: Line) -> Event:
    class_: Any = line.words[1]
    return events.Classified(line.subject, class_, line.certainty(1.0), "model")


def _welcome(player: Player, line: Line) -> Event:
    listed = tuple(events.Listed(run, player.fresh("end")) for run in line.listed("open"))
    halted = line.listed("halted") if "halted" in line.fields else None
    return events.Welcomed(listed, "incomplete" not in line.words, halted)


def _life(_: Player, line: Line) -> Event:
    halts = tuple(events.StandingHalt(one.rstrip("?"), vouched=not one.endswith("?")) for one in line.listed("halts"))
    return events.Started(line.subject, halts, msgspec.convert(line.json or [], tuple[events.KeptInput, ...]))


_EVENTS: dict[str, Callable[[Player, Line], Event]] = {
    "life": _life,
    "begin": _begin,
    "span": _span,
    "think": _boundary,
    "boundary": _boundary,
    "go-on": lambda player, line: events.BoundaryLeft(*player.place(line.subject)),
    "checkpoint": lambda player, line: events.CheckpointReached(
        *player.place(line.subject), player.fresh("k"), line.json
    ),
    "hold": lambda player, line: events.Held(*player.place(line.subject), player.fresh("k"), line.json or {}),
    "clarified": lambda player, line: events.Clarified(*player.place(line.subject), line.json),
    "end": _end,
    "cancel": _interrupt,
    "override": _interrupt,
    "clarification": _interrupt,
    "queue": _interrupt,
    "emergency": _interrupt,
    "restart": _order,
    "shut-down": _order,
    "removed": _order,
    "say": _say,
    "classified": _classify,
    "followed": lambda _, line: events.Followed(line.subject),
    "withdraw": lambda _, line: events.Withdrawn(None if line.subject == "all" else tuple(line.words)),
    "resume": lambda _, line: events.ResumeHeard(line.who or "", line.listed("of"), "trusted" in line.words),
    "time": lambda *_: events.TimePassed(),
    "welcome": _welcome,
    "accepted": lambda _, line: events.Accepted(line.subject),
    "refused": lambda _, line: events.Refused(line.subject, line.words[1], line.fields.get("halt")),
    "closed": lambda _, line: events.Closed(line.subject),
}


def _render(effect: Effect) -> str:
    match effect:
        case Send():
            return f"=> {effect.kind} {effect.id}{_to(effect)} {_json(effect.payload)}"
        case Note():
            fields = (("in", effect.trace_id), ("span", effect.span_id), ("of", effect.cause_id))
            told = "".join(f" {name}={value}" for name, value in fields if value is not None)
            return f". {effect.kind}{told}{' ' + _json(effect.data) if effect.data else ''}"
        case End():
            back = f" {_json(effect.state)}" if effect.how == "back" else ""
            return f"! end {effect.span}: {_WAYS[effect.how]}{back} ({effect.interrupt.id})"
        case Pause():
            return f"! pause {effect.span}: {_WAYS[effect.how]} ({effect.interrupt.id})"
        case Resume():
            return f"! resume {effect.span}{_said(effect.answer)}"
        case Lose():
            return f"! lose {effect.run}: {effect.code}, in {', '.join(effect.spans)}"
        case Follow():
            return f"! follow {effect.run}: " + ", ".join(_follow_up(one) for one in effect.inputs)
        case Talk():
            return f"! talk in {effect.span}: {_json(effect.interrupt.input)} ({effect.interrupt.id})"
        case Classify():
            return f"! classify {effect.id}: {_json(effect.text)} within {effect.within} ms"
        case Attend():
            return f"! attend to {effect.id}"
        case _:
            return f"! {type(effect).__name__.lower()}"


_WAYS = {"boundary": "at its next boundary", "await": "at its next await", "back": "put back to"}


def _follow_up(one: Any) -> str:
    state = "" if one.state is None else f" from {_json(one.state)}"
    return f"{one.when} {_json(one.input)} ({one.interrupt.id}){state}"


def _to(said: Send) -> str:
    fields = (("to", ",".join(said.to)), ("re", ",".join(said.correlation_id)), ("in", said.context))
    return "".join(f" {name}={value}" for name, value in fields if value)


def _said(value: Any) -> str:
    return "" if value is None else f" {_json(value)}"


def _json(value: Any) -> str:
    return json.dumps(msgspec.to_builtins(value), ensure_ascii=False)


def _time(deadline: int | None) -> str:
    return "waits for no time" if deadline is None else f"wakes @{(deadline - START) / 1000:g}"
