"""How words go into a graph, and out of it: as messages, or by the keys of its state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph.state import CompiledStateGraph

from mew_agents.graphs.loading import AnyGraph
from mew_gateway.sdk import Misconfigured

MESSAGES = "messages"
# Of a question or a reply; longer ones are cut.
LONGEST = 8_000
# Where a question stands in an interrupt's value, if that is an object.
_WORDED = ("question", "text")


class Speech:
    """The words of one graph. `input`, `output`: keys of its state, None: its messages, or all there is if it has no
    state by keys (a graph of the functional interface). Raises `Misconfigured` for keys that it does not have."""

    def __init__(self, graph: AnyGraph, *, input: str | None, output: str | None) -> None:
        self._keyed = isinstance(graph, CompiledStateGraph)
        self._input = self._key(graph, "input", input)
        self._output = self._key(graph, "output", output)

    def into(self, text: str, message_id: str) -> Any:
        """The input that a person's words make. Messages carry our id, so that the same one is added once."""
        if self._input is None:
            return text
        return {self._input: [HumanMessage(text, id=message_id)] if self._input == MESSAGES else text}

    def out_of(self, values: Any, *, told: str | None) -> tuple[str, str | None]:
        """What there is to say at the end, "" for nothing; and, of messages, the id of the one that says it.

        `told`: that of the one that was said before, which is not said again.
        """
        if self._output is None:
            return worded(values), None
        value = values.get(self._output) if isinstance(values, Mapping) else None
        if self._output != MESSAGES:
            return worded(value), None
        last = next((one for one in reversed(value or ()) if isinstance(one, AIMessage)), None)
        if last is None or (told is not None and last.id == told):
            return "", told
        return readable(str(last.text)), last.id

    def _key(self, graph: AnyGraph, option: str, key: str | None) -> str | None:
        if not self._keyed:
            if key is not None:
                raise Misconfigured(f"bad_key: {option}: {key}: this graph has no keys; leave the option out.")
            return None
        key = MESSAGES if key is None else key
        keys = [name for name in graph.channels if name.isidentifier() and not name.startswith("__")]
        if key not in keys:
            raise Misconfigured(
                f"bad_key: the graph has no {key!r} for {option}; say which with the option {option!r}: "
                f"{', '.join(keys)}."
            )
        return key


def worded(value: Any) -> str:
    """A value as words: text as it is, the question of an object, everything else as JSON."""
    if isinstance(value, Mapping):
        value = next((value[key] for key in _WORDED if isinstance(value.get(key), str)), value)
    if value is None:
        return ""
    if not (isinstance(value, str) and value.strip()):
        value = _plain(value)
    return readable(str(value))


def readable(text: str) -> str:
    """Words as they can be said and kept, whatever a graph has made them of."""
    return text[:LONGEST].encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _plain(value: Any) -> str:
    """As JSON, or as Python shows it: the keys of an object may be anything, and an object may be in itself."""
    with suppress(Exception):  # objects of the graph's own may raise as they like
        return json.dumps(value, ensure_ascii=False, default=str)
    with suppress(Exception):
        return repr(value)
    return type(value).__name__
