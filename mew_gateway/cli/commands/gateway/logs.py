"""`mew logs`: print what hosted agents have printed, which the gateway keeps in its state folder."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from mew_gateway.config import load

from ...connecting.configured_access import choose_space
from ...framework.completion import complete_participants
from ...framework.failure import Failure
from ...framework.options import CONFIG, ConfigOption, SpaceOption
from ...printing.terminal import clean, show

EXAMPLES = (
    "mew logs solver --space demo",
    "mew logs solver --follow  # until Ctrl-C",
    "mew logs solver --lines 500 > solver.log",
)

_PAUSE = 0.3  # seconds between two reads of the file
_TAIL = 4 << 20  # bytes at the end of the file that are read


def logs(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="Whose output.", autocompletion=complete_participants)],
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on until Ctrl-C.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="The last so many lines.")] = 100,
    space: SpaceOption = None,
    config: ConfigOption = CONFIG,
) -> None:
    """Print what a hosted agent has printed: its log, with the tracebacks of runs that failed. On the gateway's machine
    only, where its state is."""
    configuration = load(config)
    name = choose_space(configuration, space, named=[agent])
    file = configuration.gateway.state_dir / "agents" / name / agent / "output.log"
    if not file.is_file():
        hosted = ", ".join(configuration.spaces[name].hosted) or "nobody"
        raise Failure(f"{agent} has printed nothing here. Hosted in {name}: {hosted}.")
    try:
        for line in _lines(file, lines, follow=follow):
            show(Text(clean(line)))
    except KeyboardInterrupt:
        return


def _lines(file: Path, count: int, *, follow: bool) -> Iterator[str]:
    with open(file, "rb") as output:
        size = os.fstat(output.fileno()).st_size
        output.seek(max(0, size - _TAIL))
        yield from deque(map(_text, output), maxlen=count)
        while follow:
            line = output.readline()
            if line:
                yield _text(line)
                continue
            if os.fstat(output.fileno()).st_size < output.tell():  # the file grew too long and was rotated
                output.seek(0)
            time.sleep(_PAUSE)


def _text(line: bytes) -> str:
    return line.decode(errors="replace").rstrip("\r\n")
