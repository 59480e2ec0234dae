"""`mew stop`: stop the gateway of a configuration, in good order."""

from __future__ import annotations

import os
import signal
import socket
import time
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
import typer
from rich.text import Text

from mew_gateway.config import load

from ...framework.failure import Failure
from ...framework.options import CONFIG, ConfigOption, FileArgument, seconds
from ...printing.terminal import show

EXAMPLES = ("mew stop", "mew stop team/spaces.yaml --wait 60")

_POLL = 0.05  # seconds between two checks whether it has ended
_CONNECT = 2.0


class _Process(msgspec.Struct):
    """The part of `gateway.json` that describes a running gateway."""

    url: str
    pid: int


def stop(
    file: FileArgument = None,
    *,
    config: ConfigOption = CONFIG,
    wait: Annotated[
        int, typer.Option("--wait", metavar="SECONDS", parser=seconds, help="How long to wait for its end.")
    ] = 30_000,
) -> None:
    """Stop the gateway and its hosted agents, as Ctrl-C does, and wait until it has ended."""
    process = _running(load(file or config).gateway.state_dir / "gateway.json")
    try:
        os.kill(process.pid, signal.SIGTERM)
    except ProcessLookupError:
        raise Failure("No gateway is running here.") from None
    except PermissionError:
        raise Failure(f"The gateway (process {process.pid}) belongs to another user.") from None
    deadline = time.monotonic() + wait / 1000
    while _is_alive(process.pid):
        if time.monotonic() >= deadline:
            raise Failure(f"The gateway (process {process.pid}) was asked to stop and has not ended yet.")
        time.sleep(_POLL)
    show(Text(f"The gateway at {process.url} has ended."))


def _running(file: os.PathLike[str]) -> _Process:
    """Return the gateway that the file names, if it runs: a killed one leaves the file, and its process id may be
    another's."""
    try:
        with open(file, "rb") as stream:
            process = msgspec.json.decode(stream.read(), type=_Process)
        address = urlsplit(process.url)
        socket.create_connection((address.hostname, address.port), timeout=_CONNECT).close()
    except (OSError, msgspec.MsgspecError):
        raise Failure("No gateway is running here.") from None
    return process


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process
        pass
    return True
