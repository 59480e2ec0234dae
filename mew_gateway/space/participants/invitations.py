"""Invitations and kicks (§3.6.5, §3.6.6; docs/protocol.md §4).

A configured participant that is kicked keeps its name, its token and its history: it is remembered as kicked, and an
invitation readmits it. A guest that is kicked is forgotten with its token, and a later guest of the same name is
another participant. Halts are the exception: they survive a kick, so that nobody escapes one by being invited again.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import is_valid
from mew_gateway.protocol.patterns import weigh
from mew_gateway.protocol.payloads import Invite, Kick

from .. import interrupt_records as records
from .. import pauses, proposals, requests, sequences, streams
from ..effects import Dismiss, Issue, Readmit
from ..events import Issued, Received
from ..handler_context import HandlerContext
from ..limits import cpu_quota
from ..state import Invitee, State
from . import grants, joining


def invite(ctx: HandlerContext, envelope: Envelope, payload: Invite, data: bytes) -> None:
    """Handle `space/invite`: draw a token for a new participant, or readmit a kicked one.

    An invited id that never joined is invited anew; its earlier token becomes invalid.
    """
    state, name = ctx.state, payload.participant_id
    if not is_valid(name):
        raise Rejected("invalid_participant", f"{name!r} is too long, reserved, or has invalid characters.")
    if name in state.settings.participants:
        _readmit(ctx, envelope, payload, data)
        return
    _check_free(state, name)
    if payload.initial_capabilities is not None:
        path = "initial_capabilities"
        grants.check_grantable(
            ctx, envelope.sender, name, payload.initial_capabilities, path, until=None, is_invited=True
        )
    else:
        grants.check_share(ctx, envelope.sender, state.settings.invited_capabilities, instead_of=name)
        steps = weigh([*state.settings.invited_capabilities]).steps
        cpu_quota.pay(state, envelope.sender, ctx.now, ctx.budget, steps)
    sponsor = state.sponsor(envelope.sender)  # before a guest is forgotten that invites itself anew
    _forget(ctx, name)
    state.kicked.pop(name, None)  # a kicked participant that was configured then
    state.former.pop(name, None)
    state.invitees[name] = Invitee(
        id=name,
        ordinal=state.next_ordinal(),
        inviter=envelope.sender,
        invite=envelope.id,
        invited_at=ctx.now,
        capabilities=_capabilities(state, payload),
        sponsor=sponsor,
        position=ctx.position,
    )
    grants.drop_all(ctx, name)  # those of a participant of that name that was configured then
    ctx.members.refresh(state, name)
    ctx.forward(envelope, data)
    before = len(ctx.effects)
    joining.invited(ctx, name)
    grants.charge_told(ctx, before)
    ctx.effects.append(Issue(name, envelope.id, envelope.sender))


def is_posted_again(state: State, event: Received) -> bool:
    """Return true if an envelope whose id its sender has used is an invitation that asks for the token once more.

    Of a post a used id means the same bytes (`remembered_ids`). A participant that posts has no connection to which a
    late answer could come: after an outage, a crash or a lost answer only this gives it the token. The guest has not
    joined, so the token before is not needed, and it becomes invalid.
    """
    envelope = event.envelope
    if envelope.kind != "space/invite" or event.connection != 0:
        return False
    name = (envelope.payload or {}).get("participant_id")
    invitee = state.invitees.get(name) if isinstance(name, str) else None
    if invitee is None or invitee.joined or invitee.id in state.settings.participants:
        return False
    return (invitee.invite, invitee.inviter) == (envelope.id, envelope.sender)


def draw_again(ctx: HandlerContext, envelope: Envelope) -> None:
    """Have another token drawn for an invitation that stands as it is: nobody but its inviter is told."""
    ctx.effects.append(Issue(str((envelope.payload or {})["participant_id"]), envelope.id, envelope.sender))


def issued(ctx: HandlerContext, event: Issued) -> None:
    """Give the inviter's connections, and nobody else, the token that was drawn for an invited participant (§3.6.5)."""
    invitee = ctx.state.invitees.get(event.participant)
    if invitee is None or invitee.invite != event.invite or invitee.id in ctx.state.settings.participants:
        return  # kicked, invited anew, or configured since
    ctx.members.give_token(invitee.id, event.digest, instead_of=invitee.digest)
    invitee.digest = event.digest
    answer = {"status": "created", "participant_id": invitee.id, "token": None, "capabilities": invitee.capabilities}
    ctx.send_private(event.inviter, "space/invite-ack", answer, correlation=event.invite, digest=event.digest)


def kick(ctx: HandlerContext, envelope: Envelope, payload: Kick, data: bytes) -> None:
    """Handle `space/kick`: close the participant's connections; it may not come back until it is invited again."""
    name = payload.participant_id
    if not ctx.members.knows(name) or name in ctx.state.kicked:
        raise Rejected("participant_not_found", f"Nobody here is called {name!r}.", participants=[name])
    ctx.forward(envelope, data, also=(name,))
    sequences.interrupt_all(ctx, name, by=envelope.id)
    expel(ctx, name)


def expel(ctx: HandlerContext, name: str) -> None:
    """Remove a participant: a configured one is remembered as kicked, an invited one is forgotten with its token.

    Its grants and pauses end, and its proposals are void. A halt stays, a guest's for as long as there is room for it;
    what a configured participant has lost stays lost.
    """
    state = ctx.state
    _take_back(ctx, name)
    if name in state.settings.participants:
        state.kicked[name] = ctx.now
    requests.participant_left(ctx, name)
    joining.remove(ctx, name, 4503)
    proposals.void_of_proposer(ctx, name, "removed")
    if name not in state.settings.participants:
        _forget(ctx, name)
        _keep_halts(ctx, name)
        _keep_name(state, name)
    ctx.effects.append(Dismiss(name))


def _readmit(ctx: HandlerContext, envelope: Envelope, payload: Invite, data: bytes) -> None:
    """Readmit a configured participant with its own token and its configured capabilities, less those it has lost."""
    state, name = ctx.state, payload.participant_id
    if name not in state.kicked:
        raise _taken(name)
    if payload.initial_capabilities is not None:
        problem = f"{name} comes back with what is configured: grant it more then - at `$.payload.initial_capabilities`"
        raise Rejected("invalid_payload", f"space/invite: {problem}")
    del state.kicked[name]
    ctx.forward(envelope, data)
    joining.invited(ctx, name)
    ctx.effects.append(Readmit(name))
    capabilities = ctx.members.capabilities(name).sources
    answer = {"status": "readmitted", "participant_id": name, "token": None, "capabilities": capabilities}
    ctx.send_private(envelope.sender, "space/invite-ack", answer, correlation=envelope.id, digest=None)


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
    return list(state.settings.invited_capabilities)  # the operator's choice: not bounded by what the inviter holds


def _take_back(ctx: HandlerContext, name: str) -> None:
    """Take from a participant the grants it was given, and the pauses and shutdowns laid on it."""
    grants.drop_all(ctx, name)
    pauses.lift(ctx, name, None)
    ctx.state.shutdowns.pop(name, None)
    ctx.state.shut.pop(name, None)


def _forget(ctx: HandlerContext, name: str) -> None:
    """Forget an invited participant: its token becomes invalid, and a new invitation is a new beginning.

    Its sequences are lost at once. A later guest of its name does not answer for its interrupts, and does not have its
    grants and streams. A guest that never joined may have been given these, too.
    """
    state = ctx.state
    invitee = state.invitees.pop(name, None)
    if invitee is not None:
        _take_back(ctx, name)
        streams.participant_left(ctx, name)
        for record in [one for one in state.interrupts.values() if one.target == name]:
            records.target_left(ctx, record)  # before its sequences are lost, so that the senders are notified
        for sequence in [one for one in state.sequences.values() if one.owner == name]:
            sequences.lose(ctx, sequence)
        state.absent.pop(name, None)
        ctx.members.forget_token(invitee.digest)
        ctx.state.revoked.pop(name, None)
        requests.forget(ctx.state, name)
        ctx.members.refresh(ctx.state, name)
        joining.guest_removed(ctx, invitee)


def _keep_name(state: State, name: str) -> None:
    """Remember the name of a guest that is gone, so that no alias takes what is addressed to it.

    The newest names are kept, as many as guests may be invited.
    """
    state.former.pop(name, None)
    state.former[name] = None
    while len(state.former) > state.settings.bounds.invitees:
        del state.former[next(iter(state.former))]


def _keep_halts(ctx: HandlerContext, name: str) -> None:
    """Keep the halts of a guest that is forgotten, in case it is invited again.

    At most as many absent guests have halts as may be invited; the one that left first loses them first.
    """
    state = ctx.state
    if name not in state.halted:
        return
    state.halted[name] = state.halted.pop(name)
    gone = [one for one in state.halted if not ctx.members.knows(one)]
    for one in gone[: max(0, len(gone) - state.settings.bounds.invitees)]:
        del state.halted[one]
