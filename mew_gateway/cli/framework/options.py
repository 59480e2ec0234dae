"""Options that commands share, and parsers of their values."""

from __future__ import annotations

import contextlib
import math
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mew_gateway.documents.durations import milliseconds

from .completion import complete_participants, complete_spaces

CONFIG = Path("spaces.yaml")

_LONGEST = 86_400  # seconds that a command waits
_WHERE = "Where and as whom"

ConfigOption: TypeAlias = Annotated[
    Path,
    typer.Option("--config", metavar="FILE", help="The configuration whose gateway is meant.", rich_help_panel=_WHERE),
]
FileArgument: TypeAlias = Annotated[
    Path | None, typer.Argument(metavar="FILE", help="The configuration, as with --config.", show_default=False)
]
SpaceOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--space",
        metavar="SPACE",
        envvar="MEW_SPACE",
        help="The space; may be left out where only one can be meant.",
        autocompletion=complete_spaces,
        rich_help_panel=_WHERE,
    ),
]


def seconds(text: str) -> int:
    """Return a number of seconds in milliseconds. Raises `BadParameter`, which typer prints."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number <= _LONGEST:
        raise typer.BadParameter(f"a number of seconds up to {_LONGEST} is needed, such as 2.5")
    return round(number * 1000)


def span(text: str) -> int:
    """Return a duration such as `60s` in milliseconds. Raises `BadParameter`, which typer prints."""
    try:
        return milliseconds(text)
    except ValueError as error:
        raise typer.BadParameter(f"{error}: 90s, 5m, 2h") from None


def moment_of(text: str) -> int:
    """Return a time in milliseconds since the epoch: a time of day and date, with or without an offset, or how long
    ago. Raises `BadParameter`, which typer prints."""
    with contextlib.suppress(ValueError):
        return round(time.time() * 1000) - milliseconds(text)
    try:
        return round(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        raise typer.BadParameter("a time is 10m, 2h, 7d ago, or 2026-01-31T10:00") from None


JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


ReasonOption: TypeAlias = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="Why, for the record and for all participants.")
]
TargetArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="PARTICIPANT", help="Whom it is about.", autocompletion=complete_participants)
]


@dataclass(frozen=True, kw_only=True)
class Where:
    """The options that say which gateway and space a command means, and as whom. `where: Where` gives a command all of
    them.

    `find_access` supplies what is left out.
    """

    space: SpaceOption = None
    as_: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="PARTICIPANT",
            envvar="MEW_PARTICIPANT",
            help="Who you are; [dim]human[/dim], where the space has one.",
            autocompletion=complete_participants,
            rich_help_panel=_WHERE,
        ),
    ] = None
    config: ConfigOption = CONFIG
    url: Annotated[
        str | None,
        typer.Option(
            "--url",
            metavar="URL",
            envvar="MEW_URL",
            help="The gateway's address; else the one that runs beside the configuration.",
            rich_help_panel=_WHERE,
        ),
    ] = None
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            envvar="MEW_TOKEN",
            help="Your token; else it is found by your name beside the gateway's state.",
            rich_help_panel=_WHERE,
        ),
    ] = None
