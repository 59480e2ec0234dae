"""What people see of dialogues and do to them from another process: list, show, cancel, resolve."""

from __future__ import annotations

from .flows_desk import Desk, desk

__all__ = ["desk"]


def test_what_is_under_way_is_listed_and_shown(desk: Desk) -> None:
    desk("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nquiero registrarme\n")
    desk("chat", "--as", "juan", "--language", "es", said="hola\n")
    under_way, every = desk("list"), desk("list", "--all")
    rows = [line for line in under_way.out.splitlines() if "transfer" in line or "onboarding" in line]
    assert "ask_name" in rows[0] and "an answer: name" in rows[0] and "the flow above it" in rows[1]
    assert "juan" not in under_way.out and "juan" in every.out and "nothing was begun" in every.out
    (one,) = desk("list", "--json").json()["dialogues"]
    assert [flow["name"] for flow in one["flows"]] == ["onboarding", "transfer"]
    shown = desk("show", one["flows"][1]["flow_id"])
    assert "bruno" in shown.out and "“transferir 50 a Bruno”" in shown.out and "← " in shown.out
    as_json = desk("show", one["dialogue_id"][:6], "--json").json()
    assert as_json["dialogue"]["participant"] == "ana" and as_json["events"][0]["type"] == "heard"
    assert desk("show", "zzzz").status == 2


def test_a_flow_is_cancelled_once_and_whoever_talks_is_told(desk: Desk) -> None:
    desk("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nquiero registrarme\n")
    (one,) = desk("list", "--json").json()["dialogues"]
    dialogue, upper = one["dialogue_id"][:8], one["flows"][0]
    which = desk("cancel", dialogue)
    assert which.status == 2 and "(onboarding)" in which.err and "(transfer)" in which.err
    short = upper["flow_id"].replace(one["dialogue_id"], dialogue)
    done = desk("cancel", short, "--as", "berta", "--reason", "no hace falta")
    assert (done.status, done.out) == (0, f"{short}: onboarding cancelled by operator:berta: no hace falta\n")
    assert desk("cancel", short).status == 2
    told = desk("chat", "--as", "ana", "--language", "es", said="sí\n")
    first, *_ = told.out.splitlines()
    assert "no hace falta" in first and "Bruno" in told.out and "Listo: transferí" in told.out
    assert desk("list").out == "No flow is under way.\n"
    assert desk("replay", "--all").status == 0


def test_the_answer_to_a_cancelled_flow_changes_nothing(desk: Desk) -> None:
    desk("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\n")
    (one,) = desk("list", "--json").json()["dialogues"]
    assert desk("cancel", one["dialogue_id"], "--json").json()["status"] == "ended"
    late = desk("chat", "--as", "ana", "--language", "es", said="sí\n")
    assert late.status == 0 and "Listo" not in late.out


def test_a_dialogue_that_a_person_has_taken_over_goes_on(desk: Desk) -> None:
    talk = ("chat", "--as", "ana", "--language", "es")
    desk(*talk, said="transferir 50 a Bruno\nquiero hablar con una persona\n")
    desk("chat", "--as", "juan", "--language", "es", said="quiero hablar con una persona\n")
    assert "a person has taken over" in desk("list").out
    ids = {one["participant"]: one["dialogue_id"] for one in desk("list", "--all", "--json").json()["dialogues"]}
    assert "Listo" not in desk(*talk, said="sí\n").out
    done = desk("resume", ids["ana"][:8], "--as", "berta")
    assert (done.status, done.out) == (0, f"{ids['ana'][:8]} goes on\n")
    assert "Listo: transferí" in desk(*talk, said="sí\n").out
    assert desk("resume", ids["ana"]).status == 2
    assert "nothing to go on with" in desk("resume", ids["juan"]).err
    assert "US$" in desk("chat", "--as", "juan", "--language", "es", said="cuál es mi saldo\n").out
    desk(*talk, said="transferir 5 a Bruno\n")
    again = desk("resume", ids["ana"])
    assert again.status == 6 and "refused" in again.err
    assert desk("replay", "--all").status == 0


def test_of_what_was_said_last_only_the_question_is_shown(desk: Desk) -> None:
    talk = ("chat", "--as", "ana", "--language", "es")
    said = desk(*talk, said="quiero registrarme\nme llamo Lucía\nno\n").out.splitlines()
    (one,) = desk("list", "--json").json()["dialogues"]
    assert one["question"] == said[-1] and len(said) > 3, "a sentence stands before it"


def test_the_databases_of_hosted_agents_are_named(desk: Desk) -> None:
    nothing = desk("list")
    assert nothing.status == 1 and "hosted" not in nothing.err
    own = desk.folder / ".mew/agents/office/flows"
    own.mkdir(parents=True)
    url = "sqlite:///.mew/agents/office/flows/flows.db"
    desk("chat", "--as", "ana", "--language", "es", "--db", url, said="transferir 50 a Bruno\n")
    assert f"  --database {url}\n" in desk("list").err
    assert "transfer" in desk("list", "--database", url).out
