"""Talking to Fluxi: by a pipe and at a terminal, in three languages, across restarts; it books for real."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import select
import subprocess
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from ..kit.commands import PATIENCE, Done, Mew
from ..kit.processes import environment_without_mew
from ..kit.stores import Postgres
from .conftest import Typed
from .works_database import request

CLEAN = {name: value for name, value in environment_without_mew().items() if not name.startswith(("LC_", "LANG"))}


async def chat(mew: Mew, *lines: str, options: tuple[str, ...] = (), environ: dict[str, str] | None = None) -> Done:
    """`mew fluxi chat` with these lines on its stdin."""
    process = await asyncio.create_subprocess_exec(
        *mew.command("fluxi", "chat", *options),
        cwd=mew.folder,
        env={**CLEAN, **(environ or {})},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(PATIENCE):
        out, err = await process.communicate("".join(f"{line}\n" for line in lines).encode())
    done = Done(process.returncode or 0, out.decode(), err.decode())
    assert "Traceback" not in done.err, done.err
    return done


async def test_an_appointment_is_booked_in_spanish_on_a_fresh_machine(mew: Mew, typed: Typed, tmp_path: Path) -> None:
    options = ("--as", "Juana Gómez")
    asked = await chat(mew, request(), options=options)
    assert asked.status == 0
    assert "Dra. Ana Pérez" in asked.out
    done = await typed("fluxi", "chat", *options, said="sí\nsí\n/work\n")
    assert "open: " in done.err and "it waits for" in done.err
    assert "COMPLETED" in done.out and "Juana Gómez" in done.out
    (work,) = (await typed("fluxi", "works", "--json")).json()["works"]
    assert work["state"] == "COMPLETED"
    again = await typed("fluxi", "chat", *options, "--json", said="sí\n")
    (reply,) = map(json.loads, again.out.splitlines())
    assert (reply["kind"], reply["work_id"], again.err) == ("reply", None, "")
    assert (tmp_path / ".mew" / "fluxi-tools" / "calendar").is_dir()


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        ({"LC_ALL": "pt_BR.UTF-8"}, "consulta médica"),
        ({"LANG": "en_US.UTF-8"}, "medical appointment"),
        ({}, "turno médico"),
    ],
    ids=["pt", "en", "otherwise Spanish"],
)
async def test_it_speaks_the_language_of_the_machine(
    environ: dict[str, str], words: str, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(("LC_", "LANG"))]:
        monkeypatch.delenv(name)
    assert words in (await typed("fluxi", "chat", said="xyzzy\n", **environ)).out


async def test_it_is_kept_on_a_server_as_well(typed: Typed, postgres: Postgres, tmp_path: Path) -> None:
    url = postgres.url(postgres.make())
    done = await typed("fluxi", "chat", "--database", url, said=f"{request()}\nsí\nsí\n")
    (work,) = (await typed("fluxi", "works", "--json", MEW_FLUXI_DATABASE=url)).json()["works"]
    assert (done.status, work["state"]) == (0, "COMPLETED")
    assert (tmp_path / ".mew" / "fluxi-tools").is_dir()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (("--timezone", "Mars/Base"), "Mars/Base"),
        (("--database", "fluxi.db"), "sqlite:///"),
        (("--definitions", "broken.yaml", "--database", "sqlite:///x/fluxi.db"), "broken.yaml:"),
        (("--llm", "--database", "sqlite:///y/fluxi.db"), "MEW_LLM_URL"),
    ],
)
async def test_a_mistake_is_told_before_anything_is_made(
    options: tuple[str, ...], part: str, typed: Typed, tmp_path: Path
) -> None:
    (tmp_path / "broken.yaml").write_text("typeId: broken\n")
    told = await typed("fluxi", "chat", *options)
    assert told.status == 2
    assert part in told.err
    assert not list(tmp_path.rglob("*.db"))


@pytest.mark.parametrize("option", ["--as", "--account", "--conversation"])
async def test_a_name_that_cannot_be_stored_is_a_mistake(option: str, typed: Typed, tmp_path: Path) -> None:
    empty, long = await typed("fluxi", "chat", option, ""), await typed("fluxi", "chat", option, "é" * 129)
    assert [empty.status, long.status] == [2, 2]
    assert option in empty.err and "256 bytes" in empty.err and "256 bytes" in long.err
    assert not list(tmp_path.rglob("*.db"))


async def test_a_reply_outside_the_outbox_is_shown(typed: Typed) -> None:
    long = f"{'x' * 10_001}\n"
    told = await typed("fluxi", "chat", "--database", "sqlite:///a.db", said=long)
    as_json = await typed("fluxi", "chat", "--database", "sqlite:///b.db", "--json", said=long)
    assert told.out.startswith("No pude leer su mensaje.") and "10.000 caracteres" in told.out
    (reply,) = map(json.loads, as_json.out.splitlines())
    assert (reply["kind"], reply["account_id"], reply["work_id"]) == ("failed", "local", None)


@pytest.mark.parametrize("word", ["exit", "quit", "salir", "Sair", "adiós", "/quit"])
async def test_a_goodbye_ends_the_chat_and_cancels_nothing(word: str, typed: Typed) -> None:
    left = await typed("fluxi", "chat", said=f"{request()}\n{word}\n/works\n")
    assert left.status == 0
    assert "Dra. Ana Pérez" in left.out and "waits for" not in left.out
    (work,) = (await typed("fluxi", "works", "--json")).json()["works"]
    assert work["state"] == "WAITING_CONFIRMATION"


async def test_unread_messages_are_shown_next_time(mew: Mew) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        process = await asyncio.create_subprocess_exec(
            *mew.command("fluxi", "chat"), cwd=mew.folder, env=CLEAN, stdin=PIPE, stdout=writer, stderr=PIPE
        )
    finally:
        os.close(writer)
    _, err = await process.communicate(b"xyzzy\n")
    assert (process.returncode, err) == (1, b"")
    assert "turno médico" in (await chat(mew)).out


class Terminal:
    """The person's side of a terminal that a command runs at."""

    def __init__(self, side: int) -> None:
        self._side = side
        self._seen = b""

    def type(self, text: str) -> None:
        os.write(self._side, text.encode())

    def sees(self, text: str) -> str:
        """What it shows since it was last asked, up to the end of a text."""
        until = time.monotonic() + PATIENCE
        while text.encode() not in self._seen:
            left = until - time.monotonic()
            assert left > 0 and select.select([self._side], [], [], left)[0], self._seen.decode(errors="replace")
            try:
                self._seen += os.read(self._side, 4096)
            except OSError:  # nobody is there any more
                raise AssertionError(self._seen.decode(errors="replace")) from None
        end = self._seen.index(text.encode()) + len(text.encode())
        seen, self._seen = self._seen[:end], self._seen[end:]
        return seen.decode(errors="replace")


def test_late_messages_are_shown_above_the_prompt(mew: Mew) -> None:
    side, its = pty.openpty()
    environ = {**CLEAN, "TERM": "xterm", "PYTHONUTF8": "1"}
    command = mew.command("fluxi", "chat", "--language", "es")
    with subprocess.Popen(command, cwd=mew.folder, env=environ, stdin=its, stdout=its, stderr=its) as process:
        os.close(its)
        try:
            terminal = Terminal(side)
            assert "Ctrl-D ends" in terminal.sees("› ")
            terminal.type(f"{request()}\n")
            terminal.sees("Dra. Ana Pérez")
            terminal.sees("› ")
            terminal.type("una cosa más")
            terminal.sees("una cosa más")
            works = subprocess.run(
                mew.command("fluxi", "works", "--json"), cwd=mew.folder, env=CLEAN, capture_output=True, check=True
            )
            (work,) = json.loads(works.stdout)["works"]
            subprocess.run(mew.command("fluxi", "cancel", work["work_id"]), cwd=mew.folder, env=CLEAN, check=True)
            terminal.sees("‹ ")
            terminal.sees("› una cosa más")  # the line that was being typed is there again
            terminal.type("\x15/foo\n")
            terminal.sees("There is no /foo")
            terminal.sees("› ")
            terminal.type("\x04")
            assert process.wait(PATIENCE) == 0
        finally:
            process.kill()
            os.close(side)
