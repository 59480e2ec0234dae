"""What a message asks a flow to do: the closed set that understanding yields in its two passes (docs/flows.md §2)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from mew_agents.language.found import Doubt


class Command(msgspec.Struct, frozen=True, kw_only=True, tag_field="command"):
    """One of those below. As JSON it carries its name under `command`."""


class StartFlow(Command, frozen=True, kw_only=True, tag="start_flow"):
    """A flow is asked for. `rivals`: other flows that the words fit as well; then somebody has to choose."""

    flow: str
    rivals: tuple[str, ...] = ()


class CancelFlow(Command, frozen=True, kw_only=True, tag="cancel_flow"):
    """The flow at hand is to end, or all of them."""

    scope: Literal["top", "all"] = "top"


class _Valued(Command, frozen=True, kw_only=True):
    """A value for a slot of the flow at hand, with its verbatim evidence: `text[start:end]` of the message.

    `value` is JSON, as the slot stores it. `checked`: the typed extractor yields exactly this from the evidence; a
    value that is not checked is asked back before it counts.
    """

    path: str
    value: Any
    start: int
    end: int
    evidence: str
    alternatives: tuple[Any, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    checked: bool = True


class SetSlot(_Valued, frozen=True, kw_only=True, tag="set_slot"):
    """A value for a slot that has none, or that was just asked for."""


class CorrectSlot(_Valued, frozen=True, kw_only=True, tag="correct_slot"):
    """Another value for a slot that has one: “no, mejor 80”."""


class ReopenSlot(Command, frozen=True, kw_only=True, tag="reopen_slot"):
    """The value of a slot is not meant any more, and no other is said: “quiero cambiar el monto”, “a Bruno no”.

    `emptied`: none is meant at all, “sin propina”; a slot that the flow never asks for stays empty then.
    """

    path: str
    emptied: bool = False


class QueueFlow(Command, frozen=True, kw_only=True, tag="queue_flow"):
    """A flow is asked for in `text[start:end]`, besides the one that is begun: it begins when that one has ended.

    `values`: what these words fill of it.
    """

    flow: str
    start: int
    end: int
    values: tuple[SetSlot, ...] = ()


class LeftOut(Command, frozen=True, kw_only=True, tag="left_out"):
    """A part of the message, `text[start:end]`, that nothing was done with: it is said back.

    `when`: it says when or how often, and the flow acts now and once.
    """

    start: int
    end: int
    when: bool = False


class WhichSlot(Command, frozen=True, kw_only=True, tag="which_slot"):
    """A bare figure, `text[start:end]`, that several slots would take: which of `paths` is meant has to be asked."""

    start: int
    end: int
    paths: tuple[str, ...]


class Affirm(Command, frozen=True, kw_only=True, tag="affirm"):
    """Yes, and nothing else."""


class Deny(Command, frozen=True, kw_only=True, tag="deny"):
    """No, and nothing else."""


class Clarify(Command, frozen=True, kw_only=True, tag="clarify"):
    """Somebody asks what is meant by the question, or what a slot is for.

    `path`: the slot, if the message names one. `known`: False for a question that no definition answers.
    """

    path: str | None = None
    known: bool = True


class Wait(Command, frozen=True, kw_only=True, tag="wait"):
    """Somebody needs time: nothing changes, and what is asked stays asked."""


class ChitChat(Command, frozen=True, kw_only=True, tag="chit_chat"):
    """Thanks, a greeting, a laugh: nothing to do."""


class Handoff(Command, frozen=True, kw_only=True, tag="handoff"):
    """Somebody wants to talk to a person."""


AnyCommand: TypeAlias = (
    StartFlow
    | QueueFlow
    | CancelFlow
    | SetSlot
    | CorrectSlot
    | ReopenSlot
    | LeftOut
    | WhichSlot
    | Affirm
    | Deny
    | Clarify
    | Wait
    | ChitChat
    | Handoff
)
_decoder = msgspec.json.Decoder(tuple[AnyCommand, ...])


def written(commands: tuple[AnyCommand, ...]) -> str:
    """Commands as JSON, for the record."""
    return msgspec.json.encode(commands).decode()


def read(text: str) -> tuple[AnyCommand, ...]:
    """Commands from their JSON. Raises `msgspec.ValidationError`."""
    return _decoder.decode(text)
