"""The agent to be examined: what starts it, and what brings it to reason."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

import msgspec

from mew_gateway.errors import MewError

SENTENCE = "Please think this through step by step, and take your time."


class Unexaminable(MewError):
    """The agent cannot be examined: a sentence for its author, and what the agent wrote last."""

    def __init__(self, message: str, *, said: str = "") -> None:
        super().__init__(message)
        self.said = said


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as a command line, and how a run of it is begun: the chat `say`, or the tool `call` with `arguments`.

    `options` is what it gets as `MEW_OPTIONS`, `path` the folders in which Python finds it (none: as everything else).
    """

    name: str
    words: tuple[str, ...]
    say: str = SENTENCE
    call: str | None = None
    arguments: dict[str, Any] = {}
    options: dict[str, Any] = {}
    path: tuple[str, ...] = ()


def subject(
    agent: str | None = None,
    *,
    command: str | None = None,
    say: str | None = None,
    call: str | None = None,
    arguments: dict[str, Any] | None = None,
    options: dict[str, Any] | None = None,
    path: Sequence[str] = (),
) -> Subject:
    """The agent called `module:Class`, or the program that a command line starts. Raises `Unexaminable`.

    `path` is for a class: any other program may have a Python of its own.
    """
    if (agent is None) == (command is None):
        raise Unexaminable("Name one agent: its module:Class, or the command that starts it.")
    if say is not None and call is not None:
        raise Unexaminable("A run is begun by a chat or by a call, not by both.")
    if arguments and call is None:
        raise Unexaminable("The arguments are for a tool: say which to call.")
    return Subject(
        name=agent or command or "",
        words=_words(agent, command),
        say=SENTENCE if say is None else say,
        call=call,
        arguments=arguments or {},
        options=options or {},
        path=() if agent is None else tuple(path),
    )


def _words(agent: str | None, command: str | None) -> tuple[str, ...]:
    if agent is not None:
        return sys.executable, "-m", "mew_gateway.sdk.host", agent
    try:
        words = shlex.split(command or "")
    except ValueError as error:
        raise Unexaminable(f"The command cannot be read: {error}.") from None
    if not words:
        raise Unexaminable("The command is empty.")
    return tuple(words)
