"""Cognition on record: every time an interpreter is asked, what it answered is a DecisionEvent (seed 002 §4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.catalogue import Catalogue
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Candidate, Interpreter, ProposedWork, Understanding
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_DECISION
from mew_agents.fluxi.work import Work


class Wanted(Exception):
    """A turn cannot go on before an interpreter has been asked, and this one takes its time."""

    def __init__(self, definitions: tuple[Definition, ...], understanding: Understanding, work_id: str) -> None:
        super().__init__(work_id)
        self.definitions = definitions
        self.understanding = understanding
        self.work_id = work_id


class Thinking:
    """Asks the interpreter of a turn, at most once a Work, and keeps the answer; what is stored is never decided again.

    `decided_by` and `decision_id` are those of the last answer.
    """

    def __init__(self, interpreter: Interpreter) -> None:
        self._interpreter = interpreter
        self.decided_by = interpreter.name
        self.decision_id = ""

    def think(
        self,
        scene: Scene,
        message: Message,
        conversation: Conversation,
        definitions: Sequence[Definition],
        understanding: Understanding,
        work: Work | None,
    ) -> ProposedWork | None:
        """What the text proposes. Raises Wanted."""
        work_id = "" if work is None else work.work_id
        key = (conversation.account_id, conversation.conversation_id, message.sender, message.message_id)
        stored = scene.records.decisions(*key).get(work_id)
        if stored is not None:
            self.decision_id, self.decided_by = stored.decision_id, stored.interpreter
            return restored(stored.answer)
        if not self._interpreter.deterministic:
            raise Wanted(tuple(definitions), understanding, work_id)
        proposal = self._interpreter.propose(message.text, definitions, understanding)
        self.decided_by = self._interpreter.name
        self.decision_id = scene.records.new_id()
        row = decision_row(
            scene.catalogue, message, conversation, work_id, definitions, self.decided_by, proposal, at=scene.at
        )
        scene.records.write(INSERT_DECISION, {"decision_id": self.decision_id, **row})
        return proposal


def decision_row(
    catalogue: Catalogue,
    message: Message,
    conversation: Conversation,
    work_id: str,
    definitions: Sequence[Definition],
    decided_by: str,
    proposal: ProposedWork | None,
    *,
    at: int,
) -> dict[str, Any]:
    """A DecisionEvent, but for its id."""
    return {
        "account_id": conversation.account_id,
        "conversation_id": conversation.conversation_id,
        "sender": message.sender,
        "message_id": message.message_id,
        "work_id": work_id,
        "interpreter": decided_by,
        "definitions": written([catalogue.version_of(one) for one in definitions]),
        "answer": written(proposal),
        "decided_at": at,
    }


def restored(text: str) -> ProposedWork | None:
    """A proposal from its stored JSON."""
    plain = read(text)
    return None if plain is None else _proposal(plain)


def _proposal(plain: dict[str, Any]) -> ProposedWork:
    second = plain.pop("second", None)
    slots, wish = _candidates(plain.pop("slots")), plain.pop("wish", None)
    rivals, later = (tuple(plain.pop(name, ())) for name in ("rivals", "later"))
    return ProposedWork(
        **plain,
        slots=slots,
        rivals=rivals,
        later=later,
        wish=None if wish is None else (wish[0], wish[1]),
        second=None if second is None else _proposal(second),
    )


def restored_slots(text: str) -> tuple[Candidate, ...]:
    """The candidates of a stored proposal."""
    return _candidates(read(text))


def _candidates(plain: list[dict[str, Any]]) -> tuple[Candidate, ...]:
    return tuple(_candidate(one) for one in plain)


def _candidate(plain: dict[str, Any]) -> Candidate:
    return Candidate(**{**plain, "alternatives": tuple(plain["alternatives"]), "doubts": tuple(plain["doubts"])})
