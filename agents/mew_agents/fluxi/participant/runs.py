"""The runs of the agent: whatever it does is seen in one, and may be interrupted there (docs/fluxi.md §1, §4)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

from mew_agents.fluxi.participant.resumption import Resumption
from mew_agents.fluxi.participant.subject import WORK, Subject
from mew_agents.fluxi.participant.thoughts import ENDINGS, thought_of
from mew_agents.fluxi.ports import RunOutcome, Thought, Witness
from mew_agents.fluxi.work import WorkEvent
from mew_agents.language.found import Language
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.sdk import Interrupt, Run

# Below it an interrupt is queued, if not ignored (docs/interruption.md §2.5).
_SURE = 0.75
_STOPS = ("cancel", "override")
# Runs at a time: a gateway allows a participant 64 open sequences (docs/configuration.md), and refuses the next.
_AT_ONCE = 48
# An attempt's span may last so much longer than the call: what came of it has to be written.
_MARGIN = 5.0  # seconds


class RunWitness(Witness):
    """A run that begins when there is something to see, if not before.

    `stopped`: somebody has told it to end; `cancelled_by`: a participant, and so what is at stake in it is cancelled;
    `honoured`: that has been done.
    """

    def __init__(self, runs: Runs, subject: Subject, stack: AsyncExitStack) -> None:
        self.subject = subject
        self.run: Run | None = None
        self.cancelled_by: str | None = None
        self.stopped = False
        self.honoured = False
        self.attempting = False
        self._runs = runs
        self._stack = stack
        self._outcomes: dict[str, RunOutcome] = {}

    async def saw(self, events: Sequence[WorkEvent], thoughts: Sequence[Thought] = ()) -> None:
        """Thinks aloud, a thought a transition."""
        works = [(thought_of(event, self._runs.language), WORK) for event in events]
        await self._think([*works, *((thought, self._runs.key) for thought in thoughts)])

    async def noted(self, thoughts: Sequence[Thought]) -> None:
        """Thinks aloud."""
        await self._think([(thought, self._runs.key) for thought in thoughts])

    @asynccontextmanager
    async def attempt(self, effect_id: str, *, limit: float) -> AsyncIterator[None]:
        """One attempt is a span of its own: irreversible, and so nothing interrupts it (docs/fluxi.md §4.3)."""
        run = await self.begun()
        self.attempting = True
        try:
            if run is None:
                yield
                return
            async with run.span(
                policy="non-interruptible",
                kind="act",
                side_effect="irreversible",
                limit=limit + _MARGIN,
                name=effect_id,
            ):
                yield
        finally:
            self.attempting = False

    async def begun(self) -> Run | None:
        """The run; None where the agent may open none. Raises `Halted`, `Disconnected`."""
        if self.run is None:
            self.run = await self._runs.begin(self, self._stack)
        return self.run

    def stop(self, *, by: str) -> None:
        """Somebody has told it to end. The gateway's own watchdog cancels no Work (docs/interruption.md §3)."""
        self.stopped = True
        if by != GATEWAY:
            self.cancelled_by = self.cancelled_by or by

    def settled(self, outcome: RunOutcome | None) -> None:
        """How what it is about stands since it was cancelled; None: as it was seen last."""
        subject = self.subject.newest(self._runs.key)
        if subject is not None and outcome is not None:
            self._outcomes[subject] = outcome

    def conclude(self) -> None:
        """What the conclusion says: how the engine's own subject stands that something happened to last."""
        if self.run is None:
            return
        subject = self.subject.newest(self._runs.key)
        outcome: RunOutcome = "completed" if subject is None else self._outcomes.get(subject, "waiting")
        self.run.conclude(ENDINGS.say(outcome, self._runs.language), outcome=outcome, **self.subject.named)
        for id in self.subject.named.values():
            self._runs.resumption.ran(id, self.run.id, goes_on=outcome in ("waiting", "in_doubt"))

    async def _think(self, thoughts: Sequence[tuple[Thought, str]]) -> None:
        """Each with the payload key of its subject."""
        self._runs.stirred()
        for thought, key in thoughts:
            self._note(thought, key)
        run = await self.begun() if thoughts else None
        if run is None:
            return
        for thought, key in thoughts:
            about = {} if thought.subject is None else {key: thought.subject}
            await run.thought(thought.text, **about, **thought.payload)
        if run.policy == "checkpointed":  # what was committed stands, whatever becomes of the run
            run.state.update(self.subject.named, **thoughts[-1][0].payload)
            await run.checkpoint()

    def _note(self, thought: Thought, key: str) -> None:
        if thought.subject is None:
            return
        self.subject.touch(thought.subject, key)
        if thought.outcome is not None:
            self._outcomes[thought.subject] = thought.outcome


class Runs:
    """All runs that are open. `honour` is told of each that somebody cancelled, `stirred` whenever something was
    committed. `open_run` makes a run of the agent, None where it may not reason. `key`: the payload key of the ids of
    what the engine deals with."""

    def __init__(
        self,
        *,
        language: Language,
        key: str,
        resumption: Resumption,
        open_run: Callable[[Subject], Run | None],
        honour: Callable[[RunWitness], Awaitable[None]],
        stirred: Callable[[], None],
    ) -> None:
        self.language = language
        self.key = key
        self.resumption = resumption
        self.stirred = stirred
        self._open_run = open_run
        self._honour = honour
        self._open: dict[str, RunWitness] = {}
        self._room = asyncio.Semaphore(_AT_ONCE)

    def within(self, subject: Subject, *, at_once: bool = False) -> AbstractAsyncContextManager[RunWitness]:
        """One run, which begins when there is something to see, or `at_once`; an interrupt ends the block silently."""
        return self._within(subject, at_once=at_once)

    async def begin(self, witness: RunWitness, stack: AsyncExitStack) -> Run | None:
        """Opens the run of a witness, as soon as there is room for it."""
        run = self._open_run(witness.subject)
        if run is not None:
            await stack.enter_async_context(self._room)
            self._open[run.id] = witness
            await stack.enter_async_context(run)
        return run

    def interrupted(self, interrupt: Interrupt) -> list[RunWitness]:
        """An interrupt has been decided on: those it stops that are within an attempt, where it is only recorded."""
        if interrupt.class_ not in _STOPS or interrupt.confidence < _SURE:
            return []
        named = self._open.get(interrupt.run or "")
        meant = list(self._open.values()) if interrupt.scope == "participant" else [named] if named else []
        for witness in meant:
            witness.stop(by=interrupt.sender)
        return [witness for witness in meant if witness.attempting and witness.cancelled_by is not None]

    @asynccontextmanager
    async def _within(self, subject: Subject, *, at_once: bool) -> AsyncIterator[RunWitness]:
        held = self.resumption.note(None)  # what arrives meanwhile may belong to it
        witness: RunWitness | None = None
        try:
            async with AsyncExitStack() as stack:
                witness = RunWitness(self, subject, stack)
                try:
                    if at_once:
                        await witness.begun()
                    yield witness
                finally:
                    await self._honoured(witness)
                    witness.conclude()
            await self._honoured(witness)  # until its conclusion somebody may have stopped it
        finally:
            if witness is not None and witness.run is not None:
                self._open.pop(witness.run.id, None)
            held.done()

    async def _honoured(self, witness: RunWitness) -> None:
        if witness.cancelled_by is not None and not witness.honoured:
            await self._honour(witness)
            witness.honoured = True
