"""Dialogues that a flow author has written down: played, compared, and written anew."""

from __future__ import annotations

import pytest

from .flows_desk import QUIZ, Desk, desk

__all__ = ["desk"]

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


def test_a_script_that_goes_as_it_is_written(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    desk.write("quiz.txt", QUIZ_SCRIPT)
    done = desk("run", "quiz.txt")
    assert (done.status, done.err) == (0, "")
    assert done.out == f"quiz.txt\n{QUIZ_SCRIPT}ok: quiz.txt\n"
    assert desk("run", "quiz.txt", "--quiet").out == "ok: quiz.txt\n"


def test_where_it_goes_otherwise_is_shown_and_fails(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    desk.write("quiz.txt", QUIZ_SCRIPT.replace("You are 7.", "You are 8."))
    done = desk("run", "quiz.txt", "--quiet")
    assert (done.status, done.out) == (1, "")
    assert "different: quiz.txt" in done.err and "-< You are 8.\n+< You are 7.\n" in done.err
    as_json = desk("run", "quiz.txt", "--json")
    assert (as_json.status, as_json.json()["ok"]) == (1, False)
    assert "+< You are 7." in as_json.json()["scripts"][0]["diff"]


def test_what_a_script_says_nothing_of_is_not_compared(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    only_replies = "".join(line for line in QUIZ_SCRIPT.splitlines(True) if not line.startswith("!"))
    desk.write("replies.txt", only_replies)
    desk.write("nothing.txt", "= language en\nquiz\n7\n")
    assert desk("run", "replies.txt").status == 0
    done = desk("run", "nothing.txt", "--flows", "quiz.yaml")
    assert done.status == 0 and "< You are 7." in done.out and "played: nothing.txt" in done.out


def test_rewriting_writes_what_comes_of_it(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    file = desk.write("quiz.txt", "".join(line for line in QUIZ_SCRIPT.splitlines(True) if line[0] not in "<!"))
    assert desk("run", "quiz.txt", "--rewrite").status == 0
    assert file.read_text() == QUIZ_SCRIPT
    assert desk("run", "quiz.txt").status == 0


def test_tools_answer_as_the_script_says(desk: Desk) -> None:
    desk.write(
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
    done = desk("run", "bank.txt")
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
def test_a_line_that_is_none_is_a_mistake_with_its_place(line: str, told: str, desk: Desk) -> None:
    desk.write("script.txt", f"# first\n{line}\n")
    done = desk("run", "script.txt")
    assert done.status == 2
    assert "script.txt:2: " in done.err and told in done.err


def test_flows_cannot_change_under_a_dialogue_and_files_are_found(desk: Desk) -> None:
    desk.write("script.txt", "= language en\n> hello\n= flows banking\n")
    late, missing = desk("run", "script.txt"), desk("run", "none.txt")
    assert late.status == 2 and "script.txt:3: " in late.err
    assert missing.status == 2 and "none.txt cannot be read" in missing.err


def test_a_tool_that_only_a_flow_names_can_be_answered_for(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ.replace('say: {en: "You are {age}."}', "action: crm/tell"))
    script = (
        "= flows quiz.yaml\n= language en\n= tool crm/tell answers {}\n> quiz\n> 7\n! crm/tell {}\n! quiz completed\n"
    )
    desk.write("script.txt", script)
    done = desk("run", "script.txt")
    assert done.status == 0, done.err


def test_a_file_of_flows_is_no_script(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    desk.write("quiz.txt", QUIZ_SCRIPT.replace("= flows quiz.yaml\n", ""))
    done = desk("run", "quiz.txt", "quiz.yaml")
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith("ok: quiz.txt\n")
    alone = desk("run", "quiz.yaml")
    assert alone.status == 2
    assert "There is no dialogue to play" in alone.err
