"""A value meets its slot: validated before it is stored, whoever set it (docs/flows.md §3).

A correction goes back to the question that the slot was asked with, so that everything after it is decided anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import msgspec

from mew_agents.flows.commands import CorrectSlot, SetSlot
from mew_agents.flows.definitions import uses
from mew_agents.flows.definitions.expressions import Unevaluable
from mew_agents.flows.definitions.meaning import meant, plain
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.steps import Collect
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Frame, Visit
from mew_agents.flows.wording import NOTHING, filled
from mew_agents.fluxi import values
from mew_agents.fluxi.refusing import invalid
from mew_agents.fluxi.wording import label, shown
from mew_agents.fluxi.work import Slot

# Set by the flow itself: recomputed when a correction goes back before it.
COMPUTED = "flow"


def take(stage: Stage, command: SetSlot | CorrectSlot, message_id: str) -> None:
    """Stores what somebody said, or says why not."""
    frame = stage.top
    if frame is None or command.path not in stage.flow(frame).definition.paths:
        return
    held = frame.slots.get(command.path)
    settled = held is not None and held.status == "committed"
    if frame.acting is not None:
        say_under_way(stage, frame)
        return
    same = settled and held is not None and held.value == command.value
    if same or say_refused(stage, frame, command.path, command.value):
        return
    frame = stage.change(frame, changing=False)
    slot = _slot(stage, frame, command, message_id)
    if settled:
        _correct(stage, frame, slot)
    else:
        frame = stage.close(frame, _status(frame, slot))
        if slot.status == "committed" and not stage.flow(frame).slots[slot.path].slot.required:
            _put(stage, frame, slot)  # nothing asks for it: whatever was worked out so far was so without it
        else:
            stage.change(frame, slots=_last(frame.slots, slot))


def say_under_way(stage: Stage, frame: Frame) -> None:
    """The flow waits for a call, or for a person who finds out about one."""
    title = stage.title(stage.root(frame))
    if frame.acting is not None and frame.acting.in_doubt:
        stage.say("in_doubt", kind="in_doubt", frame=frame, summary=title)
    else:
        stage.say("busy", frame=frame, title=title)


def say_refused(stage: Stage, frame: Frame, path: str, value: Any) -> bool:
    """Whether a value cannot stand in a slot, which is then said."""
    flow = stage.flow(frame)
    slot = flow.slots[path].slot
    refusal = values.refusal(slot, value, stage.understanding)
    data = {"path": path}
    if refusal is not None:
        key, told = invalid(slot, value, refusal, stage.policy)
        told["value"] = told["value"] or NOTHING
        stage.say(key, code="invalid_value", frame=frame, data={**data, "refusal": refusal.code}, **told)
        return True
    message = _failed_check(stage, flow, frame, path, value)
    if message is None:
        return False
    stage.say(
        "invalid_check",
        code="invalid_value",
        frame=frame,
        data={**data, "refusal": "check"},
        message=message,
        label=label(slot, stage.policy),
        value=shown(slot, value, stage.policy) or NOTHING,
    )
    return True


def _failed_check(stage: Stage, flow: Flow, frame: Frame, path: str, value: Any) -> str | None:
    for check in flow.slots[path].checks:
        try:
            holds = check.that.holds(names_of(stage, frame, value=meant(flow.slots[path].slot, value)))
        except Unevaluable:
            holds = False
        if not holds:
            return filled(stage, frame, check.message)
    return None


def names_of(stage: Stage, frame: Frame, **given: Any) -> dict[str, Any]:
    """What expressions of a flow can name; `given`: a `result` or a `value` besides."""
    return stage.flow(frame).scope(frame.values, now=stage.understanding.now, **given)


def computed(stage: Stage, frame: Frame, told: Iterable[tuple[str, Any]]) -> tuple[dict[str, Slot | None], str | None]:
    """The slots that a flow sets itself, None for those that are emptied; or the first that takes its value not."""
    flow = stage.flow(frame)
    found: dict[str, Slot | None] = {}
    for path, value in told:
        if value is None:
            found[path] = None
            continue
        slot = flow.slots[path].slot
        try:
            stored = plain(slot, value, zone=stage.policy.zone)
        except Unevaluable:
            return {}, path
        refused = values.refusal(slot, stored, stage.understanding) is not None
        if refused or _failed_check(stage, flow, frame, path, stored) is not None:
            return {}, path
        said = _said(frame.slots.get(path))
        found[path] = Slot(
            path=path,
            type=slot.type,
            value=stored,
            source=COMPUTED,
            set_by=flow.name,
            set_at=stage.at,
            status="committed",
            evidence=None if said is None else {"said": msgspec.to_builtins(said)},
        )
    return found, None


def _said(slot: Slot | None) -> Slot | None:
    """What somebody put into a slot, also where the flow has put something else over it since."""
    if slot is None or slot.source != COMPUTED:
        return slot
    said = (slot.evidence or {}).get("said")
    return None if said is None else msgspec.convert(said, Slot)


def merged(slots: Mapping[str, Slot], changed: Mapping[str, Slot | None]) -> dict[str, Slot]:
    """Slots after changes; None drops one."""
    both = {**slots, **changed}
    return {path: slot for path, slot in both.items() if slot is not None}


def visited(frame: Frame, step: str, path: str) -> tuple[Visit, ...]:
    """The visits of a flow with one more: it passes the question for a slot.

    Where it comes back to a question, in the same round, it is as if it had never gone on from there.
    """
    own = {name: slot for name, slot in frame.slots.items() if slot.source == COMPUTED}
    this = Visit(step=step, path=path, rounds=frame.rounds, computed=own)
    again = (at for at, one in enumerate(frame.visits) if one.step == step and one.rounds == frame.rounds)
    return (*frame.visits[: next(again, None)], this)


def _correct(stage: Stage, frame: Frame, slot: Slot) -> None:
    """Stored; the flow goes back to where it was asked, with what was said kept and what was computed undone."""
    at = _asked_at(frame, slot.path)
    if at is None and slot.path in frame.fixed:
        fixed = stage.flow(frame).slots[slot.path].slot
        value = shown(fixed, frame.slots[slot.path].value, stage.policy)
        stage.say("too_late_to_correct", frame=frame, label=label(fixed, stage.policy), value=value)
        return
    if slot.status == "committed":  # else it is asked back
        known = stage.flow(frame).slots[slot.path].slot
        value = shown(known, slot.value, stage.policy)
        stage.say("corrected", frame=frame, label=label(known, stage.policy), value=value, data={"value": value})
    frame = stage.close(frame, "superseded")
    if at is None:
        _put(stage, frame, slot)
    else:
        _go_back(stage, frame, slot, frame.visits[at], frame.visits[:at])


def reopen(stage: Stage, path: str, *, emptied: bool = False) -> None:
    """A value is not meant any more: the slot is asked for again, where that was done, and else by its name.

    `emptied`: no other is meant; what the flow never asks for is without a value then.
    """
    frame = stage.top
    if frame is None or path not in stage.flow(frame).definition.paths:
        return
    emptied = emptied and path not in frame.fixed and not stage.flow(frame).slots[path].slot.required
    if not emptied and path not in frame.slots:
        return
    if frame.acting is not None:
        say_under_way(stage, frame)
        return
    if emptied:
        _empty(stage, stage.close(stage.change(frame, changing=False), "superseded"), path)
        return
    slot = stage.flow(frame).slots[path].slot
    named = label(slot, stage.policy)
    at = _asked_at(frame, path)
    if at is not None:
        frame = stage.close(frame, "superseded")
        stage.change(frame, step=frame.visits[at].step, **_since(frame, frame.visits[at], frame.visits[:at], path))
    elif path in frame.fixed:
        stage.say("too_late_to_correct", frame=frame, label=named, value=shown(slot, frame.values[path], stage.policy))
    elif _asks_later(stage, frame, path):  # another correction has gone back before its question already
        stage.change(frame, slots={name: one for name, one in frame.slots.items() if name != path})
    else:
        stage.say("say_new_value", frame=frame, label=named)


def _empty(stage: Stage, frame: Frame, path: str) -> None:
    """A slot has no value any more, and what was worked out with it is worked out anew."""
    stage.say("emptied", frame=frame, label=label(stage.flow(frame).slots[path].slot, stage.policy))
    back = _to_work_out_anew(stage, frame, path) if path in frame.slots else None
    if back is None:
        stage.change(frame, slots={name: one for name, one in frame.slots.items() if name != path})
    else:
        stage.change(frame, step=back.step, **_since(frame, back, (), path))


def _asks_later(stage: Stage, frame: Frame, path: str) -> bool:
    """Whether a flow is going to come to the question for a slot."""
    program = stage.flow(frame).program
    ahead = () if frame.step is None else (frame.step, *program.ahead(frame.step))
    steps = (program.steps[step] for step in ahead if step in program.steps)
    return any(isinstance(step, Collect) and step.collect == path for step in steps)


def _asked_at(frame: Frame, path: str) -> int | None:
    """Which visit passed the question for a slot last."""
    return next((at for at in reversed(range(len(frame.visits))) if frame.visits[at].path == path), None)


def _put(stage: Stage, frame: Frame, slot: Slot) -> None:
    """Stored, though no question for it was passed; what was worked out with what it held is worked out anew."""
    back = _to_work_out_anew(stage, frame, slot.path)
    if back is None:
        stage.change(frame, slots=_last(frame.slots, slot))
    else:
        _go_back(stage, frame, slot, back, ())


def _to_work_out_anew(stage: Stage, frame: Frame, path: str) -> Visit | None:
    """Where a flow goes back to because of a slot that it was not asked for. None: it stays where it is.

    That is the first question that it has passed, or else its beginning, unless an effect has happened since. A slot
    that it sets by itself would only be set once more.
    """
    flow = stage.flow(frame)
    passed = (flow.program.ahead(step) for step in uses.deciding(flow, path))
    if path in uses.computed(flow) or not any(frame.step in ahead for ahead in passed):
        return None
    if frame.visits:
        return frame.visits[0]
    begun = not frame.done and not frame.fixed
    return Visit(step=str(flow.program.first), path=path, rounds={}, computed={}) if begun else None


def _go_back(stage: Stage, frame: Frame, slot: Slot, visit: Visit, before: tuple[Visit, ...]) -> None:
    """To a visit: with what was said ever since, and what was computed until then."""
    since = _since(frame, visit, before, slot.path)
    stage.change(frame, step=visit.step, **{**since, "slots": _last(since["slots"], slot)})


def _since(frame: Frame, visit: Visit, before: tuple[Visit, ...], path: str) -> dict[str, Any]:
    """What a flow holds that is at a visit again: what was said, and what was computed until then, but for one slot."""
    said = {name: one for name, held in frame.slots.items() if (one := _said(held)) is not None}
    own = {name: one for name, one in visit.computed.items() if name not in said or said[name].set_at <= one.set_at}
    slots = {name: one for name, one in {**said, **own}.items() if name != path}
    return {"rounds": visit.rounds, "visits": before, "slots": slots, "changing": False}


def _last(slots: Mapping[str, Slot], slot: Slot) -> dict[str, Slot]:
    """Slots with one that was filled after them."""
    return {**{path: one for path, one in slots.items() if path != slot.path}, slot.path: slot}


def _slot(stage: Stage, frame: Frame, command: SetSlot | CorrectSlot, message_id: str) -> Slot:
    slot = stage.flow(frame).slots[command.path].slot
    sure = command.checked and not command.doubts and values.is_complete(slot, command.value)
    others = [one for one in command.alternatives if values.refusal(slot, one, stage.understanding) is None]
    evidence = {"message_id": message_id, "start": command.start, "end": command.end, "text": command.evidence}
    return Slot(
        path=command.path,
        type=slot.type,
        value=command.value,
        source="person",
        set_by=stage.before.participant,
        set_at=stage.at,
        status="committed" if sure else "proposed",
        evidence=evidence if sure else {**evidence, "alternatives": others, "doubts": list(command.doubts)},
    )


def _status(frame: Frame, slot: Slot) -> str:
    """What becomes of the open question: what it asked for has come, or it is asked again behind something else."""
    return "consumed" if frame.asked is not None and frame.asked.path == slot.path else "superseded"


def next_reading(slot: Slot) -> Slot | None:
    """The likeliest of the readings that are left of a value that was not meant."""
    evidence = dict(slot.evidence or {})
    left = list(evidence.get("alternatives", ()))
    return replace(slot, value=left[0], evidence={**evidence, "alternatives": left[1:]}) if left else None
