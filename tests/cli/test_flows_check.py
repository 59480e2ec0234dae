"""Flow files on the command line: checked with the place of every mistake, their schema, and as pictures."""

from __future__ import annotations

import json

from mew_agents.flows.definitions.schema import schema

from .flows_desk import QUIZ, Desk, desk

__all__ = ["desk"]


def test_every_mistake_has_its_place(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    desk.write("broken.yaml", QUIZ.replace("quiz", "other").replace("collect: age", "colect: age"))
    fine, told = desk("check", "quiz.yaml"), desk("check", "quiz.yaml", "broken.yaml", "none.yaml")
    assert fine.status == 0 and fine.out.startswith("ok: quiz@")
    assert told.status == 1 and told.out == ""
    assert "broken.yaml:9:9: " in told.err and "did you mean `collect`?" in told.err
    assert "none.yaml: There is no such file." in told.err
    as_json = desk("check", "broken.yaml", "--json")
    assert as_json.status == 1
    assert (as_json.json()["ok"], as_json.json()["problems"][0]["line"]) == (False, 9)


def test_warnings_do_not_fail_it(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ.replace("{en: quiz}", "{en: quiz, es: juego}"))
    told = desk("check", "quiz.yaml")
    assert told.status == 0 and "warning: quiz.yaml:" in told.err
    assert desk("check", "quiz.yaml", "--json").json()["warnings"]


def test_tools_that_the_terminal_lacks(desk: Desk) -> None:
    call = '      - {id: look, action: ledgr/balance, args: {account: "shop"}}\n'
    desk.write("quiz.yaml", QUIZ + call)
    assert desk("check", "quiz.yaml").status == 0
    told = desk("check", "quiz.yaml", "--local-tools")
    assert told.status == 1 and "ledgr/balance" in told.err and "quiz.yaml:11:" in told.err


def test_the_schema_is_printed(desk: Desk) -> None:
    assert json.loads(desk("check", "--schema").out) == schema()
    nothing = desk("check")
    assert nothing.status == 2 and "--schema" in nothing.err


def test_pictures_of_a_flow_and_of_a_file(desk: Desk) -> None:
    desk.write("two.yaml", QUIZ + QUIZ.partition("flows:\n")[2].replace("quiz", "exam"))
    text, mermaid, both = (
        desk("diagram", "transfer"),
        desk("diagram", "transfer", "--mermaid"),
        desk("diagram", "two.yaml"),
    )
    assert text.out.startswith("transfer (transfer@") and "does ledger/transfer, once" in text.out
    assert mermaid.out.startswith("---") and "flowchart TD" in mermaid.out
    assert "quiz@" in both.out and "exam@" in both.out
    one = desk("diagram", "two.yaml", "--flow", "exam")
    assert "quiz@" not in one.out and "exam@" in one.out
    unknown = desk("diagram", "two.yaml", "--flow", "exma")
    assert unknown.status == 2 and "exam" in unknown.err
    assert "transferencia" in desk("diagram", "transfer", "--language", "es").out
    assert desk("diagram", "transfr").status == 2


def test_a_tool_that_gives_no_list_is_warned_of(desk: Desk) -> None:
    slot = "      who: {type: ref, tool: ledger/orders}\n    steps:"
    desk.write("quiz.yaml", QUIZ.replace("    steps:", slot))
    told = desk("check", "quiz.yaml", "--local-tools")
    assert told.status == 0 and "warning: ledger/orders: It answers no {list:" in told.err
    assert desk("check", "quiz.yaml", "--local-tools", "--json").json()["no_lists"] == ["ledger/orders"]
    desk.write("quiz.yaml", QUIZ.replace("    steps:", slot.replace("ledger/orders", "calendar/doctors")))
    assert "calendar/doctors" not in desk("check", "quiz.yaml", "--local-tools").err
