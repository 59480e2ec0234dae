"""Timelines that agents keep in their state folders, inside the gateway's (docs/timeline.md)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mew_gateway.config import Configuration, load
from mew_gateway.documents.problems import did_you_mean
from mew_gateway.sdk.timeline.sqlite import NAME

from ..connecting.configured_access import choose_space
from ..framework.failure import Failure, mistake
from ..framework.options import Where
from ..printing.terminal import clean


class AgentFile(NamedTuple):
    """An agent's timeline: its agent, as far as known, and its file."""

    agent: str
    path: Path
    space: str | None = None


def agent_files(configuration: Configuration, space: str) -> list[AgentFile]:
    """Return the existing timelines of a space's agents, by name."""
    return list(_found(configuration.gateway.state_dir / "agents" / space, space))


def chosen_files(where: Where, *, agent: str | None, file: Path | None) -> list[AgentFile]:
    """Return the timelines that are meant: that file, that agent's, or those of all agents of the space.

    Raises `Failure` if there is none, and `ConfigError`.
    """
    if file is not None:
        return [named_file(file, agent)]
    configuration = load(where.config)
    space = choose_space(configuration, where.space, named=[agent] if agent else [])
    found = agent_files(configuration, space)
    if agent is None and not found:
        raise Failure(f"No agent of the space {space} has a timeline in {configuration.gateway.state_dir}.")
    return found if agent is None else [_named(found, agent, space)]


def chosen_file(where: Where, *, agent: str | None, file: Path | None) -> AgentFile:
    """Return the one timeline that is meant. Raises `Failure` if it could be several."""
    found = chosen_files(where, agent=agent, file=file)
    if len(found) > 1:
        raise mistake(f"Which agent? Say --agent with one of: {', '.join(one.agent for one in found)}.")
    return found[0]


def named_file(file: Path, agent: str | None) -> AgentFile:
    """Return the timeline of a given file. Without a name the agent is called by the file's."""
    if not file.is_file():
        raise mistake(f"There is no file {file}.")
    return AgentFile(agent or clean(file), file)


def _found(folder: Path, space: str) -> Iterator[AgentFile]:
    for path in sorted(folder.glob(f"*/{NAME}")):
        yield AgentFile(path.parent.name, path, space)


def _named(found: list[AgentFile], agent: str, space: str) -> AgentFile:
    for one in found:
        if one.agent == agent:
            return one
    known = did_you_mean(agent, [one.agent for one in found]) or f"{len(found)} agents there have one"
    raise mistake(f"The agent {agent!r} has no timeline in the space {space} ({known}).")
