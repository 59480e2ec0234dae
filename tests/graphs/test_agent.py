"""What the agent is told, and what it says of what it cannot do."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from mew_agents.graphs.agent import LangGraphAgent
from mew_agents.graphs.example import builder, graph
from mew_agents.graphs.options import GraphOptions
from mew_gateway.sdk import Misconfigured

from . import kinds

# The agent's own process, in which there is no LangGraph.
WITHOUT = """
import sys
sys.modules["langgraph"] = None
from mew_gateway.sdk.host import main
sys.exit(main(["mew_agents.graphs.agent:LangGraphAgent"], {
    "MEW_URL": "ws://127.0.0.1:1", "MEW_SPACE": "demo", "MEW_TOKEN": "secret",
    "MEW_OPTIONS": '{"graph": "mew_agents.graphs.example:graph"}',
}))
"""


def told(**options: Any) -> str:
    with pytest.raises(Misconfigured) as refused:
        LangGraphAgent(GraphOptions(**options))
    return str(refused.value)


@pytest.mark.parametrize("name", ["graph", "builder"])
def test_a_graph_is_named_compiled_or_not(name: str) -> None:
    LangGraphAgent(GraphOptions(graph=f"mew_agents.graphs.example:{name}", input="said", output="greeting"))


def test_a_graph_is_given_or_made_by_a_function() -> None:
    for one in (graph, builder, lambda: builder):
        LangGraphAgent.of(one, input="said", output="greeting")
    LangGraphAgent.of(kinds.chat)
    LangGraphAgent.of(kinds.functional)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (None, "bad_graph: name one graph"),
        ("graph", "is not the name of a graph"),
        ("nowhere.to.be.found:graph", "nowhere.to.be.found cannot be imported: ModuleNotFoundError"),
        ("mew_agents.graphs.example:missing", "There is no missing in mew_agents.graphs.example."),
        ("mew_agents.graphs.example:START", "is neither a LangGraph graph nor its builder"),
        ("mew_agents.graphs.example:greet", "greet() failed: TypeError"),
    ],
)
def test_what_is_no_graph_is_refused_with_a_sentence(name: str | None, sentence: str) -> None:
    assert sentence in told(graph=name)


def test_the_keys_of_a_state_are_checked() -> None:
    name = "mew_agents.graphs.example:graph"
    assert "no 'messages' for input; say which with the option 'input': said, name, age, greeting." in told(graph=name)
    assert "no 'goodbye' for output" in told(graph=name, input="said", output="goodbye")
    with pytest.raises(Misconfigured, match="this graph has no keys"):
        LangGraphAgent.of(kinds.functional, input="words")


def test_a_graph_that_stops_without_asking_is_refused() -> None:
    with pytest.raises(Misconfigured, match=r"breakpoints: .* where a node calls interrupt"):
        LangGraphAgent.of(builder.compile(interrupt_before=["greet"]), input="said", output="greeting")


def test_what_a_graph_would_say_cannot_be_known() -> None:
    assert told(graph="mew_agents.graphs.example:graph", mode="suggest").startswith("bad_mode")


def test_without_the_library_it_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "pip install 'mew-gateway[langgraph]'" in done.stderr
    assert "Traceback" not in done.stderr
