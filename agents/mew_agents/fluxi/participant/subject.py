"""What a run is about."""

from __future__ import annotations

from dataclasses import dataclass, field

from mew_agents.fluxi.message import Conversation

WORK = "work_id"


@dataclass(slots=True)
class Subject:
    """What a run is about: the words to say so, what it answers, and what is at stake.

    `subjects`: the ids of what is at stake, each with the payload key that it goes under on the wire (`work_id` for a
    Work, the engine's own for whatever it deals with), what happened last at the end. Of a turn, `conversation` and
    `message_id` are those of the message.
    """

    words: str
    answers: tuple[str, ...] = ()
    subjects: dict[str, str] = field(default_factory=dict)
    conversation: Conversation | None = None
    message_id: str | None = None

    def touch(self, id: str, key: str) -> None:
        """Something has happened to it, just now."""
        self.subjects.pop(id, None)
        self.subjects[id] = key

    def newest(self, key: str) -> str | None:
        """What happened last to something of a key; if to none, to anything."""
        ids = [id for id, one in self.subjects.items() if one == key] or list(self.subjects)
        return ids[-1] if ids else None

    @property
    def named(self) -> dict[str, str]:
        """As an envelope names it: of each key, the id that something happened to last."""
        return {key: id for id, key in self.subjects.items()}
