"""Operators and dialogues: list, show, cancel, resolve, from another process."""

from __future__ import annotations

from .flows_command import FlowsCommand, run_flows

__all__ = ["run_flows"]


def test_open_works_are_listed_and_shown(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nquiero registrarme\n")
    run_flows("chat", "--as", "juan", "--language", "es", said="hola\n")
    under_way, every = run_flows("list"), run_flows("list", "--all")
    rows = [line for line in under_way.out.splitlines() if "transfer" in line or "onboarding" in line]
    assert "ask_name" in rows[0] and "an answer: name" in rows[0] and "the flow above it" in rows[1]
    assert "juan" not in under_way.out and "juan" in every.out and "nothing was begun" in every.out
    (one,) = run_flows("list", "--json").json()["dialogues"]
    assert [flow["name"] for flow in one["flows"]] == ["onboarding", "transfer"]
    shown = run_flows("show", one["flows"][1]["flow_id"])
    assert "bruno" in shown.out and "“transferir 50 a Bruno”" in shown.out and "← " in shown.out
    as_json = run_flows("show", one["dialogue_id"][:6], "--json").json()
    assert as_json["dialogue"]["participant"] == "ana" and as_json["events"][0]["type"] == "heard"
    assert run_flows("show", "zzzz").status == 2


def test_a_flow_is_cancelled_once_and_whoever_talks_is_told(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\nquiero registrarme\n")
    (one,) = run_flows("list", "--json").json()["dialogues"]
    dialogue, upper = one["dialogue_id"][:8], one["flows"][0]
    which = run_flows("cancel", dialogue)
    assert which.status == 2 and "(onboarding)" in which.err and "(transfer)" in which.err
    short = upper["flow_id"].replace(one["dialogue_id"], dialogue)
    done = run_flows("cancel", short, "--as", "berta", "--reason", "no hace falta")
    assert (done.status, done.out) == (0, f"{short}: onboarding cancelled by operator:berta: no hace falta\n")
    assert run_flows("cancel", short).status == 2
    told = run_flows("chat", "--as", "ana", "--language", "es", said="sí\n")
    first, *_ = told.out.splitlines()
    assert "no hace falta" in first and "Bruno" in told.out and "Listo: transferí" in told.out
    assert run_flows("list").out == "No flow is under way.\n"
    assert run_flows("replay", "--all").status == 0


def test_the_answer_to_a_cancelled_flow_changes_nothing(run_flows: FlowsCommand) -> None:
    run_flows("chat", "--as", "ana", "--language", "es", said="transferir 50 a Bruno\n")
    (one,) = run_flows("list", "--json").json()["dialogues"]
    assert run_flows("cancel", one["dialogue_id"], "--json").json()["status"] == "ended"
    late = run_flows("chat", "--as", "ana", "--language", "es", said="sí\n")
    assert late.status == 0 and "Listo" not in late.out


def test_a_dialogue_that_a_person_has_taken_over_goes_on(run_flows: FlowsCommand) -> None:
    talk = ("chat", "--as", "ana", "--language", "es")
    run_flows(*talk, said="transferir 50 a Bruno\nquiero hablar con una persona\n")
    run_flows("chat", "--as", "juan", "--language", "es", said="quiero hablar con una persona\n")
    assert "a person has taken over" in run_flows("list").out
    ids = {one["participant"]: one["dialogue_id"] for one in run_flows("list", "--all", "--json").json()["dialogues"]}
    assert "Listo" not in run_flows(*talk, said="sí\n").out
    done = run_flows("resume", ids["ana"][:8], "--as", "berta")
    assert (done.status, done.out) == (0, f"{ids['ana'][:8]} goes on\n")
    assert "Listo: transferí" in run_flows(*talk, said="sí\n").out
    assert run_flows("resume", ids["ana"]).status == 2
    assert "nothing to go on with" in run_flows("resume", ids["juan"]).err
    assert "US$" in run_flows("chat", "--as", "juan", "--language", "es", said="cuál es mi saldo\n").out
    run_flows(*talk, said="transferir 5 a Bruno\n")
    again = run_flows("resume", ids["ana"])
    assert again.status == 6 and "refused" in again.err
    assert run_flows("replay", "--all").status == 0


def test_resumed_chat_repeats_only_the_question(run_flows: FlowsCommand) -> None:
    talk = ("chat", "--as", "ana", "--language", "es")
    said = run_flows(*talk, said="quiero registrarme\nme llamo Lucía\nno\n").out.splitlines()
    (one,) = run_flows("list", "--json").json()["dialogues"]
    assert one["question"] == said[-1] and len(said) > 3, "a sentence stands before it"


def test_the_databases_of_hosted_agents_are_named(run_flows: FlowsCommand) -> None:
    nothing = run_flows("list")
    assert nothing.status == 1 and "hosted" not in nothing.err
    own = run_flows.folder / ".mew/agents/office/flows"
    own.mkdir(parents=True)
    url = "sqlite:///.mew/agents/office/flows/flows.db"
    run_flows("chat", "--as", "ana", "--language", "es", "--db", url, said="transferir 50 a Bruno\n")
    assert f"  --database {url}\n" in run_flows("list").err
    assert "transfer" in run_flows("list", "--database", url).out
