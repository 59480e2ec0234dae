"""Undoing what is done, because its owner asks for it: through compensation, and with a yes of its own (decision 38).

The question is one for the execution of what undoes the effects of an ended Work; `proposed` names them.
"""

from __future__ import annotations

from typing import Any, Final

from mew_agents.fluxi.asking import ask_execution
from mew_agents.fluxi.claim import undone_by
from mew_agents.fluxi.claims import compensate
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.requests import is_question

_UNDO: Final = "undo"


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


def to_undo(question: SemanticContext) -> list[str]:
    """The effects that a question asks to undo; none: it asks for something else."""
    proposed: Any = question.proposed
    return list(proposed[_UNDO]) if isinstance(proposed, dict) and set(proposed) == {_UNDO} else []


def undo(scene: Scene, work: Work, effect_ids: list[str]) -> None:
    """Claims what undoes the effects that still stand."""
    standing = undoable(scene, work)
    compensate(scene, work, [one for one in effect_ids if one in standing])
