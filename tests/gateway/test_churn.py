"""Whoever comes and goes, however they end, leaves nothing behind: what the gateway holds is counted."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
import websockets

from mew_gateway.gateway import server

from .census import census

LONG = 30  # seconds that what must come may take on a busy machine
PATIENCE = 60  # seconds until what is on its way out must be gone
ROUNDS = 12

SPACES = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
  limits: {closed_sequences: 1, settled_interrupts: 1, remembered_ids: 1, remembered_for: 1ms, open_requests: 1,
           envelopes_per_second: 100000, envelopes_burst: 100000, connects: 100000/1s}
spaces:
  demo:
    owner_grace: 10s
    interrupts: {per_sequence: 1000/1s, emergency: 1000/1s, emergency_escalation: [notify]}
    participants:
      admin: {capabilities: [{kind: "**"}, {kind: reasoning/interrupt, payload: {class: emergency}}]}
      guest: {capabilities: [{kind: "**"}]}
"""

STATE = ".broker.engine._runtimes[].machine._state"

# What is not compared, by its whole path: each is bounded by a limit, or by what people have to lift.
BOUNDED = frozenset(
    {
        f"{STATE}.alarms[]",  # their times, by the rate limit
        f"{STATE}.halted",  # of guests who are gone, too: as many as may be invited
        f"{STATE}.halted[]",
        f"{STATE}.former",  # their names: as many as may be invited
        ".broker._strangers._times",  # when they came, by their rate: forgotten when the next one comes
        ".broker.activity._lines._since",  # which lines of the log were written lately: at most a fixed number
    }
)


def head(site: Any, *, token: str | None = None, query: str = "space=demo", more: str = "") -> bytes:
    """An upgrade request."""
    bearer = "" if token is None else f"Authorization: Bearer {token}\r\n"
    key = base64.b64encode(bytes(16)).decode()
    return (
        f"GET /ws?{query} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{bearer}{more}\r\n"
    ).encode()


class Wire:
    """A bare TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def to(cls, site: Any) -> Wire:
        host, port = site.url.removeprefix("http://").split(":")
        return cls(*await asyncio.open_connection(host, int(port)))

    async def say(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def hear(self, until: bytes) -> bytes:
        async with asyncio.timeout(LONG):
            return await self._reader.readuntil(until)

    async def ended(self) -> None:
        """Wait for the other side to end it."""
        async with asyncio.timeout(LONG):
            with contextlib.suppress(OSError):
                while await self._reader.read(65_536):
                    pass
        await self.end()

    async def end(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    def reset(self) -> None:
        """End it without another word: RST."""
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


def masked(first: int, data: bytes) -> bytes:
    """A client's frame, its mask zero."""
    return bytes((first, 0x80 | len(data))) + bytes(4) + data


async def joined(site: Any) -> Wire:
    wire = await Wire.to(site)
    await wire.say(head(site, token=site.token("guest")))
    await wire.hear(b"system/welcome")
    return wire


async def leaves_cleanly(site: Any, _: int) -> None:
    guest = await site.join("guest")
    await guest.socket.close()


async def is_reset(site: Any, _: int) -> None:
    (await joined(site)).reset()


async def is_reset_amid_a_frame(site: Any, _: int) -> None:
    wire = await joined(site)
    await wire.say(masked(0x81, b"x" * 100)[:20])
    wire.reset()


async def is_reset_amid_the_request(site: Any, _: int) -> None:
    wire = await Wire.to(site)
    await wire.say(head(site)[:40])
    wire.reset()


async def ends_before_it_begins(site: Any, _: int) -> None:
    await (await Wire.to(site)).end()


async def says_garbage(site: Any, _: int) -> None:
    for garbage in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        wire = await Wire.to(site)
        await wire.say(garbage)
        await wire.ended()


async def has_a_wrong_token(site: Any, _: int) -> None:
    wire = await Wire.to(site)
    await wire.say(head(site, token="mew_wrong_token_wrong_token"))
    assert b" 401 " in await wire.hear(b"\r\n\r\n")
    await wire.ended()


async def cannot_be_read(site: Any, _: int) -> None:
    wire = await Wire.to(site)
    await wire.say(head(site, more="Origin: http://[\r\n"))
    await wire.ended()


async def joins_with_a_wrong_frame(site: Any, _: int) -> None:
    wire = await Wire.to(site)
    await wire.say(head(site, query=""))
    await wire.say(masked(0x81, b'{"type":"join","token":"mew_wrong"}'))
    await wire.hear(struct.pack("!H", 4501))
    wire.reset()


async def is_reset_before_it_joins(site: Any, _: int) -> None:
    wire = await Wire.to(site)
    await wire.say(head(site, query=""))
    await wire.hear(b"\r\n\r\n")
    wire.reset()


async def joins_by_another_name(site: Any, nth: int) -> None:
    token = site.token("guest")
    wire = await Wire.to(site)
    join = json.dumps({"type": "join", "participantId": f"alias-{nth}", "token": token, "space": "demo"})
    await wire.say(head(site, query="") + masked(0x81, join.encode()))
    await wire.hear(b"system/welcome")
    wire.reset()


async def breaks_the_protocol(site: Any, _: int) -> None:
    for frame in (masked(0x83, b"x"), masked(0x81, b"\xff"), b"\x81\x01x", masked(0x01, b"x") + masked(0x01, b"x")):
        wire = await joined(site)
        await wire.say(frame)
        await wire.ended()


async def resumes(site: Any, nth: int) -> None:
    status, _ = await site.post("admin", {"kind": "chat", "id": f"said-{nth}", "payload": {"text": "x"}})
    assert status == 200
    await site.post("admin", {"kind": "chat", "payload": {"text": "missed"}})
    for after in (f"said-{nth}", "unknown"):
        wire = await Wire.to(site)
        await wire.say(head(site, token=site.token("guest"), query=f"space=demo&after={after}"))
        await wire.hear(b"missed" if after.startswith("said") else b"history_unavailable")
        wire.reset()


async def asks_over_http(site: Any, _: int) -> None:
    assert (await site.post("guest", {"kind": "chat", "payload": {}}))[0] == 400
    assert (await site.post("guest", {"kind": "chat", "payload": {"text": "x"}}, token="wrong"))[0] == 401
    assert (await site.get("/spaces/demo/history", participant="guest"))[0] == 200
    assert (await site.get("/nothing"))[0] == 404
    wire = await Wire.to(site)
    await wire.say(b"POST /participants/guest/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    wire.reset()


async def leaves_everything_open(site: Any, nth: int) -> None:
    """A sequence, an interrupt, a stream, a request, a proposal, a pause: nobody answers, time passes."""
    admin, guest = await site.join("admin"), await site.join("guest")
    await guest.send("reasoning/start", {"message": "x"}, id=f"run-{nth}")
    await guest.send("stream/request", {"direction": "upload"})
    await guest.send("mcp/request", {"method": "tools/list"}, to=["admin"])
    await guest.send("mcp/proposal", {"method": "tools/list"}, id=f"proposal-{nth}")
    await guest.until("stream/open")
    await guest.until("mcp/proposal")
    for class_ in ("cancel", "emergency"):
        payload, asked = {"reason": "error", "message": "x", "class": class_}, f"{class_}-{nth}"
        await admin.send("reasoning/interrupt", payload, id=asked, to=["guest"], correlation_id=[f"run-{nth}"])
        await guest.until("reasoning/interrupt")
    await admin.send("participant/pause", {"timeout_seconds": 5}, to=["guest"])
    await guest.until("participant/pause")
    await guest.socket.close()
    await admin.until("system/presence", event="leave")
    await site.pass_time(100_000)
    await admin.send("participant/resume", {}, to=["guest"], correlation_id=[f"emergency-{nth}"])
    await admin.until("participant/resume")
    withdrawal = {"kind": "mcp/withdraw", "payload": {"reason": "no_longer_needed"}}
    status, answer = await site.post("guest", {**withdrawal, "correlation_id": [f"proposal-{nth}"]})
    assert status == 409 and answer["error"] == "proposal_closed"  # the halt has voided it
    await admin.socket.close()


async def is_invited_and_kicked(site: Any, nth: int) -> None:
    """A guest who is somebody else each time, holds a grant, has raised an alarm and left things open."""
    admin, name = await site.join("admin"), f"visitor-{nth}"
    invitation = {"participant_id": name, "email": "a@b.example", "initial_capabilities": [{"kind": "**"}]}
    await admin.send("space/invite", invitation)
    token = (await admin.until("space/invite-ack", participant_id=name))["payload"]["token"]
    grant = {"recipient": name, "capabilities": [{"kind": "chat"}]}
    await admin.send("capability/grant", grant, to=[name])
    await admin.until("capability/grant")
    url = site.url.replace("http", "ws") + "/ws?space=demo"
    async with websockets.connect(url, additional_headers={"Authorization": f"Bearer {token}"}) as visitor:
        for envelope in (
            {"kind": "reasoning/start", "id": f"visit-{nth}", "payload": {}},
            {"kind": "mcp/request", "to": ["admin"], "payload": {"method": "tools/list"}},
            {"kind": "mcp/proposal", "payload": {"method": "tools/list"}},
            {"kind": "stream/request", "payload": {"direction": "upload"}},
            {"kind": "chat", "payload": {"text": "here"}},
        ):
            await visitor.send(json.dumps(envelope))
        await admin.until("chat", text="here")
        stop = {"to": [name], "correlation_id": [f"visit-{nth}"]}
        await admin.send("reasoning/interrupt", {"reason": "error", "class": "emergency", "message": "x"}, **stop)
        await admin.until("reasoning/interrupt")
        await admin.send("capability/revoke", {"recipient": name, "capabilities": [{"kind": "chat"}]})
        await admin.send("space/kick", {"participant_id": name})
        await admin.until("system/presence", event="leave")
    assert (await site.post(name, {"kind": "chat", "payload": {"text": "x"}}, token=token))[0] in (401, 403)
    await admin.socket.close()


Visit = Callable[[Any, int], Awaitable[None]]
VISITS: tuple[Visit, ...] = (
    leaves_cleanly,
    is_reset,
    is_reset_amid_a_frame,
    is_reset_amid_the_request,
    ends_before_it_begins,
    says_garbage,
    has_a_wrong_token,
    cannot_be_read,
    joins_with_a_wrong_frame,
    is_reset_before_it_joins,
    joins_by_another_name,
    breaks_the_protocol,
    resumes,
    asks_over_http,
    leaves_everything_open,
    is_invited_and_kicked,
)


def kept(site: Any) -> Counter[str]:
    """What is counted exactly."""
    return Counter({path: count for path, count in census(site.gateway).items() if path not in BOUNDED})


async def quiet(site: Any) -> None:
    """Everybody has gone, and every deadline has passed."""
    async with asyncio.timeout(LONG):
        while (
            site.gateway.accept_context.open
            or site.gateway._server.server_state.connections
            or site.gateway.broker.links
        ):
            await asyncio.sleep(0.01)
    await site.pass_time(2 * 86_400_000)
    status, _ = await site.post("admin", {"kind": "chat", "payload": {"text": "is everything handled?"}})
    assert status == 200
    await site.pass_time(60_000)
    async with asyncio.timeout(LONG):
        while site.gateway.broker._sessions._limiters:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: visit.__name__)
async def test_closed_connections_leave_no_state(
    start_gateway: Any, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_PRUNE_EVERY", 0.02)
    async with start_gateway(SPACES) as site:
        await visit(site, 0)
        await visit(site, 1)
        await quiet(site)
        before = kept(site)
        for nth in range(2, 2 + ROUNDS):
            await visit(site, nth)
        await quiet(site)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while kept(site) != before:
                    await asyncio.sleep(0.05)
        after = kept(site)
        assert (after - before, before - after) == (Counter(), Counter())


@contextlib.contextmanager
def planted(holder: Any) -> Iterator[None]:
    """One thing more in a container."""
    if isinstance(holder, dict):
        holder["planted"] = 0
        yield
        del holder["planted"]
    elif isinstance(holder, list):
        holder.append(0)
        yield
        holder.pop()
    else:
        holder.add("planted")
        yield
        holder.remove("planted")


async def test_the_census_finds_leaks(start_gateway: Any) -> None:
    async with start_gateway(SPACES) as site:
        gateway = site.gateway
        engine, sessions, machine = (
            gateway.broker.engine,
            gateway.broker._sessions,
            gateway.broker.engine["demo"].machine,
        )
        fields = {f"{STATE}.{name}": getattr(machine.state, name) for name in machine.state.__struct_fields__}
        holders = {path: holder for path, holder in fields.items() if isinstance(holder, dict | list)}
        assert len(holders) > 20
        holders |= {
            ".accept_context.open": gateway.accept_context.open,
            ".accept_context.waiting": gateway.accept_context.waiting,
            ".accept_context.lagging": gateway.accept_context.lagging,
            ".counters.closed": gateway.counters.closed,
            ".broker._sessions._sessions": sessions._sessions,
            ".broker._sessions._limiters": sessions._limiters,
            ".broker.engine._links": sessions.links,
            ".broker.engine._outputs": engine._outputs,
            ".broker.engine._journal._names": engine._journal._names,
            ".broker.engine._runtimes[].machine._dedup._ids": machine._dedup._ids,
            "._server.server_state.connections": gateway._server.server_state.connections,
            "._tasks": gateway._tasks,
        }
        before = kept(site)
        for path, holder in holders.items():
            with planted(holder):
                assert kept(site) - before == ({} if path in BOUNDED else {path: 1})
        machine.state.alarms["planted"], machine.state.halted["planted"] = [0], [0]
        machine.state.former["planted"] = None
        gateway.broker.activity._lines._since["planted"] = (0.0, 1)
        gateway.broker._strangers._times.append(0)
        assert {*census(gateway)} >= BOUNDED
        del machine.state.former["planted"], gateway.broker.activity._lines._since["planted"]
        del machine.state.alarms["planted"], machine.state.halted["planted"]
        gateway.broker._strangers._times.clear()
        with socket.socket():
            assert kept(site) - before == {"descriptors": 1}
        assert kept(site) == before
        task = asyncio.create_task(asyncio.Event().wait())
        assert kept(site) - before == {"tasks": 1}
        task.cancel()
