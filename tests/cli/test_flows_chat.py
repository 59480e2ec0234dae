"""Talking in flows by a pipe: in three languages, across restarts, with one's own files; money moves for real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..kit.commands import Mew
from .flows_command import QUIZ, FlowsCommand, run_flows

__all__ = ["run_flows"]


def test_a_transfer_with_a_correction_and_a_digression(run_flows: FlowsCommand) -> None:
    done = run_flows("chat", "--language", "es", said="transferir 50 a Ana\nno, mejor 80\ncuál es mi saldo\nsí\n")
    assert done.status == 0
    asked, corrected, balance, again, told = done.out.splitlines()
    assert "50,00" in asked and "80,00" in corrected and again == corrected
    assert "saldo" in balance and told.startswith("Listo: transferí 80,00 US$ a Ana")
    assert (run_flows.folder / ".mew" / "flows-tools" / "ledger").is_dir()
    after = run_flows("chat", "--language", "es", said="cuál es mi saldo\n")
    assert after.out != balance and "US$" in after.out


def test_it_goes_on_exactly_where_it_was_left(run_flows: FlowsCommand) -> None:
    first = run_flows("chat", "--language", "es", "--formality", "informal", said="quiero registrarme\nLucía\n/quit\n")
    assert first.out.lower().rstrip().endswith("¿edad?")
    then = run_flows("chat", "--language", "es", said="25 años\n/flows\n")
    assert "open: onboarding" in then.err and "¿edad?" in then.err.lower()
    assert "correo" in then.out and "ask_email" in then.out


async def test_another_process_goes_on_as_well(mew: Mew, run_flows: FlowsCommand) -> None:
    """The real command: what it prints of what another one was told."""
    command = mew.command("flows", "chat", "--language", "pt")
    listed = await mew("flows", "list")
    assert (listed.status, listed.err) == (
        1,
        "There is no database .mew/flows.db here yet: `mew flows chat` makes one, --database names another.\n",
    )
    assert command[-4:] == ["flows", "chat", "--language", "pt"]


@pytest.mark.parametrize(
    ("environ", "words"),
    [({"LC_ALL": "pt_BR.UTF-8"}, "Qual é o seu nome?"), ({"LANG": "en_US.UTF-8"}, "What is your name?")],
    ids=["pt", "en"],
)
def test_it_speaks_the_language_of_the_machine(environ: dict[str, str], words: str, run_flows: FlowsCommand) -> None:
    said = "quero me cadastrar\n" if "Qual" in words else "I want to register\n"
    assert words.lower() in run_flows("chat", said=said, **environ).out.lower()


def test_ones_own_flows_with_thoughts_and_as_objects(run_flows: FlowsCommand) -> None:
    run_flows.write("quiz.yaml", QUIZ)
    told = run_flows("chat", "quiz.yaml", "--language", "en", "--verbose", "--db", "sqlite:///a.db", said="quiz\n7\n")
    assert told.out.splitlines()[-1] == "You are 7."
    assert "~ quiz asks and waits: ask" in told.err
    as_json = run_flows("chat", "quiz.yaml", "--language", "en", "--json", "--db", "sqlite:///b.db", said="quiz\n7\n")
    replies = [json.loads(line) for line in as_json.out.splitlines()]
    assert replies[0]["kind"] == "request_slot"
    assert replies[-1]["text"] == "You are 7."
    assert not (run_flows.folder / ".mew").exists()


def test_two_people_and_two_conversations_are_kept_apart(run_flows: FlowsCommand) -> None:
    for who, whom in (("ana", "Bruno"), ("juan", "Emily")):
        run_flows("chat", "--as", who, "--language", "es", said=f"transferir 50 a {whom}\n")
    ana = run_flows("chat", "--as", "ana", "--language", "es", said="sí\n")
    elsewhere = run_flows("chat", "--as", "juan", "--conversation", "other", "--language", "es", said="sí\n")
    assert "a Bruno" in ana.out and "Emily" not in ana.out
    assert "Emily" not in elsewhere.out


def test_slash_commands_are_answered_by_the_terminal(run_flows: FlowsCommand) -> None:
    done = run_flows("chat", "--language", "en", said="/flows\n/foo\n/help\ntransfer 50 to Ana\n/events\nadiós\nyes\n")
    assert "Nothing was said here yet." in done.out and "start_flow transfer" in done.out
    assert "There is no /foo." in done.err and "/events" in done.err
    assert "Done" not in done.out


def test_mistakes_are_told_before_anything_is_made(run_flows: FlowsCommand) -> None:
    run_flows.write("broken.yaml", QUIZ.replace("collect: age", "collect: aeg"))
    broken = run_flows("chat", "broken.yaml")
    assert broken.status == 2 and "broken.yaml:9:" in broken.err and "age" in broken.err
    unknown = run_flows("chat", "bankin")
    assert unknown.status == 2 and "Did you mean banking?" in unknown.err
    assert run_flows("chat", "--llm").status == 2
    assert run_flows("chat", "--database", "flows.db").status == 2
    assert not list(Path(run_flows.folder).rglob("*.db"))
