"""Scripted agent: its body runs one step at a time, queued by the test, and waits between steps.

`Commanded` runs in a child process, so this module imports nothing of the tests.
"""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from mew_gateway.sdk import Agent, Chat, Interrupt, Options, Span, capability
from mew_gateway.sdk.capability import capabilities_of

TIMEOUT = 60.0  # seconds a test waits for what must come; never part of what it asserts

Cue: TypeAlias = Callable[[Span], Awaitable[Any]]


class Gate:
    """Blocks a thread until the test opens it."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def block(self) -> None:
        """Block this thread."""
        self.reached.set()
        if not self._open.wait(TIMEOUT):
            raise TimeoutError("Nobody opened the gate.")

    def open(self) -> None:
        self._open.set()


class Scripted(Agent):
    """Begins a run at a chat `<capability> <about>`, and takes its steps (cues) from the queue `about`.

    Between two cues the body awaits the next one, as it would await a model: it is in the middle of a thought.
    """

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self.parts: defaultdict[str, asyncio.Queue[Cue | None]] = defaultdict(asyncio.Queue)
        self._begun: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self.states: dict[str, dict[str, Any]] = {}  # what each part began with
        self.spans: dict[str, Span] = {}

    @capability(policy="soft-stop")
    async def soft(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="hard-stop")
    async def hard(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="checkpointed", kind="act", side_effect="reversible")
    async def checkpointed(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability
    async def firm(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="soft-stop", interruptible=False)
    async def unwilling(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(kind="act", side_effect="irreversible", limit=20)
    async def irreversible(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="soft-stop", foreground=False)
    async def background(self, run: Span, about: str) -> str:
        return await self.play(run, about)

    @capability(policy="soft-stop", kind="speak")
    async def speak(self, run: Span, about: str) -> str:
        async with self.participant.open_stream(description=about) as stream:
            self.stream = stream
            return await self.play(run, about)

    async def bare(self, about: str) -> None:
        """Begin a run that declares nothing about interruptions."""
        async with self.run(message=about) as run:
            run.conclude(await self.play(run, about))

    async def play(self, span: Span, about: str) -> str:
        self.states[about], self.spans[about] = dict(span.state), span
        self._begun[about].set()
        cues = self.parts[about]
        while (cue := await cues.get()) is not None:
            await cue(span)
            cues.task_done()
        return f"{about} is done"

    async def idle(self, about: str) -> None:
        """Wait until a part has begun and awaits its next cue: a start is heard before its body runs."""
        await self._begun[about].wait()
        await self.parts[about].join()

    async def on_chat(self, chat: Chat) -> None:
        name, _, about = chat.text.partition(" ")
        if name == "bare":
            await self.bare(about)
        elif name in capabilities_of(type(self)):
            await getattr(self, name)(about)
        else:
            await self.soft(chat.text)

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:
        text = f"paused: {input}"
        await self.client.send("chat", {"text": text}, to=[interrupt.sender], correlation_id=[interrupt.id])


def thought(message: str) -> Cue:
    """Return a cue that thinks."""
    return lambda span: span.thought(message)


async def boundary(span: Span) -> None:
    """Reach a boundary."""
    await span.boundary()


def keep(**state: Any) -> Cue:
    """Return a cue that changes the state and makes a checkpoint."""

    async def cue(span: Span) -> None:
        span.state.update(state)
        await span.checkpoint()

    return cue


def change(**state: Any) -> Cue:
    """Return a cue that changes the state without a checkpoint."""

    async def cue(span: Span) -> None:
        span.state.update(state)

    return cue


def within(agent: Scripted, about: str, **declared: Any) -> Cue:
    """Return a cue that opens an inner span, which takes cues from the queue `about`."""

    async def cue(span: Span) -> None:
        async with span.span(name=about, **declared) as part:
            await agent.play(part, about)

    return cue


def blocked(gate: Gate) -> Cue:
    """Return a cue that blocks the agent's event loop."""

    async def cue(_: Span) -> None:
        gate.block()

    return cue


def stopped_in(gate: Gate, cue: Cue, *, once: Callable[[], bool]) -> Cue:
    """Return a cue that runs `cue`, and blocks the agent's loop in the middle of it, as soon as `once` is true."""

    async def both(span: Span) -> None:
        loop = asyncio.get_running_loop()
        done = False

        def look() -> None:
            if once():
                gate.block()
            elif not done:
                loop.call_soon(look)

        loop.call_soon(look)
        try:
            await cue(span)
        finally:
            done = True

    return both


class Commanded(Scripted):
    """The scripted agent for a child process: its cues are chats `think <words>`, and it replies when done."""

    hears = "never"

    async def on_chat(self, chat: Chat) -> None:
        command, _, words = chat.text.partition(" ")
        if command == "think":
            await self.parts["far away"].put(thought(words))
            await self.parts["far away"].join()
            await self.reply(chat, "done")
        else:
            await super().on_chat(chat)
