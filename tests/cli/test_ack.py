"""`mew ack`: the chats that wait for an acknowledgement, acknowledged or cancelled."""

from __future__ import annotations

from typing import Any

import pytest

from mew_gateway.cli.record.chats_to_acknowledge import Chats


def all(kind: str, sender: str, id: str, *, to: list[str] | None = None, about: str | None = None) -> dict[str, Any]:
    fields = {"to": to, "correlation_id": None if about is None else [about]}
    return {"kind": kind, "from": sender, "id": id, "ts": "2026-01-01T10:00:00Z", "payload": {"text": id}, **fields}


@pytest.mark.requirement("mew/3.4.1:queue-of-unacknowledged")
def test_a_chat_waits_until_it_is_seen_answered_or_cancelled() -> None:
    chats = Chats("human")
    for id in ("seen", "answered", "cancelled", "waiting"):
        chats.take(all("chat", "agent", id))
    chats.take(all("chat", "agent", "for another", to=["admin"]))
    chats.take(all("chat", "human", "my own"))
    chats.take(all("chat/acknowledge", "human", "1", about="seen"))
    chats.take(all("chat/acknowledge", "admin", "2", about="waiting"))  # somebody else's
    chats.take(all("chat", "human", "3", about="answered"))
    chats.take(all("chat/cancel", "agent", "4", about="cancelled", to=["human"]))
    chats.take(all("chat/cancel", "agent", "5", about="waiting", to=["admin"]))  # it waits no more, for admin
    assert [one.id for one in chats.waiting] == ["waiting"]


def test_an_ack_of_the_same_id_leaves_other_chats_waiting() -> None:
    chats = Chats("human")
    chats.take(all("chat", "agent", "one"))
    chats.take(all("chat", "mallory", "one", to=["mallory"]))
    chats.take(all("chat/cancel", "mallory", "2", about="one"))
    assert [(one.sender, one.id) for one in chats.waiting] == [("agent", "one")]
    chats.take(all("chat/acknowledge", "human", "3", about="one"))
    assert chats.waiting == []


def test_ack_leaves_another_senders_chat_of_the_same_id() -> None:
    chats = Chats("human")
    chats.take(all("chat", "agent", "one"))
    chats.take(all("chat", "mallory", "one"))
    chats.take(all("chat/acknowledge", "human", "2", about="one", to=["mallory"]))
    assert [one.sender for one in chats.waiting] == ["agent"]


async def test_ack_asks_which_chat_if_an_id_fits_two(team: Any, typed: Any) -> None:
    agent, mallory = await team.join("agent"), await team.join("admin")
    await agent.send("chat", {"text": "the honest one"}, id="0192aaaa-0000-7000-8000-1111bed90450")
    await mallory.send("chat", {"text": "the other one"}, id="bed90450")
    await mallory.send("chat", {"text": "a third one"}, id="same")
    await agent.until("chat", text="a third one")
    await agent.send("chat", {"text": "a fourth one"}, id="same")
    await agent.until("chat", text="a fourth one")
    vague = await typed("ack", "bed90450")
    assert vague.status == 2 and "  bed90450 --whole  # admin: the other one" in vague.err
    done = await typed("ack", "bed90450", "--whole")
    assert done.status == 0 and "acknowledging the chat of admin: the other one (bed90450)" in done.err
    assert (await agent.until("chat/acknowledge"))["to"] == ["admin"]
    vague = await typed("ack", "same")
    assert vague.status == 2 and "  same --whole --from agent  # agent: a fourth one" in vague.err
    assert (await typed("ack", "same", "--from", "agent")).status == 0
    acknowledged = await agent.until("chat/acknowledge")
    assert (acknowledged["to"], acknowledged["correlation_id"]) == (["agent"], ["same"])
    assert {one["sender"] for one in (await typed("ack", "--json")).json()["chats"]} == {"agent", "admin"}
    assert (await typed("ack", "--whole")).status == 2


async def test_a_chat_that_is_called_like_an_option_is_one_chat(team: Any, typed: Any) -> None:
    agent, mallory = await team.join("agent"), await team.join("admin")
    await agent.send("chat", {"text": "the honest one"}, id="0192aaaa-0000-7000-8000-1111bed90450")
    await mallory.send("chat", {"text": "nothing much"}, id="--all")
    await mallory.send("chat", {"text": "nothing either"}, id="0192aaaa-0000-7000-8000-11--cancel")
    await agent.until("chat", text="nothing either")
    listed = await typed("ack")
    shown = [word for word in listed.out.split() if word.startswith("…")]
    assert shown == ["…bed90450", "…--all", "…0-11--cancel"], "none is an option without the dots, either"
    vague = await typed("ack", "--all")
    assert vague.status == 2 and "Nothing was sent" in vague.err and "\n  '…--all'  # admin: nothing much" in vague.err
    for word, text in (("…--all", "nothing much"), ("0-11--cancel", "nothing either")):
        done = await typed("ack", word)
        assert done.status == 0 and f"acknowledging the chat of admin: {text}" in done.err
        assert (await agent.until("chat/acknowledge"))["to"] == ["admin"]
    done = await typed("ack", "--all")
    assert done.status == 0 and "acknowledging the chat of agent: the honest one" in done.err
    assert (await agent.until("chat/acknowledge"))["to"] == ["agent"]


@pytest.mark.requirement(
    "mew/3.4.1:clearing-acknowledges", "mew/3.4.2:cancel-correlates", "mew/3.4.2:cancel-has-a-reason"
)
async def test_clearing_the_queue_acknowledges_each(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    for id, to in (("chat-one", ["human"]), ("chat-two", None), ("chat-three", ["admin"]), ("chat-four", None)):
        await agent.send("chat", {"text": f"look at {id}"}, id=id, **({} if to is None else {"to": to}))
        await agent.until("chat")
    listed = await typed("ack")
    assert [id in listed.out for id in ("chat-one", "chat-two", "chat-three", "chat-four")] == [True, True, False, True]
    await typed("ack", "chat-one", "--cancel", "--reason", "duplicate")
    cancel = await agent.until("chat/cancel")
    assert (cancel["payload"], cancel["correlation_id"]) == ({"reason": "duplicate"}, ["chat-one"])
    done = await typed("ack", "--all", "--json", MEW_TOKEN=team.token("human"))
    acks = [await agent.until("chat/acknowledge") for _ in range(2)]
    assert [ack["correlation_id"] for ack in acks] == [["chat-two"], ["chat-four"]]
    assert done.json()["chats"] == {"chat-two": acks[0]["id"], "chat-four": acks[1]["id"]}
    assert (await typed("ack", MEW_TOKEN=team.token("human"))).out == "No chat waits for you.\n"
