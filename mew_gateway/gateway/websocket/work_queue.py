"""Queue of deferrable work: a little in each pass of the event loop, parties in turn, each with a share of the CPU.

Work that a peer can make large (a read full of chunks, of fragments, of JSON) is done in steps of a millisecond at
most. Between two passes the loop polls its sockets: small urgent input overtakes all that waits here.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import TypeAlias

logger = logging.getLogger("mew.server")

STRANGERS = "strangers"  # the party of all peers that have not authenticated
SHARE = 0.5  # of a core: a party that uses more has to wait
_AT_ONCE = 0.05  # seconds of work that a party may use without waiting
_PASS = 0.001  # seconds of work in a pass of the loop; one step is always done

Step: TypeAlias = Callable[[], bool]  # does a piece of work; returns true if there is more


class _Party:
    """A participant with all its connections, or another source of work: its steps, and when its share is paid off."""

    __slots__ = ("paid_at", "steps")

    def __init__(self) -> None:
        self.steps: deque[Step] = deque()
        self.paid_at = 0.0


class WorkQueue:
    """Runs steps, parties in turn. One object for all connections of a gateway; `clock` returns seconds."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop, clock: Callable[[], float] = time.perf_counter) -> None:
        self._loop = loop
        self._clock = clock
        self._parties: dict[Hashable, _Party] = {}
        self._turns: deque[Hashable] = deque()  # those with steps, each once
        self._is_running = False
        self._left = 0.0  # seconds of this pass
        self._hurried_until = 0.0  # by the clock: shares do not count before
        self._current: _Party | None = None
        self._timer: asyncio.TimerHandle | None = None  # when all who have steps must wait, or some owe

    def put(self, party: Hashable, step: Step) -> None:
        """Queue a step. It runs in its turn, and again until it returns false."""
        account = self._parties.setdefault(party, _Party())
        if not account.steps and account is not self._current:
            self._turns.append(party)
        account.steps.append(step)
        if not self._is_running:
            self._start()

    def is_idle(self) -> bool:
        """Return true if no step waits."""
        return not self._turns

    def hurry(self, seconds: float) -> None:
        """Suspend the shares for so many seconds: the waiting work arrived while the process stood still.

        Passes keep their length, and parties their turns.
        """
        self._hurried_until = self._clock() + seconds
        if self._turns and not self._is_running:
            self._start()

    def charge(self, seconds: float) -> None:
        """Charge the party of the running step for work that the step causes elsewhere."""
        self._left -= seconds
        if self._current is not None and self._clock() >= self._hurried_until:
            self._current.paid_at += seconds / SHARE

    def _start(self) -> None:
        self._is_running = True
        self._loop.call_soon(self._pass)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pass(self) -> None:
        self._is_running = True
        self._left = _PASS
        while self._left > 0:
            party = self._next()
            if party is None:
                return
            self._work(party)
        self._loop.call_soon(self._pass)

    def _next(self) -> Hashable | None:
        """Return the party whose turn it is; None if no party may run. Then a timer starts the next pass."""
        now, soonest = self._clock(), float("inf")
        for _ in range(len(self._turns)):
            party = self._turns.popleft()
            left = self._parties[party].paid_at - now - _AT_ONCE
            if left <= 0 or now < self._hurried_until:
                return party
            self._turns.append(party)
            soonest = min(soonest, left)
        self._is_running = False
        if not self._turns:
            soonest = self._forget(now)
        if self._parties:
            self._timer = self._loop.call_later(soonest, self._pass)
        return None

    def _work(self, party: Hashable) -> None:
        account = self._current = self._parties[party]
        step, began = account.steps.popleft(), self._clock()
        account.paid_at = max(account.paid_at, began)
        try:
            if step():
                account.steps.append(step)
        except Exception:  # a mistake of the gateway in the input of one peer: the others go on
            logger.exception("a step failed")
        finally:
            self._current = None
            took = self._clock() - began
            self._left -= took
            if began >= self._hurried_until:
                account.paid_at += took / SHARE
        if account.steps:
            self._turns.append(party)

    def _forget(self, now: float) -> float:
        """Remove the parties that owe nothing. Return the seconds until the next one may be removed."""
        for party in [party for party, account in self._parties.items() if account.paid_at <= now]:
            del self._parties[party]
        return max((account.paid_at - now for account in self._parties.values()), default=0.0)
