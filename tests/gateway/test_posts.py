"""Envelopes posted over HTTP: the same rules, the same order, an answer to each (docs/protocol.md §6)."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
from typing import Any

import pytest

from mew_gateway.errors import Unavailable
from mew_gateway.gateway.http import posts as posting
from mew_gateway.protocol.codes import ERRORS
from mew_gateway.protocol.http_statuses import STATUSES
from mew_gateway.space.events import Received

from ..kit.gateway import TIMEOUT


class Answer:
    """What came back, as a client sees it."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body: Any = json.loads(body)
        assert headers["content-type"] == "application/json"

    @property
    def error(self) -> tuple[int, str]:
        return self.status, self.body["error"]


async def call(
    site: Any,
    body: bytes | dict[str, Any] | None,
    *,
    who: str = "human",
    query: str = "",
    method: str = "POST",
    **headers: str,
) -> Answer:
    """One request with exactly these headers besides the host; a dict is sent as JSON."""
    data = json.dumps(body).encode() if isinstance(body, dict) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    if "Authorization" not in named:
        named["Authorization"] = f"Bearer {site.token(who)}"
    named.setdefault("Content-Type", "application/json")
    host = site.url.removeprefix("http://")

    def fetch() -> Answer:
        connection = http.client.HTTPConnection(host, timeout=TIMEOUT)
        with contextlib.closing(connection):
            connection.request(method, f"/participants/{who}/messages{query}", data, named)
            response = connection.getresponse()
            return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())

    return await asyncio.to_thread(fetch)


async def test_a_post_is_sealed_journalled_and_delivered_like_any_envelope(site: Any) -> None:
    agent = await site.join("agent")
    answer = await call(site, {"kind": "chat", "payload": {"text": "by post"}}, query="?space=demo")
    assert answer.status == 200
    said = await agent.until("chat", text="by post")
    assert answer.body == {"id": said["id"], "status": "accepted", "timestamp": said["ts"], "notices": []}
    assert (said["from"], said["protocol"]) == ("human", "mew/v0.4")


async def test_a_poster_is_not_here(site: Any) -> None:
    agent = await site.join("agent")
    await call(site, {"kind": "chat", "payload": {"text": "by post"}})
    assert [one["kind"] for one in await agent.settle()] == ["chat"]
    _, body = await site.get("/spaces/demo/participants", participant="agent")
    assert not next(one for one in body["participants"] if one["id"] == "human")["present"]


async def test_the_senders_connections_get_the_same_bytes(site: Any) -> None:
    human = await site.join("human")
    whole = {
        "protocol": "mew/v0.4",
        "id": "p1",
        "ts": "2026-01-01T00:00:00Z",
        "from": "human",
        "kind": "chat",
        "x_own": [1, 2.50],
        "payload": {"text": "é"},
    }
    data = json.dumps(whole, ensure_ascii=False, separators=(", ", ": ")).encode()
    assert (await call(site, data)).status == 200
    assert await human.socket.recv() == data.decode()


async def test_without_a_space_it_is_the_tokens(start_gateway: Any) -> None:
    text = """
gateway: {listen: "127.0.0.1:0", state_dir: state, journal: {url: "memory:"}}
spaces:
  one: {participants: {human: {capabilities: [{kind: chat}], token: first-token-first-token}, other: {}}}
  two:
    participants:
      human: {capabilities: [{kind: chat}], token: second-token-second-token}
      solo: {token: shared-token-shared-token}
  three: {participants: {solo: {token: shared-token-shared-token}, lone: {}}}
"""
    async with start_gateway(text, space="two") as site:
        human = await site.join("human", space="two")
        chat = {"kind": "chat", "payload": {"text": "here"}}
        assert (await call(site, chat, Authorization="bearer  second-token-second-token")).status == 200
        await human.until("chat", text="here")
        ambiguous = await call(site, chat, who="solo", Authorization="Bearer shared-token-shared-token")
        assert ambiguous.error == (400, "bad_request")
        assert "?space=" in ambiguous.body["message"]
        named = await call(site, chat, who="solo", query="?space=two", Authorization="Bearer shared-token-shared-token")
        assert named.error == (403, "capability_violation")


@pytest.mark.parametrize("query", ["", "?space=demo", "?space=nowhere"])
@pytest.mark.parametrize("header", ["Bearer wrong-token-wrong-token", "Basic aHVtYW46", "Bearer", ""])
async def test_a_foreign_token_learns_nothing(site: Any, query: str, header: str) -> None:
    answer = await call(site, {"kind": "chat"}, query=query, Authorization=header)
    assert answer.error == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_posting_as_another_participant_is_refused(site: Any) -> None:
    agent = await site.join("agent")
    answer = await call(site, {"kind": "chat"}, who="human", Authorization=f"Bearer {site.token('other')}")
    assert answer.error == (403, "identity_mismatch")
    answer = await call(site, {"kind": "chat", "from": "other", "payload": {"text": "x"}, "id": "mine"})
    assert answer.error == (403, "identity_mismatch")
    assert answer.body["id"] == "mine"
    assert await agent.settle() == []


@pytest.mark.requirement("mew/5.3:same-rules-over-http")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"This is not valid JSON", (400, "invalid_json")),
        (b'{"kind":"chat"', (400, "invalid_json")),
        (b"", (400, "invalid_json")),
        (b"[]", (400, "invalid_json")),
        (b"{}", (400, "invalid_envelope")),
        (b'{"payload":{"text":"no kind"}}', (400, "invalid_envelope")),
        (b'{"kind":"chat","kind":"chat","payload":{"text":"x"}}', (400, "duplicate_key")),
        (b'{"kind":"chat","payload":{"text":"\\ud800"}}', (400, "invalid_json")),
        (b'{"kind":"chat","payload":{}}', (400, "invalid_payload")),
        (b'{"kind":"system/welcome"}', (400, "reserved_kind")),
        (b'{"kind":"space/invite"}', (403, "capability_violation")),
        (b'{"kind":"mcp/response","correlation_id":"unheard-of"}', (404, "request_not_found")),
    ],
)
async def test_a_refusal_has_its_code(site: Any, body: bytes, expected: tuple[int, str]) -> None:
    answer = await call(site, body)
    assert answer.error == expected
    assert answer.body["message"]
    assert (await site.get("/health"))[0] == 200


async def test_a_refusal_has_the_details_of_its_system_error(site: Any) -> None:
    answer = await call(site, {"kind": "x/act", "id": "tried"})
    assert answer.error == (403, "capability_violation")
    assert (answer.body["id"], answer.body["attempted_kind"]) == ("tried", "x/act")
    assert {"kind": "chat"} in answer.body["your_capabilities"]


async def test_a_resend_is_a_duplicate(site: Any) -> None:
    chat = {"kind": "chat", "id": "again", "payload": {"text": "once"}}
    answers = [await call(site, chat) for _ in range(2)]
    assert answers[0].status == 200
    assert answers[1].error == (409, "duplicate_id")


async def test_posts_at_once_each_get_their_own_answer(site: Any) -> None:
    watcher = await site.join("watcher")
    texts = [f"number {number}" for number in range(12)]
    good = [call(site, {"kind": "chat", "id": text, "payload": {"text": text}}) for text in texts]
    bad = [call(site, {"kind": "x/act", "id": text}, who="other") for text in texts]
    answers = await asyncio.gather(*good, *bad)
    assert [(one.status, one.body["id"]) for one in answers[:12]] == [(200, text) for text in texts]
    assert [(one.error, one.body["id"]) for one in answers[12:]] == [((403, "capability_violation"), t) for t in texts]
    assert sorted([(await watcher.until("chat"))["id"] for _ in texts]) == sorted(texts)


async def test_an_unknown_recipient_is_a_notice_not_a_refusal(site: Any) -> None:
    answer = await call(site, {"kind": "chat", "to": ["agent", "nobody"], "payload": {"text": "x"}})
    assert answer.status == 200
    assert [(one["error"], one["participants"]) for one in answer.body["notices"]] == [
        ("participant_not_found", ["nobody"])
    ]


async def test_a_heartbeat_is_taken_and_dropped(site: Any) -> None:
    agent = await site.join("agent")
    assert (await call(site, {"kind": "system/heartbeat"})).body["status"] == "accepted"
    assert await agent.settle() == []


async def test_a_post_renews_the_grace_of_an_absent_owner(site: Any) -> None:
    human = await site.join("human")
    assert (await call(site, {"kind": "reasoning/start", "id": "run"}, who="agent")).status == 200
    site.clock.advance(20_000)
    thought = {"kind": "reasoning/thought", "context": "run", "payload": {"message": "still here"}}
    assert (await call(site, thought, who="agent")).status == 200
    await site.pass_time(20_000)
    assert "system/error" not in [one["kind"] for one in await human.settle()]
    await site.pass_time(11_000)
    await human.error("sequence_lost")


LIMITED = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "memory:"}
  limits: {envelopes_per_second: 2, envelopes_burst: 2, frame_bytes: 102400}
spaces:
  demo: {participants: {human: {capabilities: [{kind: chat}]}, other: {capabilities: [{kind: chat}]}}}
"""


async def test_a_rate_limited_post_has_retry_after(start_gateway: Any) -> None:
    async with start_gateway(LIMITED) as site:
        chat = {"kind": "chat", "payload": {"text": "quick"}}
        assert [(await call(site, chat)).status for _ in range(2)] == [200, 200]
        answer = await call(site, chat)
        assert answer.error == (429, "rate_limited")
        assert (answer.body["retry_after_ms"], answer.headers["retry-after"]) == (500, "1")
        site.clock.advance(500)
        assert (await call(site, chat)).status == 200


async def test_a_flood_of_posts_is_only_rate_limited(start_gateway: Any) -> None:
    async with start_gateway(LIMITED) as site:
        statuses = []
        for _ in range(14):
            statuses.append((await call(site, b"not json")).status)
            site.clock.advance(900)
            for _ in range(3):
                await call(site, b"not json")
        assert set(statuses) <= {400, 429}
        answer = await call(site, b"not json")
        assert answer.error == (429, "rate_limited")


@pytest.mark.parametrize("size", [102_401, 500_000, 3_000_000])
async def test_a_body_over_the_limit_is_refused(start_gateway: Any, size: int) -> None:
    async with start_gateway(LIMITED) as site:
        for kind in ("application/json", "text/plain", "image/png"):
            answer = await call(site, b"#" * size, Content_Type=kind)
            assert answer.status == (415 if kind == "image/png" else 413)
        assert (await call(site, b" " * size, Authorization="Bearer wrong-token-wrong-token")).status == 401


async def test_a_body_without_end_is_cut(start_gateway: Any) -> None:
    async with start_gateway(LIMITED) as site:
        host, port = site.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.token('human')}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
        )
        sent = 0
        async with asyncio.timeout(TIMEOUT):
            with contextlib.suppress(ConnectionError):
                while sent < 64_000_000:
                    writer.write(b"10000\r\n" + b"a" * 65536 + b"\r\n")
                    await writer.drain()
                    sent += 65536
            with contextlib.suppress(ConnectionError):
                head = await reader.read(65536)
                assert b" 413 " in head.split(b"\r\n")[0]
        writer.close()
        assert sent < 64_000_000
        assert (await site.get("/health"))[0] == 200


async def test_a_body_that_drips_is_cut(start_gateway: Any) -> None:
    async with start_gateway(LIMITED.replace("frame_bytes: 102400", "join_timeout: 200ms")) as site:
        host, port = site.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.token('human')}\r\n"
            "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{".encode()
        )
        async with asyncio.timeout(TIMEOUT):
            with contextlib.suppress(ConnectionError):
                while await reader.read(4096):
                    pass
        writer.close()


async def test_a_client_that_disconnects_does_not_disturb_others(site: Any) -> None:
    host, port = site.url.removeprefix("http://").split(":")
    agent = await site.join("agent")
    whole, half = b'{"kind":"chat","payload":{"text":"and gone"}}', b'{"kind":"chat"'
    for body, size in ((whole, len(whole)), (half, 100)):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /participants/human/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {site.token('human')}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {size}\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        writer.transport.abort()
    assert (await call(site, {"kind": "chat", "payload": {"text": "after"}})).status == 200
    await agent.until("chat", text="after")


@pytest.mark.parametrize("kind", ["", "text/html", "application/x-www-form-urlencoded", "multipart/form-data"])
async def test_other_types_are_not_served(site: Any, kind: str) -> None:
    assert (await call(site, {"kind": "chat"}, Content_Type=kind)).error == (415, "unsupported_media_type")


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
async def test_other_methods_get_the_allowed_ones(site: Any, method: str) -> None:
    answer = await call(site, None, method=method)
    assert answer.error == (405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, POST"


async def test_while_the_journal_cannot_be_written_nothing_is_accepted(
    site: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = await site.join("agent")
    await agent.settle()
    journal = site.gateway.broker.engine._journal
    append = journal.append

    def broken(*_: Any) -> None:
        raise Unavailable("the disk is full")

    monkeypatch.setattr(journal, "append", broken)
    chat = {"kind": "chat", "id": "kept", "payload": {"text": "kept"}}
    for _ in range(2):  # the first finds it out, the second is told at once
        answer = await call(site, chat)
        assert answer.error == (503, "journal_unavailable")
        assert answer.headers["retry-after"] == "1"
    monkeypatch.setattr(journal, "append", append)
    async with asyncio.timeout(TIMEOUT):
        while (await site.get("/ready"))[0] != 200:
            pass
    assert (await call(site, chat)).status == 200
    assert (await agent.until("chat"))["id"] == "kept"


async def test_an_invitation_that_an_outage_leaves_unanswered_is_posted_again(
    start_gateway: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal has the invitation, and fails before it has the token."""
    monkeypatch.setattr(posting, "_TIMEOUT", 0.5)
    payload = {"participant_id": "guest", "initial_capabilities": [{"kind": "chat"}]}
    invite = {"kind": "space/invite", "id": "invite-1", "payload": payload}
    async with start_gateway(UPSTREAM) as site:
        observer = await site.join("observer")
        journal = site.gateway.broker.engine._journal
        append = journal.append

        def broken(drafts: Any, outputs: Any) -> Any:
            if any(isinstance(draft.event, Received) for draft in drafts):
                return append(drafts, outputs)
            raise Unavailable("the disk is full")

        monkeypatch.setattr(journal, "append", broken)
        assert (await call(site, invite, who="admin")).error == (503, "unavailable")
        assert (await call(site, invite, who="admin")).error == (503, "journal_unavailable")
        monkeypatch.setattr(journal, "append", append)
        async with asyncio.timeout(TIMEOUT):
            while (await site.get("/ready"))[0] != 200:
                pass
        monkeypatch.setattr(posting, "_TIMEOUT", TIMEOUT)
        created = await call(site, invite, who="admin")
        assert (created.status, created.body["participant_id"]) == (201, "guest")
        again = await call(site, invite, who="admin")
        assert again.status == 201 and again.body["token"] != created.body["token"]
        told = [one["kind"] for one in await observer.settle()]
        assert told.count("space/invite") == 1
        chat = {"kind": "chat", "payload": {"text": "Hello"}}
        old, new = (f"Bearer {one.body['token']}" for one in (created, again))
        assert (await call(site, chat, who="guest", Authorization=old)).status == 401
        assert (await call(site, chat, who="guest", Authorization=new)).status == 200
        assert (await call(site, invite, who="admin")).error[1] == "duplicate_id"


async def test_a_post_does_not_wait_forever(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "_TIMEOUT", 0.05)
    monkeypatch.setattr(site.gateway.broker, "post", lambda *_: None)
    assert (await call(site, {"kind": "chat"})).error == (503, "unavailable")


def test_every_code_has_a_status() -> None:
    assert list(ERRORS) and set(STATUSES) == set(ERRORS)


UPSTREAM = """
gateway: {listen: "127.0.0.1:0", state_dir: state, journal: {url: "memory:"}}
spaces:
  demo:
    participants:
      admin: {capabilities: [{kind: "*"}, {kind: "**"}]}
      observer: {capabilities: [{kind: chat}]}
"""


async def test_an_invitation_by_post_as_upstreams_scenario_has_it(start_gateway: Any) -> None:
    async with start_gateway(UPSTREAM) as site:
        admin, observer = await site.join("admin"), await site.join("observer")

        async def invite(name: str, **fields: Any) -> Answer:
            capabilities = [{"kind": "chat"}, {"kind": "mcp/proposal"}, {"kind": "mcp/response"}]
            payload = {"participant_id": name, "initial_capabilities": capabilities, "reason": "for a test"}
            return await call(site, {"kind": "space/invite", "payload": payload, **fields}, who="admin")

        created = await invite("new-agent", id="invite-1")
        assert created.status == 201
        assert (created.body["status"], created.body["participant_id"]) == ("created", "new-agent")
        token = created.body["token"]
        ack = await admin.until("space/invite-ack")
        assert ack["payload"]["token"] == token
        seen = await observer.settle()
        assert [one["payload"].get("event") for one in seen] == [None, "invited"]
        assert token not in json.dumps(seen)

        bearer = {"who": "new-agent", "Authorization": f"Bearer {token}"}
        hello = {"kind": "chat", "payload": {"text": "Hello", "format": "plain"}}
        assert (await call(site, hello, **bearer)).body["status"] == "accepted"
        proposal = {"kind": "mcp/proposal", "to": ["admin"], "payload": {"method": "tools/call", "params": {}}}
        assert (await call(site, proposal, **bearer)).body["status"] == "accepted"

        assert (await invite("new-agent")).error == (409, "already_exists")
        assert (await invite("observer")).error == (409, "already_exists")
        for traversal in ("../../../etc/passwd", "foo/bar"):
            refused = await invite(traversal)
            assert refused.error == (400, "invalid_participant")
            assert "invalid characters" in refused.body["message"]
        assert (await call(site, {"kind": "space/invite"}, who="admin")).status == 400


async def test_a_kicked_participant_posts_again_when_readmitted(start_gateway: Any) -> None:
    async with start_gateway(UPSTREAM) as site:
        chat = {"kind": "chat", "payload": {"text": "x"}}
        kick = {"kind": "space/kick", "payload": {"participant_id": "observer"}}
        assert (await call(site, kick, who="admin")).status == 200
        assert (await call(site, chat, who="observer")).error == (403, "removed")
        assert (await call(site, b"#s#x", who="observer", Content_Type="text/plain")).error == (403, "removed")
        for path in ("/spaces/demo/history", "/spaces/demo/participants", "/participants/observer/messages"):
            status, body = await site.get(path, participant="observer")
            assert (status, body["error"]) == (403, "removed")
        invite = {"kind": "space/invite", "payload": {"participant_id": "observer"}}
        assert (await call(site, invite, who="admin")).body["status"] == "accepted"
        assert (await call(site, chat, who="observer")).status == 200


async def next_frame(peer: Any) -> Any:
    async with asyncio.timeout(TIMEOUT):
        while True:
            data = await peer.socket.recv()
            if data[:1] in ("#", b"#"):
                return data


async def test_a_stream_written_by_posts_as_upstreams_scenario_has_it(start_gateway: Any) -> None:
    async with start_gateway(UPSTREAM.replace("observer: {capabilities: [{kind: chat}]}", "writer: {}")) as site:
        admin, writer = await site.join("admin"), await site.join("writer")
        request = {"kind": "stream/request", "to": ["gateway"], "payload": {"direction": "upload"}}
        assert (await call(site, request, who="admin")).status == 200
        stream = (await admin.until("stream/open"))["payload"]["stream_id"]

        async def frame(who: str, data: str) -> Answer:
            return await call(site, f"#{stream}#{data}".encode(), who=who, Content_Type="text/plain")

        own = await frame("admin", "frame1: ok")
        assert (own.status, own.body["status"], own.body["id"]) == (200, "accepted", None)
        assert (await frame("writer", "frame2")).error == (403, "unauthorized_stream_write")
        right = {"stream_id": stream, "participant_id": "writer"}
        assert (await call(site, {"kind": "stream/grant-write", "payload": right}, who="admin")).status == 200
        assert (await frame("writer", "frame3: é")).status == 200
        assert await next_frame(writer) == f"#{stream}#frame1: ok"
        assert await next_frame(writer) == f"#{stream}#frame3: é"
        binary = f"#{stream}#".encode() + b"\xff\x00"
        answer = await call(site, binary, who="writer", Content_Type="application/octet-stream")
        assert answer.status == 200
        assert await next_frame(writer) == binary


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", (400, "invalid_frame")),
        (b"no mark", (400, "invalid_frame")),
        (b"##", (400, "invalid_frame")),
        (b"#half", (400, "invalid_frame")),
        (b"#x#\xff", (400, "invalid_frame")),
        (b"#nowhere#data", (404, "stream_not_found")),
    ],
)
async def test_an_invalid_frame_is_refused(site: Any, data: bytes, expected: tuple[int, str]) -> None:
    assert (await call(site, data, Content_Type="text/plain; charset=utf-8")).error == expected
