"""Scripted dialogues of a flow author: run, compared, rewritten."""

from __future__ import annotations

import pytest

from .flows_command import QUIZ, FlowsCommand, run_flows

__all__ = ["run_flows"]

QUIZ_SCRIPT = """# A script says what it wants compared.
= flows quiz.yaml
= language en
= tone brief
> quiz
< Your age?
* wait 2h
* restart
> 7
! quiz completed
< You are 7.
"""


def test_a_script_that_goes_as_it_is_written(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    run_flows.write("quiz.txt", QUIZ_SCRIPT)
    done = run_flows("run", "quiz.txt")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"quiz.txt\n{QUIZ_SCRIPT}ok: quiz.txt\n"
    assert run_flows("run", "quiz.txt", "--quiet").out == "ok: quiz.txt\n"


def test_a_difference_from_the_script_is_shown_and_fails(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    run_flows.write("quiz.txt", QUIZ_SCRIPT.replace("You are 7.", "You are 8."))
    done = run_flows("run", "quiz.txt", "--quiet")
    assert (done.status, done.out) == (1, "")
    assert "different: quiz.txt" in done.err and "-< You are 8.\n+< You are 7.\n" in done.err
    as_json = run_flows("run", "quiz.txt", "--json")
    assert (as_json.status, as_json.json()["ok"]) == (1, False)
    assert "+< You are 7." in as_json.json()["scripts"][0]["diff"]


def test_unmentioned_fields_of_a_script_are_not_compared(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    only_replies = "".join(line for line in QUIZ_SCRIPT.splitlines(True) if not line.startswith("!"))
    run_flows.write("replies.txt", only_replies)
    run_flows.write("nothing.txt", "= language en\nquiz\n7\n")
    assert run_flows("run", "replies.txt").status == 0
    done = run_flows("run", "nothing.txt", "--flows", "quiz.yaml")
    assert done.status == 0 and "< You are 7." in done.out and "played: nothing.txt" in done.out


def test_rewriting_writes_what_comes_of_it(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    file = run_flows.write("quiz.txt", "".join(line for line in QUIZ_SCRIPT.splitlines(True) if line[0] not in "<!"))
    assert run_flows("run", "quiz.txt", "--rewrite").status == 0
    assert file.read_text() == QUIZ_SCRIPT
    assert run_flows("run", "quiz.txt").status == 0


def test_tools_answer_as_the_script_says(run_flows: FlowsCommand) -> None:
    run_flows.write(
        "bank.txt",
        """= language en
= tool ledger/transfer fails insufficient_funds
> transfer 50 to Ana
> yes
! ledger/transfer {"amount":"50.00","currency":"USD","source":"shop","target":"ana"}
! transfer failed
= tool ledger/transfer works
= tool ledger/balance answers {"balances": [{"amount": "3.50", "currency": "USD"}]}
> what's my balance?
! ledger/balance {"account":"shop","currency":"USD"}
! balance completed
bob> transfer 5 to Emily
bob> yes
! ledger/transfer {"amount":"5.00","currency":"USD","source":"shop","target":"emily"}
! transfer completed
""",
    )
    done = run_flows("run", "bank.txt")
    assert done.status == 0, done.err
    assert "$3.50" in done.out and "< bob: Done: " in done.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("= langage en", "There is no setting 'langage'"),
        ("= language xx", "There is no language 'xx'"),
        ("= now tomorrow", "tomorrow"),
        ("= tool ledger/balance laughs", "How is it answered?"),
        ("= tool ledger/balance answers {", "This is no JSON: '{'"),
        ("= tool ledger/balanse works", "did you mean `ledger/balance`?"),
        ("? hm", "There is no mark '?'; if that is said, write `> ? hm`"),
        ("- transfer", "There is no mark '-'"),
        ("* wait long", "`* wait 2h`"),
        ("* dance", "There is no 'dance'"),
    ],
)
def test_an_invalid_line_is_reported_with_its_place(line: str, told: str, run_flows: FlowsCommand) -> None:
    run_flows.write("script.txt", f"# first\n{line}\n")
    done = run_flows("run", "script.txt")
    assert done.status == 2
    assert "script.txt:2: " in done.err and told in done.err


def test_flows_cannot_change_under_a_dialogue_and_files_are_found(run_flows: FlowsCommand) -> None:
    run_flows.write("script.txt", "= language en\n> hello\n= flows banking\n")
    late, missing = run_flows("run", "script.txt"), run_flows("run", "none.txt")
    assert late.status == 2 and "script.txt:3: " in late.err
    assert missing.status == 2 and "none.txt cannot be read" in missing.err


def test_fixed_answers_cover_tools_that_only_a_flow_names(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ.replace('say: {en: "You are {age}."}', "action: crm/tell"))
    script = (
        "= flows quiz.yaml\n= language en\n= tool crm/tell answers {}\n> quiz\n> 7\n! crm/tell {}\n! quiz completed\n"
    )
    run_flows.write("script.txt", script)
    done = run_flows("run", "script.txt")
    assert done.status == 0, done.err


def test_a_file_of_flows_is_no_script(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    run_flows.write("quiz.txt", QUIZ_SCRIPT.replace("= flows quiz.yaml\n", ""))
    done = run_flows("run", "quiz.txt", "quiz.yaml")
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith("ok: quiz.txt\n")
    alone = run_flows("run", "quiz.yaml")
    assert alone.status == 2
    assert "There is no dialogue to play" in alone.err
