"""`mew flows`: write flows, talk in them without a gateway, and see what became of dialogues (docs/flows.md §8)."""

from __future__ import annotations

from typing import ClassVar

import typer

from mew_gateway.cli.framework.examples import examples
from mew_gateway.cli.framework.lazy_group import LazyGroup, Listed


class _Flows(LazyGroup):
    package = __name__
    listed: ClassVar = {
        "chat": Listed("Talk in flows: no gateway, no key, no network."),
        "check": Listed("Check flow files."),
        "diagram": Listed(
            "Draw a flow: its steps as they stand in the file, with what is asked, said and done, and where it can go."
        ),
        "run": Listed("Play dialogues, and say where one goes otherwise than it is written."),
        "list": Listed("List the flows that are under way: with whom, at which step, and what each waits for."),
        "show": Listed(
            "Show a dialogue: its flows with what they know and wait for, and its events with all that came of them."
        ),
        "replay": Listed("Do a dialogue again from its events: are state, deltas and effects the same?"),
        "cancel": Listed(
            "Cancel a flow while it waits, with whatever has called it, and void its question; whoever talks is told."
        ),
        "resume": Listed(
            "Let a dialogue go on in which somebody wanted a person: what its flow at hand had asked is asked again."
        ),
    }


app = typer.Typer(
    cls=_Flows,
    help="Write flows, talk in them, and see what became of dialogues.",
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
