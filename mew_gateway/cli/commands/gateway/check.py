"""`mew check`: check a configuration, and report each problem with its place."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.config import ConfigError, Configuration, Fault, Problem, load, place
from mew_gateway.errors import MewError
from mew_gateway.gateway.auth.certificate import Certificate
from mew_gateway.gateway.auth.tokens import TokenStore

from ...agents import inspection
from ...framework.failure import MISTAKEN
from ...framework.options import CONFIG, ConfigOption, FileArgument, JsonOption
from ...printing.terminal import print_json, say, show

EXAMPLES = (
    "mew check",
    "mew check team/spaces.yaml",
    "mew check --no-import  # where the agents' packages are not installed",
    "mew check --json  # for an editor or a pipeline",
)


def check(
    file: FileArgument = None,
    *,
    imports: Annotated[
        bool, typer.Option("--import/--no-import", help="Import the hosted agents, each in a process of its own.")
    ] = True,
    config: ConfigOption = CONFIG,
    as_json: JsonOption = False,
) -> None:
    """Check a configuration. Every problem is a line: file:line:column: key: what (suggestion). So is every warning, of
    what has no effect or ought to be known.

    A hosted agent's class is imported and its options are read, in the folder and the Python that it would be hosted
    with; no agent is started. What its module does when it is imported is done then, for 30 seconds at most; what that
    leaves running is ended, and a warning. --no-import runs nothing of it. Of the tools that its definitions or flows
    call, each should be of a participant of its space.
    """
    try:
        configuration = load(file or config)
        faults = [*_certificate(configuration), *_tokens(configuration)]
        agents = asyncio.run(inspection.inspect_agents(configuration)) if imports else []
        faults += [one.fault for one in agents if one.fault is not None]
        if faults:
            raise ConfigError(place(file or config, faults))
        odd = [one.warning for one in agents if one.warning is not None]
        odd += inspection.missing_tools(configuration, agents)
        configuration = replace(configuration, warnings=(*configuration.warnings, *place(file or config, odd)))
    except ConfigError as error:
        if not as_json:
            raise
        print_json({"ok": False, "problems": [_to_json(problem) for problem in error.problems]})
        raise typer.Exit(MISTAKEN) from None
    if as_json:
        warnings = [_to_json(warning) for warning in configuration.warnings]
        print_json({"ok": True, "spaces": _spaces(configuration), "warnings": warnings})
    else:
        for warning in configuration.warnings:
            say(f"warning: {warning}", style="yellow")
        show(Text(f"ok: {_summary(configuration)}"))


def _certificate(configuration: Configuration) -> list[Fault]:
    """Return what keeps the gateway from using its certificate, or local agents and commands from verifying it."""
    tls = configuration.gateway.tls
    if tls is None:
        return []
    try:
        Certificate(tls).server_name(configuration.gateway.host)
    except MewError as error:
        return [Fault(("gateway", "tls", "certificate"), str(error))]
    return []


def _tokens(configuration: Configuration) -> Iterator[Fault]:
    """Yield a fault for each token in the environment with which the gateway would refuse to start."""
    for holder, message in TokenStore.of(configuration, os.environ).unusable():
        above = () if configuration.spaces[holder.space].has_flat_tokens else ("spaces", holder.space)
        yield Fault((*above, "participants", holder.participant), message, at_key=True)


def _to_json(problem: Problem) -> dict[str, Any]:
    return {**problem._asdict(), "file": str(problem.file)}


def _spaces(configuration: Configuration) -> dict[str, Any]:
    return {
        name: {"participants": list(space.settings.participants), "hosted": list(space.hosted)}
        for name, space in configuration.spaces.items()
    }


def _summary(configuration: Configuration) -> str:
    spaces = configuration.spaces.values()
    counts = (
        (len(spaces), "space"),
        (sum(len(space.settings.participants) for space in spaces), "participant"),
        (sum(len(space.hosted) for space in spaces), "hosted agent"),
    )
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts)
