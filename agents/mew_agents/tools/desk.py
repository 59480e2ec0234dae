"""A desk: a participant whose tools do something that lasts, kept in a book that is open while it serves."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar, Generic, Protocol, TypeVar

from mew_gateway.sdk import Agent, Client, Disconnected, IoThread, ToolResult
from mew_gateway.sdk import Options as AnyOptions
from mew_gateway.sdk.client import wall_clock
from mew_gateway.sdk.exchange.mcp import texts
from mew_gateway.sdk.timeline.base import Timeline

from ..phrasebook import Phrasebook, Spoken
from .answer import Answer, Declined, is_applied, not_applied
from .words import sentence


class Kept(Protocol):
    """What a desk keeps its things in."""

    def close(self) -> None:
        """Nothing more is written to it."""


KeptT = TypeVar("KeptT", bound=Kept)


class Desk(Agent, Generic[KeptT]):
    """A subclass offers tools that call its `book`, and says in words what that answers.

    The book is a file in the agent's state folder, in memory where it has none (tests). `clock` gives milliseconds
    since the epoch. Its tools do not await: a call is one short transaction, and the wire has a thread of its own.
    """

    Options = Spoken
    options: Spoken
    FILE: ClassVar[str]

    def __init__(self, options: AnyOptions | None = None, *, clock: Callable[[], int] = wall_clock) -> None:
        super().__init__(options)
        self._clock = clock
        self._book: KeptT | None = None

    @property
    def book(self) -> KeptT:
        """What is kept. Raises `Disconnected` while it is not open."""
        if self._book is None:
            raise Disconnected("The desk is closed.")
        return self._book

    @abstractmethod
    def open(self, path: Path | None) -> KeptT:
        """The book in that file, made if it is not there; None: in memory."""

    @abstractmethod
    def say(self, answer: Answer) -> str:
        """An answer, in a sentence for a person."""

    @contextlib.contextmanager
    def opened(self, folder: Path | None) -> Iterator[None]:
        """The desk is open while the block runs."""
        with contextlib.closing(self.open(None if folder is None else folder / self.FILE)) as book:
            self._book = book
            try:
                yield
            finally:
                self._book = None

    def now(self) -> int:
        """Milliseconds since the epoch."""
        return self._clock()

    async def live(
        self, client: Client, *, timeline: Timeline | None = None, io_thread: IoThread | None = None
    ) -> None:
        """Serve as any agent does, with the book open."""
        with self.opened(self.state_folder):
            await super().live(client, timeline=timeline, io_thread=io_thread)

    def told(self, answer: Answer) -> ToolResult:
        """The result of a tool that was to do something: an error if it is not done."""
        return ToolResult(texts([self.say(answer)]), answer, is_error=not is_applied(answer))

    def sentence(self, answer: Answer, own: Phrasebook, shown: Mapping[str, object]) -> str:
        """An answer in the desk's language: `own` are its phrases, `shown` the fields as people write them."""
        return sentence(answer, own, shown, self.options.language)

    def informed(self, answer: Answer) -> ToolResult:
        """The result of a tool that was only asked."""
        return ToolResult(texts([self.say(answer)]), answer)

    def looked_up(self, look: Callable[[], Answer]) -> ToolResult:
        """The result of a tool that only asks the book, also where that declines."""
        try:
            return self.informed(look())
        except Declined as no:
            return self.told(not_applied(no.code, **no.details))
