"""Replay of dialogues: equal also if the flows have changed, unequal if the record is wrong."""

from __future__ import annotations

import sqlite3

from .flows_command import QUIZ, FlowsCommand, run_flows

__all__ = ["run_flows"]


def change(run_flows: FlowsCommand, statement: str) -> None:
    """Somebody changes the database behind the back of everybody."""
    connection = sqlite3.connect(run_flows.folder / ".mew" / "flows.db")
    with connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{name}"')
        assert connection.execute(statement).rowcount
    connection.close()


def test_everything_that_was_said_comes_to_the_same(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nno, mejor 80\nmi saldo\nsí\n")
    run_flows("chat", "--as", "juan", "--language", "en", said="I want to register\nmy name is Emily\n200\n20\n")
    every = run_flows("replay", "--all")
    assert (every.status, every.out) == (0, "2 of 2 dialogues are the same.\n")
    ids = [one["dialogue_id"] for one in run_flows("list", "--all", "--json").json()["dialogues"]]
    one, as_json = run_flows("replay", ids[-1][:8]), run_flows("replay", ids[0], "--json")
    assert "correct_slot amount" in one.out and "same: " in one.out.splitlines()[-1]
    assert (as_json.status, as_json.json()["same"]) == (0, True)
    assert as_json.json()["events"][0]["type"] == "heard"


def test_flows_that_have_changed_meanwhile_change_no_record(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    talk = ("chat", "quiz.yaml", "--language", "en")
    run_flows(*talk, said="quiz\n")
    run_flows.write("quiz.yaml", QUIZ.replace("title: {en: quiz}", "title: {en: game}").replace("You are", "Only"))
    assert run_flows(*talk, said="8\nquiz\ncancel\n").out.startswith("You are 8.")  # as it was begun
    run_flows.write("quiz.yaml", QUIZ)
    assert "You are 9." in run_flows(*talk, said="quiz\n9\n").out
    assert run_flows("replay", "--all").out == "1 of 1 dialogues are the same.\n"


def test_a_record_that_was_tampered_with_is_told(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--language", "es", said="transferir 50 a Bruno\n")
    change(
        run_flows, "UPDATE flow_events SET effects = replace(effects, '50,00', '90,00') WHERE effects LIKE '%50,00%'"
    )
    change(run_flows, "UPDATE flow_dialogues SET state = replace(state, 'bruno', 'emily')")
    id = run_flows("list", "--json").json()["dialogues"][0]["dialogue_id"]
    told, every = run_flows("replay", id), run_flows("replay", "--all")
    assert [told.status, every.status] == [1, 1]
    assert "with other content" in told.out and "the state differs in" in told.err and "slots" in told.err
    assert "different: " in every.err and every.out == "0 of 1 dialogues are the same.\n"
    as_json = run_flows("replay", id, "--json")
    assert (as_json.status, as_json.json()["same"]) == (1, False)


def test_a_version_that_is_gone_is_told(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--language", "es", said="transferir 50 a Bruno\n")
    change(run_flows, "DELETE FROM flow_versions WHERE name = '*'")
    told = run_flows("replay", "--all")
    assert told.status == 1 and "is not stored" in told.err


def test_ack_needs_ids_or_all(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--language", "es", said="hola\n")
    nothing, both, unknown = run_flows("replay"), run_flows("replay", "1234", "--all"), run_flows("replay", "zzzz")
    assert [nothing.status, both.status, unknown.status] == [2, 2, 2]
    assert "mew flows list --all" in unknown.err
