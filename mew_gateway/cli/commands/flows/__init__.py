"""`mew flows`: write flows, talk in them without a gateway, and see what became of dialogues (docs/flows.md §8)."""

from __future__ import annotations

import typer

from ...lazy_group import LazyGroup
from ...options import examples


class _Flows(LazyGroup):
    package = __name__
    names = ("chat", "check", "diagram", "run", "list", "show", "replay", "cancel", "resume")


app = typer.Typer(
    cls=_Flows,
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples(
        "mew flows chat --language es  # 'Quiero registrarme', 'transferir 50 a Ana'",
        "mew flows check mine.yaml",
        "mew flows run mine.txt  # a dialogue, and whether it goes as it is written",
        "mew flows list",
        "mew flows COMMAND --help",
    ),
)
