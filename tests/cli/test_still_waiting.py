"""`mew interrupt` on a Work or a flow whose run has closed: what to type instead."""

from __future__ import annotations

from typing import Any

from ..kit.gateway import Peer


async def ran(agent: Peer, run: str, work: str | None, outcome: str, *, flow: str | None = None) -> None:
    """A run of that Work, or of that flow, is over."""
    about = {"work_id": work} if flow is None else {"flow_id": flow, "work_id": work}
    await agent.send("reasoning/start", {"message": "a turn"}, id=run)
    named = {key: id for key, id in about.items() if id is not None}
    await agent.send("reasoning/conclusion", {"outcome": outcome, **named}, context=run)
    while (await agent.until("reasoning/conclusion"))["context"] != run:
        pass


async def test_a_waiting_work_is_offered_to_be_cancelled(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    await ran(agent, "run-one", "work-one", "waiting")
    await ran(agent, "run-two", "work-two", "waiting")
    await ran(agent, "run-three", "work-two", "completed")
    done = await typed("interrupt", "agent")
    assert done.status == 2
    assert "agent has no open sequence" in done.err
    assert "call agent work_cancel work_id=work-one --space demo" in done.err
    assert "work-two" not in done.err


async def test_a_closed_run_is_refused_and_its_work_offered(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    await ran(agent, "run-one", "work-one", "waiting")
    await ran(agent, "run-two", "work-two", "waiting")
    done = await typed("interrupt", "agent", "--sequence", "run-two")
    assert done.status == 6
    assert "sequence_closed" in done.err
    assert "work_id=work-two" in done.err
    assert "work-one" not in done.err


async def test_completed_work_is_not_offered_for_cancellation(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    await ran(agent, "run-one", "work-one", "completed")
    done = await typed("interrupt", "agent")
    assert (done.status, "work_cancel" in done.err) == (2, False)


async def test_a_waiting_flow_is_offered_to_be_cancelled(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    await ran(agent, "run-one", None, "waiting", flow="talk.1.1")
    await ran(agent, "run-two", "its-effect", "in_doubt", flow="talk.2.1")
    await ran(agent, "run-three", None, "cancelled", flow="talk.3.1")
    done = await typed("interrupt", "agent")
    assert done.status == 2
    assert "Flows of it wait" in done.err
    assert "call agent flow_cancel flow_id=talk.1.1 --space demo" in done.err
    assert "call agent flow_cancel flow_id=talk.2.1 --space demo" in done.err
    assert "work_cancel" not in done.err
    assert "talk.3.1" not in done.err
    named = await typed("interrupt", "agent", "--sequence", "run-one")
    assert "sequence_closed" in named.err
    assert "A flow of it waits" in named.err
    assert "talk.2.1" not in named.err


async def test_a_waiting_thread_is_offered_to_be_cancelled(site: Any, typed: Any) -> None:
    agent = await site.join("agent")
    await agent.send("reasoning/start", {"message": "a turn"}, id="run-one")
    about = {"outcome": "waiting", "thread_id": "thread-one"}
    await agent.send("reasoning/conclusion", about, context="run-one")
    await agent.until("reasoning/conclusion")
    done = await typed("interrupt", "agent")
    assert "A thread of it waits" in done.err
    assert "call agent thread_cancel thread_id=thread-one --space demo" in done.err


async def test_emergency_without_open_run_suggests_a_pause_and_who_may(team: Any, typed: Any) -> None:
    agent = await team.join("agent")
    await ran(agent, "run-one", None, "waiting", flow="talk.1.1")
    emergency = ("interrupt", "agent", "--class", "emergency", "--yes", "--as", "guardian")
    for done in (await typed(*emergency), await typed(*emergency, "--sequence", "run-one")):
        assert "Nothing of it runs that an emergency could halt" in done.err
        assert "Who may pause it: human or admin." in done.err
        assert "pause agent --space demo --as human" in done.err
        assert "flow_cancel flow_id=talk.1.1" in done.err
    assert "pause" not in (await typed("interrupt", "agent")).err
    paused = await typed("pause", "agent", "--space", "demo", "--as", "human")
    assert paused.status == 0
