"""The onboarding as a graph of LangGraph's, as its documentation has it: a node for each question, which waits in
`interrupt()`, is begun again with the answer, and asks again for what it cannot take.

What a message says is understood by the functions that flows understand it with, as often as they do it; values are
validated and questions worded by the same definitions. What differs is who keeps where the dialogue stands.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypedDict, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from bench.failure import BenchFailure
from bench.flows.dialogues import Said, policy
from mew_agents.flows.commands import Affirm, AnyCommand, SetSlot, StartFlow
from mew_agents.flows.definitions.loader import shipped
from mew_agents.flows.definitions.phrases import phrase
from mew_agents.flows.definitions.steps import Confirm, Say
from mew_agents.flows.standing import may_hold_more
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi import values
from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.wording import prompt

_FLOWS = shipped()
_FLOW = next(flow for flow in _FLOWS if flow.name == "onboarding")
_ORDER = ("name", "age", "guardian_phone", "email", "city")
_ADULT = 18
_RULES = Rules()


class Person(TypedDict, total=False):
    """The graph's state: what was said first, what is known of somebody, and what is said last."""

    text: str
    name: str
    age: int
    guardian_phone: str
    email: str
    city: str
    agreed: bool
    told: str


def begin(state: Person) -> Person:
    """Both passes of the message that it begins with."""
    text = state["text"]
    if not any(isinstance(one, StartFlow) and one.flow == _FLOW.name for one in _RULES.commands(text, _standing({}))):
        raise BenchFailure(f"{text!r} does not begin the onboarding.")
    return _taken(_RULES.slots(text, _standing(state, at_hand=True)), state)


def ask(path: str) -> Callable[[Person], Person]:
    """The node that asks for a slot until it has a value."""

    def node(state: Person) -> Person:
        if path in state:
            return {}
        while True:
            text = interrupt(prompt(_FLOW.slots[path].slot, policy()))
            found = _taken(_understood(text, _standing(state, at_hand=True, asked=path)), state)
            if path in found:
                return found

    return node


def confirm(state: Person) -> Person:
    """The node that asks whether all of it is right."""
    while True:
        text = interrupt(_filled("all_right", state))
        said = _understood(text, _standing(state, at_hand=True, question="execution"))
        if said:
            return {"agreed": isinstance(said[0], Affirm)}


def welcome(state: Person) -> Person:
    """The node that says how it ended."""
    return {"told": _filled("welcome", state)}


@contextmanager
def compiled(file: Path) -> Iterator[Any]:
    """The graph on its checkpointer, with the journal mode and `synchronous` that flows have.

    The library is the one that Python brings: the checkpointer takes no other.
    """
    graph: Any = StateGraph(Person)
    graph.add_node("begin", begin)
    for path in _ORDER:
        graph.add_node(f"ask_{path}", ask(path))
    graph.add_node("confirm", confirm)
    graph.add_node("welcome", welcome)
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "ask_name")
    graph.add_edge("ask_name", "ask_age")
    graph.add_conditional_edges("ask_age", _behind_age, ["ask_guardian_phone", "ask_email"])
    graph.add_edge("ask_guardian_phone", "ask_email")
    graph.add_edge("ask_email", "ask_city")
    graph.add_edge("ask_city", "confirm")
    graph.add_conditional_edges("confirm", _behind_confirm, ["welcome", END])
    graph.add_edge("welcome", END)
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        yield graph.compile(checkpointer=SqliteSaver(connection))


def onboard(graph: Any, thread: str, said: Sequence[Said]) -> list[float]:
    """Milliseconds until each message of a thread has been dealt with. Raises `BenchFailure`."""
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    times = []
    for index, one in enumerate(said):
        began = time.perf_counter()
        given: Any = Command(resume=one.text) if index else {"text": one.text}
        # `sync`: a checkpoint is written before the next node begins, and before anybody has the answer.
        state = graph.invoke(given, config, durability="sync")
        times.append((time.perf_counter() - began) * 1000)
        done = "__interrupt__" not in state
        if done != ("told" in state) or done != (one.kind == "completed"):
            raise BenchFailure(f"{one.text!r} left the graph with {state}")
    return times


def _behind_age(state: Person) -> str:
    return "ask_guardian_phone" if state["age"] < _ADULT else "ask_email"


def _behind_confirm(state: Person) -> str:
    return "welcome" if state["agreed"] else END


def _standing(state: Person, *, at_hand: bool = False, asked: str | None = None, question: Any = None) -> Standing:
    now = policy().now.astimezone(policy().zone)
    return Standing(
        language="es",
        now=now,
        flows=_FLOWS,
        at_hand=_FLOW if at_hand else None,
        values={path: state[path] for path in _ORDER if path in state},  # type: ignore[literal-required]
        asked=asked,
        question="slot" if asked is not None else question,
    )


def _understood(text: str, standing: Standing) -> Sequence[AnyCommand]:
    first = _RULES.commands(text, standing)
    return (*first, *_RULES.slots(text, standing)) if may_hold_more(first, text, standing.language) else first


def _taken(said: Sequence[AnyCommand], state: Person) -> Person:
    """What of it may stand in its slot."""
    known = Understanding(language="es", now=policy().now)
    new = [one for one in said if isinstance(one, SetSlot) and one.path not in state]
    slots = {path: slot.slot for path, slot in _FLOW.slots.items()}
    found = {one.path: one.value for one in new if values.refusal(slots[one.path], one.value, known) is None}
    return cast("Person", found)


def _filled(step_id: str, state: Person) -> str:
    found = _FLOW.program.steps[step_id]
    words = found.confirm if isinstance(found, Confirm) else found.say if isinstance(found, Say) else {}
    shown = {path: str(state.get(path, "–")) for path in _ORDER}
    return template.parse(phrase(words, "es", "informal")).fill(shown)
