"""Status file of a hosted participant's process, beside its output; `mew status` reads it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

NAME = "host.json"


class ProcessStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Status of the process: `running`; `waiting` for a restart; `ended`, without a restart; `removed` from the space.

    `failures` counts the ends soon after a start, in a row. Times are milliseconds since the epoch.
    """

    state: Literal["running", "waiting", "ended", "removed"]
    since: int
    failures: int = 0
    status: int | None = None  # exit status of the process that ran last
    again_at: int | None = None

    def why_away(self, duration: Callable[[int], str]) -> str:
        """Say why the participant is absent, and what brings it back. `duration` words milliseconds."""
        if self.state == "waiting":
            again = max(0, (self.again_at or 0) - now())
            often = "" if self.failures == 1 else f" {self.failures} times in a row"
            return f"failed{often} (status {self.status}), again in {duration(again)}"
        if self.state == "ended":
            return f"ended with status {self.status}, `mew restart` starts it"
        return "removed" if self.state == "removed" else "its process runs, it has not joined"


def write_status(folder: Path, status: ProcessStatus) -> None:
    """Write the status file atomically. Failures are ignored: nothing depends on it."""
    file = folder / NAME
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = file.with_suffix(".new")
        new.write_bytes(msgspec.json.encode(status))
        new.replace(file)


def read_status(folder: Path) -> ProcessStatus | None:
    """Return the status that was written last; None if there is none, or it cannot be read."""
    try:
        return msgspec.json.decode((folder / NAME).read_bytes(), type=ProcessStatus)
    except (OSError, msgspec.MsgspecError):
        return None


def now() -> int:
    """Return the time in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
