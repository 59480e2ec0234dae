"""A graph for a process of its own, which ends at the failpoint that MEW_FAILPOINT names: at a commit, or in a node."""

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
    """Pass a failpoint before the answer is returned."""
    answer = interrupt("name?")
    points.reach("node.name")
    return {"name": answer}


def age(state: Form) -> Form:
    """Pass a failpoint before the question is asked."""
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


class FailingGraph(LangGraphAgent):
    """A graph that ends at the failpoint that MEW_FAILPOINT names, if it names one."""

    def __init__(self, options: GraphOptions | None = None) -> None:
        super().__init__(options, failpoints=points)
