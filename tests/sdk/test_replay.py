"""Replay: recorded inputs decide the same again; a rule, an input or a record that was changed is told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from mew_gateway.sdk.execution import policy
from mew_gateway.sdk.execution.core import Core
from mew_gateway.sdk.execution.events import Began, BoundaryReached, Ended, Event, Interrupted, StandingHalt, Started
from mew_gateway.sdk.execution.interrupt import Interrupt
from mew_gateway.sdk.execution.spans import Declaration
from mew_gateway.sdk.timeline.base import every
from mew_gateway.sdk.timeline.entry import Entry
from mew_gateway.sdk.timeline.memory import TimelineMemory
from mew_gateway.sdk.timeline.recorder import Recorder
from mew_gateway.sdk.timeline.replay import INPUT, Difference, Replayed, replayed


def began(run: str = "run") -> Began:
    return Began(
        run, f"span-{run}", f"end-{run}", Declaration(policy="soft-stop"), payload={"n": 1.5, "deep": [{"é": None}]}
    )


def asked(id: str = "i1", class_: Any = "cancel", run: str = "run") -> Interrupted:
    return Interrupted(Interrupt(id, "human", run, class_, input={"more": ("a", 1)}), f"ack-{id}", 1_004)


LIFE = (
    Started("life-1"),
    began(),
    BoundaryReached("run", "span-run", "t1", "first"),
    asked("i0", "queue"),
    asked("i1"),
    Ended("run", "interrupted", timeline="1:ab"),
)


def recorded(*lives: Iterable[Event]) -> list[Entry]:
    """The timeline of an agent that lived so."""
    timeline, now = TimelineMemory(), 1_000
    for number, life in enumerate(lives):
        core, recorder = Core(), Recorder(timeline, f"life-{number}")
        for event in life:
            recorder.record(event, core.handle(event, now), now)
            now += 1
    # what is read from a file went through JSON
    return msgspec.json.decode(msgspec.json.encode(list(every(timeline))), type=list[Entry])


def test_the_same_inputs_give_the_same_decisions():
    assert replayed(recorded(LIFE)) == Replayed(inputs=6, lives=1)


def test_every_life_begins_with_a_fresh_core():
    again = (Started("life-2", (StandingHalt("i9"),)), asked("i2", "emergency", "nothing"))
    assert replayed(recorded(LIFE, again, LIFE)) == Replayed(inputs=14, lives=3)


def test_nothing_recorded_is_nothing_to_replay():
    assert replayed([]) == Replayed(inputs=0, lives=0)


def test_a_changed_rule_is_told_with_the_interrupt_that_it_decides(monkeypatch):
    entries = recorded(LIFE)
    changed = policy.TABLE["cancel", "soft-stop"]._replace(at_boundary="continuing")
    monkeypatch.setitem(policy.TABLE, ("cancel", "soft-stop"), changed)
    found = replayed(entries)
    assert isinstance(found, Difference)
    assert (found.event, found.subject) == ("interrupted", "i1")
    assert entries[found.seq - 1].kind == INPUT
    assert '"status":"stopping"' in found.recorded and '"status":"continuing"' in found.now
    assert found.sentence.startswith(f"event {found.seq} (interrupted i1): recorded decided ")


def test_a_changed_directive_is_told_though_the_events_are_the_same():
    entries = recorded(LIFE)
    seq = next(entry.seq for entry in entries if entry.data.get("event", {}).get("type") == "Ended")
    data = {**entries[seq - 1].data, "effects": "0" * 64}
    entries[seq - 1] = msgspec.structs.replace(entries[seq - 1], data=data)
    found = replayed(entries)
    assert isinstance(found, Difference)
    assert (found.seq, found.recorded) == (seq, "the same events but other directives")
    assert '"type":"Send"' in found.now


def test_an_event_that_is_gone_is_told():
    entries = [entry for entry in recorded(LIFE) if entry.kind != "run_concluded"]
    inputs = [n for n, entry in enumerate(entries) if entry.kind == INPUT]
    entries[inputs[-1]] = msgspec.structs.replace(
        entries[inputs[-1]], data={**entries[inputs[-1]].data, "effects": "another"}
    )
    found = replayed(entries)
    assert isinstance(found, Difference)
    assert found.recorded.startswith("trace_sealed") and found.now.startswith("run_concluded")


def test_a_changed_input_is_told_where_it_shows():
    entries = recorded(LIFE)
    n = next(n for n, entry in enumerate(entries) if entry.data.get("event", {}).get("type") == "Interrupted")
    data = {**entries[n].data, "event": {**entries[n].data["event"], "ack": "another"}}
    entries[n] = msgspec.structs.replace(entries[n], data=data)
    found = replayed(entries)
    assert isinstance(found, Difference) and found.seq == n + 1


def changed(entries: list[Entry], of: str, **fields: Any) -> list[Entry]:
    """The record with other fields in the last entry of that kind, as whoever computes the chain anew leaves it."""
    n = max(n for n, entry in enumerate(entries) if entry.kind == of)
    return [*entries[:n], msgspec.structs.replace(entries[n], **fields), *entries[n + 1 :]]


@pytest.mark.parametrize("kind", ["interruption", "decided", "thought", "queued", "run_concluded", "span_state"])
@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "other"}, "other {"),
        ({"at": 7}, "at 7"),
        ({"execution_id": "other"}, "execution_id other"),
        ({"trace_id": "other"}, "trace_id other"),
        ({"span_id": None}, "span_id None"),
        ({"cause_id": "other"}, "cause_id other"),
        ({"data": {"status": "ignored"}}, '{"status":"ignored"}'),
    ],
)
def test_a_falsified_event_is_told_though_its_input_is_as_it_was(kind, fields, told):
    found = replayed(changed(recorded(LIFE), kind, **fields))
    assert isinstance(found, Difference)
    assert told in found.recorded and told not in found.now
    assert found.now.startswith(kind)


@pytest.mark.parametrize("field", ["trace_id", "span_id", "cause_id", "execution_id"])
def test_an_input_that_is_put_elsewhere_is_told(field):
    found = replayed(changed(recorded(LIFE), INPUT, **{field: "other"}))
    assert isinstance(found, Difference)
    assert (found.event, f"{field} other" in found.recorded, f"{field} other" in found.now) == ("ended", True, False)


def test_a_whole_life_cannot_be_given_to_another_by_one_of_its_inputs():
    entries = recorded(LIFE)
    n = max(n for n, entry in enumerate(entries) if entry.kind == INPUT)
    moved = [msgspec.structs.replace(entry, execution_id="other") for entry in entries[n:]]
    found = replayed([*entries[:n], *moved])
    assert isinstance(found, Difference) and "execution_id other" in found.recorded


@pytest.mark.parametrize("n", [0, 3, -1])
def test_an_event_that_no_input_led_to_is_told(n):
    entries = recorded(LIFE)
    forged = msgspec.structs.replace(entries[-1], kind="resumed", cause_id="i9", data={"by": "guardian"})
    at = len(entries) if n == -1 else n
    found = replayed([*entries[:at], forged, *entries[at:]])
    assert isinstance(found, Difference)
    assert 'resumed {"by":"guardian"}' in found.recorded
    assert found.now.startswith("nothing") or n == 3


def test_an_event_that_is_left_out_is_told_as_one_that_follows_now():
    entries = recorded(LIFE)
    assert entries[-1].kind == "trace_sealed"
    found = replayed(entries[:-1])
    assert isinstance(found, Difference)
    assert found.recorded == "nothing more" and found.now.startswith("trace_sealed ")


def gap(entries: list[Entry]) -> Entry:
    return msgspec.structs.replace(
        entries[-1], kind="gap", data={"events": 3}, trace_id=None, span_id=None, cause_id=None
    )


def test_behind_a_gap_nothing_is_judged_until_the_next_life():
    entries, again = recorded(LIFE), recorded(LIFE)
    start = next(n for n, entry in enumerate(entries) if entry.kind == INPUT and n > 0)
    later = changed(entries, "decided", data={})
    assert replayed([*later[:start], gap(entries), *later[start:]]) == Replayed(1, 1, gaps=1)
    found = replayed([gap(entries), *entries[start:], *changed(again, "decided", data={})])
    assert isinstance(found, Difference) and found.recorded == "decided {}"


def test_an_event_behind_a_gap_needs_an_input_all_the_same():
    entries = recorded(LIFE)
    decided = next(entry for entry in entries if entry.kind == "decided")
    found = replayed([*entries, gap(entries), decided])
    assert isinstance(found, Difference)
    assert (found.seq, found.event, found.subject) == (decided.seq, "decided", "i0")
    assert found.now == "nothing: no input led to it"


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({"type": "Nothing"}, "cannot be replayed"),
        (None, "cannot be replayed"),
        ({"type": "Ended"}, "cannot be replayed"),
    ],
)
def test_an_input_that_is_none_is_told(event, why):
    entries = recorded(LIFE)
    entries[0] = msgspec.structs.replace(entries[0], data={"event": event, "effects": ""})
    found = replayed(entries)
    assert isinstance(found, Difference)
    assert found.seq == 1 and why in found.now


def test_inputs_without_the_beginning_of_their_life_are_told():
    entries = recorded(LIFE)
    start = next(n for n, entry in enumerate(entries) if entry.kind == INPUT and n > 0)
    found = replayed(entries[start:])
    assert isinstance(found, Difference) and "no life of the agent began before it" in found.now


def test_an_input_that_the_core_now_refuses_is_told():
    entries = recorded((Started("life"), began(), began("other")))
    twice = [entry for entry in entries if entry.data.get("event", {}).get("run") == "run"]
    found = replayed([*entries, *twice])
    assert isinstance(found, Difference)
    assert (found.event, found.subject) == ("began", "run")
    assert found.now.startswith("NotRunning: The run 'run' began before.")
