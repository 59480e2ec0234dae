"""Undoing what is done, because its owner asks for it: through compensation, and with a yes of its own (decision 38).

The question is one for the execution of what undoes the effects of an ended Work; `proposed` names them, and what is
asked for instead. That opens as a Work of its own when the effects are undone, and asks before it does anything.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mew_agents.fluxi.asking import ask_execution
from mew_agents.fluxi.claim import Claim, undone_by
from mew_agents.fluxi.claims import compensate
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.renewal import Renewal, open_renewal, restored_renewal
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.wording import summary
from mew_agents.fluxi.work import Work
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.requests import is_question

_UNDO: Final = "undo"
_INSTEAD: Final = "instead"


def wants_undone(text: str, language: Language) -> bool:
    """Whether a message asks to take back or to change something: "cancelá el turno", "cambialo al jueves"."""
    tokens, clauses = fold(text).tokens, CLAUSES[language]
    if is_question(text, language):
        return False
    return any(clauses.undoes(token.text) and not clauses.denied(tokens, at) for at, token in enumerate(tokens))


def undoable(scene: Scene, work: Work) -> list[str]:
    """The effects of a completed Work that stand, and that its definition can undo."""
    if work.state is not State.COMPLETED:
        return []
    claims = scene.records.claims(work.work_id)
    begun = {undone_by(one.effect_id) for one in claims if one.status != "aborted"}
    done = [one.effect_id for one in claims if one.status == "completed" and undone_by(one.effect_id) is None]
    definition = scene.definition(work)
    return [one for one in done if one not in begun and definition.effect(one).compensate is not None]


def ask_to_undo(scene: Scene, work: Work, effect_ids: list[str]) -> None:
    """Asks whether what a Work did shall be undone."""
    context_id = ask_execution(scene, work, {_UNDO: effect_ids})
    scene.say("request_confirmation", "confirm_undo", work=work, context=context_id, summary=scene.summary(work))


def ask_to_change(scene: Scene, work: Work, effect_ids: list[str], renewal: Renewal) -> None:
    """Asks whether what a Work did shall be undone, and asked for again with other values."""
    context_id = ask_execution(scene, work, {_UNDO: effect_ids, _INSTEAD: renewal.plain()})
    definition = scene.catalogue.current(renewal.type_id) or scene.definition(work)
    instead = summary(definition, replace(work, slots=renewal.slots), scene.policy)
    scene.say(
        "request_confirmation",
        "confirm_change",
        work=work,
        context=context_id,
        summary=scene.summary(work),
        instead=instead,
    )


def to_undo(question: SemanticContext) -> list[str]:
    """The effects that a question asks to undo; none: it asks for something else."""
    proposed: Any = question.proposed
    asked = isinstance(proposed, dict) and _UNDO in proposed and set(proposed) <= {_UNDO, _INSTEAD}
    return list(proposed[_UNDO]) if asked else []


def undo(scene: Scene, work: Work, question: SemanticContext) -> None:
    """Claims what undoes the effects that a question names and that still stand."""
    standing = undoable(scene, work)
    proposed: Any = question.proposed
    instead = {_INSTEAD: proposed[_INSTEAD]} if _INSTEAD in proposed else None
    compensate(scene, work, [one for one in to_undo(question) if one in standing], proposed=instead)


def go_on_instead(scene: Scene, work: Work, claim: Claim) -> None:
    """Opens what is asked for in place of a Work, when the last of its effects is undone and no other Work of its
    owner is under way.
    """
    records = scene.records
    context = records.question(work.account_id, work.conversation_id, work.owner, claim.semantic_context_id)
    proposed: Any = None if context is None else context.proposed
    if not isinstance(proposed, dict) or set(proposed) != {_INSTEAD}:
        return
    together = [one for one in records.claims(work.work_id) if one.semantic_context_id == claim.semantic_context_id]
    if any(one.status != "completed" for one in together if one.claim_id != claim.claim_id):
        return
    live = records.live_in(work.account_id, work.conversation_id)
    if any(one.owner == work.owner for one in live):
        scene.say("reply", "put_off", work=work, titles=[scene.title(work)])
        return
    conversation = Conversation(work.account_id, work.conversation_id)
    open_renewal(scene, conversation, work.owner, restored_renewal(proposed[_INSTEAD]))
