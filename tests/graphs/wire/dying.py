"""A graph in a process of its own, which dies where MEW_FAILPOINT says: around its commits, or within a node."""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt

from mew_agents.durable.failpoints import Failpoints
from mew_agents.fluxi.points import POINTS as FLUXI
from mew_agents.graphs.agent import LangGraphAgent
from mew_agents.graphs.engine import POINTS
from mew_agents.graphs.options import GraphOptions

points = Failpoints.from_environment([*FLUXI, *POINTS, "node.name", "node.age"])


class Form(TypedDict, total=False):
    """What is known of somebody."""

    said: str
    name: str
    age: str
    end: str


def name(state: Form) -> Form:
    """Dies before it has told anybody its answer."""
    answer = interrupt("name?")
    points.reach("node.name")
    return {"name": answer}


def age(state: Form) -> Form:
    """Dies before it asks, if it is to die."""
    points.reach("node.age")
    return {"age": interrupt("age?")}


def end(state: Form) -> Form:
    """What was understood."""
    return {"end": f"{state['name']}, {state['age']}"}


def form() -> StateGraph[Form]:
    """The graph."""
    builder = StateGraph(Form)
    builder.add_sequence([name, age, end])
    builder.add_edge(START, "name")
    builder.add_edge("end", END)
    return builder


class Dying(LangGraphAgent):
    """As any, but mortal."""

    def __init__(self, options: GraphOptions | None = None) -> None:
        super().__init__(options, failpoints=points)
