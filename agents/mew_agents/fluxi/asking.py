"""What a Work does next by itself: ask for a slot, ask for a yes, execute, or be done (docs/fluxi.md §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from mew_agents.fluxi import values
from mew_agents.fluxi.arguments import aggregate_key
from mew_agents.fluxi.claims import begin
from mew_agents.fluxi.context import ContextKind, SemanticContext
from mew_agents.fluxi.definitions.slots import Slot as SlotDefinition
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.interpreter.remainder import Unclear
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.wording import label, prompt, shown
from mew_agents.fluxi.work import Slot, Work

# Asked for: whatever the person wants to be different.
ANYTHING = ""
# As many other readings as a person can keep in mind.
_OTHERS = 3
_PIECES: Mapping[values.Missing, Literal["ask_date", "ask_time"]] = {"date": "ask_date", "time": "ask_time"}


def go_on(scene: Scene, work: Work, *, unsure: bool = False) -> Work:
    """Takes an ACTIVE Work to where it has to wait for somebody or for something.

    `unsure`: a piece of the message is unexplained, so that nothing is done without a yes.
    """
    definition = scene.definition(work)
    for slot in definition.slots:
        held = work.slots.get(slot.path)
        if held is not None and held.status == "proposed" and values.is_complete(slot, held.value):
            return _confirm_slot(scene, work, slot, held)
        if slot.required and (held is None or held.status == "proposed"):
            return ask_for(scene, work, slot)
    if _conflict(scene, work):
        scene.say("reply", "conflict_elsewhere", work=work, title=scene.title(work))
        return what_to_change(scene, work)
    if not definition.effects:
        work = scene.happen(work, Event.WORK_COMPLETED, State.COMPLETED, asked=None)
        scene.say("completed", "completed", work=work, summary=scene.summary(work))
        return work
    if definition.confirmation.execute or unsure:
        return _confirm_execution(scene, work)
    return begin(scene, work)


def keyed(scene: Scene, work: Work, changed: dict[str, Slot | None]) -> dict[str, Any]:
    """The aggregate key after a change of slots, for the delta of the event: none while another Work holds it."""
    after = {path: slot for path, slot in {**work.slots, **changed}.items() if slot is not None}
    held = {path: slot.value for path, slot in after.items() if slot.status == "committed"}
    key = aggregate_key(scene.definition(work), held)
    if key is not None and _holder(scene, work, key):
        key = None
    return {} if key == work.aggregate_key else {"aggregate_key": key}


def _conflict(scene: Scene, work: Work) -> bool:
    """Whether another live Work of the account is about the same."""
    key = aggregate_key(scene.definition(work), work.values)
    return key is not None and _holder(scene, work, key)


def _holder(scene: Scene, work: Work, key: str) -> bool:
    return scene.records.holder(work.account_id, key) not in (None, work.work_id)


def ask_for(scene: Scene, work: Work, slot: SlotDefinition) -> Work:
    """Takes an ACTIVE Work to the question for a slot."""
    work = scene.happen(work, Event.SLOT_REQUESTED, State.WAITING_USER, asked=slot.path)
    ask_slot(scene, work, slot)
    return work


def ask_slot(scene: Scene, work: Work, slot: SlotDefinition) -> None:
    """Says the question for a slot, or for the piece of it that is missing."""
    held = work.slots.get(slot.path)
    missing = None if held is None else values.missing(slot, held.value)
    data = {"path": slot.path}
    if held is not None and missing is not None and held.value.keys() & {"date", "time"}:
        value = shown(slot, held.value, scene.policy)
        scene.say("request_slot", _PIECES[missing], code="ask_slot", work=work, value=value, data=data)
    else:
        scene.say("request_slot", "ask_slot", work=work, prompt=prompt(slot, scene.policy), data=data)


def what_to_change(scene: Scene, work: Work) -> Work:
    """Asks what is to be different."""
    work = scene.happen(work, Event.SLOT_REQUESTED, State.WAITING_USER, asked=ANYTHING)
    say_what_to_change(scene, work)
    return work


def which_slot(scene: Scene, work: Work, unclear: Unclear, *, note: Mapping[str, Any]) -> Work:
    """Asks what words are that several slots would take. `note`: what is kept of them, for the answer."""
    definition = scene.definition(work)
    work = scene.happen(work, Event.SLOT_REQUESTED, State.WAITING_USER, asked=ANYTHING, note=dict(note))
    labels = [label(definition.slot(path), scene.policy) for path in unclear.paths]
    scene.say("request_slot", "which_slot", work=work, words=unclear.words, labels=labels)
    return work


def whether_to_cancel(scene: Scene, work: Work) -> Work:
    """Asks whether a waiting Work shall be cancelled. Until then no yes does anything else."""
    if work.state is State.WAITING_CONFIRMATION:
        void(scene, work, "superseded")
        work = scene.happen(work, Event.SEMANTIC_SUPERSEDED, State.ACTIVE, asked=None)
    else:
        work = scene.happen(work, Event.DELTA_COMMITTED, State.ACTIVE, slots={}, asked=None)
    work = scene.happen(work, Event.SLOT_REQUESTED, State.WAITING_USER, asked=ANYTHING, note={"cancelling": True})
    say_whether_to_cancel(scene, work)
    return work


def say_whether_to_cancel(scene: Scene, work: Work) -> None:
    """Says the question whether a Work shall be cancelled."""
    scene.say("request_slot", "whether_to_cancel", work=work, title=scene.title(work))


def is_asked_to_cancel(scene: Scene, work: Work) -> bool:
    """Whether the open question is whether the Work shall be cancelled."""
    return bool(asked_about(scene, work).get("cancelling"))


def asked_about(scene: Scene, work: Work) -> dict[str, Any]:
    """The note of the open question, if that asks for no slot."""
    if work.state is not State.WAITING_USER or work.asked != ANYTHING:
        return {}
    requests = [one for one in scene.records.history(work.work_id) if one.type is Event.SLOT_REQUESTED]
    return dict(requests[-1].delta.get("note") or {}) if requests else {}


def say_what_to_change(scene: Scene, work: Work) -> None:
    """Says the question for whatever is to be different."""
    labels = [label(slot, scene.policy) for slot in scene.definition(work).required if not slot.immutable]
    scene.say("request_slot", "what_to_change", work=work, labels=labels)


def _confirm_slot(scene: Scene, work: Work, slot: SlotDefinition, held: Slot) -> Work:
    context_id = _question(scene, work, "slot", slot.path, held.value)
    note = {"semantic_context_id": context_id, "path": slot.path, "proposed": held.value}
    work = scene.happen(work, Event.CONFIRMATION_REQUESTED, State.WAITING_CONFIRMATION, asked=slot.path, note=note)
    confirm_slot(scene, work, slot, held, context_id)
    return work


def confirm_slot(scene: Scene, work: Work, slot: SlotDefinition, held: Slot, context_id: str) -> None:
    """Asks whether a value is meant; what else it may be is named."""
    others = (held.evidence or {}).get("alternatives", ())[:_OTHERS]
    against = (held.evidence or {}).get("against")
    scene.say(
        "request_confirmation",
        "confirm_against" if against else "confirm_slot",
        code="confirm_slot",
        work=work,
        context=context_id,
        said=against or "",
        value=shown(slot, held.value, scene.policy),
        label=label(slot, scene.policy),
        others=[shown(slot, other, scene.policy) for other in others],
        data={"path": slot.path, "value": held.value},
    )


def _confirm_execution(scene: Scene, work: Work) -> Work:
    context_id = _question(scene, work, "execution", None, work.values)
    note = {"semantic_context_id": context_id}
    work = scene.happen(work, Event.CONFIRMATION_REQUESTED, State.WAITING_CONFIRMATION, asked=None, note=note)
    confirm_execution(scene, work, context_id)
    return work


def confirm_execution(scene: Scene, work: Work, context_id: str) -> None:
    """Asks whether it shall be done."""
    data = {"values": work.values}
    scene.say(
        "request_confirmation",
        "confirm_execution",
        work=work,
        context=context_id,
        summary=scene.summary(work),
        data=data,
    )


def ask_execution(scene: Scene, work: Work, proposed: Any) -> str:
    """Puts a question for an execution on record, and returns its id."""
    return _question(scene, work, "execution", None, proposed)


def _question(scene: Scene, work: Work, kind: ContextKind, path: str | None, proposed: Any) -> str:
    question = SemanticContext(
        context_id=scene.records.new_id(),
        account_id=work.account_id,
        conversation_id=work.conversation_id,
        participant=work.owner,
        work_id=work.work_id,
        kind=kind,
        path=path,
        proposed=proposed,
        sent_at=scene.at if scene.direct else None,
        expires_at=scene.at + scene.definition(work).confirmation.ttl,
        created_at=scene.at,
    )
    scene.records.ask(question)
    return question.context_id


def ask_again(scene: Scene, work: Work, *, politely: bool = False) -> None:
    """The open question of a waiting Work once more: the same one; `politely`, because nothing was understood."""
    definition = scene.definition(work)
    if work.state is State.WAITING_CONFIRMATION:
        question = scene.records.pending_of(work.work_id)[0]
        if question.kind == "execution" or question.path is None:
            confirm_execution(scene, work, question.context_id)
        else:
            slot = definition.slot(question.path)
            confirm_slot(scene, work, slot, work.slots[question.path], question.context_id)
    elif work.asked:
        ask_slot(scene, work, definition.slot(work.asked))
    elif is_asked_to_cancel(scene, work):
        say_whether_to_cancel(scene, work)
    else:
        say_what_to_change(scene, work)
    if politely:
        scene.reword("ask_again")


def void(scene: Scene, work: Work, status: Any = "void") -> None:
    """Closes all open questions of a Work: what replaces or ends them comes in the same transaction."""
    for context in scene.records.pending_of(work.work_id):
        scene.records.settle(context, status, by=scene.by, at=scene.at)
