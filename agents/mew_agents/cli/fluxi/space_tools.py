"""The tools of a configured space, for checking definitions and flows against it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mew_gateway.cli.agents.inspection import inspect_agents, tools_of
from mew_gateway.cli.connecting.configured_access import choose_space
from mew_gateway.cli.framework.completion import complete_spaces
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.config import load

from .own_tools import tools_here, tools_named

SpaceFileOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--config", metavar="FILE", help="And that each tool is one of a space in this spaces.yaml."),
]
SpaceNameOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="SPACE",
        envvar="MEW_SPACE",
        help="Which of its spaces, if there are several.",
        autocompletion=complete_spaces,
    ),
]


LocalToolsOption: TypeAlias = Annotated[
    bool, typer.Option("--local-tools", help="And that each tool is one that the `chat` command here has.")
]


def tools_known(
    *, local: bool, files: Sequence[str] | None, config: Path | None, space: str | None
) -> Collection[str] | None:
    """The tools that definitions and flows are checked against; None: any. Raises `ConfigError` or `Failure`."""
    if config is None:
        return tools_here(tools_named(files)) if local or files else None
    if local or files:
        raise mistake("Check either against a space (--config) or against the tools here (--local-tools, --tools).")
    return tools_of_space(config, space)


def tools_of_space(config: Path, space: str | None) -> Collection[str]:
    """The tools of a space, as `participant/name`, or `participant/*` where only the participant knows.

    Raises `ConfigError` or `Failure`.
    """
    configuration = load(config)
    chosen = choose_space(configuration, space)
    return tools_of(configuration, chosen, asyncio.run(inspect_agents(configuration, space=chosen)))
