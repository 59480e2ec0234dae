"""Aliases: what a connection calls itself besides its participant's id (docs/protocol.md §1), over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
import websockets

from mew_gateway.errors import Rejected
from mew_gateway.gateway.broker.spaces import fanout
from mew_gateway.gateway.broker.spaces.aliases import Aliases
from mew_gateway.gateway.broker.spaces.fanout import Fanout
from mew_gateway.space.events import Received

Join = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture
def client(site: Any) -> Join:
    """`async with client("human", "client-1") as peer`: a connection of human's that calls itself client-1."""

    class Alias:
        def __init__(self, socket: Any) -> None:
            self.socket = socket

        async def send(self, kind: str, payload: dict[str, Any] | None = None, **fields: Any) -> None:
            await self.socket.send(json.dumps({"kind": kind, "payload": payload or {}, **fields}))

        async def raw(self) -> str:
            async with asyncio.timeout(10):
                return str(await self.socket.recv())

        async def until(self, kind: str) -> dict[str, Any]:
            while True:
                envelope = json.loads(await self.raw())
                if envelope["kind"] == kind:
                    return dict(envelope)

    @contextlib.asynccontextmanager
    async def joined(participant: str, alias: str) -> AsyncIterator[Any]:
        async with websockets.connect(site.url.replace("http", "ws"), max_size=None) as socket:
            frame = {"type": "join", "space": "demo", "participantId": alias, "token": site.token(participant)}
            await socket.send(json.dumps(frame))
            yield Alias(socket)
            before = len(site.gateway.broker.links)
            await socket.close()
            async with asyncio.timeout(10):
                while len(site.gateway.broker.links) >= before:
                    await asyncio.sleep(0)

    return joined


async def test_the_welcome_has_the_alias_and_the_real_id(site: Any, client: Join) -> None:
    async with client("human", "client-1") as alias:
        welcome = json.loads(await alias.raw())
        assert welcome["kind"] == "system/welcome"
        assert welcome["to"] == ["client-1"]
        assert welcome["payload"]["you"]["id"] == "human"


async def test_envelopes_under_an_alias_are_sealed_and_returned(site: Any, client: Join) -> None:
    other = await site.join("other")
    async with client("human", "client-1") as alias:
        said = {
            "protocol": "mew/v0.4",
            "id": "c1",
            "ts": "2026-01-01T00:00:00Z",
            "from": "client-1",
            "kind": "chat",
            "payload": {"text": "I am client-1, or human", "n": 1e2},
            "extra": {"from": "human"},
        }
        await alias.socket.send(json.dumps(said))
        assert await alias.until("chat") == said
        assert await other.until("chat") == {**said, "from": "human"}
    records = site.gateway.broker.engine.records("demo", after=None, limit=100)
    events = [record.entry.event for record in records]
    (journalled,) = [json.loads(event.data) for event in events if isinstance(event, Received)]
    assert journalled == {**said, "from": "human"}


async def test_only_from_and_to_speak_of_the_alias(site: Any, client: Join) -> None:
    other = await site.join("other")
    async with client("human", "client-1") as alias:
        await other.send("chat", {"text": "human", "to": ["human"]}, to=["human", "agent"], context="human")
        heard = await alias.until("chat")
        assert heard["to"] == ["client-1", "agent"]
        assert (heard["from"], heard["context"]) == ("other", "human")
        assert heard["payload"] == {"text": "human", "to": ["human"]}
        assert (await other.until("chat"))["to"] == ["human", "agent"]


@pytest.mark.requirement("mew/3.6.4:names-are-resolved", "mew/3.6.4:delivery-to-the-runtime-id")
async def test_others_may_address_the_alias_while_it_lives(site: Any, client: Join) -> None:
    other, human = await site.join("other"), await site.join("human")
    async with client("human", "client-1") as alias:
        await alias.until("system/welcome")
        await other.send("chat", {"text": "hello"}, to=["client-1", "human", "agent"])
        assert (await other.until("chat"))["to"] == ["human", "agent"]
        assert (await human.until("chat"))["to"] == ["human", "agent"]
        assert (await alias.until("chat"))["to"] == ["client-1", "agent"]
        await other.send("chat", {"text": "scalar"}, to="client-1")
        assert (await alias.until("chat"))["to"] == ["client-1"]
    await other.send("chat", {"text": "too late"}, to=["client-1"])
    assert (await other.error("participant_not_found"))["payload"]["participants"] == ["client-1"]


@pytest.mark.requirement("mew/8.1:unmodified")
async def test_envelopes_without_an_alias_keep_their_bytes(site: Any, client: Join) -> None:
    other = await site.join("other")
    async with client("human", "client-1") as alias:
        await alias.until("system/welcome")
        text = (
            '{ "protocol":"mew/v0.4","id":"b1", "ts":"2026-01-01T00:00:00Z","from":"other",'
            '"kind":"chat","payload":{"text" : "\\u0068uman", "n": 1.50}}'
        )
        await other.raw(text)
        assert await alias.raw() == text
        await other.until("system/presence", event="join")
        assert await other.socket.recv() == text


async def test_a_rewritten_envelope_keeps_its_payloads_bytes(site: Any, client: Join) -> None:
    other = await site.join("other")
    async with client("human", "client-1") as alias:
        await alias.until("system/welcome")
        payload = '{"text" : "x", "n": 1.50, "e": 1e2}'
        await other.raw(
            '{"protocol":"mew/v0.4","id":"b1","ts":"2026-01-01T00:00:00Z","from":"other","to":["hum\\u0061n"],'
            f'"kind":"chat","payload":{payload}}}'
        )
        text = await alias.raw()
        assert json.loads(text)["to"] == ["client-1"]
        assert payload in text


async def test_a_refusal_is_addressed_to_the_alias(site: Any, client: Join) -> None:
    async with client("human", "client-1") as alias:
        await alias.send("system/welcome", id="x")
        refused = await alias.until("system/error")
        assert (refused["to"], refused["correlation_id"]) == (["client-1"], ["x"])
        await alias.socket.send("garbage")
        assert (await alias.until("system/error"))["to"] == ["client-1"]


@pytest.mark.requirement("mew/4.1:identity")
async def test_any_other_foreign_from_is_refused(site: Any, client: Join) -> None:
    human = await site.join("human")
    async with client("human", "client-1") as alias:
        await alias.send("chat", {"text": "as other"}, **{"from": "other"})
        assert (await alias.until("system/error"))["payload"]["error"] == "identity_mismatch"
        # The alias is the connection's, not the participant's: another connection does not speak under it.
        await human.send("chat", {"text": "as client-1"}, **{"from": "client-1"})
        await human.error("identity_mismatch")


@pytest.mark.parametrize("name", ["other", "mute", "system", "gw-1", "gateway", "a/b", "x" * 65, "system:gateway"])
@pytest.mark.requirement("mew/4.1:identity")
async def test_claiming_another_id_or_the_gateway_is_refused(site: Any, name: str) -> None:
    async with websockets.connect(site.url.replace("http", "ws")) as socket:
        await socket.send(json.dumps({"type": "join", "participantId": name, "token": site.token("human")}))
        error = json.loads(await socket.recv())
        assert error["payload"]["error"] == "join_refused"
        await socket.wait_closed()
        assert socket.close_code == 4501
    assert not site.gateway.broker.links


async def test_a_post_may_address_an_alias(site: Any, client: Join) -> None:
    human = await site.join("human")
    body = json.dumps({"kind": "chat", "to": ["client-1"], "payload": {"text": "posted"}}).encode()
    answers: list[Any] = []
    async with client("human", "client-1") as alias:
        await alias.until("system/welcome")
        site.gateway.broker.post("demo", "other", body, answers.append)
        assert (await alias.until("chat"))["to"] == ["client-1"]
        assert (await human.until("chat"))["to"] == ["human"]
    assert len(answers) == 1


async def test_missed_envelopes_are_resent_under_the_alias(site: Any, client: Join) -> None:
    other = await site.join("other")
    await other.send("chat", {"text": "first"}, id="c1")
    await other.send("chat", {"text": "second"}, id="c2", to=["human"])
    await other.until("chat", text="second")
    async with websockets.connect(site.url.replace("http", "ws")) as socket:
        frame = {"type": "join", "participantId": "client-1", "after": "c1", "token": site.token("human")}
        await socket.send(json.dumps(frame))
        welcome, again = json.loads(await socket.recv()), json.loads(await socket.recv())
        assert welcome["payload"]["resume"] == {"after": "c1", "count": 1}
        assert (again["id"], again["to"]) == ("c2", ["client-1"])


async def test_the_first_connection_that_holds_an_alias_is_meant(site: Any, client: Join) -> None:
    watcher = await site.join("watcher")
    async with client("other", "client-1"):
        async with client("human", "client-1") as first:
            await first.until("system/welcome")
            await watcher.send("chat", {"text": "to whom?"}, to=["client-1"])
            assert (await watcher.until("chat"))["to"] == ["other"]
        await watcher.send("chat", {"text": "and now?"}, to=["client-1"])
        assert (await watcher.until("chat"))["to"] == ["other"]
    await watcher.send("chat", {"text": "and now?"}, to=["client-1"])
    await watcher.error("participant_not_found")


def test_an_alias_passes_on_and_a_real_id_wins() -> None:
    real: list[str] = []
    aliases = Aliases(real.__contains__)
    assert not aliases
    aliases.claim(1, "a", "client")
    aliases.claim(2, "b", "client")
    assert (aliases["client"], len(aliases), list(aliases)) == ("a", 1, ["client"])
    aliases.release(1)
    aliases.release(1)
    assert aliases["client"] == "b"
    real.append("client")  # somebody was invited under that id
    assert "client" not in aliases
    assert list(aliases) == []
    with pytest.raises(Rejected):
        aliases.check("client")
    real.clear()
    aliases.check("client")
    aliases.release(2)
    assert not aliases
    assert "client" not in aliases


def test_two_aliases_of_one_participant_are_distinct() -> None:
    class Written:
        def __init__(self) -> None:
            self.data = b""

        def write(self, data: bytes) -> None:
            self.data += data

        def close(self, code: int, reason: str) -> None: ...
        def pause_reading(self) -> None: ...
        def resume_reading(self) -> None: ...

    links = {number: Written() for number in (1, 2, 3)}
    aliases = Aliases(lambda _: False)
    out = Fanout(links, aliases.held)
    aliases.claim(1, "human", "client-1")
    aliases.claim(2, "human", "client-2")
    everyone = (1, 2, 3)
    out.put(everyone, b'{"from":"other","kind":"chat"}')
    out.put(everyone, b'{"from":"human","to":["human"],"kind":"chat"}')
    out.put(everyone, b'{"from":"other","kind":"chat"}')
    out.flush()
    for number, name in ((1, b"client-1"), (2, b"client-2"), (3, b"human")):
        before, spoken, after = links[number].data.split(b"\x81")[1:]
        assert before[1:] == after[1:] == b'{"from":"other","kind":"chat"}'
        assert spoken[1:] == b'{"from":"%b","to":["%b"],"kind":"chat"}' % (name, name)


def test_envelopes_without_aliases_are_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Unread:
        def write(self, data: bytes) -> None: ...
        def close(self, code: int, reason: str) -> None: ...
        def pause_reading(self) -> None: ...
        def resume_reading(self) -> None: ...

    renamed: list[str] = []

    def rename(data: bytes, name: str, _alias: str) -> bytes:
        renamed.append(name)
        return data

    monkeypatch.setattr(fanout, "rename", rename)
    everyone = tuple(range(100))
    aliases = Aliases(lambda _: False)
    for number in everyone:
        aliases.claim(number, f"human-{number}", f"client-{number}")
    out = Fanout(dict.fromkeys(everyone, Unread()), aliases.held)
    out.put(everyone, rb'{"from":"other","to":["human-\u0037"],"kind":"chat","payload":{"text":"\\ \"human-8\""}}')
    out.flush()
    assert renamed == ["human-7"]
