"""Run a program and end it with the gateway: `python -m mew_gateway.gateway.hosting.child_guard PROGRAM ARG…`.

Its standard input is a pipe from the gateway. When that closes, whatever became of the gateway, the program's whole
process group is ended: SIGTERM, three seconds, SIGKILL; so it is after a SIGTERM to this process. After a SIGINT the
group gets a SIGTERM and the time it needs. A Python agent of ours watches its standard input itself and needs no leash.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType

_GRACE = 3.0  # seconds between authentication and making; less than the gateway's own patience with us
_POLL = 0.1


def main(command: list[str]) -> int:
    """Run the command until it ends or is to end; its exit status, or 127 if it cannot be started."""
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
    """Ask the whole family to stop, then make it: what the program started may outlive the program."""
    _signal_group(child, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE
    while time.monotonic() < deadline and _signal_group(child, 0):
        child.poll()
        time.sleep(_POLL)
    _signal_group(child, signal.SIGKILL)


def _signal_group(child: subprocess.Popen[bytes], number: int) -> bool:
    """Whether anybody was there to be signalled."""
    try:
        os.killpg(child.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
