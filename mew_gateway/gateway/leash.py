"""Runs somebody's program and ends it when the gateway ends: `python -m mew_gateway.gateway.leash PROGRAM ARG…`.

Its standard input is a pipe from the gateway. When that closes, whatever became of the gateway, the program's whole
process group is ended. A Python agent of ours watches its standard input itself and needs no leash.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from types import FrameType

_GRACE = 3.0  # seconds between asking and ending


def main(command: list[str]) -> int:
    """Run the command until it ends or standard input closes; its exit status, or 127 if it cannot be started."""
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"cannot start {command[0]}: {error.strerror}", file=sys.stderr)
        return 127
    threading.Thread(target=_watch, args=(child,), daemon=True).start()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        _signal_group(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    return child.wait()


def _watch(child: subprocess.Popen[bytes]) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _signal_group(child, signal.SIGTERM)
    try:
        child.wait(_GRACE)
    except subprocess.TimeoutExpired:
        _signal_group(child, signal.SIGKILL)


def _signal_group(child: subprocess.Popen[bytes], number: int) -> None:
    if child.poll() is None:
        os.killpg(child.pid, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
