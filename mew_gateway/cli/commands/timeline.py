"""`mew timeline`: what happened in a space as the journal has it, or in an agent as the agent has it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from mew_gateway.config import ConfigError, load

from ..access import find_access
from ..agent_files import AgentFile, agent_files, chosen_file
from ..agent_picture import draw_picture
from ..agent_timeline import print_timeline
from ..api import Api
from ..chain_report import report
from ..completion import complete_participants
from ..decisions import Decisions, told
from ..failure import FAILED, mistake
from ..ids import short
from ..moment import clock
from ..options import JsonOption, Where
from ..terminal import one_line, print_json, show

EXAMPLES = (
    "mew timeline --space demo",
    "mew timeline --space demo --limit 50 --json  # for jq",
    "mew timeline --space demo --follow  # and what happens from now on",
    "mew timeline --agent solver  # what the agent itself recorded of its spans and interrupts",
    "mew timeline --verify  # whether every agent's record is what was written",
    "mew timeline --agent solver --svg solver.svg --png solver.png",
    "mew timeline --file backup/timeline.db --verify  # without a gateway or a configuration",
)

_PAUSE = 0.5  # seconds between two looks at the journal
_BATCH = 1000

_AGENTS = "An agent's own timeline"

_STYLES = {
    "chat": "bold",
    "reasoning/thought": "dim",
    "reasoning/interrupt": "bold yellow",
    "reasoning/interrupt-ack": "yellow",
    "reasoning/conclusion": "green",
    "system/error": "red",
    "system/presence": "dim",
}
_TOLD = ("text", "message", "status", "reason", "class", "outcome", "method", "event", "error", "refused")


@dataclass(frozen=True, kw_only=True)
class AgentTimeline:
    """The options of what agents recorded themselves: whose, and what is to become of it."""

    agent: Annotated[
        str | None,
        typer.Option(
            "--agent",
            metavar="NAME",
            help="What this agent recorded itself.",
            autocompletion=complete_participants,
            rich_help_panel=_AGENTS,
        ),
    ] = None
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="The same, from its file.", rich_help_panel=_AGENTS),
    ] = None
    inputs: Annotated[
        bool, typer.Option("--inputs", help="With the inputs that a replay needs.", rich_help_panel=_AGENTS)
    ] = False
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Check the chain: of this agent, or of all.", rich_help_panel=_AGENTS),
    ] = False
    svg: Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Draw it.", rich_help_panel=_AGENTS)] = None
    png: Annotated[
        Path | None, typer.Option("--png", metavar="FILE", help="Draw it as pixels.", rich_help_panel=_AGENTS)
    ] = None


def timeline(
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The newest so many entries.")] = 200,
    as_json: JsonOption = False,
    own: AgentTimeline,
    where: Where,
) -> None:
    """Tell what happened in a space. `--json` prints one object; with `--follow`, one a line for each event.

    Where the agents keep their state beside this gateway, each interrupt is shown with what its agent recorded.

    `--verify` finds what was changed in an agent's record, is missing or was added; the exit status is then 1.
    """
    if own.verify and (follow or own.svg or own.png):
        raise mistake("--verify goes with --agent, --file and --json, not with --follow or a picture.")
    try:
        if own.verify:
            if not report(where, agent=own.agent, file=own.file, as_json=as_json):
                raise typer.Exit(FAILED)
        elif own.svg or own.png:
            draw_picture(chosen_file(where, agent=own.agent, file=own.file), svg=own.svg, png=own.png)
        elif own.agent or own.file:
            one = chosen_file(where, agent=own.agent, file=own.file)
            print_timeline(one, limit=limit, follow=follow, inputs=own.inputs or as_json, as_json=as_json)
        else:
            _print(where, follow=follow, limit=limit, as_json=as_json)
    except KeyboardInterrupt:
        return


def _print(where: Where, *, follow: bool, limit: int, as_json: bool) -> None:
    """The gateway's timeline, each interrupt joined with what its agent recorded."""
    access = find_access(where)
    found = access.api.get("timeline", limit=limit)
    with Decisions(_files(where, access.space)) as decisions:
        if as_json and not follow:
            print_json({**found, "events": [decisions.joined(event) for event in found["events"]]})
            return
        for event in map(decisions.joined, _events(access.api, found, follow=follow)):
            if as_json:
                print_json(event)
            else:
                show(_line(event))


def _files(where: Where, space: str) -> list[AgentFile]:
    """The timelines beside this gateway; for one elsewhere there is no configuration, and nothing to join."""
    try:
        return agent_files(load(where.config), space)
    except ConfigError:
        return []


def _events(api: Api, found: dict[str, Any], *, follow: bool) -> Iterator[dict[str, Any]]:
    after = 0
    while True:
        yield from found["events"]
        after = found["next"] or after
        if not follow:
            return
        if len(found["events"]) == 0:
            time.sleep(_PAUSE)
        found = api.get("timeline", after=after, limit=_BATCH)


def _line(event: dict[str, Any]) -> Text:
    kind = event["kind"]
    line = Text.assemble((f"{event['position']:>6} {clock(event['at'])}  ", "dim"))
    line.append(f"{one_line(kind):<23} ", style="red" if "refused" in event else _STYLES.get(kind, "cyan"))
    line.append(f"{_who(event):<22} ")
    line.append("  ".join(_parts(event)))
    if "context" in event:
        line.append(f"  in {short(event['context'])}", style="dim")
    elif kind in ("reasoning/start", "reasoning/interrupt"):
        line.append(f"  {short(event['id'])}", style="dim")
    if "decided" in event:
        line.append(f"  ← {told(event['decided'])}", style="cyan")
    return line


def _who(event: dict[str, Any]) -> str:
    if event["kind"] == "system/presence":
        return one_line(event.get("participant"))
    sender = one_line(event.get("from", "gateway")).removeprefix("system:")
    return f"{sender} → {one_line(', '.join(event['to']))}" if event.get("to") else sender


def _parts(event: dict[str, Any]) -> Iterator[str]:
    """The telling fields: first what was said, then `field value` of the others."""
    for field in _TOLD:
        value = event.get(field)
        if value in (None, ""):
            continue
        yield one_line(value) if field in ("text", "message") else f"[{field}: {one_line(value)}]"
