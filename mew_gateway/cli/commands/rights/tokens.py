"""`mew token`: show or replace a participant's token."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.text import Text

from mew_gateway.config import Configuration, load
from mew_gateway.gateway.auth.tokens import TokenStore

from ...connecting.configured_access import check_participant, choose_space
from ...framework.completion import complete_participants
from ...framework.examples import examples
from ...framework.option_groups import flatten_options
from ...framework.options import CONFIG, ConfigOption, JsonOption, SpaceOption
from ...printing.terminal import print_json, say, show

SHOW_EXAMPLES = (
    "mew token show human --space demo",
    "MEW_TOKEN=$(mew token show human --space demo) ./client  # for a program of your own",
)
ROTATE_EXAMPLES = ("mew token rotate human --space demo",)

Participant = Annotated[
    str, typer.Argument(metavar="PARTICIPANT", help="Whose token.", autocompletion=complete_participants)
]


def show_token(
    participant: Participant, *, space: SpaceOption = None, config: ConfigOption = CONFIG, as_json: JsonOption = False
) -> None:
    """Print a participant's token. Anyone who has it can act as this participant."""
    configuration = load(config)
    name = _space(configuration, space, participant)
    _print(name, participant, TokenStore.of(configuration, os.environ).token(name, participant), as_json=as_json)


def rotate_token(
    participant: Participant, *, space: SpaceOption = None, config: ConfigOption = CONFIG, as_json: JsonOption = False
) -> None:
    """Replace a participant's token and print the new one. The old one is refused from then on; connections stay."""
    configuration = load(config)
    name = _space(configuration, space, participant)
    token = TokenStore.of(configuration, os.environ).rotate(name, participant)
    _print(name, participant, token, as_json=as_json)
    if participant in configuration.spaces[name].hosted:
        say(f"{participant} is hosted: it gets the new token when it is started again.", style="dim")


def _space(configuration: Configuration, asked: str | None, participant: str) -> str:
    name = choose_space(configuration, asked, named=[participant])
    check_participant(configuration, name, participant)
    return name


def _print(space: str, participant: str, token: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"space": space, "participant": participant, "token": token})
    else:
        show(Text(token))


app = typer.Typer(
    help="Show or replace a participant's token.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples("mew token show human --space demo"),
)
app.command("show", epilog=examples(*SHOW_EXAMPLES))(flatten_options(show_token))
app.command("rotate", epilog=examples(*ROTATE_EXAMPLES))(flatten_options(rotate_token))
