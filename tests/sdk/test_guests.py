"""A guest of the same name is somebody else: it steers no run of the earlier one's (docs/protocol.md §2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import websockets

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Agent, Chat, Client, Participant, Refused, Span, capability
from mew_gateway.sdk._transport.welcome import AwayGuests, Guest, Welcome, welcome_in
from mew_gateway.sdk.client import Reconnected
from mew_gateway.sdk.exchange.guests import Guests, LatestGuests
from mew_gateway.sdk.exchange.tracked import TrackedEnvelope, sent_envelope_in

from ..kit.gateway import TIMEOUT, Peer, Site, until

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    roles:
      reasoner:
        - {kind: [chat, chat/acknowledge]}
        - {kind: [reasoning/start, reasoning/thought, reasoning/conclusion, reasoning/interrupt-ack]}
    participants:
      admin: {capabilities: [{kind: "*"}]}
      agent: {roles: [reasoner]}
"""


class Patient(Agent):
    """Works until somebody stops it, or the test lets it end."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()

    @capability(policy="soft-stop", chat=True)
    async def work(self, run: Span, text: str) -> str:
        await run.waiting(self.let.wait())
        return f"done: {text}"


class Slow(Agent):
    """Answers when the test lets it, outside of any run."""

    at_once = 1

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Event()
        self.heard: list[Chat] = []

    async def on_chat(self, chat: Chat) -> None:
        self.heard.append(chat)
        await self.let.wait()
        await self.reply(chat, f"to {chat.text}")


@pytest.fixture
async def site(start_gateway: Any) -> AsyncIterator[Site]:
    async with start_gateway(SPACES) as running:
        yield running


class Host:
    """Who invites guests and removes them."""

    def __init__(self, site: Site, admin: Peer) -> None:
        self.site = site
        self.admin = admin
        self._opened: list[websockets.ClientConnection] = []

    async def invited(self, name: str) -> Peer:
        payload = {"participant_id": name, "initial_capabilities": [{"kind": "chat"}]}
        await self.admin.send("space/invite", payload)
        ack = await self.admin.until("space/invite-ack", participant_id=name)
        headers = {"Authorization": f"Bearer {ack['payload']['token']}"}
        url = f"{self.site.url.replace('http', 'ws')}/ws?space={self.site.space}"
        socket = await websockets.connect(url, additional_headers=headers)
        self._opened.append(socket)
        peer = Peer(socket, name)
        await peer.until("system/welcome")
        return peer

    async def removed(self, name: str) -> None:
        await self.admin.send("space/kick", {"participant_id": name})
        await self.admin.until("system/presence", event="removed")

    async def known_removed(self, agent: Agent, guest: Peer) -> None:
        """Wait until an agent has read that a guest was removed: what it says before that is under way to that name."""
        invitation = guest.seen[0]["payload"]["you"]["invitation"]
        await until(lambda: agent.client.is_gone(guest.participant, invitation))

    async def aclose(self) -> None:
        for socket in self._opened:
            await socket.close()


@pytest.fixture
async def host(site: Site) -> AsyncIterator[Host]:
    host = Host(site, await site.join("admin"))
    yield host
    await host.aclose()


async def test_a_successors_stop_ends_no_run_of_the_earlier_guest(site: Site, host: Host, attend: Any) -> None:
    agent = Patient()
    async with attend(agent, site, host.admin):
        old = await host.invited("ana")
        await old.send("chat", {"text": "begin"}, to=["agent"], id="c1")
        start = await host.admin.until("reasoning/start")
        await host.removed("ana")
        new = await host.invited("ana")
        await new.send("chat", {"text": "stop"}, to=["agent"], id="c2")
        ack = await host.admin.until("chat/acknowledge")
        assert (ack["correlation_id"], ack["payload"]["status"]) == (["c2"], "ignored")
        assert not [one for one in host.admin.seen if one["kind"] == "reasoning/conclusion"]
        told = {"reason": "user_request", "message": "stop"}
        await host.admin.send("reasoning/interrupt", told, to=["agent"], correlation_id=[start["id"]])
        assert (await host.admin.until("reasoning/conclusion"))["payload"]["interrupted"] is True, "a supervisor may"


async def test_the_guest_itself_still_ends_its_run(site: Site, host: Host, attend: Any) -> None:
    async with attend(Patient(), site, host.admin):
        ana = await host.invited("ana")
        await ana.send("chat", {"text": "begin"}, to=["agent"])
        await host.admin.until("reasoning/start")
        await ana.send("chat", {"text": "stop"}, to=["agent"])
        assert (await host.admin.until("reasoning/conclusion"))["payload"]["interrupted"] is True


async def test_a_run_of_a_removed_guest_ends_and_its_answer_is_not_said(site: Site, host: Host, attend: Any) -> None:
    agent = Patient()
    async with attend(agent, site, host.admin):
        old = await host.invited("ana")
        await old.send("chat", {"text": "begin"}, to=["agent"])
        await host.admin.until("reasoning/start")
        await host.removed("ana")
        new = await host.invited("ana")
        await host.known_removed(agent, old)
        agent.let.set()
        assert (await host.admin.until("reasoning/conclusion"))["payload"]["outcome"] == "completed"
        await new.send("chat", {"text": "mine"}, to=["agent"])
        answer = await new.until("chat")
        while answer["from"] != "agent":
            answer = await new.until("chat")
        assert answer["payload"]["text"] == "done: mine"


async def test_what_a_removed_guest_said_is_not_heard(site: Site, host: Host, attend: Any) -> None:
    agent = Slow()
    async with attend(agent, site, host.admin):
        old = await host.invited("ana")
        for text in ("one", "two"):
            await old.send("chat", {"text": text}, to=["agent"])
            await host.admin.until("chat")
        async with asyncio.timeout(TIMEOUT):
            while not agent.heard:
                await asyncio.sleep(0.01)
        await host.removed("ana")
        new = await host.invited("ana")
        await host.known_removed(agent, old)
        agent.let.set()
        await new.send("chat", {"text": "three"}, to=["agent"])
        answer = await new.until("chat")
        while answer["from"] != "agent":
            answer = await new.until("chat")
        assert answer["payload"]["text"] == "to three"
        assert [one.text for one in agent.heard] == ["one", "three"]
        assert agent.heard[0].invitation != agent.heard[1].invitation


# Who is asked


async def test_a_request_ends_with_the_guest_that_it_was_to(site: Site, host: Host) -> None:
    """One that never joined is invited anew: nobody was kicked, and the answer would be somebody else's."""
    invitation = {"participant_id": "ana", "initial_capabilities": [{"kind": "chat"}]}
    client = Client(site.url, space=site.space, token=site.token("admin"))
    async with Participant(client, answers=False) as admin:
        await admin.send("space/invite", invitation)
        asking = asyncio.create_task(admin.request("ana", "tools/list", timeout=60_000))
        await host.admin.until("mcp/request")
        await admin.send("space/invite", invitation)
        with pytest.raises(Refused, match="removed: ana was removed"):
            await asyncio.wait_for(asking, TIMEOUT)


async def test_a_request_ends_with_a_guest_that_was_removed_unseen(site: Site, host: Host) -> None:
    client = Client(site.url, space=site.space, token=site.token("admin"))
    async with Participant(client, answers=False) as admin:
        await host.invited("ana")
        while (old := admin.invitation("ana")) is None:
            await asyncio.sleep(0)
        asking = asyncio.create_task(admin.request("ana", "tools/list", timeout=60_000))
        await host.admin.until("mcp/request")
        told = client.welcome
        away = AwayGuests(away=[Guest("ana", old)], count=1)
        admin.take(Reconnected(msgspec.structs.replace(told, participants=[], guests=away), missed=True))
        await asyncio.sleep(0)
        assert not asking.done(), "it is the same guest"
        away = AwayGuests(away=[Guest("ana", "another")], count=1)
        admin.take(Reconnected(msgspec.structs.replace(told, participants=[], guests=away), missed=True))
        with pytest.raises(Refused, match="removed: ana was removed"):
            await asyncio.wait_for(asking, TIMEOUT)


def asked(to: str = "ana", **invitations: str) -> tuple[TrackedEnvelope, Envelope]:
    envelope = Envelope("mew/v0.4", "q1", "2026", "human", "mcp/request", to=[to], payload={"method": "tools/list"})
    return TrackedEnvelope(sent_envelope_in(envelope), me="human", invitations=invitations), envelope


def test_what_is_replayed_of_an_earlier_guest_is_not_about_whom_we_ask() -> None:
    mine, envelope = asked(ana="3")
    kick = Envelope("mew/v0.4", "k1", "2026", "admin", "space/kick", payload={"participant_id": "ana"})
    for earlier in (kick, presence("removed", "ana", "1"), presence("invited", "ana", "3")):
        mine.see(earlier)
    assert not mine.removed
    mine.see(envelope)
    assert mine.may_answer("ana")
    mine.see(presence("removed", "ana", "3"))
    assert mine.removed and not mine.may_answer("ana")


def test_a_guest_that_is_removed_before_the_envelope_reaches_it_answers_nothing() -> None:
    mine, envelope = asked(ana="1")
    for later in (presence("removed", "ana", "1"), presence("invited", "ana", "3"), envelope):
        mine.see(later)
    assert mine.removed and not mine.may_answer("ana")


# The order


def presence(event: str, name: str, invitation: str | None = None) -> Envelope:
    participant = {"id": name} if invitation is None else {"id": name, "invitation": invitation}
    payload = {"event": event, "participant": participant}
    return Envelope("mew/v0.4", "gw-1", "2026", "system:gateway", "system/presence", payload=payload)


def welcome(*guests: str, replayed: int | None = None, away: tuple[str, ...] = (), count: int = 0) -> Welcome:
    payload: dict[str, Any] = {
        "you": {"id": "agent"},
        "participants": [{"id": one.partition("@")[0], "invitation": one.partition("@")[2]} for one in guests],
        "guests": {
            "away": [{"id": one.partition("@")[0], "invitation": one.partition("@")[2]} for one in away],
            "count": count,
        },
    }
    if replayed is not None:
        payload["resume"] = {"after": "x", "count": replayed}
    return welcome_in(payload)


def test_guests_are_those_of_their_place_in_the_order() -> None:
    guests = Guests()
    guests.welcome(welcome("ana@1", away=("eva@2",), count=1))
    assert (guests.of("ana"), guests.of("eva"), guests.of("human")) == ("1", "2", None)
    guests.welcome(welcome("ana@3", replayed=2))
    assert guests.of("ana") == "1", "what was missed comes behind, and is the earlier guest's"
    guests.take(presence("removed", "ana", "1"))
    assert guests.of("ana") is None
    guests.take(presence("invited", "ana", "3"))
    assert guests.of("ana") == "3"
    guests.take(presence("join", "eva"))
    assert guests.of("eva") is None, "it is configured by now"


def test_the_newest_guests_are_those_of_the_welcome() -> None:
    newest = LatestGuests()
    newest.welcome(welcome("ana@3", replayed=2))
    newest.take(presence("join", "ana", "1"))
    newest.take(presence("removed", "ana", "1"))
    assert newest.of("ana") == "3"
    newest.take(presence("removed", "ana", "3"))
    assert newest.of("ana") is None


def test_guests_before_a_history_are_told_by_what_it_tells_first() -> None:
    guests = Guests()
    guests.welcome(welcome("ana@3", "luis@4"))
    missed = [presence("leave", "ana", "1"), presence("removed", "ana", "1"), presence("invited", "ana", "3")]
    before = guests.rewind(missed)
    assert (before.of("ana"), before.of("luis")) == ("1", "4")
    assert guests.rewind(missed[2:]).of("ana") is None


def test_whoever_is_not_listed_is_gone_only_if_the_list_is_whole() -> None:
    newest = LatestGuests()
    newest.welcome(welcome(away=("eva@2",), count=2))
    assert not newest.is_gone("ana", "1")
    newest.welcome(welcome(away=("eva@2",), count=1))
    assert newest.is_gone("ana", "1") and newest.is_gone("eva", "1")
