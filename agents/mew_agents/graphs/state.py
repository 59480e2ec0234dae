"""Where a conversation with a graph stands, as JSON in its row: the thread, what is asked, which words are at work."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec

from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.message import Conversation
from mew_agents.graphs.speech import worded
from mew_agents.graphs.threads import Waiting


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a node waits to be told. `had`: how many answers it has had before; `question_id`: the question
    about it, None: it is yet to be asked."""

    interrupt_id: str
    had: int
    text: str
    question_id: str | None = None
    answer: str | None = None


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Words that the graph is working on. `answers`: what they and those before them answer; None: they are an input.

    `arrived` and `answered` as in the message, for its place in the inbox; `manner`: the policy it came with, as JSON.
    """

    message_id: str
    text: str
    answered: str | None
    arrived: int | None
    manner: str
    received_at: int
    answers: tuple[Asked, ...] | None = None


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    """A participant in a conversation, and the thread that it is to LangGraph.

    `kept`: the checkpoint of the last input that the thread came to an end of; `back`: the next one begins there, and
    where there is none, in a thread of the next `generation`. `told`: the id of the message of the graph's that was
    said last.
    """

    dialogue_id: str
    generation: int = 0
    asked: tuple[Asked, ...] = ()
    turn: Turn | None = None
    kept: str | None = None
    back: bool = False
    told: str | None = None

    @property
    def thread_id(self) -> str:
        """LangGraph's name for it."""
        return f"{self.dialogue_id}.{self.generation}"

    @property
    def begins_at(self) -> str | None:
        """The checkpoint that the next input goes to; None: the newest."""
        return self.kept if self.back else None

    @property
    def open(self) -> Asked | None:
        """What is asked now."""
        return next((one for one in self.asked if one.question_id is not None and one.answer is None), None)

    @property
    def next(self) -> Asked | None:
        """What is to be asked after that."""
        return next((one for one in self.asked if one.question_id is None), None)

    def answered(self, text: str) -> Dialogue:
        """The open question has its answer."""
        asked = (msgspec.structs.replace(one, answer=text) if one is self.open else one for one in self.asked)
        return msgspec.structs.replace(self, asked=tuple(asked))


def named(conversation: Conversation, participant: str) -> str:
    """The id of the dialogue with a participant in a conversation: known before there is anything of it."""
    place = [conversation.account_id, conversation.conversation_id, participant]
    return hashlib.sha256(written(place).encode()).hexdigest()[:32]


def dialogue_of(thread_id: str) -> str:
    """The dialogue that a thread is of."""
    return thread_id.rpartition(".")[0]


def asks_of(waiting: Sequence[Waiting]) -> tuple[Asked, ...]:
    """What there is to ask."""
    return tuple(Asked(interrupt_id=one.id, had=one.had, text=worded(one.value) or "?") for one in waiting)
