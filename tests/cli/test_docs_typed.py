"""Every command line in README and docs is run by a test, or listed here with the reason why not."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from mew_agents.flows.agent import FlowAgent
from mew_agents.flows.participant.options import FlowOptions
from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.solver import Solver, SolverOptions
from mew_agents.tools.calendar import Calendar, CalendarOptions
from mew_agents.tools.ledger import Ledger, LedgerOptions
from mew_gateway.cli.main import app
from mew_gateway.config import load
from mew_gateway.gateway.broker.clock import GatewayClock
from mew_gateway.sdk.environment import Environment

from .conftest import Typed, typed_now
from .test_own_tools import PYTHON, TABLE

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", *(f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))))
SHELLS = ("sh", "bash", "shell")
COMMAND = re.compile(r"\$ |(?:mew|make|pip|curl|sqlite3|python3?|\.venv/bin/\w+) ")  # in whatever block
FRIDAY = 1_795_200_000_000  # before the appointments on docs/tools.md: 2026-11-20

# Pages of which a test types every command line, in their order; one more in them fails there.
TYPED = {
    "docs/definitions.md": "tests/cli/test_docs_typed.py::test_a_definition_is_tried_with_fixed_answers",
    "docs/flows-in-a-space.md": "tests/cli/test_docs_typed.py::test_a_transfer_through_the_flows_chat",
    "docs/fluxi-in-a-space.md": "tests/cli/test_docs_typed.py::test_a_booking_through_the_fluxi_chat",
    "docs/timeline.md": "tests/cli/test_docs_typed.py::test_the_record_is_read_verified_and_replayed",
    "docs/tools.md": "tests/cli/test_docs_typed.py::test_the_calendar_answers_as_printed",
    "docs/wire.md": "tests/repository/test_wire_page.py::test_what_it_shows_is_taken",
}
# By the beginning of a line: the test that types it elsewhere, or why none does.
ELSEWHERE = {
    "$ .venv/bin/mew ": "tests/cli/test_readme_typed.py::test_commands_suggested_by_the_demo_work",
    "$ mew watch ": "tests/cli/test_readme_typed.py::test_commands_suggested_by_the_demo_work",
    "$ mew serve": "tests/cli/test_serve.py",
    "$ mew init": "tests/cli/test_init.py",
    "mew comply ": "tests/compliance/test_comply.py",
    "mew timeline --agent solver --follow": "tests/cli/test_timeline.py",
    "mew timeline --agent solver --png": "tests/cli/test_picture.py",
    "make setup": "it installs what runs this",
    ".venv/bin/pip ": "it installs what others are compared with",
    ".venv/bin/python -m bench.kill": "it kills processes for a quarter of an hour",
    "$ make demo": "tests/cli/test_demo.py",
    "$ make run": "tests/cli/test_serve.py",
    "$ make test": "it is what runs this",
    "$ pip ": "tests/repository/wheel.sh",
}

# What docs tell as a mistake that somebody makes.
MISTAKEN = ("--space demo status",)


class Line(NamedTuple):
    """A command line of a page, and what the page prints below it."""

    page: str
    number: int
    text: str
    printed: list[str]

    @property
    def is_mew(self) -> bool:
        return re.match(r"(\$ )?(\.venv/bin/)?mew ", self.text) is not None

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text.removeprefix("$ ").removeprefix(".venv/bin/").removeprefix("mew "), comments=True)


def lines(page: str) -> Iterator[Line]:
    """The command lines in a page's blocks: what follows `$ ` or begins as one, and all of a block for a shell."""
    language, found = None, None
    for number, text in enumerate((ROOT / page).read_text(encoding="utf-8").splitlines(), 1):
        if text.startswith("```"):
            language, found = (text[3:].strip() if language is None else None), None
        elif language is not None and (COMMAND.match(text) or (language in SHELLS and text.strip())):
            found = Line(page, number, text, [])
            yield found
        elif found is not None:
            found.printed.append(text)


def of_page(page: str) -> list[list[str]]:
    """The words of the command lines that are typed for a page."""
    return [one.words for one in lines(page) if not one.text.startswith(tuple(ELSEWHERE))]


def test_every_command_line_is_typed_or_has_a_reason() -> None:
    untyped = [
        f"{one.page}:{one.number}: {one.text}"
        for page in PAGES
        for one in lines(page)
        if page not in TYPED and not one.text.startswith(tuple(ELSEWHERE))
    ]
    assert untyped == []
    mistyped = [one for page in PAGES for one in lines(page) if one.is_mew and unknown(one.words) is not None]
    assert mistyped == []
    assert [page for page in TYPED if not list(lines(page))] == []
    for told in (*TYPED.values(), *ELSEWHERE.values()):
        file, _, name = told.partition("::")
        if file.startswith("tests/"):
            text = (ROOT / file).read_text(encoding="utf-8")
            assert not name or f"def {name}(" in text, told


def test_every_part_of_the_readme_with_commands_is_typed() -> None:
    typed = (ROOT / "tests/cli/test_readme_typed.py").read_text(encoding="utf-8")
    text = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    for one in lines("README.md"):
        heading = next(line for line in reversed(text[: one.number]) if line.startswith("## "))
        if one.text.startswith("$ .venv/bin/mew "):
            assert f'commands("{heading.removeprefix("## ")}")' in typed, one


def inline() -> Iterator[tuple[str, list[str]]]:
    """The commands that stand within the sentences of a page, in backticks."""
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        for command in re.findall(r"(?<!`)`(?:\.venv/bin/)?mew ([^`]+)`(?!`)", text):
            yield page, command.replace("…", " ").split()


def unknown(words: list[str]) -> str | None:
    """The word of a command line that is no command, or no option of it."""
    command: Any = typer.main.get_command(app)
    for word in words:
        if hasattr(command, "get_command"):
            if word.startswith("-") or not re.fullmatch(r"[a-z-]+", word):
                break
            found = command.get_command(None, word)
            if found is None:
                return word
            command = found
    known = {name for one in command.params for name in (*one.opts, *one.secondary_opts)} | {"--help"}
    options = [re.split(r"[=\],)]", word.lstrip("[("))[0] for word in words if re.match(r"[\[(]*--\w", word)]
    return next((option for option in options if option not in known), None)


def test_every_command_within_a_sentence_exists_with_its_options() -> None:
    found = [(page, " ".join(words), fault) for page, words in inline() if (fault := unknown(words)) is not None]
    assert [one for one in found if one[1] not in MISTAKEN] == []
    assert unknown(["sned"]) == "sned" and unknown(["send", "--too", "x"]) == "--too"


def epilogs(command: Any, name: str = "mew") -> Iterator[tuple[str, str]]:
    """The examples of a command and of those below it, as its help has them."""
    yield name, command.epilog or ""
    for word in command.list_commands(None) if hasattr(command, "get_command") else ():
        yield from epilogs(command.get_command(None, word), f"{name} {word}")


def test_every_help_has_examples_that_exist() -> None:
    for name, epilog in epilogs(typer.main.get_command(app)):
        plain = re.sub(r"\[/?\w*\]", "", epilog)
        shown = [line.partition("  #")[0] for line in plain.splitlines() if line.strip().startswith("mew ")]
        assert shown, f"{name} --help has no example"
        for line in shown:
            assert unknown(line.strip().removeprefix("mew ").partition(" | ")[0].split()) is None, (name, line)


def test_the_spaces_of_the_docs_have_nothing_to_warn_of(tmp_path: Path) -> None:
    file = tmp_path / "spaces.yaml"
    for page in PAGES:
        for text in re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
            if re.search(r"^spaces:", text, re.MULTILINE):
                file.write_text(text, encoding="utf-8")
                assert load(file).warnings == (), page


def test_a_definition_is_tried_with_fixed_answers(typed: Typed, tmp_path: Path) -> None:
    del typed
    page = (ROOT / "docs/definitions.md").read_text(encoding="utf-8")
    (answers,) = (one for one in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "{answers:" in one)
    (tmp_path / "answers.yaml").write_text(answers, encoding="utf-8")
    (tmp_path / "table.yaml").write_text(TABLE, encoding="utf-8")
    (tmp_path / "tables.py").write_text(PYTHON.replace("Restaurant", "Tables"), encoding="utf-8")
    fixed, python = of_page("docs/definitions.md")
    said = "book a table for 2 people\nyes\nyes\n"
    assert "restaurant/book_table: {answers: {table: 7}}" in answers
    assert "It is table 7." in typed_now(*fixed, said=said, LC_ALL="en_US.UTF-8").out
    assert "It is table 5." in typed_now(*python, said=said, LC_ALL="en_US.UTF-8").out


SPACES = """
gateway: {listen: 127.0.0.1:0, state_dir: state, journal: {url: "memory:"}}
roles:
  supervisor: [{kind: [chat, chat/acknowledge]}, {kind: reasoning/interrupt, payload: {class: cancel}}, {kind: "mcp/*"}]
  acting: [{kind: mcp/request}]
spaces:
  office: {participants: {human: {roles: [supervisor]}, fluxi: {roles: [agent, acting]}, calendar: {roles: [agent]}}}
  bank: {participants: {human: {roles: [supervisor]}, flows: {roles: [agent, acting]}, ledger: {roles: [agent]}}}
  demo: {participants: {human: {roles: [supervisor]}, solver: {roles: [agent]}}}
  tools: {participants: {human: {roles: [supervisor]}, calendar: {roles: [agent]}}}
"""
AGENTS = {
    ("office", "fluxi"): lambda: FluxiAgent(FluxiOptions(language="es")),
    ("office", "calendar"): lambda: Calendar(CalendarOptions(language="es")),
    ("bank", "flows"): lambda: FlowAgent(FlowOptions(language="es", flows=("banking",))),
    ("bank", "ledger"): lambda: Ledger(LedgerOptions()),
    ("demo", "solver"): lambda: Solver(SolverOptions(cities=20, seed=7, stall_seconds=0.1)),
    ("tools", "calendar"): lambda: Calendar(
        CalendarOptions(language="es", timezone="America/Argentina/Buenos_Aires"), clock=lambda: FRIDAY
    ),
}


class Served(NamedTuple):
    """A gateway with a space of the docs, somebody who sees everything in it, and how commands are typed there."""

    watcher: Any
    type: Typed

    async def said(self, sender: str, *words: str) -> str:
        """The next chat of somebody that has one of the words."""
        while True:
            payload = await self.watcher.until("chat")
            if payload["from"] == sender and any(word in payload["payload"]["text"] for word in words):
                return str(payload["payload"]["text"])


@pytest.fixture
async def served(
    start_gateway: Any, typed: Typed, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Served]:
    space: str = request.param
    async with start_gateway(SPACES, clocks=lambda floor: GatewayClock(floor=floor)) as site:
        watcher = await site.join("human", space=space)
        running = []
        for (of, name), make in AGENTS.items():
            if of == space:
                where = Environment(
                    site.url, of, site.token(name, of), state=str(tmp_path / "state/agents" / of / name)
                )
                running.append(asyncio.create_task(make().serve(where)))  # type: ignore[no-untyped-call]
                await watcher.until("system/presence", event="join")
        yield Served(watcher, typed)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


@pytest.mark.parametrize("served", ["bank"], indirect=True)
async def test_a_transfer_through_the_flows_chat(served: Served) -> None:
    wish, yes, interrupt = of_page("docs/flows-in-a-space.md")
    assert (await served.type(*wish)).status == 0
    await served.said("flows", "?")
    refused = await served.type(*interrupt)
    ended = ("flows has no open sequence", "of flows has ended (waiting)")  # the run may end while it is typed
    assert any(words in refused.err for words in ended) and "call flows flow_cancel flow_id=" in refused.err
    assert (await served.type(*yes)).status == 0
    assert "50,00" in await served.said("flows", "Listo")


@pytest.mark.parametrize("served", ["office"], indirect=True)
async def test_a_booking_through_the_fluxi_chat(served: Served) -> None:
    wish, other, yes, interrupt = of_page("docs/fluxi-in-a-space.md")
    assert (await served.type(*wish)).status == 0
    await served.said("fluxi", "?")
    refused = await served.type(*interrupt)
    ended = ("fluxi has no open sequence", "of fluxi has ended (waiting)")  # the run may end while it is typed
    assert any(words in refused.err for words in ended) and "call fluxi work_cancel work_id=" in refused.err
    assert (await served.type(*other)).status == 0
    while "Le confirmo" not in (told := await served.said("fluxi", "?", "Le confirmo")):
        assert (await served.type(*yes)).status == 0
    assert "18:00" in told


@pytest.mark.parametrize("served", ["demo"], indirect=True)
async def test_the_record_is_read_verified_and_replayed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEW_SPACE", "demo")
    assert (await served.type("send", "--to", "solver", "Find a short tour", "--wait", "60")).status == 0
    space, agent, verify, replay = [await served.type(*words) for words in of_page("docs/timeline.md")]
    assert "Find a short tour" in space.out and "run_concluded" in agent.out
    assert [one.status for one in (space, agent, verify, replay)] == [0, 0, 0, 0], (verify, replay)


@pytest.mark.parametrize("served", ["tools"], indirect=True)
async def test_the_calendar_answers_as_printed(served: Served) -> None:
    shown = [one for one in lines("docs/tools.md") if not one.text.startswith(tuple(ELSEWHERE))]
    assert len(shown) == 2
    for one in shown:
        done = await served.type(*one.words, "--space", "tools")
        assert one.printed == (done.out or done.err).splitlines()
