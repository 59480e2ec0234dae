"""The command: `python -m tests.understanding`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from mew_agents.language.found import LANGUAGES

from . import filling, measured, report
from .cases import DEFINITIONS, HALVES, CaseFile, Half, files
from .checking import problems
from .running import played, wrong

_HELP = """Plays messages of people on the real engines, and says how well they were understood.

README.md beside it explains cases and verdicts.

Examples:

\b
    python -m tests.understanding play                          the open half, figures only
    python -m tests.understanding play --language es --failing  with the cases that were not understood
    python -m tests.understanding play --definition banking --transcripts
    python -m tests.understanding check --half held             whether every case is sound
    python -m tests.understanding missing --half held           cases without a message
    python -m tests.understanding fill messages.json            messages into the case files, by id
    python -m tests.understanding record                        today's figures of the open half, for the test
"""
app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False, help=_HELP)

_Language = Annotated[str, typer.Option(help=f"One of {', '.join(LANGUAGES)}; all of them if left out.")]
_Half = Annotated[str, typer.Option("--half", help=f"One of {', '.join(HALVES)}.")]
_Definition = Annotated[str, typer.Option(help=f"One of {', '.join(DEFINITIONS)}; all of them if left out.")]


@app.command()
def play(
    *,
    half: _Half = "open",
    look_once: Annotated[bool, typer.Option(help="Needed for the held half: the rules are final.")] = False,
    language: _Language = "",
    definition: _Definition = "",
    failing: Annotated[bool, typer.Option(help="List the cases that were not understood.")] = False,
    transcripts: Annotated[bool, typer.Option(help="List them with what was said.")] = False,
) -> None:
    """Play the cases of a half that have a message; print the figures."""
    chosen = _half(half)
    if chosen == "held" and not look_once:
        raise typer.BadParameter("the held half is looked at once, when the rules are final: --look-once")
    begun = perf_counter()
    results = asyncio.run(_play(_chosen(chosen, language, definition)))
    for line in report.lines(results):
        typer.echo(line)
    if failing or transcripts:
        typer.echo("")
        for line in report.failing(results, transcripts=transcripts):
            typer.echo(line)
    typer.echo(f"\n{len(results)} cases in {perf_counter() - begun:.0f} s")


@app.command()
def check(*, half: _Half = "open", language: _Language = "", definition: _Definition = "") -> None:
    """Say what is wrong with cases: their form, values, state before the message, and their goal in plain words."""
    found = 0
    for file in _chosen(_half(half), language, definition):
        for line in (*problems(file), *asyncio.run(_wrong(file))):
            typer.echo(f"{file.name}: {line}")
            found += 1
    typer.echo(f"{found} problems")
    raise typer.Exit(1 if found else 0)


@app.command()
def missing(*, half: _Half = "open", language: _Language = "", definition: _Definition = "") -> None:
    """List the cases that have no message yet."""
    left = 0
    for file in _chosen(_half(half), language, definition):
        without = [case for case in file.cases if case.message is None]
        left += len(without)
        typer.echo(f"{file.name}: {len(file.cases)} cases, {len(without)} without a message")
        for case in without:
            typer.echo(f"    {case.id:<30}{case.phenomenon}")
    typer.echo(f"{left} without a message")


@app.command()
def fill(file: Annotated[Path, typer.Argument(help="JSON: an object of ids and messages.")]) -> None:
    """Write messages into the case files."""
    messages: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    try:
        filling.fill(messages)
    except filling.NoSuchCase as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo(f"{len(messages)} messages written")


@app.command()
def record() -> None:
    """Write today's figures of the open half for the test, which then refuses anything worse."""
    results = asyncio.run(_play(files("open")))
    measured.write(results)
    for line in report.lines(results):
        typer.echo(line)


async def _play(chosen: Sequence[CaseFile]) -> list[report.Result]:
    return [result async for result in played(chosen)]


async def _wrong(file: CaseFile) -> list[str]:
    return [line async for line in wrong(file, file.cases)]


def _half(name: str) -> Half:
    for half in HALVES:
        if half == name:
            return half
    raise typer.BadParameter(f"there is no half {name!r}: {', '.join(HALVES)}")


def _chosen(half: Half, language: str, definition: str) -> tuple[CaseFile, ...]:
    for name, known in ((language, LANGUAGES), (definition, DEFINITIONS)):
        if name and name not in known:
            raise typer.BadParameter(f"there is no {name!r}: {', '.join(known)}")
    return files(half, definition=definition, language=language)


if __name__ == "__main__":
    app()
