"""Undoing what is done, because its owner asks for it: through compensation, and with a yes of its own (decision 38).

The question is one for the execution of what undoes the effects of an ended Work; `proposed` names them, and what is
asked for instead. That opens as a Work of its own when the effects are undone, and asks before it does anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from mew_agents.fluxi.asking import ask_execution
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.claim import Claim, undo_failed, undoings, undone_by
from mew_agents.fluxi.claims import compensate
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.renewal import Renewal, open_renewal, restored_renewal
from mew_agents.fluxi.replies import Key, every
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.wording import summary
from mew_agents.fluxi.work import Work
from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import fold
from mew_agents.language.found import Language
from mew_agents.language.requests import is_question

# What was done of a Work that has ended so may be undone.
UNDOABLE: Final = (State.COMPLETED, State.FAILED, State.CANCELLED)
_UNDO: Final = "undo"
_INSTEAD: Final = "instead"


def wants_undone(text: str, language: Language) -> bool:
    """Whether a message asks to take back or to change something: "cancelá el turno", "cambialo al jueves"."""
    tokens, clauses = fold(text).tokens, CLAUSES[language]
    if is_question(text, language):
        return False
    return any(clauses.undoes(token.text) and not clauses.denied(tokens, at) for at, token in enumerate(tokens))


def undoable(scene: Scene, work: Work) -> list[str]:
    """The effects of an ended Work that stand, and that its definition can undo. What could not be undone is looked
    at by a person, and not tried again meanwhile.
    """
    if work.state not in UNDOABLE:
        return []
    claims = scene.records.claims(work.work_id)
    begun = {effect_id for effect_id, one in undoings(claims).items() if one.status != "aborted"}
    begun.update(undo_failed(claims))
    definition = scene.definition(work)
    return [one for one in _done(claims) if one not in begun and definition.effect(one).compensate is not None]


def _done(claims: Sequence[Claim]) -> list[str]:
    return [one.effect_id for one in claims if one.status == "completed" and undone_by(one.effect_id) is None]


def undoing_told(
    scene: Scene, work: Work, claims: Sequence[Claim], reason: str = ""
) -> tuple[Key, dict[str, Any]] | None:
    """The sentence about all that was to be undone of a Work; None: nothing was. `reason`: why the last one was not."""
    last = undoings(claims)
    if not last:
        return None
    told: dict[str, Any] = {"summary": scene.summary(work)}
    under_way = [one.status for one in last.values() if one.open]
    if under_way:
        first = next((one for one in ("in_doubt", "proposed") if one in under_way), None)
        return f"undoing_{first}" if first else "undoing", told
    undone = [effect_id for effect_id, one in last.items() if one.status == "completed"]
    failed = undo_failed(claims)
    stands = [one for one in _done(claims) if one not in undone]
    told |= {"undone": _named(scene, work, undone), "standing": _named(scene, work, stands)}
    if failed:
        tried = {last[one].claim_id for one in failed}
        why = [_words(row.answer) for row in scene.records.effects(work.work_id) if row.claim_id in tried]
        told["reason"] = "; ".join(dict.fromkeys(one for one in (*why, reason) if one))
        return "undone_partly" if undone else "undoing_failed", told
    return "undone" if undone else "left_as_is", told


def _words(answer: str) -> str:
    """The tool's own words about what it did not do."""
    plain = read(answer)
    return str(plain["message"]) if plain.get("content") else ""


def undoing_decided(scene: Scene, work: Work, claim: Claim, *, reason: str = "") -> None:
    """What undoes an effect (`claim`, as it is by now) is decided: with the last of them, all of it is told at once,
    and what is asked for in place of the Work opens.
    """
    before = scene.records.claims(work.work_id)
    known = any(one.claim_id == claim.claim_id for one in before)
    claims = [claim if one.claim_id == claim.claim_id else one for one in before] if known else [*before, claim]
    if any(one.open for one in claims):
        return
    told = undoing_told(scene, work, claims, reason)
    if told is not None:
        scene.say("reply", told[0], work=work, **told[1])
    go_on_instead(scene, work, [one for one in claims if one.semantic_context_id == claim.semantic_context_id])


def _left(scene: Scene, work: Work, effect_ids: Sequence[str]) -> str:
    """What was done and stands, as people call it, when these effects are undone."""
    claims = scene.records.claims(work.work_id)
    undone = {effect_id for effect_id, one in undoings(claims).items() if one.status == "completed"}
    return _named(scene, work, [one for one in _done(claims) if one not in undone and one not in effect_ids])


def _named(scene: Scene, work: Work, effect_ids: Sequence[str]) -> str:
    effects = (one for one in scene.definition(work).effects if one.id in effect_ids)
    return every([one.name(scene.policy.language) for one in effects], scene.policy)


def ask_to_undo(scene: Scene, work: Work, effect_ids: list[str]) -> None:
    """Asks whether what a Work did shall be undone."""
    context_id = ask_execution(scene, work, {_UNDO: effect_ids})
    left, summed = _left(scene, work, effect_ids), scene.summary(work)
    scene.say("request_confirmation", "confirm_undo", work=work, context=context_id, summary=summed, standing=left)


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
        standing=_left(scene, work, effect_ids),
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


def go_on_instead(scene: Scene, work: Work, together: Sequence[Claim]) -> None:
    """Opens what is asked for in place of a Work, if all that was to be undone for that is undone and no other Work of
    its owner is under way; else says that it is not done.
    """
    records = scene.records
    context = records.question(work.account_id, work.conversation_id, work.owner, together[0].semantic_context_id)
    proposed: Any = None if context is None else context.proposed
    if not isinstance(proposed, dict) or set(proposed) != {_INSTEAD}:
        return
    undone = all(one.status == "completed" for one in together)
    live = records.live_in(work.account_id, work.conversation_id)
    if not undone or any(one.owner == work.owner for one in live):
        code = None if undone else "undoing_failed"
        scene.say("reply", "put_off", code=code, work=work, titles=[scene.title(work)])
        return
    conversation = Conversation(work.account_id, work.conversation_id)
    open_renewal(scene, conversation, work.owner, restored_renewal(proposed[_INSTEAD]))
