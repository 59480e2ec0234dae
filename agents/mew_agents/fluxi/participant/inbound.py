"""What arrives from the space, in order: noted, dated, and given to whom it concerns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.participant.proposals import News
from mew_agents.fluxi.participant.resumption import Pending
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import Witness
from mew_gateway.errors import MewError
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.sdk import Envelope, Tasks, is_recorded
from mew_gateway.sdk.exchange.guests import Guests, guest_in

log = logging.getLogger(__name__)

# Given again to each connection while they wait for an answer: nothing to go on from.
_GIVEN_AGAIN = ("reasoning/interrupt", "reasoning/cancel")
_MOST_ASKED = 10_000  # conversations
_AGAIN = 1.0  # seconds until what could not be written is tried again


@dataclass(frozen=True, slots=True)
class Said:
    """A chat that may be for us: when it arrived (ms), and what is done when it is dealt with. `invitation`: of the
    guest who said it."""

    envelope: Envelope
    at: int
    pending: Pending
    invitation: str | None = None

    @property
    def payload(self) -> dict[str, Any]:
        """Its payload."""
        return self.envelope.payload or {}


class Inbound:
    """Takes envelopes. A chat for the agent is kept until its hook asks for it (`said`).

    `part` is called for each guest who was removed, with its name and its invitation.
    """

    def __init__(
        self,
        station: Station,
        tasks: Tasks,
        *,
        learn: Callable[[], Awaitable[None]],
        part: Callable[[str, str], Awaitable[None]],
    ) -> None:
        self._station = station
        self._tasks = tasks
        self._learn = learn
        self._part = part
        self._said: dict[tuple[str, str | None, str], Said] = {}  # by sender, its invitation, and id
        self._asked: dict[str, int] = {}  # by conversation, when its newest question was asked
        # What has arrived by itself, until what was missed is heard; whole, because ids of people may come again.
        self._live: set[bytes] | None = set()

    def recall(self, envelope: Envelope, guests: Guests) -> Said | None:
        """An envelope from the history, unless it has arrived by itself meanwhile; as `take`."""
        live, self._live = self._live, None
        try:
            return None if live is not None and _encoded(envelope) in live else self.take(envelope, guests)
        finally:
            self._live = live

    def caught_up(self) -> None:
        """Everything that was missed has been recalled."""
        self._live = None

    def take(self, envelope: Envelope, guests: Guests) -> Said | None:
        """An envelope that arrives; the chat that it is, if it may be for us. Waits for nothing. `guests`: those there
        were when it was said."""
        if self._live is not None:
            self._live.add(_encoded(envelope))
        at = self._station.wire.date()
        heard = self._station.wire.take(envelope, at=at)
        news = self._station.proposals.take(envelope)
        # Other people's ids may come again: only our own and the gateway's tell where we are (docs/protocol.md §1).
        mark = envelope.id if envelope.sender in (self._station.me, GATEWAY) else None
        if not is_recorded(envelope) or envelope.kind in _GIVEN_AGAIN:
            self._tell(None, news)
            return None
        if mark is not None:
            self._station.wire.cursor = mark
        if news is not None:
            self._tell(mark, news)
        elif envelope.kind == "chat":
            return self._chat(envelope, at, self._station.resumption.note(mark), guests)
        elif envelope.kind == "mcp/response" and not heard and self._station.me in (envelope.to or ()):
            self._tell(mark, *self._late(envelope))
        else:
            self._other(envelope, guests)
            self._station.resumption.note(mark).done()
        if self._station.proposals.to_withdraw:
            self._station.runs.stirred()
        return None

    def said(self, sender: str, invitation: str | None, id: str) -> Said | None:
        """A chat that has arrived, once."""
        return self._said.pop((sender, invitation, id), None)

    def _chat(self, envelope: Envelope, at: int, pending: Pending, guests: Guests) -> Said | None:
        me, to = self._station.me, envelope.to or ()
        if envelope.sender == me:
            self._echo(envelope, at, pending, guests)
        elif me in to or (not to and envelope.correlation_id):
            invitation = guests.of(envelope.sender)
            said = Said(envelope, at, pending, invitation)
            self._said[envelope.sender, invitation, envelope.id] = said
            return said
        else:
            pending.done()
        return None

    def _echo(self, envelope: Envelope, at: int, pending: Pending, guests: Guests) -> None:
        """Our own chat is out. Whoever answers it comes behind, in the line of its conversation."""
        station = self._station
        to, payload = (envelope.to or [""])[0], envelope.payload or {}
        conversation = station.conversation(to, guests.of(to), payload.get("conversation"))
        place = station.line.place(conversation.conversation_id)

        async def mark() -> None:
            async with place:
                asked = await station.fluxi.outbox.out(envelope.id, at=at)
                if asked is not None:
                    self._asked[conversation.conversation_id] = asked
                    while len(self._asked) > _MOST_ASKED:
                        del self._asked[next(iter(self._asked))]
            pending.done()

        self._start("marking a reply", mark)

    def arrived(self, conversation: Conversation, said: Said | None) -> int:
        """When a chat arrived, when it is its turn: behind the questions that came before it, whosever clock dated
        them. Another process of this agent may have been the first to see one."""
        at = self._station.wire.date() if said is None else said.at
        return max(at, self._asked.get(conversation.conversation_id, 0) + 1)

    def _late(self, envelope: Envelope) -> list[News]:
        """An answer that nobody waits for any more. It counts if the record shows that it is one to a call of ours."""

        async def told(id: str, witness: Witness) -> None:
            port, arrivals = self._station.port, self._station.fluxi.arrivals
            prepared = await arrivals.prepared(id)
            if prepared is not None and port.is_asked(prepared, envelope.sender):
                answer = await port.look_back(prepared)
                if answer is not None:
                    await arrivals.answered(id, answer, witness=witness)

        return [partial(told, id) for id in envelope.correlation_id or ()]

    def _tell(self, id: str | None, *news: News | None) -> None:
        pending = self._station.resumption.note(id)

        async def tell() -> None:
            for one in news:
                if one is not None:
                    await self.news(one)
            pending.done()

        self._start("news of a call", tell)

    async def news(self, one: News) -> None:
        """Fluxi is told what became of a call, in a run if that changes anything."""
        subject = Subject(OCCASIONS.say("news", self._station.options.language))
        async with self._station.runs.within(subject) as witness:
            await one(witness)
        self._station.runs.stirred()

    def _other(self, envelope: Envelope, guests: Guests) -> None:
        if envelope.kind == "chat/cancel":
            for id in envelope.correlation_id or ():
                said = self.said(envelope.sender, guests.of(envelope.sender), id)
                if said is not None:
                    said.pending.done()
        elif (presence := guest_in(envelope)) is not None:
            event, name, invitation = presence
            if event == "join":
                self._start("asking for lists", self._learn)
            elif event == "removed" and invitation is not None:
                self._start("parting with a guest", partial(self._part, name, invitation))
        elif envelope.kind == "participant/resume":
            self._station.runs.stirred()

    def _start(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks.start_soon(_until_done, name, work)


_encoded = msgspec.json.Encoder().encode


async def _until_done(name: str, work: Callable[[], Awaitable[None]]) -> None:
    """What has to be written is written, however long the database or the connection is away."""
    while True:
        try:
            await work()
            return
        except MewError as error:
            log.warning("%s: %s", name, error)
            await asyncio.sleep(_AGAIN)
        except Exception:
            log.exception("%s failed", name)
            return
