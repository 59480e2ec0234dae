"""Where a dialogue stands: the fold of its events, as JSON that a row can hold (seed 003: DialogueState).

Nothing of it is a task or a thread: a dialogue that waits is this and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from mew_agents.flows.commands import SetSlot
from mew_agents.fluxi.work import Slot

# What an open question takes: a value, a yes to a value that is not sure, a yes to going on.
Wanted: TypeAlias = Literal["value", "check", "confirm"]
Suspension: TypeAlias = Literal["halted", "needs_human"]
Outcome: TypeAlias = Literal["completed", "cancelled", "failed"]

# Lines of the dialogue that the state remembers; its events hold all of them.
REMEMBERED = 12


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The open question of a flow. `path`: the slot it is about. `expires_at`, ms: from then on no yes is taken."""

    question_id: str
    wants: Wanted
    step: str
    path: str | None = None
    expires_at: int | None = None


class Acting(msgspec.Struct, frozen=True, kw_only=True):
    """A call that a flow waits for. `work_id`: the Work that an effect is; without one the call may be made again.

    `request`: the bytes that are sent, and sent again; `cursor`: where in the space's order that began; `timeout` in
    ms. `known`: somebody has been told that it goes on, or (`in_doubt`) that nobody can tell what became of it.
    """

    key: str
    step: str
    work_id: str | None = None
    request: str | None = None
    cursor: str | None = None
    timeout: int = 0
    known: bool = False
    in_doubt: bool = False


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """Where a flow was when it passed a question, so that a correction can go on from there.

    `rounds` of loops, and the slots that the flow itself had set by then.
    """

    step: str
    path: str
    rounds: Mapping[str, int]
    computed: Mapping[str, Slot]


class Proposed(msgspec.Struct, frozen=True, kw_only=True):
    """The decision that began a flow, and the ProposedWork that it made, until a Work is opened with it."""

    decision_id: str
    proposal_id: str | None = None


class Done(msgspec.Struct, frozen=True):
    """An effect that has happened: the step of a flow's version."""

    version: str
    step: str


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that was begun and has not ended. `step`: where it stands, None at its end.

    `caller`: the frame whose `call` began it; what becomes of this one becomes of that one. `fixed`: slots that an
    effect has happened with. `done`: the effects that have happened in it and in what it called. `waited`: it has asked
    something before. `changing`: it asks what is to be different, after a no.
    """

    flow_id: str
    name: str
    version: str
    step: str | None
    proposed: Proposed
    caller: str | None = None
    slots: Mapping[str, Slot] = {}
    rounds: Mapping[str, int] = {}
    visits: tuple[Visit, ...] = ()
    fixed: tuple[str, ...] = ()
    done: tuple[Done, ...] = ()
    asked: Asked | None = None
    acting: Acting | None = None
    waited: bool = False
    changing: bool = False
    taken: int = 0

    @property
    def values(self) -> dict[str, Any]:
        """What its slots hold for sure, by name."""
        return {path: slot.value for path, slot in self.slots.items() if slot.status == "committed"}


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """Something to say at the end of the turn, and what kind of result it makes."""

    kind: str
    text: str
    code: str
    flow_id: str | None = None
    question_id: str | None = None
    data: Mapping[str, Any] = {}


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A message that is being dealt with. Its commands have taken effect; `going`: its slots have as well."""

    message_id: str
    text: str
    going: bool = False
    said: tuple[Said, ...] = ()


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """The flow that ended last. `by`: who ended it, if it was not the person who talks. `reason`: theirs, or at which
    step the flow could not go on, and why. `done`: an effect has happened in it.
    """

    name: str
    outcome: Outcome
    asked: bool = False
    by: str | None = None
    reason: str | None = None
    done: bool = False


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """A flow that was asked for besides another, and begins when nothing is at hand any more.

    `words`: those that ask for it; `values`: what they fill of it, with what tools' lists are needed to check that.
    """

    flow: str
    words: str
    message_id: str
    decision_id: str
    values: tuple[SetSlot, ...] = ()
    lists: Mapping[str, Mapping[str, Sequence[str]]] = {}


class Line(msgspec.Struct, frozen=True):
    """Something that was said in the dialogue."""

    who: Literal["person", "agent"]
    text: str


class Dialogue(msgspec.Struct, frozen=True, kw_only=True):
    """One participant in one conversation, and the flows that were begun there, the one at hand last."""

    dialogue_id: str
    account_id: str
    conversation_id: str
    participant: str
    revision: int = 0
    manner: str = "{}"  # JSON: the PolicyContext of the last message, for what is said later
    stack: tuple[Frame, ...] = ()
    queue: tuple[Queued, ...] = ()
    turn: Turn | None = None
    asking: str | None = None  # the flow that asked last
    suspended: Suspension | None = None
    beneath: Suspension | None = None  # what an emergency lies over, and leaves as it was
    last: Ended | None = None
    history: tuple[Line, ...] = ()
    unresolved: int = 0  # messages in a row that answered nothing of what is asked

    @property
    def top(self) -> Frame | None:
        """The flow at hand."""
        return self.stack[-1] if self.stack else None

    @property
    def calls(self) -> tuple[Acting, ...]:
        """The calls that may be made again, and are waited for."""
        return tuple(one.acting for one in self.stack if one.acting is not None and one.acting.work_id is None)

    @property
    def effects(self) -> tuple[Acting, ...]:
        """The effects that are waited for, each with its Work."""
        return tuple(one.acting for one in self.stack if one.acting is not None and one.acting.work_id is not None)

    def frame(self, flow_id: str) -> Frame | None:
        """The frame of a flow."""
        return next((one for one in self.stack if one.flow_id == flow_id), None)


class FlowDelta(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an event changes of a dialogue (seed 003: FlowDelta): fields by name, the stack as its order and what is
    different in its frames.
    """

    fields: Mapping[str, Any] = {}
    stack: tuple[str, ...] | None = None
    frames: Mapping[str, Mapping[str, Any]] = {}


_PLAIN = ("manner", "queue", "turn", "asking", "suspended", "beneath", "last", "history", "unresolved")
_FRAME = Frame.__struct_fields__


def difference(before: Dialogue, after: Dialogue) -> FlowDelta:
    """What to change of the one to have the other."""
    fields = {
        name: msgspec.to_builtins(getattr(after, name))
        for name in _PLAIN
        if getattr(after, name) is not getattr(before, name) and getattr(after, name) != getattr(before, name)
    }
    order = tuple(frame.flow_id for frame in after.stack)
    changed: dict[str, dict[str, Any]] = {}
    for frame in after.stack:
        was = before.frame(frame.flow_id)
        if was is frame:
            continue
        told = {
            name: getattr(frame, name) for name in _FRAME if was is None or getattr(was, name) != getattr(frame, name)
        }
        if told:
            changed[frame.flow_id] = msgspec.to_builtins(told)
    same = order == tuple(frame.flow_id for frame in before.stack)
    return FlowDelta(fields=fields, stack=None if same else order, frames=changed)


def applied(dialogue: Dialogue, delta: FlowDelta) -> Dialogue:
    """The dialogue after an event, by its delta alone."""
    frames = {frame.flow_id: frame for frame in dialogue.stack}
    for flow_id, told in delta.frames.items():
        was = frames.get(flow_id)
        plain = {} if was is None else msgspec.to_builtins(was)
        frames[flow_id] = msgspec.convert({**plain, **told}, Frame)
    order = tuple(frame.flow_id for frame in dialogue.stack) if delta.stack is None else delta.stack
    stack = tuple(frames[flow_id] for flow_id in order)
    plain = msgspec.to_builtins(dialogue)
    changed = {**plain, **delta.fields, "stack": (), "revision": dialogue.revision + 1}
    return msgspec.structs.replace(msgspec.convert(changed, Dialogue), stack=stack)


# Slots stand in the order in which they were filled: understanding asks for the last one, and a replay has the same.
_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Dialogue)


def written(dialogue: Dialogue) -> str:
    """A dialogue as JSON."""
    return _ENCODER.encode(dialogue).decode()


def read(text: str) -> Dialogue:
    """A dialogue from its JSON."""
    return _DECODER.decode(text)


_DELTA = msgspec.json.Decoder(FlowDelta)


def read_delta(text: str) -> FlowDelta:
    """A delta from its JSON."""
    return _DELTA.decode(text)
