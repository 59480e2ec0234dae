"""The agent under test: the command that starts it, and the chat or call that begins a run."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from mew_gateway.errors import MewError

SENTENCE = "Please think this through step by step, and take your time."


class Unexaminable(MewError):
    """The agent cannot be examined: a sentence for its author, and the last output of the agent."""

    def __init__(self, message: str, *, last_output: str = "") -> None:
        super().__init__(message)
        self.last_output = last_output


class AgentUnderTest(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as a command line. A run begins with the chat `say`, or with the tool `call` and its `arguments`.

    `options` is passed as `MEW_OPTIONS`. `path` is the `PYTHONPATH` of the agent; empty means the inherited one.
    """

    name: str
    command: tuple[str, ...]
    say: str = SENTENCE
    call: str | None = None
    arguments: dict[str, Any] = {}
    options: dict[str, Any] = {}
    path: tuple[str, ...] = ()


def agent_under_test(
    agent: str | None = None,
    *,
    command: str | None = None,
    say: str | None = None,
    call: str | None = None,
    arguments: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    path: Sequence[str] = (),
) -> AgentUnderTest:
    """Describe the agent `module:Class`, or the program that `command` starts. Raises `Unexaminable`.

    `path` applies to a class only: another program may use another Python.
    """
    if (agent is None) == (command is None):
        raise Unexaminable("Name one agent: its module:Class, or the command that starts it.")
    if say is not None and call is not None:
        raise Unexaminable("A run is begun by a chat or by a call, not by both.")
    if arguments and call is None:
        raise Unexaminable("The arguments are for a tool: say which to call.")
    return AgentUnderTest(
        name=agent or command or "",
        command=_command_words(agent, command),
        say=SENTENCE if say is None else say,
        call=call,
        arguments=arguments or {},
        options=options or {},
        path=() if agent is None else tuple(path),
    )


def _command_words(agent: str | None, command: str | None) -> tuple[str, ...]:
    if agent is not None:
        return sys.executable, "-m", "mew_gateway.sdk.host", agent
    try:
        words = shlex.split(command or "")
    except ValueError as error:
        raise Unexaminable(f"The command cannot be read: {error}.") from None
    if not words:
        raise Unexaminable("The command is empty.")
    return tuple(words)
