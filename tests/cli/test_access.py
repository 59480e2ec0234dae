"""Access: the gateway, space, participant and token that the options mean, and the errors if one is missing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from mew_gateway.cli.connecting.access import Access, find_access
from mew_gateway.cli.connecting.configured_access import choose_space
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.cli.framework.options import Where
from mew_gateway.config import load

from .conftest import typed_now

TWO = """\
spaces:
  demo: {participants: {human: {}, solver: {}}}
  team: {participants: {human: {}, mute: {}}}
"""
TOKEN = "a-token-of-some-length"


def where(folder: Path, **given: str) -> Where:
    return Where(config=folder / "spaces.yaml", **given)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "spaces.yaml").write_text(TWO)
    (tmp_path / ".mew").mkdir()
    (tmp_path / ".mew" / "gateway.json").write_text(json.dumps({"url": "http://127.0.0.1:9", "pid": 1}))
    monkeypatch.setenv("MEW_TOKEN_DEMO_HUMAN", TOKEN)
    return tmp_path


def test_omitted_options_come_from_the_configuration(folder: Path) -> None:
    access = find_access(where(folder, space="demo"))
    assert (access.url, access.space, access.participant) == ("http://127.0.0.1:9", "demo", "human")
    assert access.token == TOKEN and TOKEN not in repr(access)


def test_everything_given_needs_no_configuration(tmp_path: Path) -> None:
    given = {"url": "wss://example.org/mew", "space": "demo", "token": TOKEN}
    access = find_access(where(tmp_path, **given))
    assert (access.url, access.participant, access.token) == ("wss://example.org/mew", None, TOKEN)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({}, "Say --space and --token (or set MEW_SPACE and MEW_TOKEN), too: there is no spaces.yaml here"),
        ({"MEW_SPACE": "demo"}, "Say --token (or set MEW_TOKEN), too"),
        ({"MEW_TOKEN": TOKEN}, "Say --space (or set MEW_SPACE), too"),
    ],
)
@pytest.mark.usefixtures("typed")
def test_an_address_alone_is_not_enough(environ: dict[str, str], said: str) -> None:
    done = typed_now("status", MEW_URL="ws://127.0.0.1:9", **environ)
    assert done.status == 2 and said in done.err


def test_named_participants_determine_the_space(folder: Path) -> None:
    configuration = load(folder / "spaces.yaml")
    assert choose_space(configuration, None, named=["human", "mute"]) == "team"
    with pytest.raises(Failure, match=r"Which space\? Say --space with one of: demo, team") as failure:
        choose_space(configuration, None, named=["human"])
    assert failure.value.status == 2
    with pytest.raises(Failure, match="No space has mute and solver"):
        choose_space(configuration, None, named=["mute", "solver"])
    with pytest.raises(Failure, match=r"There is no space 'dmeo' in spaces.yaml \(did you mean `demo`\?\)"):
        choose_space(configuration, "dmeo")


@pytest.mark.parametrize(
    ("who", "able", "as_whom"),
    [
        ("human", ["admin", "human"], []),
        ("human", ["admin", "guardian"], ["--as", "admin"]),
        ("guardian", ["admin", "guardian"], ["--as", "guardian"]),
        ("guardian", ["human", "admin"], ["--as", "human"]),
        ("guardian", [], []),
        (None, ["guardian"], []),
    ],
)
def test_access_options_name_the_space_and_an_allowed_participant(
    who: str | None, able: list[str], as_whom: list[str]
) -> None:
    access = Access(url="http://127.0.0.1:9", space="demo", participant=who, token=TOKEN)
    assert access.options(able) == ["--space", "demo", *as_whom]


def test_the_token_decides_where_it_is_given(folder: Path) -> None:
    assert find_access(where(folder, space="team", token=TOKEN)).participant is None
    with pytest.raises(Failure, match="The token has characters that no token has"):
        find_access(where(folder, space="team", token="two\nlines"))


def test_who_you_are_must_be_said_without_a_human(folder: Path) -> None:
    (folder / "spaces.yaml").write_text("spaces: {lab: {participants: {ana: {}, bot: {}}}}")
    with pytest.raises(Failure, match=r"Who are you\? Say --as with one of: ana, bot"):
        find_access(where(folder))


def test_an_invalid_address_is_a_mistake(folder: Path) -> None:
    with pytest.raises(Failure, match="'nowhere' is not a gateway's address"):
        find_access(where(folder, space="demo", url="nowhere"))


@pytest.mark.parametrize("content", [None, "", "{}", '{"url": 7}'])
def test_no_gateway_is_running(folder: Path, content: str | None) -> None:
    file = folder / ".mew" / "gateway.json"
    file.unlink() if content is None else file.write_text(content)
    with pytest.raises(Failure, match="No gateway is running here: start one with `mew serve`"):
        find_access(where(folder, space="demo"))


async def test_a_gateway_that_is_gone_is_a_sentence(folder: Path, typed: Any) -> None:
    del folder
    commands = (["watch"], ["interrupt", "solver"])
    ends = await asyncio.gather(
        *(typed(*command, "--space", "demo", MEW_TOKEN_DEMO_HUMAN=TOKEN) for command in commands)
    )
    for done in ends:
        assert (done.status, done.out) == (1, "")
        assert done.err.startswith("No gateway answers at http://127.0.0.1:9: ") and "`mew serve`" in done.err


async def test_a_token_of_somebody_else_is_a_sentence(site: Any, typed: Any) -> None:
    wrong, foreign, listed = await asyncio.gather(
        typed("participants", "--token", "not-the-token-of-anybody"),
        typed("send", "hi", "--as", "agent", "--token", site.token("other")),
        typed("participants", MEW_URL=site.url, MEW_SPACE="demo", MEW_TOKEN=site.token("other")),
    )
    assert wrong.status == 1 and "knows no such token in the space 'demo'" in wrong.err
    assert foreign.status == 2 and foreign.err.startswith("The token belongs to other, not to agent")
    assert listed.status == 0
