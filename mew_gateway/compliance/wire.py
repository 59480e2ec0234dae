"""What a participant hears of a space, kept in order, to be waited for."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.participant import Participant

_HELD = 100_000  # items: an agent under examination may be a flood


class Wire:
    """Everything that a participant has heard since it joined. `listen` is to run beside whoever waits."""

    def __init__(self, participant: Participant) -> None:
        self.heard: list[Envelope] = []
        self._mailbox = participant.listen(buffer=_HELD)
        self._changed = anyio.Event()

    async def listen(self) -> None:
        """Hear until the connection ends."""
        try:
            async for item in self._mailbox:
                if isinstance(item, Envelope):
                    self.heard.append(item)
                    self._changed.set()
                    self._changed = anyio.Event()
        except MewError:
            return  # whoever waits gives up in time

    async def until(self, is_it: Callable[[Envelope], bool], *, within: int, since: int = 0) -> Envelope | None:
        """The first such envelope behind the first `since` that were heard; None: not in so many milliseconds."""
        position = since
        with anyio.move_on_after(within / 1000):
            while True:
                changed = self._changed
                while position < len(self.heard):
                    if is_it(self.heard[position]):
                        return self.heard[position]
                    position += 1
                await changed.wait()
        return None
