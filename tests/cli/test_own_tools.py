"""Definitions and flows tried with their author's own tools, before a space has those tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.tools.fixed_answers import AnswersError, load
from mew_gateway.cli.agents.inspection import Inspection, missing_tools
from mew_gateway.config import load as load_spaces
from mew_gateway.sdk._inspection import inspect

from .conftest import Typed, typed_now

TABLE = """\
typeId: table
version: 1
title: {en: table}
intents: {en: [book a table]}
bindingAttributes: [people]
slots:
  - {path: people, type: int, required: true, label: {en: people}, prompt: {en: "For how many people?"}}
policies: {grants: ["*"]}
confirmation: {summary: {en: "a table for {people}"}}
effects:
  - id: book
    effectType: book_table
    tool: restaurant/book_table
    args: {people: {slot: people}}
    told: {en: "It is table {table}."}
"""
FLOWS = """\
flows:
  table:
    title: {en: table}
    triggers: {en: [a table]}
    slots:
      people: {type: int, ask: {en: "For how many people?"}}
      number: {type: int, ask: {en: "Which table?"}}
    steps:
      - {id: ask, collect: people}
      - {id: find, action: restaurant/book_table, args: {people: {slot: people}}, result: {number: "result.table"}}
      - {id: tell, say: {en: "It is table {number}."}}
"""
PYTHON = """\
from mew_gateway.sdk import Agent, tool


class Restaurant(Agent):
    @tool
    def book_table(self, people: int) -> dict[str, int]:
        \"\"\"Books a table.\"\"\"
        return {"table": people + 3}
"""
ANSWERS = "restaurant/book_table: {answers: {table: 7}}\n"
SPACE = """\
spaces:
  office:
    participants:
      human: {capabilities: [{kind: chat}]}
      other: {capabilities: [{kind: chat}]}
      restaurant: {roles: [agent], agent: "tables:Restaurant"}
"""
FLUXI = """\
      fluxi: {roles: [agent], agent: "mew_agents.fluxi.agent:FluxiAgent", options: {definitions: [table.yaml]}}
"""


@pytest.fixture
def folder(typed: Typed, tmp_path: Path) -> Path:
    """What an author has written, in the working directory."""
    del typed
    files = {"table.yaml": TABLE, "flows.yaml": FLOWS, "tables.py": PYTHON, "answers.yaml": ANSWERS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("tools", "table"), [("tables.py", 5), ("restaurant=tables.py:Restaurant", 5), ("answers.yaml", 7)]
)
@pytest.mark.usefixtures("folder")
def test_fluxi_books_with_tools_of_ones_own(tools: str, table: int) -> None:
    words = ("--definitions", "table.yaml", "--tools", tools, "--language", "en")
    done = typed_now("fluxi", "chat", *words, said="book a table for 2 people\nyes\nyes\n")
    assert done.status == 0 and f"It is table {table}." in done.out
    assert "There is no tool" not in done.err


@pytest.mark.parametrize(("tools", "table"), [("tables.py", 5), ("answers.yaml", 7)])
def test_flows_go_on_with_tools_of_ones_own(tools: str, table: int, folder: Path) -> None:
    done = typed_now("flows", "chat", "flows.yaml", "--tools", tools, "--language", "en", said="a table\n2\n")
    assert done.status == 0 and f"It is table {table}." in done.out
    script = f"= language en\n> a table\n< For how many people?\n> 2\n< It is table {table}.\n"
    (folder / "script.txt").write_text(script, encoding="utf-8")
    played = typed_now("flows", "run", "script.txt", "flows.yaml", "--tools", tools)
    assert played.status == 0, played.err


@pytest.mark.usefixtures("folder")
def test_a_missing_tool_is_reported_before_the_chat_begins() -> None:
    told = [
        typed_now("fluxi", "chat", "--definitions", "table.yaml", "--language", "en", said=""),
        typed_now("flows", "chat", "flows.yaml", "--language", "en", said=""),
    ]
    for one in told:
        assert one.status == 0 and "warning: " in one.err and "`restaurant/book_table`: no participant" in one.err
        assert "--tools FILE" in one.err


@pytest.mark.parametrize("check", [("fluxi", "definitions", "check", "table.yaml"), ("flows", "check", "flows.yaml")])
def test_definitions_are_checked_against_tools_here_and_in_a_space(check: tuple[str, ...], folder: Path) -> None:
    assert typed_now(*check).status == 0
    assert typed_now(*check, "--tools", "tables.py").status == 0
    assert typed_now(*check, "--tools", "answers.yaml").status == 0
    here = typed_now(*check, "--local-tools")
    assert here.status in (1, 2) and "There is no tool `restaurant/book_table`: no participant" in here.err
    (folder / "other.py").write_text(PYTHON.replace("book_table", "book"), encoding="utf-8")
    (folder / "spaces.yaml").write_text(SPACE.replace("tables:", "other:"), encoding="utf-8")
    told = typed_now(*check, "--config", "spaces.yaml", "--space", "office")
    assert told.status in (1, 2) and "did you mean `restaurant/book`?" in told.err
    both = typed_now(*check, "--config", "spaces.yaml", "--local-tools")
    assert both.status == 2 and "either" in both.err


@pytest.mark.usefixtures("folder")
def test_a_file_of_the_other_sort_is_told_its_command() -> None:
    flows, kinds = typed_now("flows", "check", "table.yaml"), typed_now("fluxi", "definitions", "check", "flows.yaml")
    assert flows.status == 1 and flows.err.count("\n") == 1 and "`mew fluxi definitions check` reads it" in flows.err
    assert kinds.status == 2 and kinds.err.count("\n") == 1 and "`mew flows check` reads it" in kinds.err


def test_check_warns_if_a_hosted_agent_calls_a_missing_tool(folder: Path) -> None:
    (folder / "spaces.yaml").write_text(f"{SPACE}{FLUXI}".replace("restaurant:", "bistro:"), encoding="utf-8")
    told = typed_now("check")
    assert told.status == 0
    assert (
        "warning: spaces.yaml:7:7: spaces.office.participants.fluxi: It will call `restaurant/book_table`." in told.err
    )


def test_missing_tools_allows_any_tool_of_an_unknown_participant(folder: Path) -> None:
    (folder / "spaces.yaml").write_text(f"{SPACE}{FLUXI}", encoding="utf-8")
    configuration = load_spaces(folder / "spaces.yaml")
    fluxi = Inspection("office", "fluxi", offers=(), calls=("restaurant/bok_table", "human/anything"))
    knowing = Inspection("office", "restaurant", offers=("book_table",))
    (fault,) = missing_tools(configuration, [fluxi, knowing])
    assert "`restaurant/bok_table`" in fault.message and fault.suggestion == "did you mean `restaurant/book_table`?"
    assert not list(missing_tools(configuration, [fluxi, knowing._replace(offers=None)]))


def test_inspection_reports_an_unreadable_definition(folder: Path) -> None:
    (folder / "table.yaml").write_text("typeId: 5\n", encoding="utf-8")
    found = inspect("mew_agents.fluxi.agent:FluxiAgent", {"definitions": ["table.yaml"]})
    assert found["key"] == "options" and "invalid_definition: table.yaml" in found["message"]


def test_an_agent_says_which_tools_it_will_call() -> None:
    assert "calendar/book_appointment" in FluxiAgent.tools_called(FluxiOptions(definitions=("appointment_booking",)))


@pytest.mark.parametrize(
    ("tools", "told"),
    [
        ("none.py", "There is no such file"),
        ("none.yaml", "There is no such file"),
        ("tables.txt", "names no tools"),
        ("tables.py:Other", "has no agent Other with tools (there are Restaurant)"),
        ("broken.py", "broken.py cannot be imported: NameError"),
        ("empty.py", "has no agent with tools"),
        ("wrong.yaml", 'wrong.yaml:1:24: "restaurant/book_table": How is it answered'),
    ],
)
def test_tools_that_cannot_be_used_are_a_mistake(tools: str, told: str, folder: Path) -> None:
    (folder / "broken.py").write_text("nowhere\n")
    (folder / "empty.py").write_text("x = 1\n")
    (folder / "wrong.yaml").write_text("restaurant/book_table: 7\n")
    done = typed_now("fluxi", "chat", "--tools", tools, said="")
    assert done.status == 2 and told in done.err


def test_fixed_answers_can_fail_stay_silent_or_answer(tmp_path: Path) -> None:
    file = tmp_path / "answers.yaml"
    file.write_text("a/b: silent\na/c: {fails: full}\na/d: {answers: {status: unknown}}\n")
    found = load(file)
    with pytest.raises(TimeoutError):
        found["a/b"].result("a/b")
    refused = found["a/c"].result("a/c")
    assert (refused["isError"], refused["structuredContent"]) == (True, {"status": "not_applied", "code": "full"})
    assert json.loads(json.dumps(found["a/d"].result("a/d")))["structuredContent"]["status"] == "unknown"
    file.write_text("")
    with pytest.raises(AnswersError, match="has a tool a key"):
        load(file)
