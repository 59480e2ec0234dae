"""`mew fluxi`: talk to Fluxi without a gateway, and see and decide about its Works (docs/fluxi.md §8)."""

from __future__ import annotations

import typer

from ...lazy_group import LazyGroup
from ...options import examples


class _Fluxi(LazyGroup):
    package = __name__
    names = (
        *("chat", "works", "work", "proposals", "accept", "decline"),
        *("cancel", "resume", "resolve", "compensate", "definitions"),
    )


app = typer.Typer(
    cls=_Fluxi,
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples(
        "mew fluxi chat --language es  # 'Quiero agendar un turno con la Dra. Pérez para el viernes'",
        "mew fluxi works",
        "mew fluxi work 1a2b3c4d",
        "mew fluxi COMMAND --help",
    ),
)
