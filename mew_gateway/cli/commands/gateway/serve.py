"""`mew serve`: run the gateway until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import resource
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.text import Text

from mew_gateway.config import Configuration, load
from mew_gateway.gateway.auth.tokens import TokenStore
from mew_gateway.gateway.server import Gateway, serving
from mew_gateway.gateway.signals import stop_on_signals

from ...framework.failure import INTERRUPTED
from ...framework.options import CONFIG, ConfigOption, FileArgument
from ...printing import hints
from ...printing.json_log import JsonLines
from ...printing.terminal import show

EXAMPLES = (
    "mew serve",
    "mew serve team/spaces.yaml --log-level debug",
    "mew serve --log-format json  # the log as JSON, for programs",
)

_TEXT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"

Level = Annotated[
    Literal["debug", "info", "warning", "error"], typer.Option("--log-level", help="What to say on stderr.")
]


def serve(
    file: FileArgument = None,
    *,
    config: ConfigOption = CONFIG,
    listen: Annotated[
        str | None,
        typer.Option("--listen", metavar="HOST:PORT", help="Where to listen, whatever the configuration says."),
    ] = None,
    log_level: Level = "info",
    log_format: Annotated[
        Literal["text", "json"], typer.Option("--log-format", help="json: an object a line, for programs.")
    ] = "text",
) -> None:
    """Run the gateway and its hosted agents until Ctrl-C."""
    config = file or config
    configuration = load(config, listen=listen)
    _log(log_level, log_format)
    for warning in configuration.warnings:
        logging.getLogger("mew.serve").warning("%s", warning)
    _allow_many_files()
    asyncio.run(_serve(configuration, config))


async def _serve(configuration: Configuration, config: Path) -> None:
    stopping = asyncio.Event()
    stop_on_signals(stopping, at_once=INTERRUPTED)
    async with serving(configuration, tokens=TokenStore.of(configuration, os.environ)) as gateway:
        _settle_memory()
        _announce(gateway, configuration, config)
        waiting = asyncio.ensure_future(stopping.wait())
        await asyncio.wait((waiting, gateway.failed), return_when=asyncio.FIRST_COMPLETED)
        if gateway.failed.done():
            gateway.failed.result()
        logging.getLogger("mew.serve").info("stopping (once more to stop at once)")
    logging.getLogger("mew.serve").info("stopped")


def _announce(gateway: Gateway, configuration: Configuration, config: Path) -> None:
    """Print that it is ready, its address, its spaces and what to type next. A closed stdout does not stop it."""
    with contextlib.suppress(BrokenPipeError):
        show(Text.assemble(("MEW gateway ready", "bold green"), f"  {gateway.url}"))
        for name, space in configuration.spaces.items():
            people = ", ".join(f"{who} (hosted)" if who in space.hosted else who for who in space.settings.participants)
            show(Text.assemble("  space ", (name, "bold"), f": {people}"))
        show(Text("What next, in another terminal:"))
        show(hints.table(hints.first_commands(configuration, config=config)))
        sys.stdout.flush()


def _settle_memory() -> None:
    """Exclude what exists now from garbage collection, and collect more rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def _allow_many_files() -> None:
    """Raise the limit of open files to what the system allows: each connection is a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(ValueError, OSError):  # macOS reports unlimited and allows less
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _log(level: str, form: Literal["text", "json"]) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(_TEXT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("mew").setLevel(level.upper())
    logging.getLogger("mew.wire").setLevel(logging.WARNING)  # lower levels print handshakes with their tokens
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # at lower levels strangers can fill the log
