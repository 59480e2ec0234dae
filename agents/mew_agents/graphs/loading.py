"""The graph that an option names, ready for a checkpointer of ours."""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from mew_gateway.sdk import Misconfigured

AnyGraph: TypeAlias = Pregel[Any, Any, Any, Any]


def load(name: str) -> AnyGraph:
    """The graph called `module:attribute`: one, its builder, or a function that returns one. Raises `Misconfigured`."""
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise Misconfigured(f"bad_graph: {name!r} is not the name of a graph; one looks like package.module:graph.")
    try:
        imported = importlib.import_module(module)
    except Exception as error:
        raise Misconfigured(f"bad_graph: {module} cannot be imported: {type(error).__name__}: {error}") from error
    if not hasattr(imported, attribute):
        raise Misconfigured(f"bad_graph: There is no {attribute} in {module}.")
    return compiled(getattr(imported, attribute), name=name)


def compiled(found: Any, *, name: str) -> AnyGraph:
    """A graph out of what was found under a name. Raises `Misconfigured`."""
    if not isinstance(found, Pregel | StateGraph) and callable(found):
        try:
            found = found()
        except Exception as error:
            raise Misconfigured(f"bad_graph: {name}() failed: {type(error).__name__}: {error}") from error
    if isinstance(found, StateGraph):
        try:
            found = found.compile()
        except Exception as error:
            raise Misconfigured(f"bad_graph: {name} cannot be compiled: {error}") from error
    if not isinstance(found, Pregel):
        raise Misconfigured(
            f"bad_graph: {name} is neither a LangGraph graph nor its builder, nor a function that returns one."
        )
    if found.interrupt_before_nodes or found.interrupt_after_nodes:
        # They stop and ask nothing: nobody could answer, and to go on by ourselves would undo them.
        raise Misconfigured(
            f"breakpoints: {name} was compiled with interrupt_before or interrupt_after; in a space a graph stops "
            "where a node calls interrupt(question)."
        )
    return found
