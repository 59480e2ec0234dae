"""Graphs of every kind that there is, whose nodes leave a trace when they run."""

from __future__ import annotations

import asyncio
import operator
from typing import Annotated, Any, TypedDict

from langchain_core.messages import AIMessage
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

from mew_agents.durable.failpoints import Crash

# The names of nodes that ran to their end, in this process; a test empties it.
ran: list[str] = []


# The names of nodes that end the process, as far as one process can show that.
dies: set[str] = set()


class Noted(TypedDict, total=False):
    """`words` go in, `end` comes out, and `notes` add up."""

    words: str
    notes: Annotated[list[str], operator.add]
    end: str


def _asking(name: str, *questions: Any) -> Any:
    def node(state: Noted) -> Noted:
        answers: list[str] = []
        for question in questions:
            answers.append(interrupt(question))
            if name in dies:
                raise Crash(f"in {name}")
        ran.append(name)
        return {"notes": [f"{name}: {answer}" for answer in answers]}

    return node


def doing(name: str) -> Any:
    """A node that asks nothing."""

    def node(state: Noted) -> Noted:
        ran.append(name)
        return {"notes": [name]}

    return node


def finish(state: Noted) -> Noted:
    """The last node of all of them."""
    ran.append("finish")
    return {"end": "; ".join(state["notes"])}


def both() -> StateGraph[Noted]:
    """Two nodes that ask beside one another, one of them twice; then a third."""
    builder = StateGraph(Noted)
    builder.add_node("left", _asking("left", "left 1?", {"question": "left 2?"}))
    builder.add_node("right", _asking("right", {"text": "right?"}))
    builder.add_node("finish", finish)
    builder.add_edge(START, "left")
    builder.add_edge(START, "right")
    builder.add_edge(["left", "right"], "finish")
    builder.add_edge("finish", END)
    return builder


def line() -> StateGraph[Noted]:
    """first, then a question, then second, then finish."""
    builder = StateGraph(Noted)
    builder.add_node("first", doing("first"))
    builder.add_node("ask", _asking("ask", "what?"))
    builder.add_node("second", doing("second"))
    builder.add_node("finish", finish)
    for one, next in zip(
        (START, "first", "ask", "second", "finish"), ("first", "ask", "second", "finish", END), strict=True
    ):
        builder.add_edge(one, next)
    return builder


def nested() -> StateGraph[Noted]:
    """A graph in a graph, which asks twice."""
    inner = StateGraph(Noted)
    inner.add_node("deep", _asking("deep", "one?", "two?"))
    inner.add_edge(START, "deep")
    builder = StateGraph(Noted)
    builder.add_node("inner", inner.compile())
    builder.add_node("finish", finish)
    builder.add_edge(START, "inner")
    builder.add_edge("inner", "finish")
    return builder


def failing() -> StateGraph[Noted]:
    """Fails, unless it is told not to."""

    def node(state: Noted) -> Noted:
        if interrupt("well?") != "fine":
            raise ValueError("it was not fine")
        return {"end": "fine"}

    builder = StateGraph(Noted)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder


def chat() -> StateGraph[MessagesState]:
    """Remembers what was said, and asks before it is rude."""

    def node(state: MessagesState) -> dict[str, Any]:
        said = [str(one.text) for one in state["messages"] if one.type == "human"]
        if said[-1] == "silence":
            return {"messages": []}
        if said[-1] == "rude" and interrupt({"sure": True}) != "yes":
            return {"messages": [AIMessage("never mind")]}
        return {"messages": [AIMessage(f"{len(said)}: {said[-1]}")]}

    builder = StateGraph(MessagesState)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    return builder


@task
async def _named(question: str) -> str:
    answer: str = interrupt(question)
    return answer


@entrypoint()
async def functional(words: str) -> str:
    """A graph of the functional interface."""
    name = await _named("name?")
    return f"{words} {name} {interrupt('age?')}"


class Gate:
    """A graph whose first node asks, waits until it may go on, and asks again; or leaves the rest to another node."""

    def __init__(self, *, then: str | None = None) -> None:
        self.reached = asyncio.Event()
        self.open = asyncio.Event()
        self._then = then

    def builder(self) -> StateGraph[Noted]:
        """The graph."""

        async def node(state: Noted) -> Noted:
            first = interrupt("one?")
            self.reached.set()
            await self.open.wait()
            return {"end": self._then or f"{first}, {interrupt('two?')}"}

        builder = StateGraph(Noted)
        builder.add_node("node", node)
        builder.add_node("last", doing("last"))
        builder.add_edge(START, "node")
        builder.add_edge("node", "last")
        return builder


class Mute:
    """Says nothing of itself."""

    def __repr__(self) -> str:
        raise RuntimeError("mute")
