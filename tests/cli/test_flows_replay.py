"""Dialogues done again: the same whatever the flows are by now, and told apart from a record that is wrong."""

from __future__ import annotations

import sqlite3

from .flows_desk import QUIZ, Desk, desk

__all__ = ["desk"]


def change(desk: Desk, statement: str) -> None:
    """Somebody changes the database behind the back of everybody."""
    connection = sqlite3.connect(desk.folder / ".mew" / "flows.db")
    with connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        assert connection.execute(statement).rowcount
    connection.close()


def test_everything_that_was_said_comes_to_the_same(desk: Desk) -> None:
    desk("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nno, mejor 80\nmi saldo\nsí\n")
    desk("chat", "--as", "juan", "--language", "en", said="I want to register\nmy name is Emily\n200\n20\n")
    every = desk("replay", "--all")
    assert (every.status, every.out) == (0, "2 of 2 dialogues are the same.\n")
    ids = [one["dialogue_id"] for one in desk("list", "--all", "--json").json()["dialogues"]]
    one, as_json = desk("replay", ids[-1][:8]), desk("replay", ids[0], "--json")
    assert "correct_slot amount" in one.out and "same: " in one.out.splitlines()[-1]
    assert (as_json.status, as_json.json()["same"]) == (0, True)
    assert as_json.json()["events"][0]["type"] == "heard"


def test_flows_that_have_changed_meanwhile_change_no_record(desk: Desk) -> None:
    desk.write("quiz.yaml", QUIZ)
    talk = ("chat", "quiz.yaml", "--language", "en")
    desk(*talk, said="quiz\n")
    desk.write("quiz.yaml", QUIZ.replace("title: {en: quiz}", "title: {en: game}").replace("You are", "Only"))
    assert desk(*talk, said="8\nquiz\ncancel\n").out.startswith("You are 8.")  # as it was begun
    desk.write("quiz.yaml", QUIZ)
    assert "You are 9." in desk(*talk, said="quiz\n9\n").out
    assert desk("replay", "--all").out == "1 of 1 dialogues are the same.\n"


def test_a_record_that_was_tampered_with_is_told(desk: Desk) -> None:
    desk("chat", "--language", "es", said="transferir 50 a Bruno\n")
    change(desk, "UPDATE flow_events SET effects = replace(effects, '50,00', '90,00') WHERE effects LIKE '%50,00%'")
    change(desk, "UPDATE flow_dialogues SET state = replace(state, 'bruno', 'emily')")
    id = desk("list", "--json").json()["dialogues"][0]["dialogue_id"]
    told, every = desk("replay", id), desk("replay", "--all")
    assert [told.status, every.status] == [1, 1]
    assert "with other content" in told.out and "the state differs in" in told.err and "slots" in told.err
    assert "different: " in every.err and every.out == "0 of 1 dialogues are the same.\n"
    as_json = desk("replay", id, "--json")
    assert (as_json.status, as_json.json()["same"]) == (1, False)


def test_a_version_that_is_gone_is_told(desk: Desk) -> None:
    desk("chat", "--language", "es", said="transferir 50 a Bruno\n")
    change(desk, "DELETE FROM flow_versions WHERE name = '*'")
    told = desk("replay", "--all")
    assert told.status == 1 and "is not stored" in told.err


def test_it_wants_one_or_all(desk: Desk) -> None:
    desk("chat", "--language", "es", said="hola\n")
    nothing, both, unknown = desk("replay"), desk("replay", "1234", "--all"), desk("replay", "zzzz")
    assert [nothing.status, both.status, unknown.status] == [2, 2, 2]
    assert "mew flows list --all" in unknown.err
