"""A Work as its events make it: pure folding, so that the stored rows and a replay can be compared (seed 002 §4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from mew_agents.fluxi.fsm import ENDED, LIVE, Event, State, check

SlotStatus: TypeAlias = Literal["proposed", "committed"]
Suspension: TypeAlias = Literal["needs_human", "halted", "in_doubt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One variable of a Work (seed 002 §4). `value` is JSON; `evidence`: message_id, start, end and the words."""

    path: str
    type: str
    value: Any
    source: str
    set_by: str
    set_at: int
    status: SlotStatus
    immutable: bool = False
    evidence: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEvent:
    """One thing that happened to a Work, for good: `delta` is all that it changes of it besides state and revision.

    Keys of `delta`: any field of Work by name; `slots` (path → slot, null: dropped) and whatever else explains it
    under `note`.
    """

    work_id: str
    revision: int
    type: Event
    source: State | None
    target: State
    cause: Mapping[str, Any]
    delta: Mapping[str, Any]
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A transaction of business on its way to a real effect. `revision` counts its events.

    `part_of`: the dialogue that it is an effect of. Such a Work is never the active one of its conversation and says
    nothing itself: whatever happens to it is told to what it is a part of.
    """

    work_id: str
    proposal_id: str
    account_id: str
    conversation_id: str
    owner: str
    version_id: str
    state: State
    revision: int
    opened_at: int
    changed_at: int
    part_of: str | None = None
    slots: Mapping[str, Slot] = field(default_factory=dict)
    suspended_reason: Suspension | None = None
    aggregate_key: str | None = None
    unresolved: int = 0
    asked: str | None = None
    cancel_requested: str | None = None
    expires_at: int | None = None

    @property
    def live(self) -> bool:
        """It has not ended."""
        return self.state in LIVE

    @property
    def ended(self) -> bool:
        """It has ended; EXPIRED may still be reopened."""
        return self.state in ENDED

    def committed(self, path: str) -> Any:
        """The committed value of a slot, or None."""
        slot = self.slots.get(path)
        return slot.value if slot is not None and slot.status == "committed" else None

    @property
    def values(self) -> dict[str, Any]:
        """The committed values by path."""
        return {path: slot.value for path, slot in self.slots.items() if slot.status == "committed"}


# What an event may change of a Work, besides its state, revision and slots.
CHANGEABLE = ("suspended_reason", "aggregate_key", "unresolved", "asked", "cancel_requested", "expires_at")
_FIXED = ("proposal_id", "account_id", "conversation_id", "owner", "version_id")


def slot_of(plain: Mapping[str, Any]) -> Slot:
    """A slot from its JSON."""
    return Slot(**plain)


def plain_slot(slot: Slot) -> dict[str, Any]:
    """A slot as JSON."""
    return {
        "path": slot.path,
        "type": slot.type,
        "value": slot.value,
        "source": slot.source,
        "set_by": slot.set_by,
        "set_at": slot.set_at,
        "status": slot.status,
        "immutable": slot.immutable,
        "evidence": None if slot.evidence is None else dict(slot.evidence),
    }


def advance(work: Work | None, event: WorkEvent) -> Work:
    """The Work after an event. Raises IllegalTransition, ValueError for a revision that does not follow."""
    check(None if work is None else work.state, event.type, event.target)
    if event.revision != (1 if work is None else work.revision + 1):
        raise ValueError(f"revision {event.revision} does not follow {work and work.revision} of {event.work_id}")
    if work is None:
        fixed = {name: event.delta[name] for name in _FIXED} | {"part_of": event.delta.get("part_of")}
        work = Work(
            work_id=event.work_id, state=event.target, revision=1, opened_at=event.at, changed_at=event.at, **fixed
        )
    changes = {name: event.delta[name] for name in CHANGEABLE if name in event.delta}
    return replace(
        work,
        state=event.target,
        revision=event.revision,
        changed_at=event.at,
        slots=_slots(work.slots, event.delta.get("slots")),
        **changes,
    )


def _slots(slots: Mapping[str, Slot], delta: Mapping[str, Any] | None) -> Mapping[str, Slot]:
    if not delta:
        return slots
    changed = dict(slots)
    for path, plain in delta.items():
        if plain is None:
            changed.pop(path, None)
        else:
            changed[path] = slot_of(plain)
    return changed


def replay(events: Iterable[WorkEvent]) -> Work:
    """A Work from all its events, in order. Raises ValueError if there are none or one is missing."""
    work: Work | None = None
    for event in events:
        work = advance(work, event)
    if work is None:
        raise ValueError("a Work without events")
    return work
