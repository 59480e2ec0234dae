"""Option groups: what typer reads of them, and what the command gets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from mew_gateway.cli.framework.option_groups import flatten_options
from mew_gateway.cli.framework.options import CONFIG, Where

VARIABLES = {"MEW_SPACE": "space", "MEW_PARTICIPANT": "as_", "MEW_URL": "url", "MEW_TOKEN": "token"}


def app(heard: list[tuple[str, Where, bool]]) -> typer.Typer:
    """A command with the shared options between its own, that tells what it gets."""

    def tell(what: str, *, where: Where, loud: Annotated[bool, typer.Option("--loud")] = False) -> None:
        """Tell it."""
        heard.append((what, where, loud))

    made = typer.Typer()
    made.command()(flatten_options(tell))
    return made


def given(*words: str, **environ: str) -> Where:
    """The shared options that come of what is typed, and of nothing else in the environment."""
    heard: list[tuple[str, Where, bool]] = []
    done = CliRunner().invoke(app(heard), ["it", *words, "--loud"], env=dict.fromkeys(VARIABLES) | environ)
    assert done.exit_code == 0, done.output
    [(what, where, loud)] = heard
    assert (what, loud) == ("it", True)
    return where


def test_flattened_options_keep_the_place_of_their_group() -> None:
    command = typer.main.get_command(app([]))
    assert [one.name for one in command.params][:7] == ["what", "space", "as_", "config", "url", "token", "loud"]
    assert (command.name, command.help) == ("tell", "Tell it.")


def test_omitted_options_have_the_defaults_of_the_group() -> None:
    assert given() == Where() == Where(space=None, as_=None, config=CONFIG, url=None, token=None)


def test_flattened_options_fill_the_fields_of_the_group() -> None:
    words = ["--space", "demo", "--as", "ana", "--config", "team.yaml", "--url", "ws://host", "--token", "secret"]
    assert given(*words) == Where(space="demo", as_="ana", config=Path("team.yaml"), url="ws://host", token="secret")


@pytest.mark.parametrize(("variable", "field"), VARIABLES.items())
def test_a_variable_says_what_no_option_says(variable: str, field: str) -> None:
    assert getattr(given(**{variable: "said"}), field) == "said"
    assert getattr(given(f"--{field.removesuffix('_')}", "typed", **{variable: "said"}), field) == "typed"


def test_flatten_options_refuses_a_duplicate_name() -> None:
    def twice(space: str, *, where: Where) -> None: ...

    with pytest.raises(ValueError, match="duplicate parameter name: 'space'"):
        flatten_options(twice)
