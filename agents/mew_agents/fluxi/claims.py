"""Tx A of an effect: the yes is consumed and its effects are claimed, in one transaction (docs/fluxi.md §4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mew_agents.fluxi.arguments import arguments
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.claim import Claim, ClaimStatus, idempotency_key, undoing, undone_by
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.definitions.effects import Call
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_CLAIM
from mew_agents.fluxi.work import Work


def claim_all(scene: Scene, work: Work, context_id: str) -> Work | None:
    """Claims all effects of a Work that has just become EXECUTING under this context.

    None: somebody has claimed them before; nothing will be called for this one (`external_effect_claim_failed`).
    """
    if scene.records.claims(work.work_id):
        scene.happen(work, Event.EFFECT_CLAIM_FAILED, note={"semantic_context_id": context_id})
        return None
    effects = scene.definition(work).effects
    keys = {one.id: idempotency_key(work.account_id, context_id, one.effect_type) for one in effects}
    for position, effect in enumerate(effects):
        work = claim(
            scene,
            work,
            effect,
            context_id=context_id,
            effect_id=effect.id,
            effect_type=effect.effect_type,
            required=effect.required,
            position=position,
            keys=keys,
        )
    return work


def claim(
    scene: Scene,
    work: Work,
    call: Call,
    *,
    context_id: str,
    effect_id: str,
    effect_type: str,
    required: bool,
    position: int,
    keys: Mapping[str, str],
    claim_id: str | None = None,
    status: ClaimStatus = "claimed",
) -> Work:
    """Claims one effect; the unique keys of the table refuse a second one. `status`: what it is if nobody calls it."""
    key = idempotency_key(work.account_id, context_id, effect_type)
    given = arguments(call.args, scene.definition(work), work, language=scene.policy.language, keys=keys)
    scene.records.write(
        INSERT_CLAIM,
        {
            "claim_id": claim_id or scene.records.new_id(),
            "account_id": work.account_id,
            "semantic_context_id": context_id,
            "effect_type": effect_type,
            "work_id": work.work_id,
            "effect_id": effect_id,
            "position": position,
            "required": int(required),
            "idempotency_key": key,
            "call": written({"tool": call.tool, "arguments": given}),
            "status": status,
            "attempts": 0,
            "fence": 0,
            "lease_until": None,
            "due_at": 0 if status == "claimed" else None,  # at once, whatever the time of the turn was
            "cause": written({"by": scene.by, "id": scene.cause_id}),
            "claimed_at": scene.at,
        },
    )
    note = {"effect_id": effect_id, "effect_type": effect_type, "semantic_context_id": context_id, "key": key}
    return scene.happen(work, Event.EFFECT_CLAIMED, note=note)


def mint(scene: Scene, work: Work, proposed: Any = None) -> str:
    """A consumed context of the engine's own, so that a claim's key is never null (docs/fluxi.md §3).

    It is consumed the moment it is made. `proposed`: what it is for, by default the Work's values.
    """
    minted = SemanticContext(
        context_id=scene.records.new_id(),
        account_id=work.account_id,
        conversation_id=work.conversation_id,
        participant=work.owner,
        work_id=work.work_id,
        kind="minted",
        path=None,
        proposed=work.values if proposed is None else proposed,
        status="consumed",
        sent_at=scene.at,
        expires_at=scene.at,
        settled_by="engine",
        settled_at=scene.at,
        created_at=scene.at,
    )
    scene.records.ask(minted)
    return minted.context_id


def compensate(scene: Scene, work: Work, effect_ids: Sequence[str], *, proposed: Any = None) -> Work:
    """Claims what undoes these effects: effects of their own, under a minted context of their own (`proposed`)."""
    done = scene.records.claims(work.work_id)
    context_id = mint(scene, work, proposed)
    for position, effect_id in enumerate(reversed(effect_ids), start=len(done)):
        work = _claim_undoing(scene, work, effect_id, done, context_id=context_id, position=position)
    return work


def claim_by_hand(scene: Scene, work: Work, last: Claim, status: ClaimStatus) -> tuple[Work, Claim]:
    """Claims once more what could not be undone (`last`), for a person who has settled it: nothing is called."""
    done, effect_id = scene.records.claims(work.work_id), str(undone_by(last.effect_id))
    tries = sum(undone_by(one.effect_id) == effect_id for one in done)
    claim_id, context_id = scene.records.new_id(), mint(scene, work, {})
    work = _claim_undoing(
        scene, work, effect_id, done, context_id=context_id, position=len(done), claim_id=claim_id, status=status
    )
    effect_type = undoing(scene.definition(work).effect(effect_id).effect_type, tries)
    changes: dict[str, Any] = {"semantic_context_id": context_id, "effect_type": effect_type, "attempts": 0}
    return work, replace(last, claim_id=claim_id, effect_id=undoing(effect_id, tries), status=status, **changes)


def _claim_undoing(
    scene: Scene,
    work: Work,
    effect_id: str,
    done: Sequence[Claim],
    *,
    context_id: str,
    position: int,
    claim_id: str | None = None,
    status: ClaimStatus = "claimed",
) -> Work:
    effect = scene.definition(work).effect(effect_id)
    if effect.compensate is None:
        return work
    tries = sum(undone_by(one.effect_id) == effect_id for one in done)
    return claim(
        scene,
        work,
        effect.compensate,
        context_id=context_id,
        effect_id=undoing(effect_id, tries),
        effect_type=undoing(effect.effect_type, tries),
        required=False,
        position=position,
        keys={one.effect_id: one.idempotency_key for one in done},
        claim_id=claim_id,
        status=status,
    )


def begin(scene: Scene, work: Work) -> Work:
    """A Work that needs no yes: everything is known, so it is executed."""
    context_id = mint(scene, work)
    work = scene.happen(
        work, Event.SEMANTIC_COMMIT, State.EXECUTING, asked=None, note={"semantic_context_id": context_id}
    )
    return claim_all(scene, work, context_id) or work
