"""`mew timeline`: what happened in a space according to its journal, or in an agent according to its own timeline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mew_gateway.config import ConfigError, load

from ...agents.chain_report import report
from ...agents.decisions import Decisions
from ...agents.follow_timeline import print_timeline
from ...agents.picture_files import draw_picture
from ...agents.timeline_files import AgentFile, agent_files, chosen_file
from ...connecting.access import find_access
from ...connecting.http_client import Api
from ...framework.completion import complete_kinds, complete_participants
from ...framework.failure import FAILED, mistake
from ...framework.options import JsonOption, Where, moment_of
from ...printing.ids import is_meant
from ...printing.terminal import err, print_json, say, show
from ...record.envelope_filter import Selection
from ...record.record_search import Search
from ...record.timeline_lines import TimelineLines

EXAMPLES = (
    "mew timeline --space demo",
    "mew timeline --space demo --limit 50 --json  # for jq",
    "mew timeline --space demo --follow  # and what happens from now on",
    "mew timeline --kind 'mcp/*' --from solver --since 2h  # which tools it called, and what they answered",
    "mew timeline --grep refund --limit 20",
    "mew timeline --before 4711  # the page before",
    "mew timeline --agent solver  # what the agent itself recorded of its spans and interrupts",
    "mew timeline --verify  # whether every agent's record is what was written",
    "mew timeline --agent solver --svg solver.svg --png solver.png",
    "mew timeline --file backup/timeline.db --verify  # without a gateway or a configuration",
)

_BATCH = 1000

_AGENTS = "An agent's own timeline"

_WHICH = "Which of it"


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """The options that select entries of the gateway's timeline: all that are given must match."""

    from_: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            metavar="ID",
            help="Only of these senders.",
            autocompletion=complete_participants,
            rich_help_panel=_WHICH,
        ),
    ] = None
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="PATTERN",
            help="Only these kinds.",
            autocompletion=complete_kinds,
            rich_help_panel=_WHICH,
        ),
    ] = None
    sequence: Annotated[
        str | None,
        typer.Option(
            "--sequence",
            metavar="ID",
            help="Only this sequence, its interrupts and their answers: its id, or the end of it.",
            rich_help_panel=_WHICH,
        ),
    ] = None
    grep: Annotated[
        str | None,
        typer.Option("--grep", metavar="TEXT", help="Only what has this text in it.", rich_help_panel=_WHICH),
    ] = None
    since: Annotated[
        int | None,
        typer.Option(
            "--since",
            metavar="TIME",
            parser=moment_of,
            help="Nothing older: 10m, 2h, 7d, or 2026-01-31T10:00.",
            rich_help_panel=_WHICH,
        ),
    ] = None
    before: Annotated[
        int | None,
        typer.Option(
            "--before",
            metavar="POSITION",
            min=1,
            help="What stands before this entry: the page before.",
            rich_help_panel=_WHICH,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class AgentTimeline:
    """The options for agents' own timelines: whose, and what to do with them."""

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
    wanted: Wanted,
    own: AgentTimeline,
    where: Where,
) -> None:
    """Print what happened in a space. `--json` prints one object; with `--follow`, one a line for each event.

    Requests and proposals have their tool and arguments, responses their result: an entry is printed as by
    `mew watch`, after its position.

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
            _print(where, wanted, follow=follow, limit=limit, as_json=as_json)
    except KeyboardInterrupt:
        return


def _print(where: Where, wanted: Wanted, *, follow: bool, limit: int, as_json: bool) -> None:
    """Print the gateway's timeline, each interrupt joined with what its agent recorded."""
    access = find_access(where)
    search = _search(access.api, wanted)
    found = search.newest(limit=limit, before=wanted.before)
    record = TimelineLines()
    with Decisions(_files(where, access.space)) as decisions:
        if as_json and not follow:
            print_json({**found, "events": [decisions.with_decision(event) for event in found["events"]]})
            return
        for event in map(decisions.with_decision, search.follow_on(found) if follow else found["events"]):
            if as_json:
                print_json(event)
            else:
                line = record.line(event)
                if line is not None:
                    show(line)
    if found["more"] and err().is_terminal:
        say(f"─ older: `mew timeline --before {found['previous']}`, and what else was typed", style="dim")


def _search(api: Api, wanted: Wanted) -> Search:
    selection = Selection(kinds=wanted.kind or (), senders=wanted.from_ or (), sequence=wanted.sequence, thoughts=True)
    if wanted.sequence is not None:
        listed = api.get("interrupts", limit=_BATCH)["interrupts"]
        selection.add_interrupts(one["id"] for one in listed if is_meant(wanted.sequence, one["sequence"]))
    return Search(api, selection, text=wanted.grep, since=wanted.since)


def _files(where: Where, space: str) -> list[AgentFile]:
    """Return the agents' timelines of a local gateway. For a gateway elsewhere there is no configuration, and none."""
    try:
        return agent_files(load(where.config), space)
    except ConfigError:
        return []
