"""`mew flows` run in this process, in a folder of its own: the same code as `mew`, a second faster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from mew_agents.durable import DatabaseError
from mew_gateway.cli import main
from mew_gateway.cli.framework.failure import Failure
from mew_gateway.errors import MewError

from ..kit.commands import Done

MEW: Any = typer.main.get_command(main.app)

QUIZ = """
flows:
  quiz:
    title: {en: quiz}
    triggers: {en: [quiz]}
    slots:
      age: {type: int, ask: {en: "Your age?"}}
    steps:
      - {id: ask, collect: age}
      - {id: tell, say: {en: "You are {age}."}}
"""


class FlowsCommand:
    """Runner of `mew flows` in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = f"sqlite:///{folder}/.mew/flows.db"

    def __call__(self, *arguments: str, said: str = "", **environ: str) -> Done:
        """Run `mew flows …` to its end, with the lines `said` on stdin."""
        environ = {"TERM": "dumb", "COLUMNS": "200", "PYTHONUTF8": "1", **environ}
        result = CliRunner().invoke(main.app, ["flows", *arguments], input=said, env=environ)
        return self._done(result)

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def _done(self, result: Any) -> Done:
        error = result.exception
        if isinstance(error, Failure):
            return Done(error.status, result.stdout, f"{result.stderr}{error.message}\n")
        if isinstance(error, MewError | DatabaseError):
            return Done(1, result.stdout, f"{result.stderr}{error}\n")
        if error is not None and not isinstance(error, SystemExit):
            raise error
        return Done(result.exit_code, result.stdout, result.stderr)


@pytest.fixture
def run_flows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FlowsCommand:
    monkeypatch.chdir(tmp_path)
    for name in ("MEW_FLOWS_DATABASE", "MEW_LLM_URL", "MEW_LLM_MODEL", "MEW_LLM_KEY", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    return FlowsCommand(tmp_path)
