"""Our gateway as a server under measurement (`python -m bench.gateway --help` runs it alone, for a profiler).

A space `bench` with participants p0, p1, … that may chat and open streams (or what is measured needs), limits so high
that none is met, a journal in a temporary folder, tokens in the environment; everything is gone when it stops.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from bench.server import Server, exit_on_signals, free_port, running

Journal = Literal["normal", "full", "memory"]
Routing = Literal["visible", "addressed"]

# Only what one sender alone could run into; every other bound stays as operators have it.
_LIMITS = {
    "connections_per_participant": 10_000,
    "envelopes_per_second": 1_000_000,
    "envelopes_burst": 1_000_000,
    "bytes_per_second": 1_073_741_824,
}


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
    port, secret = free_port(), secrets.token_hex(16)
    tokens = {f"MEW_TOKEN_P{i}": f"{secret}-p{i}" for i in range(participants)}  # the same in every space
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        path = Path(folder, "spaces.yaml")
        # JSON is YAML: no second writer of YAML is needed here.
        everybody = {f"p{i}": {"capabilities": [{"kind": kind} for kind in may]} for i in range(participants)}
        names = ["bench"] if spaces == 1 else [f"bench{i}" for i in range(spaces)]
        served = {name: {"routing": routing, "participants": everybody} for name in names}
        path.write_text(json.dumps({"gateway": _configuration(port, journal), "spaces": served}, indent=1))
        options = ("--welcome", *(() if spaces == 1 else ("--path", _ONE_OF_MANY)))
        command = [sys.executable, "-m", "mew_gateway.cli.main", "serve", "--config", str(path)]
        with running(
            command,
            port=port,
            token=f"{secret}-p%d",
            ready=is_ready,
            options=options,
            environment=os.environ | tokens,
        ) as server:
            yield server


def is_ready(port: int) -> bool:
    """Whether GET /ready answers 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _configuration(port: int, journal: Journal) -> dict[str, object]:
    store = {"url": "memory:"} if journal == "memory" else {"url": "sqlite:journal.db", "synchronous": journal}
    return {"listen": f"127.0.0.1:{port}", "state_dir": "state", "journal": store, "limits": _LIMITS}


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
