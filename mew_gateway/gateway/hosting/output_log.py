"""Participants without a socket: each envelope that one receives is appended to its file as a line."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from mew_gateway.errors import Fatal

from ..broker.broker import Broker
from ..broker.spaces.fanout import TEXT, line_of, messages_in

logger = logging.getLogger("mew.output_log")

_OWNER_ONLY = 0o600
_LATER = 1012  # close code of the broker while the journal cannot be written; joining works again after that


class OutputLog:
    """An `interfaces.Link` that writes JSON lines to a file.

    A line is an envelope as it came, or `{"stream_id", "text"}` or `{"stream_id", "base64"}` for a stream's text or
    binary frame. The file is opened for each write and only appended to: the operator may rotate it. Lines that cannot
    be written wait, up to `most` bytes or one delivery, for the next write or `retry`; more are lost, and the log has
    their number.
    `closed` is called with the close code when the gateway ends the connection.
    """

    def __init__(self, file: Path, *, most: int, closed: Callable[[int], object]) -> None:
        self._file = file
        self._most = most
        self._closed = closed
        self._waiting = b""
        self._lost = 0
        self._is_failing = False

    def write(self, data: bytes) -> None:
        new = b"".join(line_of(message, is_text=opcode == TEXT) + b"\n" for opcode, message in messages_in(data))
        if not self._waiting or len(self._waiting) + len(new) <= self._most:
            self._waiting += new
        else:
            self._lost += new.count(b"\n")
        self.retry()

    def close(self, code: int, reason: str) -> None:
        logger.info("%s: the gateway ended its connection (%d %s)", self._file, code, reason)
        self._closed(code)

    def pause_reading(self) -> None:
        return None  # it sends nothing

    def resume_reading(self) -> None:
        return None

    def retry(self) -> None:
        """Write the waiting lines. A failure is logged once, until a write succeeds."""
        if not self._waiting:
            return
        try:
            self._append()
        except OSError as error:
            if not self._is_failing:
                logger.error("%s cannot be written: %s. It is tried again.", self._file, error.strerror)
            self._is_failing = True
            return
        if self._is_failing:
            logger.warning("%s can be written again; %d lines of it are lost", self._file, self._lost)
        self._is_failing, self._lost = False, 0

    def _append(self) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe must not hold the loop
        descriptor = os.open(self._file, flags, _OWNER_ONLY)
        try:
            while self._waiting:  # a disk that fills up takes a part
                self._waiting = self._waiting[os.write(descriptor, self._waiting) :]
        finally:
            os.close(descriptor)


class OutputLogs:
    """All output logs of a gateway, by space and participant. `most` bounds the waiting bytes of each."""

    def __init__(self, files: Mapping[tuple[str, str], Path], *, broker: Broker, most: int) -> None:
        self._broker = broker
        self._connections: dict[tuple[str, str], int] = {}
        self._late: list[tuple[str, str]] = []  # to join when connections are taken again
        self._logs = {
            (space, participant): OutputLog(file, most=most, closed=partial(self._left, (space, participant)))
            for (space, participant), file in files.items()
        }

    def start(self) -> None:
        """Join the spaces, except for kicked participants."""
        for space, participant in self._logs:
            if participant not in self._broker.engine[space].machine.state.kicked:
                self.readmit(space, participant)

    def readmit(self, space: str, participant: str) -> None:
        """Join a participant that has an output log and is not joined."""
        who = (space, participant)
        if who not in self._logs or who in self._connections:
            return
        try:
            self._connections[who] = self._broker.connect(space, participant, self._logs[who])
        except Fatal as fatal:
            logger.error("%s cannot join the space %s: %s", participant, space, fatal.reason)
            self._may_come_back(who, fatal.close_code)

    def retry(self) -> None:
        """Retry the writes and the joins that failed."""
        for log in self._logs.values():
            log.retry()
        if self._late and self._broker.is_ready:
            late, self._late = self._late, []
            for space, participant in late:
                self.readmit(space, participant)

    def _left(self, who: tuple[str, str], code: int) -> None:
        connection = self._connections.pop(who, None)
        if connection is not None:
            self._broker.disconnect(connection)
            self._may_come_back(who, code)

    def _may_come_back(self, who: tuple[str, str], code: int) -> None:
        if code == _LATER:
            self._late.append(who)
