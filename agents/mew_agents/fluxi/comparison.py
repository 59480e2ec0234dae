"""Whether the rows of a Work are what its events make of it (docs/fluxi.md §9, case 25)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields

from mew_agents.fluxi.fsm import IllegalTransition
from mew_agents.fluxi.work import Work, WorkEvent, replay


def differences(work: Work, events: Iterable[WorkEvent]) -> list[str]:
    """What is not as the events make it, a sentence each; none: the rows are their replay."""
    try:
        replayed = replay(events)
    except (IllegalTransition, ValueError, KeyError, TypeError) as error:
        return [f"the events do not make a Work: {error}"]
    return list(_different(work, replayed))


def _different(work: Work, replayed: Work) -> Iterator[str]:
    for field in fields(Work):
        if field.name == "slots":
            continue
        stored, made = getattr(work, field.name), getattr(replayed, field.name)
        if stored != made:
            yield f"{field.name} is {stored!r}, its events make {made!r}"
    for path in dict.fromkeys((*work.slots, *replayed.slots)):
        if work.slots.get(path) != replayed.slots.get(path):
            yield f"the slot {path} is {work.slots.get(path)!r}, its events make {replayed.slots.get(path)!r}"
