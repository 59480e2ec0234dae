"""All that the core remembers, bounded, and which of it has the focus."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from .effects import Note, Send
from .events import Heard, Standing
from .interrupt import Interrupt
from .policy import When
from .runs import NotRunning, Run
from .spans import Span

_REMEMBERED_ACKS = 1_000
_REMEMBERED_CONCLUSIONS = 200  # a welcome lists 100 open sequences


# An interrupt: its id, its source, its sender and its run, for an id may be used anew.
Key: TypeAlias = tuple[str, str, str, str | None]


class Pending(msgspec.Struct, frozen=True):
    """Words that the agent's own classifier is deciding on, which run they met, and until when it may."""

    heard: Heard
    run: str
    until: int


class Handed(msgspec.Struct, frozen=True):
    """An input that was handed out to be heard, and has not begun to be; `after` a run, or an earlier life if None."""

    interrupt: Interrupt
    when: When
    after: str | None = None


class State(msgspec.Struct):
    """One agent's runs, the focus among their spans, the interrupts that were answered, the halts that stand.

    `focus` holds the foreground spans that have not ended, as (run, span); the last one has it (seed 000 §2).
    """

    runs: dict[str, Run] = {}
    focus: list[tuple[str, str]] = []
    conclusions: dict[str, Send] = {}
    answers: dict[Key, Send | None] = {}
    halts: dict[str, Standing] = {}
    following: dict[tuple[str, str], Handed] = {}  # by the sender and the id of the interrupt
    pending: dict[str, Pending] = {}  # by what they are called
    barged_in: dict[str, list[int]] = {}

    def run(self, id: str) -> Run:
        """A run that is open. Raises `NotRunning`."""
        try:
            return self.runs[id]
        except KeyError:
            raise NotRunning(f"There is no open run {id!r}: it has ended, or never began.") from None

    def span(self, run: str, id: str) -> Span:
        """A span that has not ended. Raises `NotRunning`."""
        try:
            return self.run(run).spans[id]
        except KeyError:
            raise NotRunning(f"There is no open span {id!r} in {run!r}: it has ended, or never began.") from None

    def knows(self, run: str) -> bool:
        """Whether a run of that id is open here, or ended so lately that it is remembered."""
        return run in self.runs or run in self.conclusions

    def is_mute(self, run: str) -> bool:
        """Whether a run is open and says no further thought, whatever its body does."""
        found = self.runs.get(run)
        return found is not None and (found.lost or found.thoughts_left == 0)

    def runs_within(self, run: str) -> list[Run]:
        """The open runs that began in this one, which is silent."""
        return [one for one in self.runs.values() if one.within == run]

    def focused(self, run: str | None = None) -> tuple[Run, Span] | None:
        """What has the focus: of that run, or of all."""
        for id, span in reversed(self.focus):
            found = self.runs[id]
            if not found.lost and run in (None, id):
                return found, found.spans[span]
        return None

    def take_focus(self, span: Span) -> None:
        """A span begins: in the foreground, it has the focus from here on."""
        if span.declared.foreground:
            self.focus.append((span.run, span.id))

    def drop(self, run: Run, span: Span) -> None:
        """A span has ended: whatever had the focus before has it again."""
        del run.spans[span.id]
        if span.declared.foreground:
            self.focus.remove((run.id, span.id))

    def answered(self, key: Key, answer: Send | None) -> None:
        """An interrupt was decided; the same one gets the same answer."""
        remember(self.answers, key, answer, _REMEMBERED_ACKS)

    def concluded(self, run: str, said: Send) -> None:
        """A run has had its conclusion."""
        remember(self.conclusions, run, said, _REMEMBERED_CONCLUSIONS)


def remember(memory: dict[Any, Any], key: Any, value: Any, limit: int) -> None:
    """Put something into a memory that forgets the oldest."""
    memory[key] = value
    while len(memory) > limit:
        del memory[next(iter(memory))]


def moved(span: Span, before: str, *, cause: str | None = None, **data: Any) -> Note:
    """The timeline's event of a transition that was made."""
    return Note("span_state", span.run, span.id, cause, {"from": before, "to": span.state, **data})
