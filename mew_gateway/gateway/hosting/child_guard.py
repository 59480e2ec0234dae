"""Run a program and end it with the gateway: `python -m mew_gateway.gateway.hosting.child_guard PROGRAM ARG…`.

Its standard input is a pipe from the gateway. When that closes, however the gateway ended, the program's whole process
group is ended: SIGTERM, three seconds, SIGKILL. A SIGTERM to this process does the same. After a SIGINT the group gets
a SIGTERM and the time it needs. A Python agent of the SDK watches its standard input itself and needs no guard. What
the program starts in a session of its own (`setsid`) is no part of the group, and is not ended (docs/security.md).
`mew_gateway.child_process` ends children too; a guard lives as long as its program, and does without asyncio.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType

_GRACE = 3.0  # seconds between SIGTERM and SIGKILL; less than the gateway waits for this process
_POLL = 0.1


def main(command: list[str]) -> int:
    """Run the command until it ends or has to end. Return its exit status, or 127 if it cannot be started."""
    ending, asked = threading.Event(), threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    def ask(_signal: int, _frame: FrameType | None) -> None:
        asked.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, ask)
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    threading.Thread(target=_watch, args=(ending,), daemon=True).start()
    while child.poll() is None and not ending.wait(_POLL):
        if asked.is_set():
            asked.clear()
            _signal_group(child, signal.SIGTERM)
    _end_group(child)
    return child.wait()


def _watch(ending: threading.Event) -> None:
    """Wait for the end of the gateway, which holds the other end of our standard input."""
    while os.read(sys.stdin.fileno(), 4096):
        pass
    ending.set()


def _end_group(child: subprocess.Popen[bytes]) -> None:
    """End the whole process group, first with SIGTERM, then with SIGKILL: children may outlive the program."""
    _signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline and _signal_group(child, 0):
        child.poll()
        time.sleep(_POLL)
    _signal_group(child, signal.SIGKILL)


def _signal_group(child: subprocess.Popen[bytes], number: int) -> bool:
    """Send a signal to the process group. Return false if no process of it is left."""
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
