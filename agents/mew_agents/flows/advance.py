"""`advance(library, dialogue, event)`: the pure reducer (seed 003: orchestrator_node and the active subgraph).

The same dialogue and event give the same dialogue, delta and effects, whenever and wherever: that is what a replay
checks (docs/flows.md §3).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, assert_never

from mew_agents.flows.commanding import command, not_understood, say_closed
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.effects import AnyEffect
from mew_agents.flows.events import (
    ActionDone,
    ActionFailed,
    AnyEvent,
    CalledOff,
    Commanded,
    Declined,
    Dropped,
    EffectCancelled,
    EffectDone,
    EffectFailed,
    EffectInDoubt,
    EffectStopping,
    Heard,
    NotUnderstood,
    Paused,
    Released,
    Sending,
    Suspended,
    WentOn,
)
from mew_agents.flows.settling import (
    action_done,
    action_failed,
    break_off,
    effect_cancelled,
    effect_done,
    effect_failed,
    effect_in_doubt,
    effect_stopping,
    sending,
)
from mew_agents.flows.stage import Stage
from mew_agents.flows.state import Dialogue, FlowDelta, difference
from mew_agents.flows.stepping import go_on
from mew_agents.flows.stopping import called_off, drop, pause, release, suspend


class Advance(NamedTuple):
    """What came of an event."""

    dialogue: Dialogue
    delta: FlowDelta
    effects: tuple[AnyEffect, ...]


_NO_LISTS: Mapping[str, Mapping[str, Sequence[str]]] = {}


def advance(library: Library, dialogue: Dialogue, event: AnyEvent) -> Advance:
    """What an event makes of a dialogue. Pure.

    What a flow cannot do, be it for a fault of the program, is the end of that flow and of nothing else: what has
    happened stays on record, and the dialogue goes on. Raises where no flow is at fault.
    """
    lists = event.lists if isinstance(event, Commanded) else _NO_LISTS
    stage = Stage(library, dialogue, at=event.at, lists=lists)
    try:
        _happen(stage, event)
    except Exception as fault:  # whatever it is: raised in a transaction, it would undo what a tool has done
        stage = Stage(library, dialogue, at=event.at, lists=lists)
        if not break_off(stage, event, f"{type(fault).__name__}: {fault}"):
            raise
    after = stage.after()
    return Advance(after, difference(dialogue, after), tuple(stage.effects))


def replay(library: Library, dialogue: Dialogue, events: Iterable[AnyEvent]) -> list[Advance]:
    """Everything that came of a dialogue's events, from its beginning."""
    done: list[Advance] = []
    for event in events:
        done.append(advance(library, dialogue, event))
        dialogue = done[-1].dialogue
    return done


def _happen(stage: Stage, event: AnyEvent) -> None:
    match event:
        case Heard():
            stage.manner = event.manner
            stage.begin(event.message_id, event.text)
        case Commanded():
            command(stage, event.command, event.decision_id)
        case Declined():
            if event.code != "question_closed" or not say_closed(stage):
                stage.say(event.code)
            if event.code == "question_not_out":
                go_on(stage)  # it may never have reached anybody
            stage.end()
        case NotUnderstood():
            not_understood(stage)
        case WentOn():
            stage.go()
            go_on(stage)
            stage.end_unless_acting()
        case Paused():
            pause(stage)
        case Sending():
            sending(stage, event)
        case ActionDone():
            action_done(stage, event)
        case ActionFailed():
            action_failed(stage, event)
        case EffectDone():
            effect_done(stage, event)
        case EffectFailed():
            effect_failed(stage, event)
        case EffectCancelled():
            effect_cancelled(stage, event)
        case EffectInDoubt():
            effect_in_doubt(stage, event)
        case EffectStopping():
            effect_stopping(stage, event)
        case CalledOff():
            called_off(stage, event)
        case Suspended():
            suspend(stage, event)
        case Released():
            release(stage)
        case Dropped():
            drop(stage, event)
        case _:
            assert_never(event)
