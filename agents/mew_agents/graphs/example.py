"""A graph to begin with, which needs no model: it asks for a name and an age, and says hello (docs/langgraph.md §2)."""

from __future__ import annotations

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt


class Onboarding(TypedDict, total=False):
    """What the graph knows. `said`: the first words; `greeting`: the last."""

    said: str
    name: str
    age: int
    greeting: str


def ask_name(state: Onboarding) -> Onboarding:
    """Runs again from its first line when the answer is there: what it does before it asks, it does twice."""
    return {"name": interrupt("¿Cómo se llama?").strip()}


def ask_age(state: Onboarding) -> Onboarding:
    """Asks until there is a number in the answer."""
    question = "¿Edad?"
    while True:
        figures = [word for word in interrupt({"question": question}).split() if word.isdecimal()]
        if figures and 0 < int(figures[0]) < 130:
            return {"age": int(figures[0])}
        question = "Escríbala en números, por favor: ¿qué edad tiene?"


def greet(state: Onboarding) -> Onboarding:
    """The end."""
    return {"greeting": f"¡Bienvenido, {state['name']}! Edad registrada: {state['age']} años."}


builder = StateGraph(Onboarding)
builder.add_node(ask_name)
builder.add_node(ask_age)
builder.add_node(greet)
builder.add_edge(START, "ask_name")
builder.add_edge("ask_name", "ask_age")
builder.add_edge("ask_age", "greet")
builder.add_edge("greet", END)
graph = builder.compile()
