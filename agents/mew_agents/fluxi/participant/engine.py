"""The seam between a host in a space and whoever deals with what is said to it there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.ports import RunOutcome, Witness


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """What there is before a turn. `taken`: the message was dealt with before. `subjects`: the ids of what its sender
    has going on in the conversation, so that a run about it names that from its start, the likeliest last."""

    taken: bool
    subjects: list[str] = field(default_factory=list)


class Engine(ABC):
    """Deals with what is said in conversations. The host sees to it that a conversation has one turn at a time.

    What an engine says goes into the outbox of the host's Fluxi, in the transaction of whatever it has done; the host
    sends it. What it has done, it shows a witness behind the commit: there somebody may stop it, which raises, so that
    whatever is not committed then never happens.
    """

    @abstractmethod
    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness
    ) -> Result:
        """One turn. The same message again has the same result, and nothing else; also after a turn that was cut off
        anywhere, by being cancelled or by the end of the process. Raises DatabaseError: the host tries again."""

    @abstractmethod
    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        """The turn of a message was stopped: what was not committed never is, and the message is done with."""

    @abstractmethod
    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        """What there is before the turn of a message."""

    @abstractmethod
    async def cancel(self, subject: Subject, *, by: str) -> RunOutcome | None:
        """A participant has cancelled a run: whatever is at stake in it is cancelled, also what its turn has begun and
        nobody has seen yet, and the questions about it are void (docs/interruption.md §3). What has ended, stays.

        How it stands then, for the conclusion of the run; None: as it was seen last."""

    @abstractmethod
    async def align(self, *, halted: bool) -> None:
        """Everything that is going on stands still while an emergency does, its time included, and goes on after it.

        Called at every start and when that changes, also when nothing has; one at a time, the last one counts.
        """

    @abstractmethod
    async def part(self, conversation: Conversation) -> None:
        """The guest whose conversation it is was removed: whatever goes on there ends, for the reason `removed`, its
        questions are void, and what it has said and nobody has dealt with is done with. What is irreversible and under
        way is recorded when it is known. Nothing of it is said: the host's outbox drops what is queued there.

        The same again changes nothing.
        """
