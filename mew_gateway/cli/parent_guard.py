"""A `mew` command that ends with whoever started it: `python -m mew_gateway.cli.parent_guard COMMAND ARG…`.

Its standard input is a pipe from there. When that closes, be it because its other end was killed, the command is told
to stop (SIGTERM). What it advises to type, it calls `mew`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from .main import main


def _watch(input: int) -> None:
    """Wait for the end of whoever holds the other end of our standard input."""
    while os.read(input, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.argv[0] = "mew"
    threading.Thread(target=_watch, args=(sys.stdin.fileno(),), daemon=True).start()
    main()
