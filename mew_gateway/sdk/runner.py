"""The core's hands: does what the core says, on the wire and to the bodies of runs."""

from __future__ import annotations

import logging
from collections.abc import Callable

import anyio

from .client import Client
from .execution.core import Core
from .execution.effects import Follow, Lose, Send, Stop
from .execution.events import Ended, Event
from .link import Disconnected, Stopped

log = logging.getLogger(__name__)


class Runner:
    """Performs the core's effects in order. Events may come from the receive loop and from any body.

    `follow` is called with what comes after a run; `attach` says whom to tell of a run's directives. An event is
    handled at once, within the call: envelopes take their place in the client's line before anything else happens.
    """

    def __init__(self, client: Client, *, follow: Callable[[Follow], None]) -> None:
        self._core = Core()
        self._client = client
        self._follow = follow
        self._bodies: dict[str, Callable[[Stop | Lose], None]] = {}

    def new_id(self) -> str:
        """A fresh envelope id."""
        return self._client.new_id()

    def knows(self, run: str) -> bool:
        """Whether a run of that id is open, or has ended lately."""
        return self._core.knows(run)

    def attach(self, run: str, body: Callable[[Stop | Lose], None]) -> None:
        """Tell a body what it is to do, from before its run begins until that has ended."""
        self._bodies[run] = body

    async def perform(self, event: Event, *, patience: int | None = None) -> None:
        """Handle an event. Raises what sending raises, and `NotRunning`.

        With `patience` (milliseconds for each envelope) it never raises for want of a connection: what did not
        get through is said again by the core when the gateway shows that it misses it.
        """
        effects = self._core.handle(event, self._client.wall())
        if isinstance(event, Ended):
            self._bodies.pop(event.run, None)
        for effect in effects:
            match effect:
                case Send() if patience is None:
                    await self._send(effect)
                case Send():
                    await self._try_to_send(effect, patience)
                case Stop() | Lose():
                    self._bodies[effect.run](effect)
                case Follow():
                    self._follow(effect)

    async def _send(self, said: Send) -> None:
        await self._client.send(
            said.kind,
            said.payload,
            to=said.to,
            correlation_id=said.correlation_id,
            context=said.context,
            id=said.id,
            at=said.at,
        )

    async def _try_to_send(self, said: Send, patience: int | None) -> None:
        assert patience is not None
        try:
            with anyio.fail_after(patience / 1000):
                await self._send(said)
        except (TimeoutError, Disconnected, Stopped) as error:
            log.warning("%s %s did not go out: %s", said.kind, said.id, str(error) or "no connection")
