"""`${NAME}` in the arguments and variables of a hosted program of upstream's kind."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from mew_gateway.config import Hosted, Restart
from mew_gateway.gateway.hosting.supervisor import Host, fill

SCRIPT = "import json, os, sys; print(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]))"


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("ws://localhost:${PORT}/${SPACE}", "ws://localhost:8080/${TOKEN}"),  # what was put in is not looked at again
        ("$PORT {PORT} ${port} ${", "$PORT {PORT} ${port} ${"),
        ("${PORT}${PORT}", "80808080"),
        ("", ""),
    ],
)
def test_only_what_is_known_is_replaced(text, filled):
    assert fill(text, {"PORT": "8080", "SPACE": "${TOKEN}", "TOKEN": "secret"}) == filled


async def told(tmp_path: Path, hosted: Hosted) -> tuple[list[str], str, dict[str, str]]:
    """The arguments, the folder and the environment of a hosted program."""
    state = tmp_path / "bot"
    bot = Host(
        hosted,
        space="demo",
        participant="bot",
        url="ws://127.0.0.1:4711",
        token=lambda: "mew_secret_of_bot",
        state=state,
        directory=tmp_path,
    )
    await bot.run()
    arguments, folder, environment = json.loads((state / "output.log").read_text())
    return arguments, folder, environment


async def test_a_template_is_filled_at_the_start(tmp_path, monkeypatch):
    monkeypatch.setenv("MEW_TOKEN_ADMIN", "somebody elses")
    monkeypatch.setenv("A_KEY", "the key")
    (tmp_path / "there").mkdir()
    arguments, folder, environment = await told(
        tmp_path,
        Hosted(
            command=(sys.executable, "-c", SCRIPT, "--at", "ws://localhost:${PORT}", "--as", "${TOKEN}", "${A_KEY}"),
            env={
                "KEY": "${A_KEY}",
                "OTHER": "${MEW_TOKEN_ADMIN} ${NOT_SET}",
                "MINE": "${SPACE}: ${TOKEN}",
                "MEW_TOKEN": "forged",
            },
            restart=Restart(policy="never"),
            directory=tmp_path / "there",
            is_template=True,
        ),
    )
    assert arguments == ["--at", "ws://localhost:4711", "--as", "mew_secret_of_bot", "${A_KEY}"]
    assert folder == str(tmp_path / "there")
    assert environment["KEY"] == "the key"
    assert environment["OTHER"] == "${MEW_TOKEN_ADMIN} ${NOT_SET}"
    assert environment["MINE"] == "demo: mew_secret_of_bot"
    assert environment["MEW_TOKEN"] == "mew_secret_of_bot"


async def test_other_text_is_not_filled(tmp_path):
    arguments, folder, environment = await told(
        tmp_path,
        Hosted(
            command=(sys.executable, "-c", SCRIPT, "${PORT}"), env={"A": "${SPACE}"}, restart=Restart(policy="never")
        ),
    )
    assert (arguments, folder, environment["A"]) == (["${PORT}"], str(tmp_path), "${SPACE}")
