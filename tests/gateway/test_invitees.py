"""Tokens of the invited, and what a kick and a readmission do outside the space (§3.6.5, §3.6.6)."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import websockets

from mew_gateway.errors import Fatal
from mew_gateway.gateway.broker.spaces.invite_tokens import issued, with_token
from mew_gateway.space.effects import Issue
from mew_gateway.space.events import Issued

from ..kit.gateway import TIMEOUT

SPACE = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    participants:
      admin: {capabilities: [{kind: "space/*"}, {kind: chat}]}
      second: {capabilities: [{kind: "space/*"}, {kind: chat}]}
      bot: {capabilities: [{kind: chat}]}
  other:
    participants:
      admin: {capabilities: [{kind: chat}]}
"""


async def connect(site: Any, token: str, *, space: str = "demo", after: str = "") -> Any:
    url = f"{site.url.replace('http', 'ws')}/ws?space={space}" + (f"&after={after}" if after else "")
    return await websockets.connect(url, additional_headers={"Authorization": f"Bearer {token}"})


async def received(socket: Any) -> dict[str, Any]:
    async with asyncio.timeout(TIMEOUT):
        return dict(json.loads(await socket.recv()))


async def invite(inviter: Any, name: str, **fields: Any) -> dict[str, Any]:
    """The answer to an invitation."""
    payload = {"participant_id": name, "email": "a@b.example", "initial_capabilities": [{"kind": "chat"}]}
    await inviter.send("space/invite", payload, **fields)
    return dict(await inviter.until("space/invite-ack", participant_id=name))


async def refused(site: Any, token: str, *, space: str = "demo") -> int:
    with pytest.raises(websockets.InvalidStatus) as caught:
        await connect(site, token, space=space)
    return int(caught.value.response.status_code)


def ack_in_the_journal(site: Any) -> dict[str, Any]:
    records = site.gateway.broker.engine.records("demo", after=0, limit=1000)
    outputs = [json.loads(output.data) for record in records for output in record.outputs if output.data]
    return dict(next(one for one in reversed(outputs) if one["kind"] == "space/invite-ack"))


@pytest.mark.requirement("mew/3.6.5:invitation-is-broadcast", "mew/3.6.5:email")
async def test_an_invitee_joins_with_the_token_that_its_inviter_received(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin, here, second = await site.join("admin"), await site.join("admin"), await site.join("second")
        ack = await invite(admin, "guest")
        token = ack["payload"]["token"]
        assert token.startswith("mew_")
        assert (await here.until("space/invite-ack"))["payload"]["token"] == token
        guest = await connect(site, token)
        assert (await received(guest))["payload"]["you"]["id"] == "guest"
        invited = await second.until("system/presence", event="invited")
        assert invited["payload"]["participant"]["id"] == "guest"
        await second.until("system/presence", event="join")
        assert "space/invite-ack" not in [one["kind"] for one in second.seen]
        assert await refused(site, token, space="other") == 401
        assert await refused(site, token[:-1]) == 401
        await guest.close()


async def test_the_token_is_nowhere_but_in_what_was_sent(start_gateway: Any, tmp_path: Path, caplog: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        ack = await invite(admin, "guest")
        token = ack["payload"]["token"]
        site.gateway.broker.engine.save()
        recorded = ack_in_the_journal(site)
        assert recorded["id"] == ack["id"] and recorded["payload"]["token"] is None
        assert recorded == {**ack, "payload": {**ack["payload"], "token": None}}
        events = [record.entry.event for record in site.gateway.broker.engine.records("demo", after=0, limit=1000)]
        (event,) = [event for event in events if isinstance(event, Issued)]
        assert event.digest == hashlib.sha256(token.encode()).digest()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or token.encode() not in file.read_bytes(), file
    assert token not in caplog.text


async def test_a_resumed_connection_gets_the_answer_without_the_token(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        ack = await invite(admin, "guest")
        back = await connect(site, site.token("admin"), after=admin.seen[0]["id"])
        kinds = {}
        for _ in range((await received(back))["payload"]["resume"]["count"]):
            envelope = await received(back)
            kinds[envelope["kind"]] = envelope
        assert kinds["space/invite-ack"]["id"] == ack["id"]
        assert kinds["space/invite-ack"]["payload"]["token"] is None
        await back.close()


async def test_a_token_survives_a_restart_until_it_is_replaced(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        first = (await invite(await site.join("admin"), "guest"))["payload"]["token"]
    async with start_gateway(SPACE) as site:
        second = (await invite(await site.join("admin"), "guest"))["payload"]["token"]
        assert await refused(site, first) == 401
        guest = await connect(site, second)
        assert (await received(guest))["kind"] == "system/welcome"
        await guest.close()


async def test_an_invited_one_sees_nothing_from_before_its_invitation(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        await admin.send("chat", {"text": "among ourselves"}, id="early")
        await admin.until("chat")
        site.clock.advance(1)
        ack = await invite(admin, "guest", id="come")
        guest = await connect(site, ack["payload"]["token"], after="early")
        assert (await received(guest))["payload"]["resume"]["count"] is None
        await guest.close()
        guest = await connect(site, ack["payload"]["token"], after="come")
        assert (await received(guest))["payload"]["resume"]["count"] >= 1
        await guest.close()


async def test_a_new_guest_sees_no_refusals_of_the_former_one(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        token = (await invite(admin, "guest"))["payload"]["token"]
        body = {"kind": "mcp/request", "id": "q1", "payload": {"method": "x", "message": "my secret"}}
        assert (await site.post("guest", body, token=token))[0] == 403
        await admin.send("space/kick", {"participant_id": "guest"})
        await admin.until("space/kick")
        site.clock.advance(1)
        token = (await invite(admin, "guest"))["payload"]["token"]
        assert (await site.post("guest", {**body, "id": "q2"}, token=token))[0] == 403
        _, mine = await site.get("/spaces/demo/timeline?after=0", token=token)
        assert [event["id"] for event in mine["events"] if "refused" in event] == ["q2"]


async def test_a_guest_sees_no_text_from_before_its_invitation(start_gateway: Any) -> None:
    configuration = SPACE.replace(
        'second: {capabilities: [{kind: "space/*"}, {kind: chat}]}', 'second: {capabilities: [{kind: "*"}]}'
    )
    async with start_gateway(configuration) as site:
        admin, second = await site.join("admin"), await site.join("second")
        await second.send("mcp/proposal", {"method": "secret", "params": {"a": "secret"}}, id="p1")
        await second.send("stream/request", {"direction": "upload", "description": "secret"})
        await second.send("reasoning/start", {"message": "secret"}, id="open")
        await second.send("reasoning/start", {"message": "secret"}, id="run")
        await second.send("reasoning/conclusion", {"outcome": "secret"}, context="run")
        await admin.until("reasoning/conclusion")
        site.clock.advance(1)
        token = (await invite(admin, "guest"))["payload"]["token"]
        guest = await connect(site, token)
        told = [await received(guest)]
        await guest.send(json.dumps({"kind": "reasoning/thought", "context": "run", "payload": {}}))
        await guest.close()
        for what in ("sequences", "interrupts", "proposals", "grants", "timeline", "history"):
            status, body = await site.get(f"/spaces/demo/{what}", token=token)
            assert status == 200
            told.append(body)
        assert "open" in json.dumps(told[1]) and "secret" not in json.dumps(told)


async def test_a_kicked_participant_is_notified_and_cannot_reconnect(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin, bot, too = await site.join("admin"), await site.join("bot"), await site.join("bot")
        await admin.send("space/kick", {"participant_id": "bot"}, id="out")
        assert (await bot.until("space/kick"))["id"] == "out"
        assert (await bot.closed())[0] == (await too.closed())[0] == 4503
        broker = site.gateway.broker
        assert len(broker.links) == 1
        with pytest.raises(Fatal) as caught:
            broker.connect("demo", "bot", broker.links[0])
        assert caught.value.close_code == 4503
        await admin.send("chat", {"text": "it is gone"})
        await admin.until("chat", text="it is gone")
        socket = await connect(site, site.token("bot"))
        await socket.wait_closed()
        assert socket.close_code == 4503
    async with start_gateway(SPACE) as site:  # a restart lets nobody in again
        socket = await connect(site, site.token("bot"))
        await socket.wait_closed()
        assert socket.close_code == 4503
        admin = await site.join("admin")
        await admin.send("space/invite", {"participant_id": "bot"})
        await admin.until("space/invite-ack", participant_id="bot")
        assert (await site.join("bot")).seen[0]["payload"]["you"]["id"] == "bot"


async def test_a_kicked_guest_has_no_valid_token(start_gateway: Any) -> None:
    async with start_gateway(SPACE) as site:
        admin = await site.join("admin")
        token = (await invite(admin, "guest"))["payload"]["token"]
        guest = await connect(site, token)
        await admin.send("space/kick", {"participant_id": "guest"})
        await guest.wait_closed()
        assert guest.close_code == 4503
        assert await refused(site, token) == 401


HOSTED = SPACE.replace(
    "bot: {capabilities: [{kind: chat}]}",
    "bot: {capabilities: [{kind: chat}], command: [sleep, '1000'], restart: {policy: always}}",
)


async def until(condition: Any) -> None:
    async with asyncio.timeout(TIMEOUT):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_kick_ends_no_process_and_nothing_hosted_runs_twice(start_gateway: Any) -> None:
    async with start_gateway(HOSTED) as site:
        hosting = site.gateway._hosting
        host = hosting._hosts["demo", "bot"]
        await until(lambda: host._process is not None)
        process, admin = host._process, await site.join("admin")
        await admin.send("space/kick", {"participant_id": "bot"})
        await until(lambda: host._dismissed)
        await admin.send("space/invite", {"participant_id": "bot"})
        await until(lambda: not host._dismissed)
        assert host.starts == 1 and process.returncode is None  # it still runs: there is no second one beside it
        await admin.send("space/kick", {"participant_id": "bot"})
        await until(lambda: host._dismissed)
        process.terminate()
        await until(lambda: hosting._tasks["demo", "bot"].done())
        assert host.starts == 1
    async with start_gateway(HOSTED) as site:  # and is not started again with the gateway
        hosting = site.gateway._hosting
        assert not hosting._tasks
        admin = await site.join("admin")
        await admin.send("space/invite", {"participant_id": "bot"})
        await until(lambda: hosting._hosts["demo", "bot"]._process is not None)
        # Kicked and readmitted in one breath: the new one waits for the old one's end.
        old = hosting._hosts["demo", "bot"]._process
        await admin.send("space/kick", {"participant_id": "bot"})
        await admin.send("space/invite", {"participant_id": "bot"})
        await until(lambda: hosting._hosts["demo", "bot"]._readmitted)
        old.terminate()
        await until(lambda: hosting._hosts["demo", "bot"].starts == 2)
        assert old.returncode is not None and not hosting._tasks["demo", "bot"].done()


def test_the_event_of_a_token_has_its_digest_alone() -> None:
    event = issued(Issue("guest", "i", "admin"), "mew_secret")
    assert event == Issued("guest", "i", "admin", hashlib.sha256(b"mew_secret").digest())


def test_the_token_replaces_only_the_null_in_the_payload() -> None:
    data = b'{"id":"x","payload":{"status":"created","capabilities":[{"payload":{"token":null}}],"token":null},"z":1}'
    expected = data.replace(b'"token":null},"z"', b'"token":"mew_secret"},"z"')
    assert with_token(data, "mew_secret") == expected
