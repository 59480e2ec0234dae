"""What somebody who watches may see of a graph at work: which node ran, and what it changed, shortened."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from reprlib import Repr
from typing import Any

import msgspec
from langchain_core.messages import BaseMessage

from mew_agents.graphs.speech import worded

_SECRET = re.compile(r"pass|secret|token|key|credential|auth|cookie|session|pin\b|cvv", re.IGNORECASE)
_MOST_KEYS = 12
_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxlevel, _SHORT.maxlist, _SHORT.maxdict, _SHORT.maxtuple = 2, 3, 3, 3


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A node has run, or stopped at a question: its name, within graphs in the graph with theirs before it."""

    node: str
    changed: tuple[str, ...] = ()
    shown: str = ""

    @property
    def words(self) -> str:
        """For people."""
        return f"{self.node}: {self.shown}" if self.shown else self.node


def step_of(within: Sequence[str], task: Mapping[str, Any]) -> Step | None:
    """The step in an event of LangGraph's stream of tasks; None for a task that begins, or fails."""
    if "result" not in task or task.get("error") is not None:
        return None
    node = "/".join([*(one.partition(":")[0] for one in within), str(task["name"])])
    if task.get("interrupts"):
        asked = "; ".join(_SHORT.repr(worded(one["value"])) for one in task["interrupts"])
        return Step(node=node, shown=f"? {asked}")
    result = task["result"]
    changes = result if isinstance(result, Mapping) else {}
    shown = [f"{key}={_shown(key, value)}" for key, value in list(changes.items())[:_MOST_KEYS]]
    return Step(node=node, changed=tuple(str(key) for key in changes)[:_MOST_KEYS], shown=", ".join(shown))


def _shown(key: object, value: Any) -> str:
    """A short form of a value; nothing of what a key or a field says is a secret."""
    if _SECRET.search(str(key)):
        return "…"
    if isinstance(value, BaseMessage):
        return f"{value.type}: {_SHORT.repr(str(value.text))}"
    if isinstance(value, Mapping):
        inner = [f"{name}: {_shown(name, one)}" for name, one in list(value.items())[:3]]
        return "{" + ", ".join(inner) + ("}" if len(value) <= 3 else ", …}")
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        inner = [_shown("", one) for one in value[:3]]
        return "[" + ", ".join(inner) + ("]" if len(value) <= 3 else ", …]")
    if value is None or isinstance(value, str | bytes | bool | int | float):
        return _SHORT.repr(value)
    return type(value).__name__  # an object of the graph's own may hold anything
