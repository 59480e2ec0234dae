"""From a proposal to a Work: the gate, and ∅ → CREATED → ACTIVE (docs/fluxi.md §3; seed 002 §3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from mew_agents.fluxi import gate
from mew_agents.fluxi.asking import go_on, keyed
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.filling import Filler, Filling, defaults
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.interpreter.base import Candidate, Understanding
from mew_agents.fluxi.interpreter.remainder import remainder
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.values import Span
from mew_agents.fluxi.work import Slot, Work, plain_slot


class Opening:
    """One proposal of one message, of a definition that the account may use."""

    def __init__(self, scene: Scene, conversation: Conversation, message: Message, definition: Definition) -> None:
        self._scene = scene
        self._conversation = conversation
        self._message = message
        self._definition = definition
        policy = scene.policy
        self._understanding = Understanding(
            language=policy.language,
            now=policy.now.astimezone(policy.zone),
            lists=scene.catalogue.lists,
        )
        self._held = defaults(definition, self._understanding, sender=message.sender, at=scene.at)

    def examine(
        self, candidates: Iterable[Candidate], *, source: str, heard: datetime | None = None, wish: Span | None = None
    ) -> tuple[gate.Reason | None, Filling]:
        """Why no Work may open, if so, and what the candidates would fill. `heard`: when, if that was not now.

        `wish`: where the message asks for the operation by its words, so that the Work may ask for all values.
        """
        filler = Filler(
            definition=self._definition,
            message=self._message,
            understanding=self._understanding,
            source=source,
            at=self._scene.at,
            heard=heard,
        )
        certain, left = remainder(
            self._definition, self._message.text, self._understanding, tuple(candidates), wish=wish
        )
        filling = filler.fill(self._held, (*certain, *left.guesses))
        filler.refuse(left.unusable, filling)
        filler.leave(left, filling)
        after = {**self._held, **filling.slots}
        values = {path: slot.value for path, slot in after.items() if slot.status == "committed"}
        bound = wish is not None or any(path in filling.slots for path in self._definition.binding_attributes)
        refused = gate.refusal(self._scene.records, self._definition, self._conversation, values, bound)
        return refused, filling

    def open(self, proposal_id: str, filling: Filling, *, waited: bool = False) -> Work:
        """The new Work, taken to its first question. `waited`: it follows another one, and nobody begins anew."""
        scene = self._scene
        if not waited:
            self._replace_expired()
        return open_work(
            scene,
            self._conversation,
            self._message.sender,
            self._definition,
            proposal_id,
            held=self._held,
            changed=filling.slots,
            unsure=filling.unsure,
        )

    def _replace_expired(self) -> None:
        """Whoever begins anew does not mean an expired Work with the next yes: its questions are closed."""
        scene = self._scene
        place = (self._conversation.account_id, self._conversation.conversation_id)
        for question in scene.records.pending(*place, self._message.sender):
            asked = scene.records.asker(question)
            if asked is not None and asked.ended:
                scene.records.settle(question, "superseded", by=self._message.message_id, at=scene.at)


def open_work(
    scene: Scene,
    conversation: Conversation,
    owner: str,
    definition: Definition,
    proposal_id: str,
    *,
    held: Mapping[str, Slot],
    changed: Mapping[str, Slot | None],
    unsure: bool = False,
) -> Work:
    """A new Work of a proposal, taken to its first question. `held`: what it begins with; `changed`: what was said;
    `unsure`: some words of it were not used.
    """
    work_id = scene.records.new_id()
    scene.records.set_manner(work_id, scene.catalogue.manner(scene.policy))
    work = scene.open(
        work_id,
        proposal_id=proposal_id,
        conversation=conversation,
        owner=owner,
        version_id=scene.catalogue.version_of(definition),
        slots={path: plain_slot(slot) for path, slot in held.items()},
    )
    work = scene.happen(work, Event.STATE_CHANGED, State.ACTIVE)
    if changed:
        told = {path: None if slot is None else plain_slot(slot) for path, slot in changed.items()}
        delta = {"slots": told, **keyed(scene, work, dict(changed))}
        work = scene.happen(work, Event.DELTA_COMMITTED, State.ACTIVE, **delta)
    return go_on(scene, work, unsure=unsure)
