"""The command as a whole: help, version, completion, and a closed stdout."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import mew_gateway
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.main import app


def commands(group: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, *names, name)
        else:
            yield (*names, name), command


AT_A_GATEWAY = (
    "participants watch send interrupt interrupts timeline proposals approve reject call tools ack status pause resume "
    "grants grant revoke invite kick explain"
)
COMMANDS = dict(commands(typer.main.get_command(app)))


def test_all_of_them_are_here() -> None:
    expected = "init check serve participants watch send interrupt interrupts timeline"
    groups = {("token", "show"), ("token", "rotate"), ("stream", "tail"), ("stream", "send")}
    assert {(name,) for name in f"{expected} {AT_A_GATEWAY}".split()} | groups <= set(COMMANDS)


@pytest.mark.parametrize("names", COMMANDS, ids=" ".join)
def test_every_help_has_an_example_of_its_command(names: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, [*names, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert result.exit_code == 0
    _, _, examples = result.output.partition("Examples:")
    assert f"mew {' '.join(names)}" in examples


@pytest.mark.parametrize("names", [names for names in COMMANDS if names[0] in [*AT_A_GATEWAY.split(), "stream"]])
def test_every_command_to_a_gateway_takes_the_shared_options(names: tuple[str, ...]) -> None:
    taken = [option for parameter in COMMANDS[names].params for option in parameter.opts]
    shared = ["--json", "--space", "--as", "--config", "--url", "--token"]
    assert [option for option in taken if option in shared] == shared


async def test_version_completion_and_mistyped_commands(site: Any, mew: Any) -> None:
    del site  # its spaces.yaml is what is completed from
    version, completed, mistyped = await asyncio.gather(
        mew("--version"),
        mew(_MEW_COMPLETE="complete_bash", COMP_WORDS="mew interrupt a", COMP_CWORD="2"),
        mew("interupt", "agent"),
    )
    assert (version.status, version.out) == (0, f"mew {mew_gateway.__version__}\n")
    assert completed.out.split() == ["agent"]
    assert mistyped.status == 2 and "No such command" in mistyped.err and "interrupt" in mistyped.err


async def test_a_reader_that_leaves_is_no_error(site: Any, mew: Any) -> None:
    await (await site.join("other")).send("chat", {"text": "hello"})
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process = await asyncio.create_subprocess_exec(
            *mew.command("timeline"), cwd=mew.folder, stdout=writer, stderr=asyncio.subprocess.PIPE
        )
    finally:
        os.close(writer)
    _, err = await process.communicate()
    assert (process.returncode, err) == (1, b"")


def test_an_option_of_commands_is_told_its_place() -> None:
    with pytest.raises(Failure, match="--space goes after the command: mew status --space …"):
        CliRunner().invoke(app, ["--space", "demo", "status"], catch_exceptions=False)


def test_listing_commands_import_neither_client_nor_agents() -> None:
    code = "import sys; from typer.testing import CliRunner; from mew_gateway.cli.main import app; "
    code += "print([CliRunner().invoke(app, words.split()).exit_code for words in sys.argv[1:]]); "
    code += "print([name for name in ('pydantic', 'websockets', 'mew_gateway.sdk') if name in sys.modules]); "
    code += "import mew_gateway.cli.commands.record.status; print('mew_gateway.sdk' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, "--version", "--help"], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[0, 0]\n[]\nFalse\n", "")


def installed(folder: Path, package: str, *points: str) -> None:
    """Let a package be installed in a folder, with these entry points."""
    metadata = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("\n".join(["[mew.commands]", *points]))


def run_with(*folders: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`mew` with the packages that are installed in some folders."""
    path = os.pathsep.join(map(str, folders))
    env = {**os.environ, "PYTHONPATH": path, "TERM": "dumb", "COLUMNS": "160"}

    def mew(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mew_gateway.cli.main", *args]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    return mew


def test_of_two_packages_that_register_one_command_neither_is_run(tmp_path: Path) -> None:
    app = "import typer\napp = typer.Typer()\n@app.command()\ndef hello():\n    print('{}')\n"
    for package in ("one", "two"):
        installed(tmp_path / package, f"{package}-pkg", f"hello = hello_{package}:app")
        (tmp_path / package / f"hello_{package}.py").write_text(app.format(package))
    for order in (("one", "two"), ("two", "one")):
        mew = run_with(*(tmp_path / package for package in order))
        done = mew("hello")
        assert (done.returncode, done.stdout) == (2, "")
        assert "mew hello is registered by one-pkg (hello_one:app) and by two-pkg (hello_two:app)." in done.stderr
        assert "A command of one-pkg and two-pkg: not run" in mew("--help").stdout
    assert run_with(tmp_path / "two")("hello").stdout == "two\n"


def test_no_package_takes_the_name_of_a_command_of_ours(tmp_path: Path) -> None:
    installed(tmp_path, "a-pkg", "flows = hello_cli:app", "send = hello_cli:app")
    (tmp_path / "hello_cli.py").write_text("print('imported')\n")
    mew = run_with(tmp_path)
    done = mew("flows", "--help")
    assert done.returncode == 0 and "Write flows" in done.stdout and "imported" not in done.stdout
    assert "mew flows of a-pkg is not used" in done.stderr
    listed = mew("--help").stdout
    assert listed.count("That of a-pkg is not used.") == 2


def test_another_package_adds_a_command(tmp_path: Path) -> None:
    lines = "import typer", "app = typer.Typer()", "@app.command()", "def hello(name: str):", "    print('Hello', name)"
    (tmp_path / "hello_cli.py").write_text("\n".join(lines))
    installed(tmp_path, "hello-pkg", "hello = hello_cli:app", "broken = hello_cli:nothing", "odd = hello_cli:hello")
    mew = run_with(tmp_path)
    assert "A command of hello-pkg." in mew("--help").stdout
    assert mew("hello", "Ana").stdout == "Hello Ana\n"
    for name, said in (("broken", "mew broken cannot be loaded: AttributeError"), ("odd", "is not a Typer app")):
        done = mew(name)
        assert done.returncode == 2 and said in done.stderr
