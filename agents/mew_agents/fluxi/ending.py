"""A Work is cancelled: at once, or, while a call is under way, as soon as its outcome is known (docs/fluxi.md §3)."""

from __future__ import annotations

from mew_agents.fluxi.asking import void
from mew_agents.fluxi.claim import Claim
from mew_agents.fluxi.claims import compensate
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.ports import REMOVED
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work

# A call is out, or may be done by somebody at any moment: what becomes of it must be known first.
OUT = ("invoking", "proposed", "in_doubt")


def cancel(scene: Scene, work: Work) -> Work:
    """Cancels a live Work, or records that it is to be cancelled, and says which."""
    claims = scene.records.claims(work.work_id) if work.state is State.EXECUTING else []
    if any(one.status in OUT for one in claims):
        if work.cancel_requested is None:
            work = scene.happen(work, Event.CANCEL_REQUESTED, cancel_requested=scene.by)
        scene.say("reply", "cancel_requested", work=work, title=scene.title(work))
        return work
    return call_off(scene, work, claims)


def call_off(scene: Scene, work: Work, claims: list[Claim]) -> Work:
    """Ends a Work that no call is out for: what was not begun is never begun, what was done is undone or told."""
    for one in claims:
        if one.status == "claimed":
            scene.records.change_claim(one, status="aborted", due_at=None)
    void(scene, work)
    # The yes to what was done was theirs to give, and nobody asks to take it back.
    is_removed = REMOVED in (scene.by, work.cancel_requested)
    done = [one.effect_id for one in claims if one.status == "completed"]
    definition = scene.definition(work)
    reversible = [effect_id for effect_id in done if definition.effect(effect_id).compensate is not None]
    # What was requested has come to pass; left standing, it would hold up the compensation.
    over = {"asked": None, "cancel_requested": None}
    work = scene.happen(work, Event.WORK_CANCELLED, State.CANCELLED, **over, note={"effects_done": done})
    if definition.cancel.compensate and reversible and not is_removed:
        work = compensate(scene, work, reversible)
    if done:
        told = scene.effects_told(work, claims)
        scene.say("reply", "cancelled_partly", code="cancelled", work=work, title=scene.title(work), **told)
    else:
        scene.say("reply", "cancelled", work=work, title=scene.title(work))
    return work
