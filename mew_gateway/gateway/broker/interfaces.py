"""Interfaces of everything outside the broker.

`Link` is the peer of a connection, `Loop` the event loop, `Turns` the queue of long work, `Ids` the source of random
ids, `Supervisor` the process with its hosted agents, `Store` the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from mew_gateway.errors import MewError
from mew_gateway.journal.base import History, Journal


class Link(Protocol):
    """The peer of a connection."""

    def write(self, data: bytes) -> None:
        """Send encoded frames. Ends the connection itself when its outbox is over its bound."""

    def close(self, code: int, reason: str) -> None:
        """End the connection with a close code of `protocol.codes.CLOSES`."""

    def pause_reading(self) -> None:
        """Take nothing more from this peer until `resume_reading`: the inbox is full."""

    def resume_reading(self) -> None:
        """Take input again."""


class Timer(Protocol):
    """A scheduled call that can be cancelled."""

    def cancel(self) -> None:
        """Cancel the call."""


class Callbacks(Protocol):
    """The part of an event loop that runs callbacks. asyncio's loop is one."""

    def call_soon(self, callback: Callable[[], object]) -> object:
        """Run the callback in the loop's next pass."""

    def call_later(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Run the callback after `delay` seconds."""


class Loop(Callbacks, Protocol):
    """An event loop with its clock. `event_loop.AsyncioLoop` is one."""

    def time(self) -> float:
        """Return the seconds of a monotonic clock."""

    def is_last(self) -> bool:
        """Return True if the loop runs no other callback before it looks at its sockets again."""


class Turns(Protocol):
    """Queue of work in pieces, in which parties take turns: `websocket/work_queue.py`."""

    def put(self, party: Hashable, step: Callable[[], bool]) -> None:
        """Run the step in the party's turns, again and again until it returns False."""

    def is_idle(self) -> bool:
        """Return True if no step waits for its turn."""

    def hurry(self, seconds: float) -> None:
        """Run steps for so long whatever share their parties have used up."""


class Ids(Protocol):
    """Everything that the gateway draws at random."""

    def new_id(self) -> str:
        """Return a new id of an envelope."""

    def epoch(self) -> str:
        """Return a new epoch of a space: a part of the ids of the gateway's own envelopes."""

    def token(self) -> str:
        """Return a new secret token for an invited participant."""


class Supervisor(Protocol):
    """The process around the broker: its hosted agents, and its own end."""

    def dismiss(self, space: str, participant: str) -> object:
        """Keep a participant's process out: it was kicked."""

    def readmit(self, space: str, participant: str) -> object:
        """Let a participant's process come back."""

    def terminate(self, space: str, participant: str, limit: int) -> object:
        """End a participant's process, within `limit` milliseconds."""

    def fail(self, error: MewError) -> object:
        """Stop the gateway: its journal is corrupt, and a person has to look."""


class Store(Journal, History, Protocol):
    """A journal whose history can be read."""
