"""What comes out of `advance`: values that say what is to be done, in the order to do it (docs/flows.md §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from mew_agents.flows.state import Outcome, Wanted
from mew_agents.fluxi.work import Slot


class Effect(msgspec.Struct, frozen=True, kw_only=True, tag_field="effect"):
    """One of those below. As JSON it carries its name under `effect`."""


class Started(Effect, frozen=True, kw_only=True, tag="started"):
    """A flow has begun. `proposal_id`: it may come to an effect, so a ProposedWork is stored with its decision."""

    flow_id: str
    name: str
    version: str
    decision_id: str
    proposal_id: str | None = None


class Stepped(Effect, frozen=True, kw_only=True, tag="stepped"):
    """A flow has done a step."""

    flow_id: str
    step: str


class Ask(Effect, frozen=True, kw_only=True, tag="ask"):
    """A question is open. `proposed`: what a yes would be to."""

    question_id: str
    flow_id: str
    wants: Wanted
    step: str
    path: str | None = None
    proposed: Any = None
    expires_at: int | None = None


class Close(Effect, frozen=True, kw_only=True, tag="close"):
    """A question is open no longer."""

    question_id: str
    status: Literal["consumed", "rejected", "superseded", "expired", "void"]


class Act(Effect, frozen=True, kw_only=True, tag="act"):
    """A tool is to be called that may be called again. `timeout` in ms."""

    flow_id: str
    step: str
    key: str
    tool: str
    arguments: Mapping[str, Any]
    timeout: int


class Open(Effect, frozen=True, kw_only=True, tag="open"):
    """A Work is to be opened and executed: the yes to this question was a yes to it.

    `proposal_id` None: the one of the flow's start was used up by an earlier effect; another is made of its decision.
    """

    flow_id: str
    version: str
    step: str
    work_id: str
    question_id: str
    decision_id: str
    proposal_id: str | None
    slots: Mapping[str, Slot]


class CallOff(Effect, frozen=True, kw_only=True, tag="call_off"):
    """A Work is to be cancelled, as far as that can still be done."""

    work_id: str


class Finished(Effect, frozen=True, kw_only=True, tag="finished"):
    """A flow has ended. `proposal_id`: its ProposedWork, if no Work was opened with it; `why`: at which step it could
    not go on, and what stood in the way, for whoever wrote the flow."""

    flow_id: str
    name: str
    outcome: Outcome
    code: str
    why: str | None = None
    proposal_id: str | None = None


class Page(Effect, frozen=True, kw_only=True, tag="page"):
    """A person is to take over."""

    text: str


class Reply(Effect, frozen=True, kw_only=True, tag="reply"):
    """The turn's one outgoing message, or what is said without having been asked. `answers`: the message it ends."""

    kind: str
    text: str
    code: str
    answers: str | None = None
    flow_id: str | None = None
    question_id: str | None = None
    data: Mapping[str, Any] = {}


AnyEffect: TypeAlias = Started | Stepped | Ask | Close | Act | Open | CallOff | Finished | Page | Reply
_ENCODER = msgspec.json.Encoder(order="sorted")
_DECODER = msgspec.json.Decoder(tuple[AnyEffect, ...])


def written(effects: tuple[AnyEffect, ...]) -> str:
    """Effects as JSON."""
    return _ENCODER.encode(effects).decode()


def read(text: str) -> tuple[AnyEffect, ...]:
    """Effects from their JSON."""
    return _DECODER.decode(text)
