"""Hints on what to type next, with names from the configuration."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from mew_gateway.config import Configuration, Space
from mew_gateway.protocol.capabilities import Capabilities, compile_capability

from ..framework.options import CONFIG
from .terminal import command_name


class Hint(NamedTuple):
    """A command, and what it does."""

    command: str
    what: str


def first_commands(configuration: Configuration, *, config: Path) -> list[Hint]:
    """Return the first commands to try with a new gateway: watch, send, interrupt."""
    name, agent = _example_agent(configuration)
    space = configuration.spaces[name]
    options = _options(configuration, name, config)
    hints = [Hint(f"{command_name()} watch{options}", "see what is said, live")]
    if agent is not None:
        hints.append(Hint(f'{command_name()} send "go" --to {agent}{options}', f"{agent} begins"))
        if _may(space, agent, "reasoning/start"):
            hints.append(Hint(f"{command_name()} interrupt {agent}{options}", f"asks {agent} to stop"))
            return hints
    return [*hints, Hint(f"{command_name()} participants{options}", "who is here")]


def table(hints: list[Hint]) -> Table:
    """Return the hints as a table, a line each."""
    grid = Table.grid(padding=(0, 3))
    for hint in hints:
        grid.add_row(Text(f"  {hint.command}", style="bold"), Text(hint.what, style="dim"))
    return grid


def _example_agent(configuration: Configuration) -> tuple[str, str | None]:
    """Return the space to look at first and an agent in it, preferably one that is hosted here and thinks aloud."""
    hosted = [(name, agent) for name, space in configuration.spaces.items() for agent in space.hosted]
    thinking = [pair for pair in hosted if _may(configuration.spaces[pair[0]], pair[1], "reasoning/start")]
    first: tuple[str, str | None] = (next(iter(configuration.spaces)), None)
    return next(iter([*thinking, *hosted]), first)


def _may(space: Space, who: str, kind: str) -> bool:
    sources = space.settings.participants[who].capabilities
    return Capabilities(compile_capability(source) for source in sources).allow(kind, {}, ())


def _options(configuration: Configuration, name: str, config: Path) -> str:
    """Return the options that the commands need here."""
    participants = configuration.spaces[name].settings.participants
    words = ["--space", name] if len(configuration.spaces) > 1 else []
    if "human" not in participants:
        person = next((who for who in participants if who not in configuration.spaces[name].hosted), None)
        words += ["--as", person or next(iter(participants))]
    if config != CONFIG:
        words += ["--config", str(config)]
    return f" {shlex.join(words)}" if words else ""
