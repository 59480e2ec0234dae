"""Who is asked in, and who has to go (§3.6.5, §3.6.6; docs/protocol.md §4)."""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import is_valid
from mew_gateway.protocol.payloads import Invite, Kick

from . import grants, membership, pauses, proposals, requests, sequences, streams
from . import interrupt_records as records
from .effects import Dismiss, Issue, Readmit
from .events import Issued, Received
from .handler_context import Turn
from .state import Invitee, State


def invite(turn: Turn, envelope: Envelope, payload: Invite, data: bytes) -> None:
    """`space/invite`: a token is drawn for a new participant, or one that was kicked may come back.

    An invited id that never joined is invited anew: its token so far opens nothing any more.
    """
    state, name = turn.state, payload.participant_id
    if not is_valid(name):
        raise Rejected("invalid_participant", f"{name!r} is too long, reserved, or has invalid characters.")
    if name in state.settings.participants:
        _readmit(turn, envelope, payload, data)
        return
    _check_free(state, name)
    if payload.initial_capabilities is not None:
        path = "initial_capabilities"
        grants.accept(turn, envelope.sender, name, payload.initial_capabilities, path, until=None, is_invited=True)
    _forget(turn, name)
    state.kicked.pop(name, None)  # it was configured then
    state.former.pop(name, None)
    state.invitees[name] = Invitee(
        id=name,
        ordinal=state.next_ordinal(),
        inviter=envelope.sender,
        invite=envelope.id,
        invited_at=turn.now,
        capabilities=_capabilities(state, payload),
    )
    turn.members.refresh(state, name)
    turn.forward(envelope, data)
    membership.invited(turn, name)
    turn.effects.append(Issue(name, envelope.id, envelope.sender))


def is_posted_again(state: State, event: Received) -> bool:
    """Return whether an envelope whose id its sender has used is an invitation that asks for the token once more.

    Who posts has no connection to which a late answer could come: after an outage, a crash or a lost answer only this
    tells the token. The guest has not joined, so nobody needs the one before, which opens nothing from then on.
    """
    envelope = event.envelope
    if envelope.kind != "space/invite" or event.connection != 0:
        return False
    name = (envelope.payload or {}).get("participant_id")
    invitee = state.invitees.get(name) if isinstance(name, str) else None
    if invitee is None or invitee.joined or invitee.id in state.settings.participants:
        return False
    return (invitee.invite, invitee.inviter) == (envelope.id, envelope.sender)


def draw_again(turn: Turn, envelope: Envelope) -> None:
    """Have another token drawn for an invitation that stands as it is: nobody but its inviter is told."""
    turn.effects.append(Issue(str((envelope.payload or {})["participant_id"]), envelope.id, envelope.sender))


def issued(turn: Turn, event: Issued) -> None:
    """An invited participant's token was drawn: its inviter's connections are told, and nobody else (§3.6.5)."""
    invitee = turn.state.invitees.get(event.participant)
    if invitee is None or invitee.invite != event.invite or invitee.id in turn.state.settings.participants:
        return  # it was kicked, invited anew, or configured in between
    turn.members.give_token(invitee.id, event.digest, instead_of=invitee.digest)
    invitee.digest = event.digest
    answer = {"status": "created", "participant_id": invitee.id, "token": None, "capabilities": invitee.capabilities}
    turn.entrust(event.inviter, "space/invite-ack", answer, correlation=event.invite, digest=event.digest)


def kick(turn: Turn, envelope: Envelope, payload: Kick, data: bytes) -> None:
    """`space/kick`: the participant's connections are closed, and it may not come back until it is invited again."""
    name = payload.participant_id
    if not turn.members.knows(name) or name in turn.state.kicked:
        raise Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])
    turn.forward(envelope, data, also=(name,))
    expel(turn, name)


def expel(turn: Turn, name: str) -> None:
    """Remove a participant. A configured one is remembered as kicked, an invited one is forgotten with its token.

    What it was given is gone, and nothing pauses it any more. A halt stays, a guest's for as long as there is room for
    it, and so does what a configured one has lost. Its proposals are void: nobody decides for who is gone.
    """
    state = turn.state
    _take_back(turn, name)
    if name in state.settings.participants:
        state.kicked[name] = turn.now
    requests.left(turn, name)
    membership.remove(turn, name, 4503)
    proposals.void_of_proposer(turn, name, "removed")
    if name not in state.settings.participants:
        _forget(turn, name)
        _keep_halts(turn, name)
        _keep_name(state, name)
    turn.effects.append(Dismiss(name))


def _readmit(turn: Turn, envelope: Envelope, payload: Invite, data: bytes) -> None:
    """A configured participant comes back with its own token and with what is configured, less what it has lost."""
    state, name = turn.state, payload.participant_id
    if name not in state.kicked:
        raise _taken(name)
    if payload.initial_capabilities is not None:
        what = f"{name} comes back with what is configured: grant it more then - at `$.payload.initial_capabilities`"
        raise Rejected("invalid_payload", f"space/invite: {what}")
    del state.kicked[name]
    turn.forward(envelope, data)
    membership.invited(turn, name)
    turn.effects.append(Readmit(name))
    capabilities = turn.members.capabilities(name).sources
    answer = {"status": "readmitted", "participant_id": name, "token": None, "capabilities": capabilities}
    turn.entrust(envelope.sender, "space/invite-ack", answer, correlation=envelope.id, digest=None)


def _check_free(state: State, name: str) -> None:
    invitee = state.invitees.get(name)
    if invitee is not None and invitee.joined:
        raise _taken(name)
    most = state.settings.bounds.invitees
    if invitee is None and len(state.invitees) >= most:
        raise Rejected("too_many_invitees", f"There are {most} invited participants here already.", limit=most)


def _taken(name: str) -> Rejected:
    return Rejected("already_exists", f"Somebody here is called {name} already.", participant_id=name)


def _capabilities(state: State, payload: Invite) -> list[dict[str, object]]:
    if payload.initial_capabilities is not None:
        return payload.initial_capabilities
    return list(state.settings.invited_capabilities)  # the operator's: no inviter bounds them


def _take_back(turn: Turn, name: str) -> None:
    """Take from a participant what others have laid on it or given to it."""
    grants.drop_all(turn, name)
    pauses.lift(turn, name, None)
    turn.state.shutdowns.pop(name, None)
    turn.state.shut.pop(name, None)


def _forget(turn: Turn, name: str) -> None:
    """Forget an invited participant: its token opens nothing, and a new invitation is a new beginning.

    What it was thinking is lost at once, and nobody who is called so later answers for its interrupts, or has its
    grants and streams. One that never joined may have been given these, too.
    """
    state = turn.state
    invitee = state.invitees.pop(name, None)
    if invitee is not None:
        _take_back(turn, name)
        streams.left(turn, name)
        for record in [one for one in state.interrupts.values() if one.target == name]:
            records.target_left(turn, record)  # before its sequences are lost: who waits for an answer is told
        for sequence in [one for one in state.sequences.values() if one.owner == name]:
            sequences.lose(turn, sequence)
        state.absent.pop(name, None)
        turn.members.forget_token(invitee.digest)
        turn.state.revoked.pop(name, None)
        requests.forget(turn.state, name)
        turn.members.refresh(turn.state, name)
        membership.dismissed(turn, invitee)


def _keep_name(state: State, name: str) -> None:
    """Remember the name of a guest who is gone, so that no alias takes what is addressed to it: as many as may be
    invited, the newest."""
    state.former.pop(name, None)
    state.former[name] = None
    while len(state.former) > state.settings.bounds.invitees:
        del state.former[next(iter(state.former))]


def _keep_halts(turn: Turn, name: str) -> None:
    """A guest is forgotten, its halts are not, should it be invited again: but of those who are gone, no more have any
    than may be invited. Who left first loses them first."""
    state = turn.state
    if name not in state.halted:
        return
    state.halted[name] = state.halted.pop(name)
    gone = [one for one in state.halted if not turn.members.knows(one)]
    for one in gone[: max(0, len(gone) - state.settings.bounds.invitees)]:
        del state.halted[one]
