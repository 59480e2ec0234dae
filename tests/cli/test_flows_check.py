"""Flow files on the command line: checked with the place of every mistake, their schema, and as pictures."""

from __future__ import annotations

import json

from mew_agents.flows.definitions.schema import schema

from .flows_command import QUIZ, FlowsCommand, run_flows

__all__ = ["run_flows"]


def test_every_mistake_has_its_place(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    run_flows.write("broken.yaml", QUIZ.replace("quiz", "other").replace("collect: age", "colect: age"))
    fine, told = run_flows("check", "quiz.yaml"), run_flows("check", "quiz.yaml", "broken.yaml", "none.yaml")
    assert fine.status == 0 and fine.out.startswith("ok: quiz@")
    assert told.status == 1 and told.out == ""
    assert "broken.yaml:9:9: " in told.err and "did you mean `collect`?" in told.err
    assert "none.yaml: There is no such file." in told.err
    as_json = run_flows("check", "broken.yaml", "--json")
    assert as_json.status == 1
    assert (as_json.json()["ok"], as_json.json()["problems"][0]["line"]) == (False, 9)


def test_warnings_do_not_fail_it(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ.replace("{en: quiz}", "{en: quiz, es: juego}"))
    told = run_flows("check", "quiz.yaml")
    assert told.status == 0 and "warning: quiz.yaml:" in told.err
    assert run_flows("check", "quiz.yaml", "--json").json()["warnings"]


def test_tools_that_the_terminal_lacks(run_flows: FlowsCommand) -> None:
    call = '      - {id: look, action: ledgr/balance, args: {account: "shop"}}\n'
    run_flows.write("quiz.yaml", QUIZ + call)
    assert run_flows("check", "quiz.yaml").status == 0
    told = run_flows("check", "quiz.yaml", "--local-tools")
    assert told.status == 1 and "ledgr/balance" in told.err and "quiz.yaml:11:" in told.err


def test_the_schema_is_printed(run_flows: FlowsCommand) -> None:
    assert json.loads(run_flows("check", "--schema").out) == schema()
    nothing = run_flows("check")
    assert nothing.status == 2 and "--schema" in nothing.err


def test_pictures_of_a_flow_and_of_a_file(run_flows: FlowsCommand) -> None:
    run_flows.write("two.yaml", QUIZ + QUIZ.partition("flows:\n")[2].replace("quiz", "exam"))
    text, mermaid, both = (
        run_flows("diagram", "transfer"),
        run_flows("diagram", "transfer", "--mermaid"),
        run_flows("diagram", "two.yaml"),
    )
    assert text.out.startswith("transfer (transfer@") and "does ledger/transfer, once" in text.out
    assert mermaid.out.startswith("---") and "flowchart TD" in mermaid.out
    assert "quiz@" in both.out and "exam@" in both.out
    one = run_flows("diagram", "two.yaml", "--flow", "exam")
    assert "quiz@" not in one.out and "exam@" in one.out
    unknown = run_flows("diagram", "two.yaml", "--flow", "exma")
    assert unknown.status == 2 and "exam" in unknown.err
    assert "transferencia" in run_flows("diagram", "transfer", "--language", "es").out
    assert run_flows("diagram", "transfr").status == 2


def test_a_tool_that_gives_no_list_is_warned_of(run_flows: FlowsCommand) -> None:
    slot = "      who: {type: ref, tool: ledger/orders}\n    steps:"
    run_flows.write("quiz.yaml", QUIZ.replace("    steps:", slot))
    told = run_flows("check", "quiz.yaml", "--local-tools")
    assert told.status == 0 and "warning: ledger/orders: It answers no {list:" in told.err
    assert run_flows("check", "quiz.yaml", "--local-tools", "--json").json()["no_lists"] == ["ledger/orders"]
    run_flows.write("quiz.yaml", QUIZ.replace("    steps:", slot.replace("ledger/orders", "calendar/doctors")))
    assert "calendar/doctors" not in run_flows("check", "quiz.yaml", "--local-tools").err
