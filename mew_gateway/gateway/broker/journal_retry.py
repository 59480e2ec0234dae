"""Retry while the journal cannot be written, for example while the disk is full.

Nothing is accepted meanwhile: senders get an error, leaves are kept, and the journal is tried every second. When it can
be written again, the spaces learn how long that took (`space.outages`), and the inbox goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from mew_gateway.errors import CorruptJournal, Unavailable
from mew_gateway.space.events import Stalled

from .batch import Arrival, Item, Result
from .clock import Clock
from .inbox import Inbox
from .interfaces import Loop, Timer
from .spaces.engine import Engine

logger = logging.getLogger("mew.broker")

_RETRY = 1.0  # seconds between tries while the journal cannot be written


class JournalRetry:
    """Suspends the inbox while the journal cannot be written, and tries again until it can.

    `give_back` replies to an arrival that is not accepted, `carry_out` delivers what a try has committed, `resume` runs
    a tick after the last try, `fail` takes a corrupt journal.
    """

    def __init__(
        self,
        engine: Engine,
        inbox: Inbox,
        *,
        loop: Loop,
        clock: Clock,
        give_back: Callable[[Arrival], bool],
        carry_out: Callable[[Result], object],
        resume: Callable[[], object],
        fail: Callable[[CorruptJournal], object],
    ) -> None:
        self._engine = engine
        self._inbox = inbox
        self._loop = loop
        self._clock = clock
        self._give_back = give_back
        self._carry_out = carry_out
        self._resume = resume
        self._fail = fail
        self._timer: Timer | None = None
        self._failed_at = 0  # when the journal could not be written first

    def stop(self) -> None:
        """Stop trying."""
        if self._timer is not None:
            self._timer.cancel()

    def suspend(self, error: Unavailable) -> None:
        """Accept nothing: send errors to the senders, keep the leaves, try again soon."""
        fault = self._inbox.fault
        if fault is None:
            self._failed_at = self._clock.now()
        if fault is None or fault.reason != error.reason:
            logger.error("%s Nothing is accepted until that is mended; it is tried every second.", error)
        self._inbox.fault = error
        self._inbox.drop(self._give_back)
        self._inbox.resume_reading()  # a peer that is not read cannot answer a ping
        self._timer = self._loop.call_later(_RETRY, self._try_again)

    def probe(self) -> None:
        """Write to the journal, to see if it can be written. Raises `Unavailable` or `CorruptJournal`."""
        self._carry_out(self._engine.apply(self._engine.probe()))

    def _try_again(self) -> None:
        self._timer = None
        try:
            self.probe()
        except Unavailable as error:
            self.suspend(error)
        except CorruptJournal as error:
            self._fail(error)
        else:
            logger.warning("The journal can be written again.")
            self._inbox.fault = None
            now = self._clock.now()
            self._inbox.postpone(now, self._after_outage(now))
            self._resume()

    def _after_outage(self, now: int) -> list[Item]:
        """Return the events with the length of the outage, for each space with something open."""
        stalled = Stalled(now - self._failed_at, refused=True)
        states = {name: runtime.machine.state for name, runtime in self._engine.items()}
        return [Item(name, now, stalled) for name, state in states.items() if state.deadlines or state.sequences]
