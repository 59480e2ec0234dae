"""`mew fluxi definitions`: the kinds of Work there are: checked, listed, drawn."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from mew_agents.cli.fluxi.kinds import KindsOption, kinds
from mew_agents.cli.fluxi.own_tools import ToolsOption
from mew_agents.cli.fluxi.space_tools import LocalToolsOption, SpaceFileOption, SpaceNameOption, tools_known
from mew_agents.fluxi.definitions import Checked, Definition, check_file, diagram, shipped, version_id, whole
from mew_agents.fluxi.definitions.drawing import Style
from mew_agents.language.found import Language
from mew_gateway.cli.framework.examples import examples
from mew_gateway.cli.framework.failure import MISTAKEN, mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import one_line, out, print_json, say, show
from mew_gateway.documents.problems import Problem, did_you_mean

CHECK_EXAMPLES = (
    "mew fluxi definitions check booking.yaml refund.yaml",
    "mew fluxi definitions check definitions/*.yaml --json  # for an editor or a pipeline",
    "mew fluxi definitions check mine.yaml --config spaces.yaml --space office  # and the tools they name",
    "mew fluxi definitions check mine.yaml --tools tables.py  # or those of `mew fluxi chat --tools tables.py`",
    "Exit status: 0 they can be used, 2 something is wrong with one.",
)
LIST_EXAMPLES = ("mew fluxi definitions list", "mew fluxi definitions list --definitions mine/ --json")
DIAGRAM_EXAMPLES = (
    "mew fluxi definitions diagram appointment_booking --format text",
    "mew fluxi definitions diagram booking.yaml --language es > booking.mmd",
    "mew fluxi definitions diagram --format dot | dot -Tsvg > work.svg  # every transition there is",
)

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Check, list or draw the kinds of Work.",
    epilog=examples("mew fluxi definitions list", "mew fluxi definitions check FILE"),
)


@app.command("check", epilog=examples(*CHECK_EXAMPLES))
def check_definitions(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="YAML or JSON, one definition each.")],
    *,
    local_tools: LocalToolsOption = False,
    tools: ToolsOption = None,
    config: SpaceFileOption = None,
    space: SpaceNameOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check definitions. Every problem is a line: file:line:column: key: what (suggestion). So is every warning."""
    known = tools_known(local=local_tools, files=tools, config=config, space=space)
    checked = {file: check_file(file, tools=known) for file in files}
    if as_json:
        print_json(
            {
                "ok": all(one.definition for one in checked.values()),
                "files": [_told(file, one) for file, one in checked.items()],
            }
        )
    else:
        for file, one in checked.items():
            _show_checked(file, one)
    if any(one.definition is None for one in checked.values()):
        raise typer.Exit(MISTAKEN)


@app.command("list", epilog=examples(*LIST_EXAMPLES))
def list_definitions(*, definitions: KindsOption = None, as_json: JsonOption = False) -> None:
    """List the definitions that `mew fluxi chat` works with: the shipped ones, or those named."""
    found = kinds(definitions)
    if as_json:
        print_json({"definitions": [_object(one) for one in found]})
    else:
        show(_table(found))


@app.command("diagram", epilog=examples(*DIAGRAM_EXAMPLES))
def diagram_definition(
    which: Annotated[
        str | None, typer.Argument(metavar="[TYPE|FILE]", help="A shipped definition, or a file; else the whole table.")
    ] = None,
    *,
    format: Annotated[Style, typer.Option("--format", help="As what.")] = "mermaid",
    language: Annotated[
        Language | None, typer.Option("--language", help="Of its titles and questions.", show_default=False)
    ] = None,
) -> None:
    """Draw the states of a Work: of one definition, with what is asked and done, or of all."""
    drawn = whole(style=format) if which is None else diagram(_chosen(which), style=format, language=language)
    out().file.write(drawn)


def _chosen(which: str) -> Definition:
    known = {one.type_id: one for one in shipped()}
    if which in known:
        return known[which]
    file = Path(which)
    if file.exists() or file.suffix:
        return kinds([file])[0]
    offered = did_you_mean(which, known) or f"there are {', '.join(known)}"
    raise mistake(f"There is no definition {which!r} ({offered}), and no such file.")


def _told(file: Path, one: Checked) -> dict[str, Any]:
    return {
        "file": str(file),
        "ok": one.definition is not None,
        "version_id": None if one.definition is None else version_id(one.definition),
        "problems": [_problem(problem) for problem in one.errors],
        "warnings": [_problem(problem) for problem in one.warnings],
    }


def _problem(problem: Problem) -> dict[str, Any]:
    return {**problem._asdict(), "file": str(problem.file)}


def _show_checked(file: Path, one: Checked) -> None:
    for problem in one.errors:
        say(str(problem), style="red")
    for warning in one.warnings:
        say(f"warning: {warning}", style="yellow")
    if one.definition is not None:
        show(Text(f"ok: {file}: {version_id(one.definition)}"))


def _table(found: Iterable[Definition]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("type", "version", "title", "asks for", "does"):
        table.add_column(heading, overflow="fold")
    for one in found:
        table.add_row(
            Text(one.type_id, style="bold"),
            Text(version_id(one).removeprefix(f"{one.type_id}@"), style="dim"),
            Text("\n".join(f"{language}: {one_line(title)}" for language, title in one.title.items())),
            Text("\n".join(f"{slot.path}{'' if slot.required else ' (optional)'}" for slot in one.slots)),
            Text("\n".join(f"{effect.id}: {effect.tool}" for effect in one.effects)),
        )
    return table


def _object(one: Definition) -> dict[str, Any]:
    return {"version_id": version_id(one), **one.model_dump(mode="json", by_alias=True)}
