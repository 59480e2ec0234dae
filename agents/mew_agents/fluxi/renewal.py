"""An ended Work asked for once more with other values: after a tool refused it, or in place of what it did.

What the message says is read as if the Work were still open. The new Work has the values of the old one that may still
be said, and those that are different; like any other it asks before it does anything (decision 38).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mew_agents.fluxi import gate, values
from mew_agents.fluxi.asking import ANYTHING
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.decisions import Thinking
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.filling import Filler, Filling, defaults
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.opening import open_work
from mew_agents.fluxi.refusing import say_refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_PROPOSAL
from mew_agents.fluxi.work import Slot, Work, plain_slot, slot_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """A Work to be opened. `held`: the values of the old one; `changed`: what is different, None for nothing any more.

    `decision_id`: the decision about the message that changes it; `candidates`: what that proposed, as JSON.
    """

    type_id: str
    decision_id: str
    candidates: str
    held: Mapping[str, Slot]
    changed: Mapping[str, Slot | None]

    @property
    def slots(self) -> dict[str, Slot]:
        """All slots of the new Work."""
        return {path: slot for path, slot in {**self.held, **self.changed}.items() if slot is not None}

    def plain(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "type_id": self.type_id,
            "decision_id": self.decision_id,
            "candidates": self.candidates,
            "held": {path: plain_slot(slot) for path, slot in self.held.items()},
            "changed": {path: None if slot is None else plain_slot(slot) for path, slot in self.changed.items()},
        }


def restored_renewal(plain: Mapping[str, Any]) -> Renewal:
    """A renewal from its JSON."""
    slots = {
        name: {path: None if one is None else slot_of(one) for path, one in plain[name].items()}
        for name in ("held", "changed")
    }
    held = {path: slot for path, slot in slots["held"].items() if slot is not None}
    names = ("type_id", "decision_id", "candidates")
    return Renewal(**{name: plain[name] for name in names}, held=held, changed=slots["changed"])


def read_renewal(
    scene: Scene, message: Message, conversation: Conversation, thinking: Thinking, work: Work
) -> tuple[Renewal, Filling] | None:
    """What a message makes of an ended Work. None: it says nothing about its values, or no such Work may open."""
    definition = scene.catalogue.current(scene.definition(work).type_id)
    if definition is None or not gate.allowed(definition, conversation.account_id):
        return None
    if definition.policies.open == "review":
        return None
    understanding = _understanding(scene, definition)
    held = _held(scene, definition, work, understanding)
    understanding = replace(understanding, values={path: slot.value for path, slot in held.items()})
    if Rules().propose(message.text, [definition], understanding) is None:
        return None
    proposal = thinking.think(scene, message, conversation, [definition], understanding, work)
    candidates = proposal.slots if proposal else ()
    filler = Filler(
        definition=definition, message=message, understanding=understanding, source=thinking.decided_by, at=scene.at
    )
    certain, left = remainder(definition, message.text, understanding, candidates)
    filling = filler.fill(held, (*certain, *left.guesses))
    filler.clear(held, left.cleared, filling)
    renewal = Renewal(
        type_id=definition.type_id,
        decision_id=thinking.decision_id,
        candidates=written(candidates),
        held=held,
        changed=filling.changes,
    )
    return renewal, filling


def open_renewal(scene: Scene, conversation: Conversation, owner: str, renewal: Renewal) -> None:
    """Opens the new Work, and takes it to its first question, or says why it may not open."""
    definition = scene.catalogue.current(renewal.type_id)
    if definition is None or not gate.allowed(definition, conversation.account_id):
        return
    after = {path: slot.value for path, slot in renewal.slots.items() if slot.status == "committed"}
    refused = gate.refusal(scene.records, definition, conversation, after, True)
    if refused is not None:
        say_refused(scene, definition, refused)
        return
    proposal_id = scene.records.new_id()
    scene.records.write(
        INSERT_PROPOSAL,
        {
            "proposal_id": proposal_id,
            "decision_id": renewal.decision_id,
            "account_id": conversation.account_id,
            "conversation_id": conversation.conversation_id,
            "sender": owner,
            "type_id": definition.type_id,
            "version_id": scene.catalogue.version_of(definition),
            "candidate_slots": renewal.candidates,
            "status": "opened",
            "reason": None,
            "proposed_at": scene.at,
            "settled_at": scene.at,
        },
    )
    open_work(scene, conversation, owner, definition, proposal_id, held=renewal.held, changed=renewal.changed)


def _understanding(scene: Scene, definition: Definition) -> Understanding:
    return Understanding(
        language=scene.policy.language,
        now=scene.policy.now.astimezone(scene.policy.zone),
        within=definition.type_id,
        asked=ANYTHING,
        lists=scene.catalogue.lists,
    )


def _held(scene: Scene, definition: Definition, work: Work, understanding: Understanding) -> dict[str, Slot]:
    """The values of an ended Work that the definition, as it is now, still takes. None of them is settled for ever."""
    held = defaults(definition, understanding, sender=work.owner, at=scene.at)
    for path, slot in work.slots.items():
        known = definition.slot(path) if path in definition.paths else None
        if known is None or known.type != slot.type or slot.status != "committed":
            continue
        if values.refusal(known, slot.value, understanding) is None:
            held[path] = replace(slot, immutable=False)
    return held
