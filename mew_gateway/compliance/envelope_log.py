"""Log of the envelopes that a participant receives, with a wait for one that matches."""

from __future__ import annotations

from collections.abc import Callable

import anyio

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk.participant import Participant

_HELD = 100_000  # items: an agent under test may flood its space


class EnvelopeLog:
    """Envelopes that a participant has received since it joined. `listen` runs in a task of its own."""

    def __init__(self, participant: Participant) -> None:
        self.envelopes: list[Envelope] = []
        self._mailbox = participant.listen(buffer=_HELD)
        self._changed = anyio.Event()

    async def listen(self) -> None:
        """Receive until the connection ends."""
        try:
            async for item in self._mailbox:
                if isinstance(item, Envelope):
                    self.envelopes.append(item)
                    self._changed.set()
                    self._changed = anyio.Event()
        except MewError:
            return  # the waits end at their deadline

    async def wait_for(self, matches: Callable[[Envelope], bool], *, within: int, since: int = 0) -> Envelope | None:
        """Return the first match after the first `since` envelopes; None if none comes within `within` milliseconds."""
        position = since
        with anyio.move_on_after(within / 1000):
            while True:
                changed = self._changed
                while position < len(self.envelopes):
                    if matches(self.envelopes[position]):
                        return self.envelopes[position]
                    position += 1
                await changed.wait()
        return None
