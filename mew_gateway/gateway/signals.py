"""Signals of a gateway's process: SIGINT and SIGTERM stop it, SIGHUP only warns."""

from __future__ import annotations

import asyncio
import logging
import os
import signal


def stop_on_signals(stopping: asyncio.Event, *, at_once: int) -> None:
    """Stop in good order on the first signal, at once on the second, with the exit status `at_once`.

    What was accepted is journalled either way.
    """

    def stop() -> None:
        if stopping.is_set():
            os._exit(at_once)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    loop.add_signal_handler(signal.SIGHUP, _warn_no_reload)


def _warn_no_reload() -> None:
    logging.getLogger("mew.serve").warning(
        "SIGHUP is ignored: the configuration is read at the start only. A renewed certificate and a token that was "
        "rotated are used without it."
    )
