"""`mew flows run`: dialogues that a flow author has written down, played, and compared with what they say."""

from __future__ import annotations

import asyncio
import difflib
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, NamedTuple

import typer
from rich.text import Text

from mew_agents.cli.flows.files import flows_named
from mew_agents.cli.flows.rehearsal import Rehearsal
from mew_agents.cli.flows.script import ALL, Script, kept, read
from mew_agents.cli.fluxi.own_tools import ToolsOption, tools_named
from mew_agents.flows.definitions.model import Flow
from mew_gateway.cli.framework.failure import FAILED, Failure, mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import clean, print_json, say, show

EXAMPLES = (
    "mew flows run transfer.txt",
    "mew flows run dialogues/*.txt --quiet --flows bank.yaml  # a test",
    "mew flows run table.txt mine.yaml --tools tables.py  # with a tool of your own",
    "mew flows run transfer.txt --rewrite  # writes what comes of it now; the diff is to be read",
    "Exit status: 0 they go as they say, 1 one goes differently, 2 a mistake in what was typed or written.",
)

_STYLES = {"<": "cyan", "|": "cyan", "!": "yellow", "#": "dim", "=": "dim", "*": "magenta", "+": "green", "-": "red"}


class _Played(NamedTuple):
    """A script, what came of it, and how that differs from what it says."""

    script: Script
    lines: list[str]
    diff: list[str]


def run(
    scripts: Annotated[
        list[Path], typer.Argument(metavar="SCRIPT...", help="Text files, a dialogue each; a .yaml is flows.")
    ],
    *,
    flows: Annotated[
        list[str] | None,
        typer.Option("--flows", metavar="FLOWS", help="A file, a folder or a name, several times; else the shipped."),
    ] = None,
    tools: ToolsOption = None,
    rewrite: Annotated[bool, typer.Option("--rewrite", help="Write what comes of it into the scripts.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what differs.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Play dialogues, and say where one goes otherwise than it is written.

    In a script, `> words` is what the person says, `ana> words` another one;
    `< words` the reply, `| words` another line of it; `! words` a call of a
    tool with its arguments, or the end of a flow. Of marks that a script does
    not use nothing is compared. A line without a mark is something said.

    `* wait 2h` lets time pass, `* restart` starts the process anew.

    `= flows bank.yaml` (beside the script), `= language en`, `= tone brief`,
    `= formality informal`, `= timezone ZONE`, `= now 2026-11-20T10:00-03:00`,
    `= tool ledger/transfer fails CODE` (or `answers JSON`, `silent`, `works`)
    is how things are from then on.
    """
    files = [*(flows or ()), *(str(file) for file in scripts if _holds_flows(file))]
    dialogues = [file for file in scripts if not _holds_flows(file)]
    if not dialogues:
        raise mistake("There is no dialogue to play: name a text file, or talk in the flows with `mew flows chat`.")
    known = flows_named(files) if files else None
    played = [_play(read(file), known, tools) for file in dialogues]
    for one in played:
        if rewrite:
            _write(one)
        if not as_json:
            _show(one, quiet=quiet, rewritten=rewrite)
    ok = rewrite or not any(one.diff for one in played)
    if as_json:
        objects = [{"file": str(one.script.file), "played": one.lines, "diff": one.diff} for one in played]
        print_json({"ok": ok, "scripts": objects})
    if not ok:
        raise typer.Exit(FAILED)


def _holds_flows(file: Path) -> bool:
    return file.suffix in (".yaml", ".yml")


def _play(script: Script, flows: tuple[Flow, ...] | None, tools: list[str] | None) -> _Played:
    with tempfile.TemporaryDirectory(prefix="mew-script-") as folder:
        rehearsal = Rehearsal(script, Path(folder), flows=flows, own=tools_named(tools), now=datetime.now(UTC))
        lines = asyncio.run(rehearsal.play())
    compared = kept(lines, script.marks)
    written = [line.raw.rstrip() for line in script.lines]
    diff = difflib.unified_diff(written, compared, "as it is written", "as it goes", lineterm="", n=2)
    return _Played(script, lines, list(diff) if script.marks else [])


def _write(one: _Played) -> None:
    lines = kept(one.lines, one.script.marks or ALL)
    try:
        one.script.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    except OSError as error:
        raise Failure(f"{one.script.file} cannot be written: {error.strerror or error}.") from None


def _show(one: _Played, *, quiet: bool, rewritten: bool) -> None:
    file = one.script.file
    if not quiet:
        show(Text(f"{file}", style="bold"))
        for line in one.lines:
            show(Text(clean(line), style=_STYLES.get(line[:1], "")))
    if not one.diff:
        show(Text(f"ok: {file}" if one.script.marks else f"played: {file} (it says nothing of what is to come of it)"))
        return
    say(f"{'rewritten' if rewritten else 'different'}: {file}", style="bold yellow" if rewritten else "bold red")
    for line in one.diff:
        say(Text(clean(line), style=_STYLES.get(line[:1], "")))
