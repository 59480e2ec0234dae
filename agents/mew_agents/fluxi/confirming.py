"""A yes or a no meets the question it belongs to: no model, and each question is consumed once (seed 002 §3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mew_agents.fluxi import gate
from mew_agents.fluxi.asking import go_on, keyed, what_to_change
from mew_agents.fluxi.claims import claim_all
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.refusing import say_refused, say_suspended
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.undoing import to_undo, undo
from mew_agents.fluxi.work import Slot, Work, plain_slot


class Confirming:
    """Resolves open questions of one conversation within a transaction."""

    def __init__(self, scene: Scene, conversation: Conversation) -> None:
        self._scene = scene
        self._conversation = conversation

    def resolve(self, question: SemanticContext, *, yes: bool) -> None:
        """Consumes or rejects an open question; an expired one is asked anew."""
        work = self._scene.records.asker(question)
        if work is not None and to_undo(question):
            self._undo(work, question, yes=yes)
            return
        if work is None or (work.ended and work.state is not State.EXPIRED):
            raise LookupError(f"the open question {question.context_id} has no Work that could take its answer")
        if work.suspended_reason is not None:
            say_suspended(self._scene, work)
        elif question.expires_at <= self._scene.at:
            self._expired(work, question)
        elif yes:
            self._yes(work, question)
        else:
            self._no(work, question)

    def _undo(self, work: Work, question: SemanticContext, *, yes: bool) -> None:
        """A yes undoes what was done, if its time is not over; anything else leaves it as it is."""
        scene = self._scene
        expired = question.expires_at <= scene.at
        self._settle(question, "expired" if expired else "consumed" if yes else "rejected")
        if expired:
            scene.say("reply", "question_expired", work=work)
        elif yes:
            work = scene.happen(work, Event.SEMANTIC_COMMIT, note=_about(question))
            undo(scene, work, question)
        else:
            scene.say("reply", "left_as_is", work=work, summary=scene.summary(work))

    def _settle(self, question: SemanticContext, status: Any) -> None:
        self._scene.records.settle(question, status, by=self._scene.cause_id or self._scene.by, at=self._scene.at)

    def _expired(self, work: Work, question: SemanticContext) -> None:
        scene = self._scene
        self._settle(question, "expired")
        if work.state is State.EXPIRED:
            scene.say("reply", "expired", code="question_expired", work=work, title=scene.title(work))
            return
        work = scene.happen(work, Event.SEMANTIC_EXPIRED, State.ACTIVE, note=_about(question))
        go_on(scene, work)
        scene.reword("ask_anew")

    def _yes(self, work: Work, question: SemanticContext) -> None:
        scene = self._scene
        if work.state is State.EXPIRED:
            reopened = self._reopen(work)
            if reopened is None:
                return
            work = reopened
        self._settle(question, "consumed")
        if question.kind == "execution":
            work = scene.happen(work, Event.SEMANTIC_COMMIT, State.EXECUTING, asked=None, note=_about(question))
            claim_all(scene, work, question.context_id)
            return
        slot = replace(work.slots[str(question.path)], status="committed")
        changed: dict[str, Slot | None] = {slot.path: slot}
        delta = {"slots": {slot.path: plain_slot(slot)}, **keyed(scene, work, changed)}
        work = scene.happen(
            work, Event.SEMANTIC_COMMIT, State.ACTIVE, asked=None, unresolved=0, note=_about(question), **delta
        )
        go_on(scene, work)

    def _reopen(self, work: Work) -> Work | None:
        """Gate and conflict are checked again; nothing is interpreted again (docs/fluxi.md §3)."""
        scene = self._scene
        definition = scene.definition(work)
        refused: gate.Reason | None = "not_allowed"
        if gate.allowed(scene.catalogue.current(definition.type_id), work.account_id):
            refused = gate.refusal(
                scene.records, definition, self._conversation, work.values, True, itself=work.work_id
            )
        if refused is not None:
            say_refused(scene, definition, refused)
            return None
        scene.say("reply", "reopened", work=work, title=scene.title(work))
        return scene.happen(work, Event.WORK_REOPENED, State.ACTIVE, **keyed(scene, work, {}))

    def _no(self, work: Work, question: SemanticContext) -> None:
        scene = self._scene
        self._settle(question, "rejected")
        if work.state is State.EXPIRED:
            scene.say("reply", "expired", work=work, title=scene.title(work))
            return
        if question.kind == "execution":
            work = scene.happen(work, Event.SEMANTIC_REJECTED, State.ACTIVE, note=_about(question))
            what_to_change(scene, work)
            return
        path = str(question.path)
        after = _next_reading(work.slots[path])
        delta = {"slots": {path: None if after is None else plain_slot(after)}}
        delta |= keyed(scene, work, {path: after})
        work = scene.happen(work, Event.SEMANTIC_REJECTED, State.ACTIVE, asked=None, note=_about(question), **delta)
        go_on(scene, work)


def _about(question: SemanticContext) -> dict[str, Any]:
    return {"semantic_context_id": question.context_id, "kind": question.kind, "path": question.path}


def _next_reading(slot: Slot) -> Slot | None:
    """The likeliest of the readings that are left of an ambiguous value."""
    evidence = dict(slot.evidence or {})
    left = list(evidence.get("alternatives", ()))
    if not left and "piece" in evidence:  # the hour is forgotten, and the day and its part stay
        plain = {name: one for name, one in evidence.items() if name not in ("piece", "against")}
        return replace(slot, value=evidence["piece"], evidence=plain)
    if not left:
        return None
    return replace(slot, value=left[0], evidence={**evidence, "alternatives": left[1:]})
