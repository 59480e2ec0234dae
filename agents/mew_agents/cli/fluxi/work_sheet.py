"""One Work as people read it: where it stands, its slots, its effects, and its events as a timeline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mew_agents.fluxi.claim import undo_failed
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.lookup import FoundEffect, FoundWork
from mew_agents.fluxi.work import Slot, WorkEvent
from mew_gateway.cli.printing.ids import short
from mew_gateway.cli.printing.moment import clock_of, duration
from mew_gateway.cli.printing.terminal import one_line

from .standing import standing

_CLAIMS = {"completed": "green", "aborted": "red", "in_doubt": "bold red", "invoking": "cyan", "proposed": "yellow"}
_IDS = ("semantic_context_id", "request_id", "key", "message_id")
_NAMES = {"semantic_context_id": "question", "suspended_reason": "because"}
_SHOWN_KEY = 12  # characters of an effect's key
_SPACE = Text("")


def sheet(found: FoundWork, *, now: int) -> RenderableType:
    """All of it. `now` in ms since the epoch."""
    parts: list[RenderableType] = [*_head(found, now)]
    if found.work.slots:
        parts += [_SPACE, _slots(found)]
    if found.effects:
        parts += [_SPACE, *(line for effect in found.effects for line in _effect(effect, found, now))]
        parts += _not_undone(found)
    return Group(*parts, _SPACE, _timeline(found))


def _head(found: FoundWork, now: int) -> Iterator[Text]:
    work = found.work
    yield Text.assemble((one_line(found.title), "bold"), "  ", (work.work_id, "dim"))
    stands = standing(work.state, work.suspended_reason, undone=found.undone, undo_failed=found.undo_failed)
    yield Text.assemble(stands, f"  {one_line(found.about)}")
    place = f"{one_line(work.account_id)}/{one_line(work.conversation_id)}"
    yield Text(
        f"of {one_line(work.owner)} in {place}, {one_line(work.version_id)}, revision {work.revision}", style="dim"
    )
    opened = f"opened {duration(max(0, now - work.opened_at))} ago"
    yield Text(opened + (f", {_until(work.expires_at, now, 'expires in')}" if work.expires_at else ""), style="dim")
    if found.waits_for:
        yield Text.assemble(("waits for ", "yellow"), one_line(found.waits_for))
    for question in found.questions:
        yield Text(f"  open question {_question(question, now)}", style="dim")
    if work.cancel_requested is not None:
        yield Text(f"to be cancelled, by {one_line(work.cancel_requested)}", style="yellow")


def _question(question: SemanticContext, now: int) -> str:
    about = "the execution" if question.path is None else question.path
    sent = "not out yet" if question.sent_at is None else f"out {duration(max(0, now - question.sent_at))} ago"
    return (
        f"{short(question.context_id)} about {one_line(about)}, {sent}, {_until(question.expires_at, now, 'valid for')}"
    )


def _until(moment: int, now: int, word: str) -> str:
    return f"{word} {duration(moment - now)}" if moment > now else f"over for {duration(now - moment)}"


def _slots(found: FoundWork) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("slot", "value", "status", "evidence", "set by"):
        table.add_column(heading, overflow="fold")
    for path, slot in found.work.slots.items():
        table.add_row(
            Text(one_line(path), style="bold"),
            Text(one_line(found.values.get(path) or slot.value)),
            _status(slot),
            Text(_evidence(slot)),
            Text(f"{one_line(slot.set_by)}, {one_line(slot.source)}", style="dim"),
        )
    return table


def _status(slot: Slot) -> Text:
    text = Text(slot.status, style="green" if slot.status == "committed" else "yellow")
    return text.append(", immutable") if slot.immutable else text


def _evidence(slot: Slot) -> str:
    """The very words it was read in, and where they stand."""
    if slot.evidence is None:
        return "-"
    words = slot.evidence.get("text", slot.evidence.get("evidence"))
    place = f" at {slot.evidence['start']}–{slot.evidence['end']}" if "start" in slot.evidence else ""
    said_in = f" of {short(str(slot.evidence['message_id']))}" if slot.evidence.get("message_id") else ""
    return f"“{one_line(words, longest=60)}”{place}{said_in}" if words is not None else "-"


def _effect(effect: FoundEffect, found: FoundWork, now: int) -> Iterator[Text]:
    claim = effect.claim
    line = Text.assemble("effect ", (one_line(claim.effect_id), "bold"), f"  {one_line(claim.call['tool'])}  ")
    line.append(claim.status.replace("_", " "), style=_CLAIMS.get(claim.status, ""))
    if effect.outcome is not None:
        line.append(f", {effect.outcome.replace('_', ' ')} ({effect.source})")
    line.append(f"  key {claim.idempotency_key[:_SHOWN_KEY]}…, question {short(claim.semantic_context_id)}", "dim")
    yield line
    for attempt in effect.attempts:
        came = (attempt.outcome or "no answer").replace("_", " ")
        told = f"  attempt {attempt.attempt} at {clock_of(attempt.began_at)}, fence {attempt.fence}: {came}"
        yield Text(f"{told}{_said(attempt.answer)}{' (a late answer was kept)' if attempt.late else ''}")
    if claim.due_at is not None and claim.status in ("claimed", "in_doubt"):
        what = "is tried" if claim.status == "claimed" else "is asked about again"
        yield Text(f"  {what} {'now' if claim.due_at <= now else 'in ' + duration(claim.due_at - now)}", style="yellow")
    if claim.status == "in_doubt":
        yield Text(f"  `mew fluxi resolve {found.work.work_id[-8:]} {claim.effect_id} …` settles it", style="yellow")
    if effect.evidence:
        yield Text(f"  evidence: {one_line(effect.evidence)}")


def _not_undone(found: FoundWork) -> Iterator[Text]:
    """What a person may do about each effect that could not be undone."""
    work_id = found.work.work_id[-8:]
    for effect_id in undo_failed(effect.claim for effect in found.effects):
        again = f"`mew fluxi compensate {work_id} {effect_id}` tries again"
        yield Text(
            f"  {one_line(effect_id)} could not be undone: {again}, `mew fluxi resolve {work_id} {effect_id} …` "
            "settles it",
            style="yellow",
        )


def _said(answer: Any) -> str:
    if not answer:
        return ""
    parts = [one_line(answer[name]) for name in ("code", "message") if answer.get(name)]
    return f", {': '.join(parts)}" if parts else ""


def _timeline(found: FoundWork) -> Table:
    """The events under whatever caused them, with the time since the Work was opened."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(justify="right", overflow="fold")
    for _ in range(3):
        grid.add_column(overflow="fold")
    cause: object = None
    for event in found.events:
        if event.cause != cause:
            cause = event.cause
            grid.add_row(_since(event, found), _cause(event, found))
        grid.add_row(*_row(event, found))
    return grid


def _since(event: WorkEvent, found: FoundWork) -> Text:
    since = event.at - found.work.opened_at
    return Text(f"+{duration(since)}" if since > 0 else clock_of(event.at), style="dim")


def _cause(event: WorkEvent, found: FoundWork) -> Text:
    by, said = one_line(event.cause.get("by")), found.said.get(str(event.cause.get("id")))
    return Text(by if said is None else f"{by}: “{one_line(said)}”", style="bold")


def _row(event: WorkEvent, found: FoundWork) -> tuple[Text, ...]:
    moved = "" if event.source is event.target else f" → {event.target.value}"
    line = Text.assemble(("  " + event.type.value, "cyan"), (moved, "bold"))
    told = ", ".join(_told(event, found))
    return Text(str(event.revision), style="dim"), line.append(f"  {told}" if told else "")


def _told(event: WorkEvent, found: FoundWork) -> Iterator[str]:
    """What an event changed, and what explains it."""
    for path, slot in (event.delta.get("slots") or {}).items():
        yield _changed(path, slot, found)
    note = dict(event.delta.get("note") or {})
    before, after = note.pop("before", {}), note.pop("after", {})
    for path in after:
        yield f"{one_line(path)}: {_value(path, before.get(path), found)} is replaced"
    for name, value in note.items():
        if value not in (None, [], ""):
            yield _field(name, value)
    for name in ("suspended_reason", "cancel_requested", "asked"):
        if event.delta.get(name):
            yield _field(name, event.delta[name])


def _changed(path: str, slot: Any, found: FoundWork) -> str:
    """`start = 2026-11-27T10:00 (proposed)`."""
    if slot is None:
        return f"{one_line(path)} is dropped"
    status = "" if slot["status"] == "committed" else f" ({slot['status']})"
    return f"{one_line(path)} = {_value(path, slot, found)}{status}"


def _value(path: str, slot: Any, found: FoundWork) -> str:
    """As people say it, where it is what the slot still holds."""
    if slot is None:
        return "nothing"
    held = found.work.slots.get(path)
    known = found.values.get(path) if held is not None and held.value == slot["value"] else None
    return one_line(known or slot["value"], longest=60)


def _field(name: str, value: Any) -> str:
    shown = short(str(value)) if name in _IDS else one_line(value, longest=60)
    return f"{_NAMES.get(name, name.replace('_', ' '))} {shown}"
