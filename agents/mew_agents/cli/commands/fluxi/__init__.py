"""`mew fluxi`: talk to Fluxi without a gateway, and see and decide about its Works (docs/fluxi.md §8)."""

from __future__ import annotations

from typing import ClassVar

import typer

from mew_gateway.cli.framework.examples import examples
from mew_gateway.cli.framework.lazy_group import LazyGroup, Listed


class _Fluxi(LazyGroup):
    package = __name__
    listed: ClassVar = {
        "chat": Listed("Talk to Fluxi: no gateway, no key, no network."),
        "works": Listed("List Works: what each is about, where it stands, and what it waits for."),
        "work": Listed("Show a Work: its state, its slots, its effects and every attempt, and its events."),
        "proposals": Listed(
            "List the proposals that wait for a person: definitions with `open: review` open no Work before."
        ),
        "accept": Listed(
            "Accept a proposal: its Work opens, unless its gate is closed by now, and whoever asked for it is told."
        ),
        "decline": Listed("Decline a proposal: no Work opens, and whoever asked for it is told why."),
        "cancel": Listed("Cancel a Work that has not ended, and void its questions; whose it is, is told."),
        "resume": Listed("Let a suspended Work go on: what it had asked is asked again."),
        "resolve": Listed("Say what became of an effect in doubt."),
        "compensate": Listed("Undo an effect of a Work that has ended, with what its definition names for that."),
        "definitions": Listed("Check, list or draw the kinds of Work."),
    }


app = typer.Typer(
    cls=_Fluxi,
    help="Talk to Fluxi, and see and decide about its Works.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    epilog=examples(
        "mew fluxi chat --language es  # 'Quiero agendar un turno con la Dra. Pérez para el viernes'",
        "mew fluxi works",
        "mew fluxi work 1a2b3c4d",
        "mew fluxi COMMAND --help",
    ),
)
