"""`mew fluxi` as a group: every command's help, and its cost for other commands."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from mew_gateway.cli.main import app

MEW: Any = typer.main.get_command(app)


def commands(group: Any, *names: str) -> Iterator[tuple[str, ...]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, *names, name)
        else:
            yield (*names, name)


COMMANDS = list(commands(MEW.get_command(None, "fluxi")))


def test_all_of_them_are_here() -> None:
    single = "chat works work proposals accept decline cancel resume resolve compensate"
    definitions = {("definitions", action) for action in ("check", "list", "diagram")}
    assert {(name,) for name in single.split()} | definitions == set(COMMANDS)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_help_has_an_example_of_its_command(names: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["fluxi", *names, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    _, _, examples = result.output.partition("Examples:")
    assert f"mew fluxi {' '.join(names)}" in examples


def test_a_mistyped_command_is_told_what_is_like_it() -> None:
    result = CliRunner().invoke(app, ["fluxi", "wroks"], env={"TERM": "dumb"})
    assert result.exit_code == 2
    assert "'works'" in result.output


def test_other_commands_import_no_database_modules() -> None:
    code = "import sys; from typer.testing import CliRunner; from mew_gateway.cli.main import app; "
    code += "print(CliRunner().invoke(app, sys.argv[1:]).exit_code, 'sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "fluxi", "--help"], capture_output=True, text=True, check=True)
    assert done.stdout == "0 False\n"
