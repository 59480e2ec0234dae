"""Our gateway as a server under measurement (`python -m bench.gateway --help` runs it alone, for a profiler).

A space `bench` with participants p0, p1, … that may chat and open streams (or what is measured needs), limits so high
that none is met, a journal in a temporary folder, tokens in the environment; everything is gone when it stops.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import secrets
import signal
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from bench.command import exit_on_signals
from bench.inquiry import Inquiry
from bench.server import Server, free_port, running
from bench.spaces import SQLITE, UNMET, configuration, everybody, serve

Journal = Literal["normal", "full", "memory"]
Routing = Literal["visible", "addressed"]

_ONE_OF_MANY = "/ws?space=bench%s&participant_id=p%d"


@contextmanager
def gateway(
    *,
    participants: int = 50,
    spaces: int = 1,
    journal: Journal = "normal",
    routing: Routing = "visible",
    may: Sequence[str] = ("chat", "stream/request"),
) -> Iterator[Server]:
    """The gateway, ready. `participants`: in each space; a single one is called `bench`, several `bench0`, `bench1` …
    `journal`: SQLite with that `synchronous`, or in memory; `may`: what everybody may send.

    Raises `BenchFailure` when it does not get ready or dies.
    """
    names = ["bench"] if spaces == 1 else [f"bench{i}" for i in range(spaces)]
    space = {"routing": routing, "participants": everybody(participants, may)}
    with serving(
        dict.fromkeys(names, space),
        participants=participants,
        journal={"url": "memory:"} if journal == "memory" else {**SQLITE, "synchronous": journal},
        options=("--welcome", *(() if spaces == 1 else ("--path", _ONE_OF_MANY))),
    ) as server:
        yield server


@contextmanager
def serving(
    spaces: Mapping[str, object],
    *,
    participants: int,
    journal: Mapping[str, object],
    limits: Mapping[str, object] = UNMET,
    options: tuple[str, ...] = (),
    command: Callable[[Path], Sequence[str]] = serve,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A gateway, ready, with spaces of the participants p0, p1, … and everything it writes in a temporary folder.
    `options`: what `load` needs for it; `command`: how its `spaces.yaml` is served; `environment`: what that needs.

    Raises `BenchFailure` when it does not get ready or dies.
    """
    port, secret = free_port(), secrets.token_hex(16)
    tokens = {f"MEW_TOKEN_P{i}": f"{secret}-p{i}" for i in range(participants)}  # the same in every space
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        file = Path(folder, "spaces.yaml")
        file.write_text(configuration(spaces, port=port, limits=limits, journal=journal))
        with running(
            command(file),
            port=port,
            token=f"{secret}-p%d",
            ready=_is_ready,
            options=options,
            environment={**os.environ, **tokens, **(environment or {})},
        ) as server:
            yield server


def _is_ready(port: int) -> bool:
    return asyncio.run(Inquiry(f"http://127.0.0.1:{port}").is_ready())


def main() -> None:
    """Runs it until Ctrl-C or SIGTERM, and prints where it is as one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.gateway", description=__doc__)
    parser.add_argument("--participants", type=int, default=50, help="p0 to pN-1 of each space (50)")
    parser.add_argument("--spaces", type=int, default=1, help="bench, or bench0 to benchN-1 (1)")
    parser.add_argument("--journal", choices=("normal", "full", "memory"), default="normal")
    parser.add_argument("--routing", choices=("visible", "addressed"), default="visible")
    options = parser.parse_args()
    exit_on_signals()
    with gateway(
        participants=options.participants, spaces=options.spaces, journal=options.journal, routing=options.routing
    ) as server:
        print(json.dumps({"port": server.port, "token": server.token, "pid": server.pid}), flush=True)
        signal.pause()


if __name__ == "__main__":
    main()
