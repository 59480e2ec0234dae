"""Whose an id is: nobody takes the id of what the space keeps, live or over (docs/protocol.md §2, decisions/0054).

What is live keeps its id from anybody, whatever the kind. What is over is found by its id for as long as it is
remembered, so nobody else begins anything of the same sort under it; and where something still depends on the id, not
even the participant that used it. A guest of the same name is somebody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope

from . import interrupt_records as records
from .state import State
from .visibility import same

# The participant that used an id, and the ordinal of what it began under it.
_User: TypeAlias = tuple[str, int]

_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


def check(state: State, envelope: Envelope, *, is_known: bool) -> None:
    """Let an envelope pass or raise `Rejected` `duplicate_id`. `is_known`: its sender has used the id before."""
    id, kind, sender = envelope.id, envelope.kind, envelope.sender
    users = [*_live(state, id), *_needed(state, kind, id)]
    users += [user for user in _over(state, kind, id) if not _is(state, user, sender)]
    if users or is_known:
        yours = is_known or any(_is(state, user, sender) for user in users)
        raise Rejected("duplicate_id", f"The id {id!r} was used before.", yours=yours)


def _is(state: State, user: _User, name: str) -> bool:
    """Whether the user is the participant of that name, and not another who was called so."""
    return user[0] == name and bool(same(state, user[1], (name,)))


def _live(state: State, id: str) -> Iterator[_User]:
    """The users whose live sequence, interrupt, request, proposal or grant has the id."""
    if (sequence := state.sequences.get(id)) is not None:
        yield sequence.owner, sequence.ordinal
    if (interrupt := state.interrupts.get(id)) is not None:
        yield interrupt.sender, interrupt.number
    if (request := state.requests.get(id)) is not None:
        yield request.sender, request.ordinal
    if (proposal := state.proposals.get(id)) is not None:
        yield proposal.proposer, proposal.ordinal
    if (grant := state.grants.get(id)) is not None:
        yield grant.granter, grant.ordinal


def _needed(state: State, kind: str, id: str) -> Iterator[_User]:
    """The users of the id of something that is over, and on which something still depends: a decision about a proposal,
    a pause that a late ack would lift, a halt."""
    if kind == "mcp/proposal" and (proposal := state.decided.get(id)) is not None:
        yield proposal.proposer, proposal.ordinal
    if kind not in _INTERRUPTS and kind != "participant/pause":
        return
    record = state.settled.get(id)
    if kind in _INTERRUPTS and record is not None and records.is_unanswered(record):
        yield record.sender, record.number
    if any(halt.interrupt == id for halts in state.halted.values() for halt in halts):
        yield ("", 0) if record is None else (record.sender, record.number)


def _over(state: State, kind: str, id: str) -> Iterator[_User]:
    """The users of the id of what the kind would begin, as far as what is over is remembered."""
    if kind == "reasoning/start" and (sequence := state.closed.get(id)) is not None:
        yield sequence.owner, sequence.ordinal
    if kind in _INTERRUPTS and (record := state.settled.get(id)) is not None:
        yield record.sender, record.number
    if kind == "participant/pause":
        for pauses in state.paused.values():
            yield from ((pause.by, pause.number) for pause in pauses if pause.id == id)
