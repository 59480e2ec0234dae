"""`mew`: the table of commands, and the end of the process.

`PANELS` lists the commands by panel; a module is imported when its command is typed. `main` turns every error into a
sentence and an exit status, so commands raise and print no errors of their own.

Where to go next: `framework/lazy_group` (how commands are loaded), `connecting/access` (how they reach a gateway),
one command, such as `commands/rights/grant`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated, Any, ClassVar

import typer

import mew_gateway
from mew_gateway.documents.problems import DocumentError
from mew_gateway.errors import MewError, Rejected

from .framework.examples import examples
from .framework.failure import FAILED, MISTAKEN, Failure, mistake
from .framework.lazy_group import LazyGroup, Listed
from .framework.registered_commands import Registered
from .printing.terminal import say, show, tolerate_any_text

# The commands of `mew --help`: its panel, the folder of its modules in `commands`, and each command's help.
PANELS = {
    ("Spaces and their gateway", "gateway"): {
        "init": "Write an example spaces.yaml: a person, agents that think aloud, and what they may do.",
        "serve": "Run the gateway and its hosted agents until Ctrl-C.",
        "stop": "Stop the gateway and its hosted agents, and wait until it has ended.",
        "check": "Check a configuration: every problem and warning is a line.",
        "backup": "Copy a gateway's state into a new folder, while it runs.",
        "logs": "Print what a hosted agent has printed.",
        "comply": "Examine an agent: interrupt it in every way there is, and judge its answers.",
    },
    ("What goes on", "record"): {
        "participants": "List the participants of a space.",
        "status": "List who is here, what each does and its state; or ask one for its status.",
        "watch": "Watch a space live, until Ctrl-C. Comes back by itself when the gateway was away.",
        "timeline": "Print what happened in a space.",
        "replay": "Replay the recorded inputs of an agent; a fresh core must decide the same, byte for byte.",
        "interrupts": "List interrupts: from whom, to whom, the answer, and whether the answer was kept.",
    },
    ("Say something", "talk"): {
        "send": "Send an envelope and print its id once the gateway has taken it.",
        "ack": "List the chats that wait for your acknowledgement, or acknowledge them.",
        "stream": "Read or write streams.",
    },
    ("Stop, hold, let go on", "control"): {
        "interrupt": "Interrupt an agent's reasoning; wait for its answer, and for the conclusion if it promises one.",
        "halt": "Halt all participants that reason in a space, at once.",
        "restart": "Restart a participant; a hosted one that is not here is started.",
        "pause": "Pause a participant: until resumed it can only finish, answer and give way.",
        "resume": "Resume a participant: lift its pauses, and those of its halts that you may lift.",
        "kick": "Kick a participant: its connections end, and it may not come back until it is invited.",
    },
    ("Tools, and who may use them", "tools"): {
        "tools": "List the tools of those who are here, with their arguments.",
        "call": "Call a tool and print its result.",
        "proposals": "List the proposals that wait for a decision.",
        "approve": "Approve a proposal: make the very request that it asks for, and print its result.",
        "reject": "Reject a proposal.",
    },
    ("Who may do what", "rights"): {
        "grants": "List the capabilities that were granted at run time, and what was taken of the configured ones.",
        "grant": "Grant capabilities to a participant.",
        "revoke": "Revoke one grant, or every capability that a pattern covers.",
        "invite": "Invite a participant.",
        "explain": "Explain which capability lets an envelope through, or which comes closest.",
        "token": "Show or replace a participant's token.",
    },
}
# Commands that the reference agents register (`mew_agents.cli`), with their help.
AGENTS = {
    "demo": ("Spaces and their gateway", "Play the story: agents are interrupted, spoken to, halted and killed."),
    "fluxi": ("Transactions and dialogues", "Talk to Fluxi, and see and decide about its Works."),
    "flows": ("Transactions and dialogues", "Write flows, talk in them, and see what became of dialogues."),
}
_MODULES = {"token": "tokens"}  # modules whose name is not the command's
_SHARED = ("--space", "--as", "--config", "--url", "--token")  # options of commands, not of `mew` itself


class _Mew(LazyGroup):
    package = f"{__package__}.commands"
    listed: ClassVar = {
        name: Listed(help, panel, f"{folder}.{_MODULES.get(name, name)}")
        for (panel, folder), helps in PANELS.items()
        for name, help in helps.items()
    } | {name: Listed(help, panel, extra="agents", needs="sqlalchemy") for name, (panel, help) in AGENTS.items()}

    def registered(self) -> Mapping[str, Sequence[Registered]]:
        found: Mapping[str, Sequence[Registered]] = import_module(
            f"{__package__}.framework.package_metadata"
        ).registered_commands()
        return found

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        option = args[0].partition("=")[0] if args else ""
        if option in _SHARED:
            command = next((word for word in args[2:] if word in self.listed), "COMMAND")  # args[1] is its value
            raise mistake(f"{option} goes after the command: mew {command} {option} …")
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Mew,
    name="mew",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=examples("mew init  # an example spaces.yaml", "mew serve", "mew watch --space demo", "mew COMMAND --help"),
)


def _print_version(asked: bool) -> None:
    if asked:
        show(f"mew {mew_gateway.__version__}")
        raise typer.Exit


@app.callback()
def mew(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Spaces in which agents can be watched, interrupted and audited."""


class _Notices(logging.Handler):
    """Log handler that prints the client's warnings about its connection."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            say(f"─ {record.getMessage()}", style="yellow")


def main() -> None:
    """Run the command and end the process with its exit status; an error is a sentence on stderr."""
    tolerate_any_text()
    logging.getLogger("mew_gateway.sdk").addHandler(_Notices())
    try:
        app(prog_name="mew")
    except (MewError, UnicodeEncodeError, OSError) as error:
        failure = failure_of(error)
        say(failure.message, style="red")
        sys.exit(failure.status)


def failure_of(error: Exception) -> Failure:
    """Return the sentence and the exit status for an error of a command."""
    match error:
        case Failure():
            return error
        case DocumentError():
            return Failure(str(error), status=MISTAKEN)
        case Rejected():  # a pattern that does not compile
            return Failure(error.message, status=MISTAKEN)
        case UnicodeEncodeError():  # arguments may hold bytes that are no text
            return Failure("What was typed is not valid text.", status=MISTAKEN)
        case OSError():  # mostly a full disk for stdout
            return Failure(f"It could not be written or read: {error.strerror or error}.", status=FAILED)
        case _:
            return Failure(str(error), status=FAILED)


if __name__ == "__main__":
    main()
