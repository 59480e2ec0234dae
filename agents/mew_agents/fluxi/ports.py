"""The seams between Fluxi and the world: tools that do something, and a way for replies to leave.

Fluxi owns no tool (invariant 8): a registry with its permissions calls them; in a space, the gateway.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from mew_agents.fluxi.work import WorkEvent

Outcome: TypeAlias = Literal["applied", "not_applied", "unknown"]
# How a run ends (docs/fluxi-in-a-space.md).
RunOutcome: TypeAlias = Literal["waiting", "completed", "cancelled", "failed", "in_doubt"]

# Of a guest who was removed from the space: who ends what went on with them, and why a reply was never said.
REMOVED: Final = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One attempt at an effect: what the tool is told (docs/fluxi.md §4). `deadline` in ms since the epoch.

    `evidence`: who asked for it and with which words, for a person who has to approve it.
    """

    request_id: str
    tool: str
    arguments: Mapping[str, Any]
    key: str
    attempt: int
    fence: int
    deadline: int
    evidence: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The bytes that an attempt sends, and sends again.

    `proposed`: they propose the call to a person, because we may not make it. `cursor`: where in the order of the
    space it began, for reading the history from there.
    """

    request: str
    proposed: bool = False
    cursor: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is known of an attempt. `retry`: it did not happen, and may be tried again. `content`: the tool's words."""

    outcome: Outcome
    content: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    message: str = ""
    retry: bool = False

    @property
    def for_people(self) -> str:
        """The tool's own words about it; those of whoever routes or refuses the call are not for customers."""
        return self.message if self.content else ""


class ToolPort(ABC):
    """Calls tools. Nothing in it raises but for a fault of the program: what goes wrong is an Answer."""

    # The receiver takes the same bytes once, so that sending them again is never a second call.
    once: bool = False

    @abstractmethod
    def prepare(self, call: Call) -> Prepared:
        """The request, complete, before anything is sent. Without any I/O: it runs inside a transaction."""

    @abstractmethod
    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        """Sends exactly these bytes and waits, at most `timeout` seconds. A proposal: `unknown` once it is out."""

    @abstractmethod
    async def look_back(self, prepared: Prepared, /) -> Answer | None:
        """What the history since the cursor says of this request; None: it says nothing."""

    @abstractmethod
    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        """Asks a tool what became of a key; from its `not_applied` on it refuses every lower fence."""

    async def names(self, tool: str) -> Mapping[str, Sequence[str]] | None:
        """The list that a tool knows, id → names; None: it does not answer."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """Something to say. `correlates`: the message it answers. `question`: the id of the context it asks about.

    `flow_id`, `work_id`: what it is about.
    """

    message_id: str
    account_id: str
    conversation_id: str
    recipient: str
    text: str
    kind: str
    correlates: str | None = None
    work_id: str | None = None
    question: str | None = None
    flow_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What became of a reply: `done` only with proof (`at`: when it was out, ms), `wait`: later again, and why;
    `id_taken`: never under this id, for another message has it."""

    status: Literal["done", "wait", "refused", "id_taken"]
    reason: str = ""
    at: int | None = None


class Carrier(ABC):
    """Carries replies to people."""

    @abstractmethod
    def compose(self, reply: Reply) -> str:
        """The bytes of a reply, fixed when it is queued. Without any I/O: it runs inside a transaction."""

    @abstractmethod
    async def carry(self, body: str) -> Carried:
        """Sends them; the same bytes may come again and are said once. Never raises."""

    def renamed(self, body: str, id: str) -> str:
        """The same reply under another id. Without any I/O. For a carrier whose ids others may take."""
        return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
    """Something that was committed, in words for whoever watches.

    `subject`: the id of what it happened to, None for nothing that goes on; `outcome`: how a run about that would end
    if it ended now, None: as before; `payload` is JSON, and goes with the words.
    """

    text: str
    subject: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    outcome: RunOutcome | None = None


class Witness:
    """Sees what a turn, a timer or a recovery does, after it is committed. This one looks away."""

    async def saw(self, events: Sequence[WorkEvent], thoughts: Sequence[Thought] = ()) -> None:
        """Events of one Work, committed just now, in order, and what came of them in the dialogue it is a part of."""

    async def noted(self, thoughts: Sequence[Thought]) -> None:
        """What else was committed just now, in order, by an engine whose subjects are no Works."""

    def attempt(self, effect_id: str, *, limit: float) -> AbstractAsyncContextManager[None]:
        """Around one attempt at an effect, which nothing may interrupt; `limit` in seconds."""
        return _nothing()


@asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield


UNSEEN = Witness()
