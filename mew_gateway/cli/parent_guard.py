"""A `mew` command that ends with its parent process: `python -m mew_gateway.cli.parent_guard COMMAND ARG…`.

Its standard input is a pipe from the parent. When the pipe closes, also because the parent was killed, the command
is stopped (SIGTERM). In its hints it calls itself `mew`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from .main import main


def _watch(input: int) -> None:
    """Wait until the parent closes the pipe."""
    while os.read(input, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.argv[0] = "mew"
    threading.Thread(target=_watch, args=(sys.stdin.fileno(),), daemon=True).start()
    main()
