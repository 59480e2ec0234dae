"""The `spaces.yaml` of a gateway of the bench, and the command that serves it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Only what one sender alone could run into; every other bound stays as operators have it.
UNMET: Mapping[str, object] = {
    "connections_per_participant": 10_000,
    "connects": "1000000/1s",
    "envelopes_per_second": 1_000_000,
    "envelopes_burst": 1_000_000,
    "bytes_per_second": 1_073_741_824,
}
SQLITE: Mapping[str, object] = {"url": "sqlite:state/journal.db"}


def configuration(
    spaces: Mapping[str, object],
    *,
    port: int = 0,
    limits: Mapping[str, object] = UNMET,
    journal: Mapping[str, object] = SQLITE,
) -> str:
    """The text of the file. `port`: any that is free for 0."""
    gateway = {"listen": f"127.0.0.1:{port}", "state_dir": "state", "journal": journal, "limits": limits}
    return json.dumps({"gateway": gateway, "spaces": spaces}, indent=1)  # JSON is YAML


def everybody(participants: int, may: Sequence[str]) -> dict[str, object]:
    """The participants p0, p1, … of a space, and the kinds that each may send."""
    return {f"p{number}": {"capabilities": [{"kind": kind} for kind in may]} for number in range(participants)}


def serve(file: Path) -> list[str]:
    """`mew serve` of that file."""
    return [sys.executable, "-m", "mew_gateway.cli.main", "serve", "--config", str(file)]
