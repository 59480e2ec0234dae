"""What goes into Fluxi and what comes out: a message in a conversation, how the account wants it treated, a result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Literal, TypeAlias, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from mew_agents.language.found import LANGUAGES, Language

Tone: TypeAlias = Literal["neutral", "warm", "brief"]
Formality: TypeAlias = Literal["formal", "informal"]
Mode: TypeAlias = Literal["auto", "suggest", "off"]
ResultKind: TypeAlias = Literal[
    "reply", "request_slot", "request_confirmation", "completed", "failed", "in_doubt", "no_action"
]
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_KNOWN: Mapping[str, tuple[str, ...]] = {
    "language": LANGUAGES,
    "tone": get_args(Tone),
    "formality": get_args(Formality),
    "mode": get_args(Mode),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What a person said (docs/fluxi.md §1). `message_id` is unique for its sender in the conversation.

    `answers`: the id of a question (or of any message of ours) that this one correlates to.
    `arrived`: when it arrived, ms since the epoch, on the clock that also says when questions went out;
    None: when it is handed over, or at the turn's `now` if that was before the question.
    Raises TypeError for a text that is none.
    """

    message_id: str
    sender: str
    text: str
    answers: str | None = None
    arrived: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise TypeError(f"The text of a message is a str, not {type(self.text).__name__}.")


@dataclass(frozen=True, slots=True)
class Conversation:
    """Where it was said: the account whose business it is, and the conversation within it."""

    account_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """How the account wants its people served; it arrives resolved and is never looked up (docs/fluxi.md §1).

    `now` is an aware datetime: the time of the turn. `mode`: `off` does nothing, `suggest` says what it would
    reply and consumes nothing. `follows`: whoever writes in another language is answered in it from then on, as long as
    they do. Raises ValueError, with a sentence, for what none of these can be.
    """

    now: datetime
    language: Language = "es"
    timezone: str = "UTC"
    tone: Tone = "neutral"
    formality: Formality = "formal"
    emojis: bool = False
    rules: tuple[str, ...] = ()
    mode: Mode = "auto"
    follows: bool = False

    def __post_init__(self) -> None:
        for name, known in _KNOWN.items():
            told = getattr(self, name)
            if told not in known:
                raise ValueError(f"There is no {name} {told!r}; it is one of {', '.join(known)}.")
        if self.now.tzinfo is None or self.now.utcoffset() is None:
            raise ValueError("`now` is a datetime with a time zone, such as datetime.now(UTC).")
        if isinstance(self.rules, str):
            raise ValueError("`rules` is a sequence of sentences, not one.")
        object.__setattr__(self, "rules", tuple(self.rules))
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, TypeError, AttributeError, OSError):
            message = f"There is no time zone {self.timezone!r}; one is America/Argentina/Buenos_Aires."
            raise ValueError(message) from None

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

    @property
    def kept(self) -> bool:
        """Whether its text is in the outbox; else it is said at once or never."""
        return self.reason_code not in _UNKEPT


_UNKEPT = ("off", "suggestion", "unreadable", "message_id_reused")

# Longer messages are no messages of a person.
LONGEST = 10_000
LONGEST_ID = 256


def readable(message: Message, conversation: Conversation) -> bool:
    """Whether every store can hold it: ids of printable characters, a text of Unicode scalar values, both bounded."""
    ids = (conversation.account_id, conversation.conversation_id, message.sender, message.message_id)
    answers = () if message.answers is None else (message.answers,)
    well_named = all(is_name(one) for one in (*ids, *answers))
    return well_named and len(message.text) <= LONGEST and not _SURROGATE.search(message.text)


def is_name(id: str) -> bool:
    """Whether it can be an id: 1 to 256 bytes of printable characters."""
    return 0 < len(id.encode(errors="replace")) <= LONGEST_ID and id.isprintable()
