"""The flows that a command works with: those that come with the package, or those of files and folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mew_agents.cli.fluxi.kinds import warn_of_tools
from mew_agents.cli.fluxi.own_tools import tools_here
from mew_agents.flows.definitions.loader import check_files, shipped
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.participant.options import file_of
from mew_agents.tools.own import OwnTools
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.printing.terminal import say
from mew_gateway.sdk import Misconfigured

FlowsArgument: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FLOWS]...", help="Files, folders, or `onboarding` and `banking`, which come with it; else these."
    ),
]


def flows_named(names: Sequence[str] | None, *, own: OwnTools | None = None) -> tuple[Flow, ...]:
    """The flows meant. Warnings are said, with `own` also of tools that neither the shipped participants nor these
    have. Raises `Failure` (exit status 2) for what cannot be used."""
    if not names:
        return shipped()
    paths = [path_of(name) for name in names]
    checked = check_files(paths)
    if checked.flows is None:
        raise mistake("\n".join(map(str, checked.errors)))
    if not checked.flows:
        raise mistake(f"There is no flow in {', '.join(names)}.")
    for warning in checked.warnings:
        say(f"warning: {warning}", style="yellow")
    if own is not None:
        warn_of_tools(check_files(paths, tools=tools_here(own)).errors)
    return checked.flows


def path_of(name: str) -> Path:
    """The file or folder that a name means. Raises `Failure` (exit status 2)."""
    try:
        return file_of(name)
    except Misconfigured as error:
        raise mistake(str(error).partition(": ")[2]) from None
