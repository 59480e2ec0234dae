"""`mew flows check`: flow files, every mistake with its place."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_agents.cli.fluxi.own_tools import ToolsOption, tools_named
from mew_agents.cli.fluxi.space_tools import LocalToolsOption, SpaceFileOption, SpaceNameOption, tools_known
from mew_agents.flows.definitions.loader import Checked, check_files
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.definitions.schema import render
from mew_agents.fluxi.definitions.slots import RefSlot
from mew_agents.fluxi.outcomes import names_in
from mew_agents.tools.local import LocalTools, ToolRefused
from mew_gateway.cli.framework.failure import FAILED, mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import out, print_json, say, show
from mew_gateway.documents.problems import Problem

EXAMPLES = (
    "mew flows check bank.yaml onboarding.yaml  # files that belong together: flows may call each other",
    "mew flows check flows/ --json  # a folder, for an editor or a pipeline",
    "mew flows check bank.yaml --local-tools  # and that each tool is one that `mew flows chat` has",
    "mew flows check bank.yaml --config spaces.yaml --space office  # or one that somebody has in that space",
    "mew flows check --schema > flow-file.schema.json  # for the editor",
    "Exit status: 0 they can be used, 1 something is wrong with one, 2 a mistake in what was typed.",
)


def check(
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="FILE...", help="YAML or JSON, or folders of them.")
    ] = None,
    *,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of flow files instead.")] = False,
    local_tools: LocalToolsOption = False,
    tools: ToolsOption = None,
    config: SpaceFileOption = None,
    space: SpaceNameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check flow files. Every problem is a line: file:line:column: key: what (suggestion). So is every warning."""
    if schema:
        out().file.write(render())
        return
    if not files:
        raise mistake("Say which files to check, or --schema.")
    checked = check_files(files, tools=tools_known(local=local_tools, files=tools, config=config, space=space))
    listless = asyncio.run(_listless(checked.flows or (), tools)) if local_tools or tools else []
    if as_json:
        print_json({**_told(checked), "no_lists": listless})
    else:
        _show(checked, files)
        for tool in listless:
            say(
                f"warning: {tool}: It answers no {{list: {{id: [names]}}}}, so no slot takes any of it.", style="yellow"
            )
    if checked.flows is None:
        raise typer.Exit(FAILED)


async def _listless(flows: Sequence[Flow], files: Sequence[str] | None) -> list[str]:
    """The tools that slots are to be matched against, and that give no list."""
    slots = [slot.slot for flow in flows for slot in flow.slots.values()]
    wanted = dict.fromkeys(slot.tool for slot in slots if isinstance(slot, RefSlot) and slot.tool is not None)
    with LocalTools.shipped(own=tools_named(files)) as tools:
        return [tool for tool in wanted if not await _gives_list(tools, tool)]


async def _gives_list(tools: LocalTools, tool: str) -> bool:
    try:
        answer = await tools.call(tool, {})
    except (ToolRefused, TimeoutError):
        return False
    return names_in(answer.get("structuredContent")) is not None


def _show(checked: Checked, files: list[Path]) -> None:
    for problem in checked.errors:
        say(str(problem), style="red")
    for warning in checked.warnings:
        say(f"warning: {warning}", style="yellow")
    for flow in checked.flows or ():
        show(Text(f"ok: {flow.version}"))
    if checked.flows == ():
        show(Text(f"There is no flow in {', '.join(map(str, files))}."))


def _told(checked: Checked) -> dict[str, Any]:
    return {
        "ok": checked.flows is not None,
        "flows": [{"name": flow.name, "version": flow.version} for flow in checked.flows or ()],
        "problems": [_problem(one) for one in checked.errors],
        "warnings": [_problem(one) for one in checked.warnings],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {**problem._asdict(), "file": str(problem.file)}
