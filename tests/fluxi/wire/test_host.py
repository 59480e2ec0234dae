"""A host with an engine of somebody's own: what the seam promises both of them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mew_agents.fluxi.message import Result
from mew_agents.fluxi.participant.engine import Engine
from mew_agents.fluxi.participant.host_options import HostOptions
from mew_agents.fluxi.participant.resumption import NAME
from mew_agents.fluxi.participant.station import Station
from mew_agents.fluxi.participant.thoughts import FAULT

from ...kit.agents import AgentSpace, Person
from ...kit.processes import PATIENCE
from .backwards import Backwards, Patient

MIRROR = "demo/fluxi/human"


def texts(human: Person, agent: str = "fluxi") -> list[str]:
    """What the agent has said."""
    return [one["payload"]["text"] for one in human.seen("chat") if one["from"] == agent]


async def held(human: Person, agent: Backwards) -> str:
    """A turn is at work, and stays so until it may go on: its run."""
    agent.mirror.may.clear()
    await human.say("Roma")
    run = str((await human.peer.until("reasoning/start"))["id"])
    assert await agent.mirror.heard.get() == "Roma"
    return run


async def test_a_turn_is_one_run_which_the_engines_thoughts_are_in(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, Backwards()) as agent:
        human = await space.person()
        asked = await human.say("Roma")
        start = await human.peer.until("reasoning/start")
        assert (start["correlation_id"], start["payload"]["mirror_id"]) == ([asked], MIRROR)
        assert start["payload"]["span"]["policy"] == "checkpointed"
        end = await human.conclusion(start["id"])
        assert (end["outcome"], end["mirror_id"]) == ("completed", MIRROR)
        first, second = (one["payload"] for one in human.seen("reasoning/thought"))
        assert (first["message"], first["mirror_id"], first["letters"]) == ("I look at it", MIRROR, 4)
        assert "checkpoint_id" not in first  # the first one is behind it
        assert (second["message"], second["mirror_id"], second["said"]) == ("amoR", MIRROR, True)
        assert second["checkpoint_id"]
        reply = await human.reply()
        assert (reply["correlation_id"], reply["payload"]["text"]) == ([asked], "amoR")
        assert (agent.station.folder / "backwards.db").exists()


async def test_the_next_run_about_what_goes_on_says_so(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, Backwards()) as agent:
        human, guardian = await space.person(), await space.person("guardian")
        run = await held(human, agent)
        await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        assert (await human.conclusion(run))["outcome"] == "interrupted"
        agent.mirror.may.set()
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        again = await human.peer.until("reasoning/start")
        assert again["payload"]["continues"] == run


async def test_what_is_heard_again_is_no_turn(space: AgentSpace, attend: Any) -> None:
    human = await space.person()
    async with space.host(attend, Backwards()) as agent:
        marked = agent.station.folder / NAME
        before = marked.read_text(encoding="utf-8")
        await human.ask("Roma")
    marked.write_text(before, encoding="utf-8")
    async with space.host(attend, Backwards()):
        await human.ask("end")
    assert texts(human) == ["amoR", "dne"]
    assert len(human.seen("reasoning/start")) == 2


async def test_a_cancel_reaches_the_engine_and_goes_back_to_what_was_kept(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, Backwards()) as agent:
        human = await space.person()
        run = await held(human, agent)
        start = human.seen("reasoning/start")[-1]["payload"]["span"]["span_id"]
        ack = await human.interrupt(run, "no", **{"class": "cancel"})
        assert (ack["status"], ack["policy_applied"]) == ("stopping", "checkpointed")
        end = await human.conclusion(run)
        assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "no")
        assert end["rolled_back_to"] not in (None, start)  # which is where it goes back to without a checkpoint
        agent.mirror.may.set()
        assert (await human.ask("end"))["payload"]["text"] == "dne"
        assert agent.mirror.cancelled == [({MIRROR: "mirror_id"}, "human")]
        assert texts(human) == ["dne"]


async def test_what_was_committed_before_a_soft_stop_stands(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, Patient()) as agent:
        human = await space.person()
        run = await held(human, agent)
        assert (await human.interrupt(run, "no", **{"class": "cancel"}))["status"] == "completing_thought"
        agent.mirror.may.set()
        assert (await human.conclusion(run))["interrupt_id"] == "no"
        assert (await human.reply())["payload"]["text"] == "amoR"
        assert agent.mirror.cancelled == [({MIRROR: "mirror_id"}, "human")]


async def test_a_stop_word_is_the_engines_to_cancel_and_is_not_answered(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, Backwards()) as agent:
        human = await space.person()
        run = await held(human, agent)
        await human.say("stop")
        assert (await human.conclusion(run))["interrupted"] is True
        agent.mirror.may.set()
        await human.ask("end")
        assert agent.mirror.cancelled == [({MIRROR: "mirror_id"}, "human")]
        assert texts(human) == ["dne"]


class _Faulty(Backwards):
    """One whose engine raises at what it is told first, and at nothing after."""

    @asynccontextmanager
    async def engine(self, station: Station) -> AsyncIterator[Engine]:
        async with super().engine(station) as engine:
            answer = engine.handle

            async def handle(*args: Any) -> Result:
                engine.handle = answer  # type: ignore[method-assign]
                raise LookupError("a fault of the program")

            engine.handle = handle  # type: ignore[assignment,method-assign]
            yield engine


async def test_a_turn_that_fails_is_answered_and_the_next_goes_on(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, _Faulty()):
        human = await space.person()
        said = await human.say("Roma")
        reply = await human.reply()
        assert (reply["correlation_id"], reply["payload"]["text"]) == ([said], FAULT.say("turn", "es"))
        assert (await human.ask("end"))["payload"]["text"] == "dne"


async def test_nothing_is_taken_while_an_emergency_stands(space: AgentSpace, attend: Any) -> None:
    human, guardian = await space.person(), await space.person("guardian")
    async with space.host(attend, Backwards()) as agent:
        run = await held(human, agent)
        await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        await human.conclusion(run)
        await human.say("end")
        while agent.mirror.aligned != [False, True]:
            await human.peer.settle()
    async with space.host(attend, Backwards()) as again:
        assert set(again.mirror.aligned) == {True}
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        assert [(await human.reply())["payload"]["text"] for _ in range(2)] == ["amoR", "dne"]
        assert again.mirror.aligned[-1] is False
    kinds = [one["kind"] for one in human.peer.seen if one["kind"] in ("reasoning/start", "participant/resume")]
    assert kinds == ["reasoning/start", "participant/resume", "reasoning/start", "reasoning/start"]


async def test_killed_between_its_commit_and_its_sending_an_answer_is_sent_once(space: AgentSpace) -> None:
    human = await space.person(agent="d1")
    backwards = "tests.fluxi.wire.backwards:Backwards"
    async with space.process("d1", agent=backwards, failpoint="outbox.carry.before") as process:
        await human.say("Roma")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL
    async with space.process("d1", agent=backwards):
        assert (await human.reply())["payload"]["text"] == "amoR"
        await human.ask("end")
    assert texts(human, "d1") == ["amoR", "dne"]


async def test_the_account_is_the_options_else_the_spaces_else_its_id(space: AgentSpace, attend: Any) -> None:
    accounts = []
    for option, account in (("branch", "clinic"), (None, "clinic"), (None, None)):
        async with space.host(attend, Backwards(HostOptions(account=option)), account=account) as agent:
            accounts.append(agent.account)
    assert accounts == ["branch", "clinic", "demo"]
