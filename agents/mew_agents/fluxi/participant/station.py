"""The station: Fluxi with its place in a space, and what the parts of its agent share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, PolicyContext
from mew_agents.fluxi.participant.gateway_carrier import GatewayCarrier
from mew_agents.fluxi.participant.gateway_port import GatewayPort
from mew_agents.fluxi.participant.guests import GUEST, guest_of
from mew_agents.fluxi.participant.host_options import HostOptions, policy_of
from mew_agents.fluxi.participant.line import Line
from mew_agents.fluxi.participant.proposals import Proposals
from mew_agents.fluxi.participant.resumption import Resumption
from mew_agents.fluxi.participant.runs import Runs, RunWitness
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.participant.wire import Wire

_LONGEST = 200  # characters of the name of a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class Station:
    """Who is where: `space` and `me` are ids, `account` the one whose business is done here.

    `folder` is where this agent may keep files of its own.
    """

    space: str
    me: str
    account: str
    folder: Path
    options: HostOptions
    fluxi: Fluxi
    wire: Wire
    port: GatewayPort
    carrier: GatewayCarrier
    proposals: Proposals
    line: Line
    resumption: Resumption
    runs: Runs

    @property
    def prefix(self) -> str:
        """What the ids of all conversations of this agent begin with."""
        return f"{self.space}/{self.me}/"

    def conversation(self, sender: str, invitation: str | None, named: object = None) -> Conversation:
        """The conversation of what somebody says: their own, or the one they name for people they speak for (§1).

        A guest's is that of its invitation: who is invited later under its name is somebody else.
        """
        place = f"{self.prefix}{sender}" if invitation is None else f"{self.prefix}{sender}{GUEST}{invitation}"
        if isinstance(named, str) and 0 < len(named) <= _LONGEST and sender in self.options.speaks_for:
            place = f"{place}/{named}"
        return Conversation(self.account, place)

    def is_gone(self, conversation_id: str) -> bool:
        """Whether a conversation of this agent's is that of a guest who was removed."""
        guest = guest_of(conversation_id)
        return guest is not None and self.wire.client.is_gone(*guest)

    @asynccontextmanager
    async def turn(self, place: str, subject: Subject) -> AsyncIterator[RunWitness]:
        """A run in the line of a conversation (its id), when it is its turn there: for what an engine does by itself.

        Somebody who stops it ends the block silently.
        """
        async with self.line.place(place), self.runs.within(subject) as witness:
            yield witness

    def now(self) -> datetime:
        """The time, by the gateway's clock."""
        return time_of(self.wire)

    def policy(self, contact: str) -> PolicyContext:
        """How a contact is served, now."""
        return policy_of(self.options, self.now(), contact)


def time_of(wire: Wire) -> datetime:
    """The time, by the gateway's clock."""
    return datetime.fromtimestamp(wire.client.gateway_time() / 1000, UTC)
