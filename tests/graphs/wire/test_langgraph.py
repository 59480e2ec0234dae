"""Graphs in a space, over real sockets: thoughts, questions, interruptions, and the end of the process."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

from mew_agents.fluxi.participant.resumption import NAME
from mew_agents.graphs.agent import LangGraphAgent
from mew_agents.graphs.options import GraphOptions

from ...kit.agents import AgentSpace, Person
from ...kit.processes import PATIENCE
from .. import kinds

ONBOARDING: dict[str, Any] = {"graph": "mew_agents.graphs.example:graph", "input": "said", "output": "greeting"}
CANCELLED = "Esto quedó cancelado. Puede empezar de nuevo."
KEYS: dict[str, Any] = {"input": "words", "output": "end"}
FORM: dict[str, Any] = {
    "agent": "tests.graphs.wire.failing_graph:FailingGraph",
    "graph": "tests.graphs.wire.failing_graph:form",
    "input": "said",
    "output": "end",
}


def texts(human: Person) -> list[str]:
    """What the agent has said."""
    return [one["payload"]["text"] for one in human.seen("chat") if one["from"] == human.agent]


def nodes(human: Person) -> list[str]:
    """The nodes that were seen to run."""
    thoughts = [one["payload"] for one in human.seen("reasoning/thought")]
    return [one["node"] for one in thoughts if "node" in one]


async def held(human: Person, gate: kinds.Gate) -> str:
    """A node is at work, and stays so until the gate is open: its run."""
    question = await human.ask("go")
    await human.say("a", correlation_id=[question["id"]])
    run = str((await human.peer.until("reasoning/start"))["id"])
    await gate.reached.wait()
    return run


async def test_a_graph_talks_to_somebody(space: AgentSpace, attend: Any) -> None:
    agent = LangGraphAgent(GraphOptions(**ONBOARDING))
    async with space.host(attend, agent):
        human = await space.person()
        name = await human.ask("hola")
        assert (name["payload"]["text"], name["payload"]["kind"]) == ("¿Cómo se llama?", "request_slot")
        assert name["payload"]["question"]
        start = human.seen("reasoning/start")[0]
        assert start["payload"]["span"]["policy"] == "soft-stop"
        end = await human.conclusion(start["id"])
        assert (end["outcome"], end["thread_id"]) == ("waiting", start["payload"]["thread_id"])
        age = await human.ask("Ana", correlation_id=[name["id"]])
        assert age["payload"]["text"] == "¿Edad?"
        hello = await human.ask("25 años", to=[], correlation_id=[age["id"]])
        assert hello["payload"]["text"] == "¡Bienvenido, Ana! Edad registrada: 25 años."
        last = await human.conclusion(human.seen("reasoning/start")[-1]["id"])
        assert last["outcome"] == "completed"
        assert human.seen("reasoning/start")[-1]["payload"]["continues"]
        assert nodes(human) == ["ask_name", "ask_name", "ask_age", "ask_age", "greet"]
        late = await human.ask("26", correlation_id=[age["id"]])
        assert late["payload"]["text"].startswith("Esa pregunta ya está cerrada")


async def test_an_interrupt_stops_it_at_the_end_of_the_node_and_what_comes_next_begins_anew(
    space: AgentSpace, attend: Any
) -> None:
    gate = kinds.Gate(then="done")
    async with space.host(attend, LangGraphAgent.of(gate.builder(), **KEYS)):
        human = await space.person()
        run = await held(human, gate)
        ack = await human.interrupt(run, "no", **{"class": "cancel"})
        assert (ack["status"], ack["policy_applied"]) == ("completing_thought", "soft-stop")
        gate.open.set()
        end = await human.conclusion(run)
        assert (end["outcome"], end["interrupt_id"]) == ("interrupted", "no")
        assert end["message"] == "Cancelado"
        assert (await human.reply())["payload"]["text"] == CANCELLED
        again = await human.ask("go")
        assert again["payload"]["text"] == "one?"
        assert nodes(human) == ["node", "node", "node"], "the one that was in flight has ended, none has begun after it"
        assert texts(human) == ["one?", CANCELLED, "one?"]


async def test_a_question_that_waits_is_cancelled_with_the_agents_tool(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, LangGraphAgent.of(kinds.line(), **KEYS)):
        human, other = await space.person(), await space.person("admin")
        question = await human.ask("go")
        thread = human.seen("reasoning/start")[0]["payload"]["thread_id"]
        [waiting] = (await other.call("threads"))["threads"]
        assert (waiting["thread_id"], waiting["participant"], waiting["question"]) == (thread, "human", "what?")
        assert await other.call("thread_cancel", thread_id=thread) == {"status": "cancelled"}
        assert (await other.call("threads"))["threads"] == []
        assert (await human.reply())["payload"]["text"] == CANCELLED
        assert (await other.call("thread_cancel", thread_id=thread))["code"] == "not_found"
        late = await human.ask("this", correlation_id=[question["id"]])
        assert late["payload"]["text"].startswith("Esa pregunta ya está cerrada")
        assert (await human.ask("go"))["payload"]["text"] == "what?"


async def test_an_emergency_holds_it_and_then_it_goes_on_from_its_checkpoint(space: AgentSpace, attend: Any) -> None:
    gate = kinds.Gate(then="done")
    async with space.host(attend, LangGraphAgent.of(gate.builder(), **KEYS)):
        human, guardian = await space.person(), await space.person("guardian")
        run = await held(human, gate)
        await guardian.interrupt(run, "alarm", **{"class": "emergency"})
        gate.open.set()
        assert (await human.conclusion(run))["outcome"] == "interrupted"
        before = nodes(human)
        assert texts(human) == ["one?"]
        await guardian.peer.send("participant/resume", {}, to=["fluxi"], correlation_id=["alarm"])
        while texts(human) != ["one?", "done"]:
            await human.reply()
        assert nodes(human) == [*before, "last"], "the node whose checkpoint stood did not run again"


async def test_what_the_watchdog_stops_never_was_said(space: AgentSpace, attend: Any) -> None:
    gate = kinds.Gate(then="done")
    agent = LangGraphAgent.of(gate.builder(), **KEYS)
    async with space.host(attend, agent, participant="watched"):
        human = await space.person(agent="watched")
        run = await held(human, gate)
        await space.site.pass_time(6_000)
        stopped = await human.peer.until("reasoning/interrupt")
        assert stopped["from"] == "system:gateway"
        gate.open.set()
        assert (await human.conclusion(run))["interrupt_id"] == stopped["id"]
        assert (await human.ask("go"))["payload"]["text"] == "one?"
        assert texts(human) == ["one?", "one?"]


async def test_a_graph_that_raises_is_told_about_and_the_agent_lives(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, LangGraphAgent.of(kinds.failing(), **KEYS)):
        human = await space.person()
        await human.ask("go")
        failed = await human.ask("bad")
        assert (failed["payload"]["kind"], failed["payload"]["text"][:10]) == ("failed", "Algo falló")
        end = await human.conclusion(human.seen("reasoning/start")[-1]["id"])
        assert end["outcome"] == "failed"
        assert (await human.ask("go"))["payload"]["text"] == "well?"
        assert (await human.ask("fine"))["payload"]["text"] == "fine"


async def test_two_people_at_once(space: AgentSpace, attend: Any) -> None:
    async with space.host(attend, LangGraphAgent(GraphOptions(**ONBOARDING))):
        ana, luis = await space.person(), await space.person("admin")
        await asyncio.gather(ana.ask("hola"), luis.ask("hola"))
        await asyncio.gather(ana.ask("Ana"), luis.ask("Luis"))
        replies = await asyncio.gather(ana.ask("25"), luis.ask("52"))
        assert [one["payload"]["text"] for one in replies] == [
            "¡Bienvenido, Ana! Edad registrada: 25 años.",
            "¡Bienvenido, Luis! Edad registrada: 52 años.",
        ]


async def test_killed_while_a_question_waits_it_goes_on_where_it_was(space: AgentSpace) -> None:
    human = await space.person(agent="d1")
    async with space.process("d1", **FORM) as process:
        await human.ask("hello")
        question = await human.ask("Ana")
        process.send_signal(signal.SIGKILL)
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL
    async with space.process("d1", **FORM):
        done = await human.ask("25", correlation_id=[question["id"]])
    assert done["payload"]["text"] == "Ana, 25"
    assert texts(human) == ["name?", "age?", "Ana, 25"]


# Each is the second time: the first is that of the input.
@pytest.mark.parametrize(
    "point",
    ["thread.begin.after:2", "graph.before:2", "node.name:1", "node.age:1", "graph.after:2", "thread.settle.after:2",
     "outbox.carry.before:2", "outbox.carry.after:2"],
)  # fmt: skip
async def test_killed_in_the_middle_of_an_answer_it_is_taken_once(space: AgentSpace, point: str) -> None:
    human = await space.person(agent="d2")
    async with space.process("d2", failpoint=point, **FORM) as process:
        await human.ask("hello")
        await human.say("Ana")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL
    async with space.process("d2", **FORM):
        while texts(human) != ["name?", "age?"]:
            await human.reply()
        assert (await human.ask("25"))["payload"]["text"] == "Ana, 25"
    assert texts(human) == ["name?", "age?", "Ana, 25"]


async def test_what_nobody_says_again_is_finished_in_a_run_of_its_own(space: AgentSpace) -> None:
    human = await space.person(agent="d3")
    async with space.process("d3", failpoint="node.age:1", **FORM) as process:
        await human.ask("hello")
        await human.say("Ana")
        assert await asyncio.wait_for(process.wait(), PATIENCE) == -signal.SIGKILL
    (space.folder / "d3" / NAME).unlink()  # from now on it hears nothing of what was said before
    async with space.process("d3", **FORM):
        assert (await human.reply())["payload"]["text"] == "age?"
        run = human.seen("reasoning/start")[-1]
        assert run["payload"]["message"] == "Sigue lo que se había empezado"
        assert (await human.conclusion(run["id"]))["outcome"] == "waiting"
        assert (await human.ask("25"))["payload"]["text"] == "Ana, 25"
