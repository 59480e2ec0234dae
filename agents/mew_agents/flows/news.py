"""What happened to a Work in a transaction, as its dialogue is told it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mew_agents.flows.events import AnyEvent, EffectCancelled, EffectDone, EffectFailed, EffectInDoubt
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work, WorkEvent

# Who acts for nobody: what they end, somebody else has asked for.
_NOBODY = ("engine", "recovery", "timer")


def news_of(scene: Scene, work: Work, *, at: int, participant: str) -> Iterator[AnyEvent]:
    """The event of the dialogue that follows from those of its Work in this transaction; mostly none does."""
    happened = [one for one in scene.records.events if one.work_id == work.work_id]
    if not happened:
        return
    last, types = happened[-1], {one.type for one in happened}
    if last.target in (State.COMPLETED, State.FAILED, State.CANCELLED) and last.source != last.target:
        yield _ended(scene, last, at=at, participant=participant)
    elif Event.EFFECT_IN_DOUBT in types and work.live:
        yield EffectInDoubt(at=at, work_id=work.work_id)


def _ended(scene: Scene, last: WorkEvent, *, at: int, participant: str) -> AnyEvent:
    note: dict[str, Any] = last.delta.get("note") or {}
    if last.target is State.CANCELLED or "cancel_requested" in last.delta:  # it was to be called off
        by = str(_asked_for(scene, last).cause.get("by"))
        done = last.target is State.COMPLETED or bool(note.get("effects_done"))
        return EffectCancelled(at=at, work_id=last.work_id, by=None if by in (participant, *_NOBODY) else by, done=done)
    if last.target is State.FAILED:
        return EffectFailed(
            at=at, work_id=last.work_id, code=str(note.get("code", "failed")), message=str(note.get("message", ""))
        )
    result: Any = next((one.data["result"] for one in reversed(scene.said) if "result" in one.data), {})
    return EffectDone(at=at, work_id=last.work_id, content=result)


def _asked_for(scene: Scene, last: WorkEvent) -> WorkEvent:
    """Where a cancellation was asked for: while a call is out, before it happens."""
    events = (*scene.records.history(last.work_id), *scene.records.events)
    return next((one for one in events if one.type is Event.CANCEL_REQUESTED and one.work_id == last.work_id), last)
