"""State of the core: runs, focus, answers and halts, all bounded."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from .effects import Note, Send
from .events import Heard, StandingHalt
from .interrupt import Interrupt
from .policy import When
from .runs import NotRunning, Run
from .spans import Span

_REMEMBERED_ACKS = 1_000
_REMEMBERED_CONCLUSIONS = 200  # a welcome lists 100 open sequences


# An interrupt: its id, its source, its sender and its run, for an id may be used anew.
Key: TypeAlias = tuple[str, str, str, str | None]


class PendingChat(msgspec.Struct, frozen=True):
    """A chat that the agent's own classifier is deciding on, the run it arrived in, and the time limit."""

    heard: Heard
    run: str
    until: int


class DispatchedInput(msgspec.Struct, frozen=True):
    """An input that was handed to the agent and is not handled yet; `after` a run, or None after a restart."""

    interrupt: Interrupt
    when: When
    after: str | None = None


class State(msgspec.Struct):
    """Runs of one agent, the focus among their spans, the answered interrupts, the halts in force.

    `focus` holds the open foreground spans as (run, span); the last one has the focus (seed 000 §2).
    """

    runs: dict[str, Run] = {}
    focus: list[tuple[str, str]] = []
    conclusions: dict[str, Send] = {}
    answers: dict[Key, Send | None] = {}
    halts: dict[str, StandingHalt] = {}
    following: dict[tuple[str, str], DispatchedInput] = {}  # by the sender and the id of the interrupt
    pending: dict[str, PendingChat] = {}  # by what they are called
    barged_in: dict[str, list[int]] = {}

    def run(self, id: str) -> Run:
        """Return an open run. Raises `NotRunning`."""
        try:
            return self.runs[id]
        except KeyError:
            raise NotRunning(f"There is no open run {id!r}: it has ended, or never began.") from None

    def span(self, run: str, id: str) -> Span:
        """Return an open span. Raises `NotRunning`."""
        try:
            return self.run(run).spans[id]
        except KeyError:
            raise NotRunning(f"There is no open span {id!r} in {run!r}: it has ended, or never began.") from None

    def knows(self, run: str) -> bool:
        """Return true if a run of that id is open, or ended recently."""
        return run in self.runs or run in self.conclusions

    def is_mute(self, run: str) -> bool:
        """Return true if a run is open and sends no further thought."""
        found = self.runs.get(run)
        return found is not None and (found.lost or found.thoughts_left == 0)

    def runs_within(self, run: str) -> list[Run]:
        """Return the open runs that began within this silent run."""
        return [one for one in self.runs.values() if one.within == run]

    def focused(self, run: str | None = None) -> tuple[Run, Span] | None:
        """Return the run and span that have the focus: in that run, or in all."""
        for id, span in reversed(self.focus):
            found = self.runs[id]
            if not found.lost and run in (None, id):
                return found, found.spans[span]
        return None

    def take_focus(self, span: Span) -> None:
        """Give a foreground span the focus."""
        if span.declared.foreground:
            self.focus.append((span.run, span.id))

    def drop(self, run: Run, span: Span) -> None:
        """Remove a span that has ended. The previous focus returns."""
        del run.spans[span.id]
        if span.declared.foreground:
            self.focus.remove((run.id, span.id))

    def answered(self, key: Key, answer: Send | None) -> None:
        """Store the answer to an interrupt, for its repetitions."""
        remember(self.answers, key, answer, _REMEMBERED_ACKS)

    def concluded(self, run: str, said: Send) -> None:
        """Store the conclusion of a run."""
        remember(self.conclusions, run, said, _REMEMBERED_CONCLUSIONS)


def remember(memory: dict[Any, Any], key: Any, value: Any, limit: int) -> None:
    """Store a value in a dict, and drop the oldest beyond `limit`."""
    memory[key] = value
    while len(memory) > limit:
        del memory[next(iter(memory))]


def moved(span: Span, before: str, *, cause: str | None = None, **data: Any) -> Note:
    """Return the timeline's note of a transition that was made."""
    return Note("span_state", span.run, span.id, cause, {"from": before, "to": span.state, **data})
