"""The definitions that a command works with: the shipped ones, or those of files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mew_agents.fluxi.definitions import Definition, check_file, shipped
from mew_agents.tools.own import OwnTools
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.printing.terminal import say
from mew_gateway.documents.problems import Problem

from .own_tools import tools_here

_SUFFIXES = (".yaml", ".yml", ".json")

KindsOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--definitions", metavar="PATH", help="A file or a folder of them, several times; else the shipped."),
]


def kinds(paths: Sequence[Path] | None, *, own: OwnTools | None = None) -> tuple[Definition, ...]:
    """The definitions meant. Warnings are said, with `own` also of tools that nobody has: neither the shipped
    participants nor these. Raises `Failure` (exit status 2) for what cannot be used."""
    if not paths:
        return shipped()
    files = [file for path in paths for file in _files(path)]
    checked = [check_file(file) for file in files]
    errors = [str(problem) for one in checked for problem in one.errors]
    if errors:
        raise mistake("\n".join(errors))
    for one in checked:
        for warning in one.warnings:
            say(f"warning: {warning}", style="yellow")
    found = tuple(one.require() for one in checked)
    _refuse_doubles(found, files)
    if own is not None:
        here = tools_here(own)
        warn_of_tools(problem for file in files for problem in check_file(file, tools=here).errors)
    return found


def warn_of_tools(missing: Iterable[Problem]) -> None:
    """Say which tools nobody has, and how to try without them."""
    told = list(missing)
    for problem in told:
        say(f"warning: {problem}", style="yellow")
    if told:
        say("─ --tools FILE gives tools of your own: an agent in Python, or fixed answers in YAML.", style="yellow")


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    found = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES)
    if not found:
        raise mistake(f"The folder {path} holds no definition ({', '.join(_SUFFIXES)}).")
    yield from found


def _refuse_doubles(found: Sequence[Definition], files: Sequence[Path]) -> None:
    seen: dict[str, Path] = {}
    for one, file in zip(found, files, strict=True):
        if one.type_id in seen:
            raise mistake(f"{seen[one.type_id]} and {file} both define {one.type_id}: one of them can be current.")
        seen[one.type_id] = file
