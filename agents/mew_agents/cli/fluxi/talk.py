"""A conversation in this process: its tools, its database, and whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeAlias

import anyio
from sqlalchemy import Connection
from uuid_utils import uuid7

from mew_agents.durable import DatabaseError
from mew_agents.fluxi import lookup
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.fsm import LIVE
from mew_agents.fluxi.interpreter.base import Interpreter
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.lookup import FoundWork, ListedWork
from mew_agents.fluxi.message import Conversation, Formality, Message, PolicyContext, Result, Tone
from mew_agents.fluxi.ports import Carried, Carrier, Reply
from mew_agents.language.found import Language
from mew_agents.tools.local import LocalTools
from mew_agents.tools.own import OwnTools

# What comes of a message: of Fluxi, or of something that has its tables.
Handle: TypeAlias = Callable[[Message, PolicyContext, Conversation], Awaitable[Result]]

_PAUSE = 1.0  # seconds between two looks at what has become due


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How the person wants to be spoken to."""

    language: Language
    timezone: str
    tone: Tone = "neutral"
    formality: Formality = "formal"
    emojis: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a conversation is kept, and whose it is. `folder` is the tools' own; `own` are other tools."""

    url: str
    folder: Path
    sender: str
    conversation: Conversation
    own: OwnTools | None = None

    def tools(self, manner: Manner) -> LocalTools:
        """The tools of the conversation, not opened yet."""
        return LocalTools.shipped(self.folder, language=manner.language, timezone=manner.timezone, own=self.own)


class Aloud(Carrier):
    """Replies to the person at this terminal: said is done. `fault`: nobody reads them any more."""

    def __init__(self, tell: Callable[[Reply], None]) -> None:
        self._tell = tell
        self.fault: OSError | None = None

    def compose(self, reply: Reply) -> str:
        return written(reply)

    async def carry(self, body: str) -> Carried:
        try:
            self.say(Reply(**read(body)))
        except OSError as error:
            self.fault = error
            return Carried(status="wait", reason="it cannot be written")
        return Carried(status="done")

    def say(self, reply: Reply) -> None:
        """Raises `OSError` when it cannot be told."""
        try:
            self._tell(reply)
        except SystemExit:  # what a rich console makes of a pipe that nobody reads
            raise BrokenPipeError(errno.EPIPE, "nobody reads") from None


class Talk:
    """One person's conversation. What is said to them is told to `aloud`, in order, whenever it comes.

    `handle` hears them, on the database of `fluxi`.
    """

    def __init__(self, fluxi: Fluxi, handle: Handle, aloud: Aloud, place: Place, manner: Manner) -> None:
        self._fluxi = fluxi
        self._handle = handle
        self._aloud = aloud
        self._place = place
        self._manner = manner

    async def say(self, text: str) -> None:
        """The person said something; what is answered is told before this returns.

        Raises `DatabaseError`, and `OSError` when it cannot be told: then it waits for the next time.
        """
        message = Message(message_id=str(uuid7()), sender=self._place.sender, text=text)
        here = self._place.conversation
        result = await self._handle(message, self._policy(), here)
        await self._relay()
        if result.text and not result.kept:
            self._aloud.say(_at_once(result, message, here))

    async def catch_up(self) -> None:
        """Does what is due, and tells what was not told yet."""
        await self._fluxi.schedule.run_due()
        if await self._fluxi.database.read(self._has_news):
            await self._relay()

    async def keep(self) -> None:
        """Catches up again and again; a database that is held by somebody is looked at later."""
        while True:
            await anyio.sleep(_PAUSE)
            with contextlib.suppress(DatabaseError):
                await self.catch_up()

    async def _relay(self) -> None:
        await self._fluxi.outbox.relay(self._place.conversation)
        if self._aloud.fault is not None:
            raise self._aloud.fault

    def _has_news(self, connection: Connection) -> bool:
        return lookup.waiting(connection, self._place.conversation)

    def _policy(self) -> PolicyContext:
        manner = self._manner
        return PolicyContext(
            now=datetime.now(UTC),
            language=manner.language,
            timezone=manner.timezone,
            tone=manner.tone,
            formality=manner.formality,
            emojis=manner.emojis,
        )


class FluxiTalk(Talk):
    """A conversation with Fluxi."""

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(
        cls,
        place: Place,
        manner: Manner,
        *,
        definitions: tuple[Definition, ...],
        interpreter: Interpreter | None,
        tell: Callable[[Reply], None],
    ) -> AsyncIterator[FluxiTalk]:
        """A conversation. Raises `DatabaseError`."""
        aloud = Aloud(tell)
        with place.tools(manner) as tools:
            fluxi = await Fluxi.open(
                place.url,
                tools=LocalPort(tools),
                definitions=definitions,
                interpreter=interpreter,
                carrier=aloud,
            )
            try:
                yield cls(fluxi, fluxi.handle, aloud, place, manner)
            finally:
                fluxi.close()

    async def works(self, *, live: bool) -> list[ListedWork]:
        """The Works of this conversation."""
        here = self._place.conversation
        look = partial(
            lookup.works,
            states=LIVE if live else None,
            account_id=here.account_id,
            conversation_id=here.conversation_id,
        )
        return await self._fluxi.database.read(look)

    async def work(self, work_id: str) -> FoundWork | None:
        """One Work of this account."""
        account_id = self._place.conversation.account_id
        return await self._fluxi.database.read(lambda found: lookup.work(found, work_id, account_id=account_id))


def _at_once(result: Result, message: Message, here: Conversation) -> Reply:
    """What was said and is not in the outbox."""
    return Reply(
        message_id=str(uuid7()),
        account_id=here.account_id,
        conversation_id=here.conversation_id,
        recipient=message.sender,
        text=result.text,
        kind=result.kind,
        correlates=message.message_id,
        work_id=result.work_id,
        question=result.context_id,
    )
