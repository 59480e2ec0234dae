"""What goes into Fluxi and what comes out: a message in a conversation, how the account wants it treated, a result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from mew_agents.language.found import Language

Tone: TypeAlias = Literal["neutral", "warm", "brief"]
Formality: TypeAlias = Literal["formal", "informal"]
Mode: TypeAlias = Literal["auto", "suggest", "off"]
_SURROGATE = re.compile(r"[\ud800-\udfff]")
ResultKind: TypeAlias = Literal[
    "reply", "request_slot", "request_confirmation", "completed", "failed", "in_doubt", "no_action"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a person said (docs/fluxi.md §1). `message_id` is unique for its sender in the conversation.

    `answers`: the id of a question (or of any message of ours) that this one correlates to.
    `arrived`: when it arrived, ms since the epoch, on the clock that also says when questions went out;
    None: just now, after everything that was said so far.
    """

    message_id: str
    sender: str
    text: str
    answers: str | None = None
    arrived: int | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where it was said: the account whose business it is, and the conversation within it."""

    account_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """How the account wants its people served; it arrives resolved and is never looked up (docs/fluxi.md §1).

    `now` is an aware datetime: the time of the turn. `mode`: `off` does nothing, `suggest` says what it would
    reply and consumes nothing.
    """

    now: datetime
    language: Language = "es"
    timezone: str = "UTC"
    tone: Tone = "neutral"
    formality: Formality = "formal"
    emojis: bool = False
    rules: tuple[str, ...] = ()
    mode: Mode = "auto"

    @property
    def zone(self) -> ZoneInfo:
        """The time zone that hours are meant and said in."""
        return ZoneInfo(self.timezone)

    @property
    def at(self) -> int:
        """`now` in ms since the epoch."""
        return round(self.now.timestamp() * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came of a message (docs/fluxi.md §1). `text` is what to say; `reason_code` says why, for programs."""

    kind: ResultKind
    text: str
    reason_code: str
    work_id: str | None = None
    context_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


# Longer messages are no messages of a person.
LONGEST = 10_000
_LONGEST_ID = 256


def readable(message: Message, conversation: Conversation) -> bool:
    """Whether every store can hold it: ids of printable characters, a text of Unicode scalar values, both bounded."""
    ids = (conversation.account_id, conversation.conversation_id, message.sender, message.message_id)
    answers = () if message.answers is None else (message.answers,)
    well_named = all(0 < len(one) <= _LONGEST_ID and one.isprintable() for one in (*ids, *answers))
    return well_named and len(message.text) <= LONGEST and not _SURROGATE.search(message.text)
