"""What was delivered, read back over HTTP: whole, in order, page by page (docs/protocol.md §6)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from mew_gateway.errors import Unavailable
from mew_gateway.gateway.http import record_pages


async def messages(site: Any, who: str, **query: Any) -> Any:
    asked = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
    status, body = await site.get(f"/participants/{who}/messages?space=demo&{asked}", participant=who)
    assert status == 200, body
    return body


def texts(body: dict[str, Any]) -> list[str]:
    return [one["payload"]["text"] for one in body["messages"] if one["kind"] == "chat"]


async def say(site: Any, *said: str, **fields: Any) -> list[dict[str, Any]]:
    answers = []
    for text in said:
        status, answer = await site.post("human", {"kind": "chat", "payload": {"text": text}, **fields})
        assert status == 200
        answers.append(answer)
    return answers


def moment(site: Any) -> str:
    return datetime.fromtimestamp(site.clock.now() / 1000, UTC).isoformat()


@pytest.mark.requirement("mew/5.3:complete-envelopes")
async def test_absent_participants_read_delivered_messages_too(site: Any) -> None:
    agent = await site.join("agent")
    await agent.send("chat", {"text": "live"}, x_own={"kept": 1.50})
    live = await agent.until("chat", text="live")
    await site.post("human", {"kind": "chat", "payload": {"text": "posted"}})
    body = await messages(site, "other")
    assert body["messages"][-2] == live
    assert texts(body) == ["live", "posted"]
    assert body["next"] is None
    presence = next(one for one in body["messages"] if one["kind"] == "system/presence")
    assert presence["payload"]["participant"]["id"] == "agent"


@pytest.mark.requirement("mew/5.3:only-what-one-may-see")
async def test_refused_and_private_envelopes_are_not_readable(site: Any) -> None:
    agent = await site.join("agent")
    await agent.send("mcp/proposal", {"method": "no capability for it"}, id="tried")
    await agent.error("capability_violation")
    theirs = await messages(site, "agent")
    assert [one["payload"]["error"] for one in theirs["messages"] if one["kind"] == "system/error"] == [
        "capability_violation"
    ]
    body = await messages(site, "other")
    assert {"system/error", "system/welcome", "mcp/proposal"}.isdisjoint(one["kind"] for one in body["messages"])


async def test_since_an_id_reading_starts_after_its_envelope(site: Any) -> None:
    answers = await say(site, "a", "b", "c")
    assert texts(await messages(site, "human", since=answers[0]["id"])) == ["b", "c"]
    assert texts(await messages(site, "human", since=answers[2]["id"])) == []
    assert texts(await messages(site, "human", since=answers[0]["id"], limit=1)) == ["b"]


async def test_since_a_time_it_begins_with_what_came_then(site: Any) -> None:
    times = []
    for text in ("a", "b", "c", "d"):
        site.clock.advance(1000)
        times.append(moment(site))
        await say(site, text)
    for nth, expected in enumerate(("abcd", "bcd", "cd", "d")):
        assert texts(await messages(site, "human", since=times[nth])) == list(expected)
    site.clock.advance(1)
    assert texts(await messages(site, "human", since=moment(site))) == []
    assert texts(await messages(site, "human", since="1970-01-01T00:00:00Z")) == list("abcd")
    assert texts(await messages(site, "human", since="2999-12-31T23:59:59+01:00")) == []


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
async def test_pages_follow_one_another_without_a_gap(site: Any, limit: int) -> None:
    await site.join("agent")  # two envelopes of one entry: the welcome, and the presence
    said = [str(nth) for nth in range(7)]
    await say(site, *said, id="one id, again and again")  # by nobody's connection: an id may come back
    whole = await messages(site, "agent", since="1970-01-01T00:00:00Z")
    found: list[dict[str, Any]] = []
    since: str | None = "1970-01-01T00:00:00Z"
    while since is not None:
        page = await messages(site, "agent", since=since, limit=limit)
        assert len(page["messages"]) <= limit
        found += page["messages"]
        since = page["next"]
    assert found == whole["messages"]
    assert texts(whole) == said


async def test_without_since_it_is_the_newest(site: Any) -> None:
    await say(site, *"abcdefg")
    assert texts(await messages(site, "human", limit=3)) == ["e", "f", "g"]


async def test_an_unknown_id_is_refused(site: Any) -> None:
    await say(site, "a")
    for unknown in ("never-used", "x" * 200, "x" * 201):
        status, body = await site.get(f"/participants/human/messages?since={unknown}", participant="human")
        assert (status, body["error"]) == (404, "history_unavailable")


async def test_a_page_has_bounded_bytes_and_the_next_goes_on(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pages, "_PAGE", 2000)
    said = [letter * 900 for letter in "abcde"] + ["z" * 5000]
    (first, *_) = await say(site, "first", *said)
    found, since = [], first["id"]
    pages = 0
    while since is not None:
        page = await messages(site, "human", since=since)
        found += texts(page)
        since, pages = page["next"], pages + 1
    assert found == said
    assert pages >= 6
    assert texts(await messages(site, "human")) == ["z" * 5000]


async def test_reading_continues_where_the_scan_ended(start_gateway: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_pages, "CHUNK", 2)
    monkeypatch.setattr(record_pages, "_SCANNED", 4)
    async with start_gateway(ADDRESSED) as site:
        await say(site, "for all")
        await say(site, *"abcdef", to=["agent"])
        await say(site, "again for all")
        found, since, pages = [], "1970-01-01T00:00:00Z", 0
        while since is not None:
            page = await messages(site, "other", since=since)
            found += texts(page)
            since, pages = page["next"], pages + 1
        assert found == ["for all", "again for all"]
        assert pages > 2


ADDRESSED = """
gateway: {listen: "127.0.0.1:0", journal: {url: "memory:"}}
spaces:
  demo:
    routing: addressed
    participants:
      human: {capabilities: [{kind: "**"}]}
      agent: {capabilities: [{kind: "**"}]}
      other: {capabilities: [{kind: chat}]}
      auditor: {observe: true}
"""


@pytest.mark.requirement("mew/5.3:only-what-one-may-see")
async def test_with_addressed_routing_others_envelopes_are_not_readable(start_gateway: Any) -> None:
    async with start_gateway(ADDRESSED) as site:
        (secret,) = await say(site, "for one", to=["agent"])
        await say(site, "for all")
        for who in ("human", "agent", "auditor"):
            assert texts(await messages(site, who)) == ["for one", "for all"], who
        assert texts(await messages(site, "other")) == ["for all"]
        status, _ = await site.get(f"/participants/other/messages?since={secret['id']}", participant="other")
        assert status == 404
        for who, expected in (("other", ["for all"]), ("auditor", ["for one", "for all"])):
            _, body = await site.get("/spaces/demo/history", participant=who)
            assert [one["envelope"]["payload"]["text"] for one in body["envelopes"]] == expected


async def test_the_history_has_positions_and_continues_after_one(site: Any) -> None:
    await site.join("agent")
    await say(site, *"abcd")
    _, whole = await site.get("/spaces/demo/history?after=0", participant="agent")
    positions = [one["position"] for one in whole["envelopes"]]
    assert positions == sorted(positions)
    assert len(set(positions)) < len(positions)  # a welcome and a presence follow from one entry
    found, after = [], 0
    while after is not None:
        _, page = await site.get(f"/spaces/demo/history?after={after}&limit=1", participant="agent")
        found += page["envelopes"]
        after = page["next"]
    assert found == whole["envelopes"]
    assert [one["envelope"]["payload"]["text"] for one in found if one["envelope"]["kind"] == "chat"] == list("abcd")
    assert json.dumps(found[-1]["at"]).endswith('Z"')


@pytest.mark.parametrize("query", ["limit=0", "limit=x", "limit=1.5", "after=-1", "after=" + "9" * 30])
async def test_a_wrong_query_is_refused(site: Any, query: str) -> None:
    status, body = await site.get(f"/spaces/demo/history?{query}", participant="human")
    assert (status, body["error"]) == (400, "bad_request")


@pytest.mark.parametrize(
    "path", ["/participants/human/messages", "/participants/human/messages?space=demo", "/spaces/demo/history"]
)
async def test_a_foreign_token_reads_nothing(site: Any, path: str) -> None:
    assert (await site.get(path, token="wrong-token-wrong-token"))[0] == 401
    assert (await site.get(path))[0] == 401
    if "participants" in path:
        status, body = await site.get(path, participant="other")
        assert (status, body["error"]) == (403, "identity_mismatch")


async def test_it_survives_a_restart(start_gateway: Any) -> None:
    async with start_gateway() as site:
        (first, _) = await say(site, "a", "b")
    async with start_gateway() as site:
        await say(site, "c")
        assert texts(await messages(site, "human", since=first["id"])) == ["b", "c"]


async def test_an_unreadable_journal_is_reported(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise Unavailable("the disk is gone")

    monkeypatch.setattr(site.gateway.broker.engine._journal, "before", broken)
    for path in ("/participants/human/messages", "/spaces/demo/history", "/spaces/demo/timeline"):
        status, body = await site.get(path, participant="human")
        assert (status, body["error"]) == (503, "journal_unavailable"), path
