"""Ownership of ids: no participant takes the id of a thing that the space keeps (docs/protocol.md §2, decisions/0054).

- Live: the id is refused to everybody, whatever the kind.
- Over, and remembered: nobody else begins a thing of the same sort under the id.
- Over, and something still depends on it: not even the participant that used the id may use it again.

A guest of the same name is another participant (`visibility.still_same`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope

from . import interrupt_records as records
from .state import State
from .visibility import still_same

# The participant that used an id, and the ordinal of the thing it began under the id.
_User: TypeAlias = tuple[str, int]

_INTERRUPTS = ("reasoning/interrupt", "reasoning/cancel")


def check(state: State, envelope: Envelope, *, is_known: bool) -> None:
    """Return if the envelope's id is free, else raise `Rejected` `duplicate_id`.

    `is_known`: its sender has used the id before.
    """
    id, kind, sender = envelope.id, envelope.kind, envelope.sender
    users = [*_live_users(state, id), *_needed_users(state, kind, id)]
    users += [user for user in _past_users(state, kind, id) if not _is_same(state, user, sender)]
    if users or is_known:
        yours = is_known or any(_is_same(state, user, sender) for user in users)
        raise Rejected("duplicate_id", f"The id {id!r} was used before.", yours=yours)


def _is_same(state: State, user: _User, name: str) -> bool:
    """Return true if the user is the participant of that name, and not an earlier guest of that name."""
    return user[0] == name and bool(still_same(state, user[1], (name,)))


def _live_users(state: State, id: str) -> Iterator[_User]:
    """Yield the users whose live sequence, interrupt, request, proposal or grant has the id."""
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


def _needed_users(state: State, kind: str, id: str) -> Iterator[_User]:
    """Yield the users of the id of something that is over and on which something depends.

    That is a decision about a proposal, a pause that a late ack would lift, or a halt.
    """
    if kind == "mcp/proposal" and (proposal := state.decided.get(id)) is not None:
        yield proposal.proposer, proposal.ordinal
    if kind not in _INTERRUPTS and kind != "participant/pause":
        return
    record = state.settled.get(id)
    if kind in _INTERRUPTS and record is not None and records.is_unanswered(record):
        yield record.sender, record.number
    if any(halt.interrupt == id for halts in state.halted.values() for halt in halts):
        yield ("", 0) if record is None else (record.sender, record.number)


def _past_users(state: State, kind: str, id: str) -> Iterator[_User]:
    """Yield the users of the id of finished things of the sort that the kind would begin."""
    if kind == "reasoning/start" and (sequence := state.closed.get(id)) is not None:
        yield sequence.owner, sequence.ordinal
    if kind in _INTERRUPTS and (record := state.settled.get(id)) is not None:
        yield record.sender, record.number
    if kind == "participant/pause":
        for pauses in state.paused.values():
            yield from ((pause.by, pause.number) for pause in pauses if pause.id == id)
