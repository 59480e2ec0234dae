"""`mew send`: accepted or refused, and perhaps answered."""

from __future__ import annotations

import asyncio
from typing import Any


async def test_it_prints_the_id_of_what_was_taken(site: Any, typed: Any) -> None:
    peer = await site.join("agent")
    done = await typed("send", "good morning", "--to", "agent")
    seen = await peer.until("chat")
    assert (done.status, done.out, done.err) == (0, f"{seen['id']}\n", "")
    assert (seen["from"], seen["to"], seen["payload"]) == ("human", ["agent"], {"text": "good morning"})


async def test_any_kind_with_any_payload(site: Any, typed: Any) -> None:
    peer = await site.join("human")
    asked = ["--kind", "x/y", "--payload", '{"a": [1]}', "--correlation", "c1", "--context", "run/1", "--as", "agent"]
    done = await typed("send", "hello", *asked, "--json")
    seen = await peer.until("x/y")
    assert seen["payload"] == {"message": "hello", "a": [1]}
    assert (seen["correlation_id"], seen["context"]) == (["c1"], "run/1")
    told = {"id": seen["id"], "accepted": True, "refusal": None, "notices": [], "answer": None}
    assert (done.status, done.json()) == (0, told)


async def test_a_refusal_is_exit_status_6_with_its_code(site: Any, typed: Any) -> None:
    done = await typed("send", "--kind", "system/presence", "--payload", "{}")
    assert (done.status, done.out) == (6, "")
    assert done.err == "refused: reserved_kind: system/presence is reserved for the gateway.\n"
    told = (await typed("send", "--kind", "system/presence", "--json")).json()
    assert told["accepted"] is False and told["refusal"]["error"] == "reserved_kind"


async def test_it_waits_for_an_answer_if_asked_to(site: Any, typed: Any) -> None:
    peer, other = await site.join("agent"), await site.join("other")
    command = asyncio.create_task(typed("send", "2 + 3", "--to", "agent", "--wait", "20"))
    asked = await peer.until("chat")
    await other.send("chat", {"text": "6"}, to=["human"], correlation_id=[asked["id"]])
    await peer.until("chat")
    await peer.send("chat", {"text": "5\x1b[31m"}, to=["human"], correlation_id=[asked["id"]])
    done = await command
    assert done.status == 0
    assert "→ human 5\\x1b[31m" in done.out and "\x1b" not in done.out  # shown, not obeyed


async def test_no_answer_is_exit_status_5(site: Any, typed: Any) -> None:
    done = await typed("send", "hello", "--wait", "0.1")
    assert (done.status, done.err) == (5, "No answer in 0.1 s.\n")


async def test_a_notice_refuses_nothing(site: Any, typed: Any) -> None:
    done = await typed("send", "hello", "--to", "nobody", "--space", "demo")
    assert done.status == 1 and len(done.out.splitlines()) == 1  # it was sent, but reaches nobody
    assert done.err.startswith("participant_not_found: Nobody here is called 'nobody'")


async def test_a_payload_that_is_no_json_object_is_said_so(site: Any, typed: Any) -> None:
    broken = await typed("send", "--payload", "{text: hi}")
    assert broken.status == 2 and broken.err.startswith("--payload is not a JSON object: JSON is malformed")
    listed = await typed("send", "--payload", "[1]")
    assert listed.status == 2 and "Expected `object`, got `array`" in listed.err
    nothing = await typed("send")
    assert nothing.status == 2 and "Say what" in nothing.err


async def test_send_reports_an_absent_addressee(site: Any, typed: Any) -> None:
    done = await typed("send", "hello", "--to", "agent")
    assert done.status == 0 and done.err.startswith("agent is not here now.")


async def think(peer: Any, *, outcome: str, reply: str | None) -> None:
    """Think aloud about the next chat, and conclude."""
    asked = await peer.until("chat", text="go")
    about = {"correlation_id": [asked["id"]]}
    await peer.send("reasoning/start", {"message": "let me see"}, id=f"run-{outcome}", **about)
    await peer.send("reasoning/thought", {"message": "hm"}, context=f"run-{outcome}")
    await peer.send("reasoning/conclusion", {"message": "thought", "outcome": outcome}, context=f"run-{outcome}")
    if reply is not None:
        await peer.send("chat", {"text": reply}, to=["human"], **about)


async def test_send_waits_for_the_reply_after_a_conclusion(site: Any, typed: Any) -> None:
    peer = await site.join("agent")
    command = asyncio.create_task(typed("send", "go", "--to", "agent", "--wait", "20"))
    await think(peer, outcome="completed", reply="the tour is 812 long")
    done = await command
    assert done.status == 0 and "the tour is 812 long" in done.out and "let me see" not in done.out
    command = asyncio.create_task(typed("send", "go", "--to", "agent", "--wait", "20"))
    await think(peer, outcome="failed", reply=None)
    done = await command
    assert done.status == 1 and "thought  (failed)" in done.out


async def test_send_prefers_a_reply_to_an_acknowledgement(site: Any, typed: Any) -> None:
    """An agent says at once that it was overridden and answers later; one that failed tells why in its conclusion."""
    peer = await site.join("agent")
    command = asyncio.create_task(typed("send", "no, tomorrow", "--to", "agent", "--wait", "20"))
    asked = await peer.until("chat", text="no, tomorrow")
    about = {"to": ["human"], "correlation_id": [asked["id"]]}
    await peer.send("chat/acknowledge", {"status": "completing_thought"}, **about)
    await peer.send("chat", {"text": "Tomorrow, then."}, **about)
    done = await command
    assert done.status == 0 and "Tomorrow, then." in done.out and "completing" not in done.out

    command = asyncio.create_task(typed("send", "fail", "--to", "agent", "--wait", "20"))
    asked = await peer.until("chat", text="fail")
    about = {"to": ["human"], "correlation_id": [asked["id"]]}
    await peer.send("reasoning/start", {"message": "let me see"}, id="run-that-fails", correlation_id=[asked["id"]])
    error = {"type": "ValueError", "message": "no such city"}
    conclusion = {"message": "thought", "outcome": "failed", "error": error}
    await peer.send("chat/acknowledge", {"status": "failed"}, **about)
    await peer.send("reasoning/conclusion", conclusion, context="run-that-fails")
    done = await command
    assert done.status == 1 and "ValueError: no such city" in done.out


async def test_send_ignores_answers_to_another_envelope(site: Any, typed: Any) -> None:
    agent, mallory = await site.join("agent"), await site.join("other")
    command = asyncio.create_task(typed("send", "go", "--to", "agent", "--wait", "20"))
    asked = await agent.until("chat", text="go")
    await mallory.send("chat", {"text": "say yes"}, to=["agent"], id=asked["id"])
    await agent.until("chat", text="say yes")
    await agent.send("reasoning/start", {}, id="run", correlation_id=[asked["id"]])
    await agent.send("reasoning/conclusion", {"message": "yes", "outcome": "completed"}, context="run")
    await agent.send("chat", {"text": "yes"}, to=["human"], correlation_id=[asked["id"]])
    done = await command
    assert done.status == 5 and "yes" not in done.out
    assert "Whether it is answered is unknown. other has used its id" in done.err


async def test_a_run_that_began_before_the_id_was_taken_counts(site: Any, typed: Any) -> None:
    agent, mallory = await site.join("agent"), await site.join("other")
    command = asyncio.create_task(typed("send", "go", "--to", "agent", "--wait", "20"))
    asked = await agent.until("chat", text="go")
    about = {"correlation_id": [asked["id"]]}
    await agent.send("chat/acknowledge", {"status": "failed"}, to=["other"], **about)  # somebody else's
    await agent.send("chat", {"text": "for another"}, to=["other"], **about)
    await agent.send("reasoning/start", {}, id="run", **about)
    await agent.until("reasoning/start")
    await mallory.send("chat", {"text": "say yes"}, to=["agent"], id=asked["id"])
    await agent.until("chat", text="say yes")
    await agent.send("reasoning/conclusion", {"message": "812", "outcome": "completed"}, context="run")
    done = await command
    assert done.status == 0 and "812" in done.out and "for another" not in done.out


INVITING = """
gateway:
  listen: 127.0.0.1:0
  state_dir: state
  journal: {url: "sqlite:state/journal.db"}
spaces:
  demo:
    participants:
      human: {capabilities: [{kind: chat}, {kind: "participant/*"}]}
      admin: {capabilities: [{kind: "*"}]}
"""
INVITATION = {"participant_id": "ana", "initial_capabilities": [{"kind": "chat"}, {"kind": "participant/status"}]}


async def test_a_guest_of_the_same_name_does_not_answer_for_the_earlier_one(start_gateway: Any, typed: Any) -> None:
    """The first one never joined, so nobody kicks it: it is invited anew, and the second one answers."""
    async with start_gateway(INVITING) as site:
        admin = await site.join("admin")
        for told in ("chat", "participant/request-status"):
            await admin.send("space/invite", INVITATION)
            await admin.until("space/invite-ack")
            if told == "chat":
                command = typed("send", "go", "--to", "ana", "--wait", "20", "--as", "human", "--space", "demo")
            else:
                command = typed("status", "ana", "--timeout", "20", "--as", "human", "--space", "demo")
            running = asyncio.create_task(command)
            asked = await admin.until(told)
            await admin.send("space/invite", INVITATION)
            token = (await admin.until("space/invite-ack"))["payload"]["token"]
            answer = {"id": f"a-{told}", "to": ["human"], "correlation_id": [asked["id"]]}
            said = ("chat", {"text": "812"}) if told == "chat" else ("participant/status", {"tokens": 812})
            envelope = {"kind": said[0], "payload": said[1], **answer}
            status, _ = await site.post("ana", envelope, token=token)
            assert status == 200
            done = await running
            assert "812" not in done.out and "ana was removed from the space" in done.err
            assert done.status == (5 if told == "chat" else 6)
            await admin.send("space/kick", {"participant_id": "ana"})
