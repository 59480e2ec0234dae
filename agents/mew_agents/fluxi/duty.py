"""Something that falls due: what is due now, how it is done, and when the next of it is due."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeAlias

from sqlalchemy import Connection

from mew_agents.fluxi.ports import Witness

# Around everything that is done for one Work: the Work, why, and a witness of it.
Around: TypeAlias = Callable[[str, str], AbstractAsyncContextManager[Witness]]
# The key of one thing that is due.
Key: TypeAlias = tuple[Any, ...]

# What was taken up and has failed is left for so long, ms; and so is what somebody took up and never finished.
LEFT = 60_000


class Duty(ABC):
    """One kind of thing that falls due. Times in ms since the epoch."""

    @abstractmethod
    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        """The keys of what is due at this time, at most so many, oldest first."""

    @abstractmethod
    async def do(self, key: Key, around: Around, /) -> None:
        """Does one thing. It may be done already, or not be due any more: that is found out within."""

    @abstractmethod
    def next_due(self, connection: Connection) -> int | None:
        """When the next thing is due; it may be over already. None: nothing is."""
