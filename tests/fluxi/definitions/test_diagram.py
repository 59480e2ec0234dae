"""The pictures: what a definition can reach, in three styles."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mew_agents.fluxi.definitions import diagram, parse, table, whole
from mew_agents.fluxi.fsm import TABLE, State

VISIT = (Path(__file__).parent / "visit.yaml").read_text(encoding="utf-8")
VISITED = parse(VISIT.encode())
ASKING = parse(VISIT[: VISIT.index("effects:")].encode())  # it only asks, and does nothing


def test_the_whole_table_is_drawn() -> None:
    drawn = re.findall(r"^    (\S+) --> (\w+): (.*)$", whole(), flags=re.MULTILINE)
    labelled = {(source, target, label) for source, target, labels in drawn for label in labels.split("<br>")}
    left_out = {"work_suspended", "work_resumed"}
    ended = {State.COMPLETED, State.FAILED, State.CANCELLED}
    for row in TABLE:
        shown = (row.source or "[*]", row.target, row.event) in labelled
        assert shown == (row.event not in left_out and not (row.source == row.target and row.source in ended)), row
    assert all(state in whole(style="text") and state in whole(style="dot") for state in State)


def test_the_table_in_markdown_has_every_row() -> None:
    lines = table().splitlines()
    assert len(lines) == len(TABLE) + 2
    assert lines[2] == f"| ∅ | `work_opened` | CREATED | {TABLE[0].when} |"
    assert {line.count("|") for line in lines} == {5}


def test_a_definition_without_effects_executes_nothing() -> None:
    for style in ("mermaid", "text", "dot"):
        assert "EXECUTING" in diagram(VISITED, style=style).replace("EXECUTING never expires", "")
        assert "EXECUTING" not in diagram(ASKING, style=style).replace("EXECUTING never expires", "")
    assert "ACTIVE --> COMPLETED" in diagram(ASKING)
    assert "ACTIVE --> COMPLETED" not in diagram(VISITED)


def test_whether_a_yes_is_needed_is_seen() -> None:
    direct = parse(VISIT.replace("confirmation:\n", "confirmation:\n  execute: false\n").encode())
    assert "WAITING_CONFIRMATION --> EXECUTING" in diagram(VISITED)
    assert "    ACTIVE --> EXECUTING" not in diagram(VISITED)
    assert "WAITING_CONFIRMATION --> EXECUTING" not in diagram(direct)
    assert "    ACTIVE --> EXECUTING" in diagram(direct)


def test_one_attempt_is_never_retried() -> None:
    once = parse(VISIT.replace("tool: calendar/book\n", "tool: calendar/book\n    retry: {attempts: 1}\n").encode())
    assert "retry_scheduled" in diagram(VISITED)
    assert "retry_scheduled" not in diagram(once)


def test_compensations_are_seen_where_there_are_any() -> None:
    lost = VISIT.replace("    compensate: {tool: calendar/cancel, args: {key: {key: book}}}\n", "")
    text = diagram(parse(lost.encode()), style="text")
    ended = text[text.index("COMPLETED  (the end)") :]
    assert "external_effect" not in ended
    text = diagram(VISITED, style="text")
    assert "external_effect" in text[text.index("COMPLETED  (the end)") :]


@pytest.mark.parametrize("style", ["mermaid", "text", "dot"])
def test_questions_and_effects_are_told_in_the_definitions_words(style: str) -> None:
    spanish, english = (diagram(VISITED, style=style, language=one) for one in ("es", None))  # type: ignore[arg-type]
    assert "day: ¿Qué día?" in spanish
    assert "visita el {day}[, {size}]" in " ".join(spanish.split())
    assert "day: Which day, please?" in english
    for words in ("book: calendar/book, at most 30s, 3 attempts", "asked with calendar/status", "after 30m of nothing"):
        assert words in english


def test_dot_quotes_what_people_wrote() -> None:
    odd = VISIT.replace('es: "¿Qué día?"', "es: 'a \"b\" \\ c'").replace("en: visit}", 'en: "a \\"visit\\""}')
    drawn = diagram(parse(odd.encode()), style="dot", language="es")
    assert r"a \"b\" \\ c" in drawn
    for line in drawn.splitlines():
        assert line.replace(r"\\", "").replace(r"\"", "").count('"') % 2 == 0
