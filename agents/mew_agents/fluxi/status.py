"""How a Work stands, or what became of it, whenever somebody asks (docs/fluxi.md §2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mew_agents.fluxi.asking import ask_again
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.fsm import WAITING, State
from mew_agents.fluxi.replies import Key
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.undoing import undoing_told
from mew_agents.fluxi.work import Work

_ENDED: Mapping[State, Key] = {
    State.COMPLETED: "status_completed",
    State.FAILED: "status_failed",
    State.EXPIRED: "status_expired",
    State.CANCELLED: "status_cancelled",
}
_PARTLY: Mapping[State, Key] = {State.FAILED: "failed_partly", State.CANCELLED: "cancelled_partly"}


def say_status(scene: Scene, work: Work) -> None:
    """How a Work stands; one that waits for an answer asks its question again."""
    told: dict[str, Any] = {"title": scene.title(work), "summary": scene.summary(work)}
    if work.state in WAITING and work.suspended_reason is None:
        ask_again(scene, work)
        scene.reword("status_waiting", code="status", **told)
    elif work.state is State.EXPIRED and _still_asked(scene, work):
        scene.say("reply", "expired_asking", code="status", work=work, **told)
    else:
        key = _running(scene, work) if work.live else _ended(scene, work, told)
        scene.say("reply", key, code="status", work=work, **told)


def say_expired(scene: Scene, work: Work) -> None:
    """That a Work has expired; and, while its question is valid, how it can be reopened."""
    key = "expired_asking" if _still_asked(scene, work) else "expired"
    scene.say("reply", key, code="expired", work=work, title=scene.title(work))


def is_undone(scene: Scene, work: Work) -> bool:
    """Whether anything that a Work did is undone: then it does not stand as it was asked for."""
    told = undoing_told(scene, work, scene.records.claims(work.work_id))
    return told is not None and bool(told[1].get("undone"))


def _running(scene: Scene, work: Work) -> Key:
    if work.suspended_reason is not None:
        return "status_in_doubt" if work.suspended_reason == "in_doubt" else "status_suspended"
    proposed = any(claim.status == "proposed" for claim in scene.records.claims(work.work_id))
    return "proposed" if proposed else "status_executing"


def _ended(scene: Scene, work: Work, told: dict[str, Any]) -> Key:
    """What became of it; one of which something is done that stands is not told as if nothing were."""
    claims = scene.records.claims(work.work_id)
    undoing = undoing_told(scene, work, claims)
    if undoing is not None and undoing[0] != "left_as_is":
        told |= undoing[1]
        return undoing[0]
    told |= scene.effects_told(work, claims)
    refused = [row for row in scene.records.effects(work.work_id) if row.outcome == "not_applied"]
    if refused and work.state is State.FAILED:
        answer = read(refused[-1].answer)
        told["reason"] = answer["message"] if answer.get("content") else ""
    return _PARTLY.get(work.state, _ENDED[work.state]) if told["done"] else _ENDED[work.state]


def _still_asked(scene: Scene, work: Work) -> bool:
    return any(question.expires_at > scene.at for question in scene.records.pending_of(work.work_id))
