"""What the hub needs of the world around it: an event loop's timers and the far ends of connections."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol

from mew_gateway.journal.base import History, Journal


class Link(Protocol):
    """The far end of a connection."""

    def write(self, data: bytes) -> None:
        """Send encoded frames. Ends the connection itself when its outbox is over its bound."""

    def close(self, code: int, reason: str) -> None:
        """End the connection with a close code of `protocol.codes.CLOSES`."""

    def pause_reading(self) -> None:
        """Take nothing more from this peer until `resume_reading`: the inbox is full."""

    def resume_reading(self) -> None:
        """Take input again."""


class Timer(Protocol):
    """A call that is due later and can be taken back."""

    def cancel(self) -> None:
        """It will not run."""


class Loop(Protocol):
    """What the hub needs of an event loop; asyncio's is one."""

    def call_soon(self, callback: Callable[[], object]) -> object:
        """Run the callback in the loop's next pass."""

    def call_later(self, delay: float, callback: Callable[[], object]) -> Timer:
        """Run the callback after `delay` seconds."""


class Turns(Protocol):
    """Work in pieces, in turns with everybody else's: the pump."""

    def put(self, party: Hashable, step: Callable[[], bool]) -> None:
        """Run the step in the party's turns, again and again until it returns False."""


class Store(Journal, History, Protocol):
    """A journal whose history can be read."""
