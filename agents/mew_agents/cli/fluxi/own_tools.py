"""The tools that a conversation at the terminal has: the shipped ones, and those of files of one's own."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Annotated, Any, TypeAlias

import typer

from mew_agents.tools.local import LocalTools
from mew_agents.tools.own import OwnTools, own_tools
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.sdk import Misconfigured

ToolsOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--tools",
        metavar="FILE",
        help="Tools of your own besides, several times: an agent in FILE.py (or NAME=FILE.py:CLASS), or fixed answers "
        "in FILE.yaml.",
    ),
]


def tools_named(sources: Sequence[str] | None, **given: Any) -> OwnTools:
    """The tools in files; `given` are options for the agents. Raises `Failure` (exit status 2)."""
    try:
        return own_tools(sources or (), **given)
    except Misconfigured as error:
        raise mistake(str(error)) from None


def tools_here(own: OwnTools) -> Collection[str]:
    """Every tool that a conversation with these has, as `participant/name`. Raises `Failure` (exit status 2)."""

    async def listed() -> list[str]:
        with LocalTools.shipped(own=own) as tools:
            return await tools.tools()

    try:
        return asyncio.run(listed())
    except TypeError as error:  # a method that cannot be a tool
        raise mistake(str(error)) from None
