"""How it goes with a hosted participant's process, kept beside its output for `mew status`, which may read it there."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Literal

import msgspec

NAME = "host.json"


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """`running`; `waiting` to be started again; `ended`, and its policy leaves it so; `removed` from the space.

    `failures` is how often in a row it ended soon after its start. Times are milliseconds since the epoch.
    """

    state: Literal["running", "waiting", "ended", "removed"]
    since: int
    failures: int = 0
    status: int | None = None  # exit status of the process that ran last
    again_at: int | None = None


def keep(folder: Path, condition: Condition) -> None:
    """Write it down whole; nothing depends on it, so that a full disk is no reason to stop."""
    file = folder / NAME
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(condition))
        new.replace(file)


def kept(folder: Path) -> Condition | None:
    """What was written down last; None where there is nothing of it, or it cannot be read."""
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=Condition)
    except (OSError, msgspec.MsgspecError):
        return None


def now() -> int:
    """The time as it is written down."""
    return time.time_ns() // 1_000_000
