"""`mew`: the commands put together, and every error as a sentence."""

from __future__ import annotations

import logging
import sys
from importlib import import_module
from typing import Annotated

import typer

import mew_gateway
from mew_gateway.config import ConfigError
from mew_gateway.errors import MewError, Rejected

from .failure import FAILED, MISTAKEN, Failure
from .option_groups import flattened
from .options import examples
from .terminal import say, show, tolerate_any_text

app = typer.Typer(
    name="mew",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=examples("mew init  # an example spaces.yaml", "mew serve", "mew watch --space demo", "mew COMMAND --help"),
)
token_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", epilog=examples("mew token show human --space demo")
)

stream_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", epilog=examples("mew stream tail", "mew stream send photo.jpg")
)
# `token show` is `show_token` of its module, with `SHOW_EXAMPLES`.
GROUPS = {
    "token": (token_app, "Show or replace a participant's token.", ("show", "rotate")),
    "stream": (stream_app, "Read or write streams.", ("tail", "send")),
}

# Groups that load their commands themselves, when they are typed; each is `app` of its module.
LAZY_GROUPS = {
    "fluxi": "Talk to Fluxi, and see and decide about its Works.",
    "flows": "Write flows, talk in them, and see what became of dialogues.",
}

# Each command's module; it has the command under its name, and `EXAMPLES`.
COMMANDS = {
    "init": "init",
    "serve": "serve",
    "demo": "demo",
    "check": "check",
    "comply": "comply",
    "participants": "participants",
    "watch": "watch",
    "send": "send",
    "interrupt": "interrupt",
    "interrupts": "interrupts",
    "timeline": "timeline",
    "replay": "replay",
    "proposals": "proposals",
    "approve": "approve",
    "reject": "reject",
    "call": "call",
    "tools": "tools",
    "ack": "ack",
    "status": "status",
    "pause": "pause",
    "resume": "resume",
    "grants": "grants",
    "grant": "grant",
    "revoke": "revoke",
    "invite": "invite",
    "kick": "kick",
    "explain": "explain",
    "stream": "stream",
    "token": "tokens",
    "fluxi": "fluxi",
    "flows": "flows",
}


def register(words: list[str]) -> None:
    """Register the command that is typed, or all of them where none is: importing all takes a second."""
    typed = [word for word in words if word in COMMANDS][:1]
    for name in typed or COMMANDS:
        module = import_module(f".commands.{COMMANDS[name]}", __package__)
        if name in LAZY_GROUPS:
            app.add_typer(module.app, name=name, help=LAZY_GROUPS[name])
        elif name in GROUPS:
            group, help, actions = GROUPS[name]
            app.add_typer(group, name=name, help=help)
            for action in actions:
                lines = getattr(module, f"{action.upper()}_EXAMPLES")
                group.command(action, epilog=examples(*lines))(flattened(getattr(module, f"{action}_{name}")))
        else:
            app.command(name, epilog=examples(*module.EXAMPLES))(flattened(getattr(module, name)))


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
    """What the client has to say about its connection, where the person sees it."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING:
            say(f"─ {record.getMessage()}", style="yellow")


def main() -> None:
    """The entry point. Ends the process with the command's exit status; an error is a sentence on stderr."""
    tolerate_any_text()
    logging.getLogger("mew_gateway.sdk").addHandler(_Notices())
    try:
        register(sys.argv[1:])
        app(prog_name="mew")
    except Failure as failure:
        _end(failure.message, status=failure.status)
    except ConfigError as error:
        _end(str(error), status=MISTAKEN)
    except Rejected as error:  # a pattern that does not compile
        _end(error.message, status=MISTAKEN)
    except UnicodeEncodeError:  # arguments may hold bytes that are no text
        _end("What was typed is not valid text.", status=MISTAKEN)
    except MewError as error:
        _end(str(error), status=FAILED)
    except OSError as error:  # a full disk behind stdout, mostly
        _end(f"It could not be written or read: {error.strerror or error}.", status=FAILED)


def _end(message: str, *, status: int) -> None:
    say(message, style="red")
    sys.exit(status)


if __name__ == "__main__":
    main()
