"""Work that may wait: a little of it in each pass of the loop, parties in turns, each with a share of the processor.

Whatever a peer can make large (a read full of chunks, of fragments, of JSON) is done in steps of a millisecond at most.
Between two passes the loop looks at its sockets: what is small and urgent overtakes all that waits here.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import TypeAlias

logger = logging.getLogger("mew.server")

STRANGERS = "strangers"  # the party of all who have not said who they are
SHARE = 0.5  # of a core: more is paid off by waiting
_AT_ONCE = 0.05  # seconds of work that a party may have done without waiting
_PASS = 0.001  # seconds of work in a pass of the loop; one step is always done

Step: TypeAlias = Callable[[], bool]  # does a piece; whether there is more to do


class _Party:
    """Who has work done, on how many connections ever: what waits, and until when its share is used up."""

    __slots__ = ("paid_at", "steps")

    def __init__(self) -> None:
        self.steps: deque[Step] = deque()
        self.paid_at = 0.0


class WorkQueue:
    """Runs the steps. One object for all connections of a gateway; `clock` gives seconds."""

    def __init__(self, *, loop: asyncio.AbstractEventLoop, clock: Callable[[], float] = time.perf_counter) -> None:
        self._loop = loop
        self._clock = clock
        self._parties: dict[Hashable, _Party] = {}
        self._turns: deque[Hashable] = deque()  # those with steps, each once
        self._is_running = False
        self._left = 0.0  # seconds of this pass
        self._hurried_until = 0.0  # by the clock: shares do not count before
        self._at_work: _Party | None = None
        self._timer: asyncio.TimerHandle | None = None  # when all who have steps must wait, or some owe

    def put(self, party: Hashable, step: Step) -> None:
        """Have a step run in its turn, and again until it says that there is no more to do."""
        account = self._parties.setdefault(party, _Party())
        if not account.steps and account is not self._at_work:
            self._turns.append(party)
        account.steps.append(step)
        if not self._is_running:
            self._go_on()

    def is_idle(self) -> bool:
        """Whether no step waits for its turn."""
        return not self._turns

    def hurry(self, seconds: float) -> None:
        """Let shares not count for so long: what waits had arrived while the process stood still. It is still done a
        millisecond a pass, parties in turns."""
        self._hurried_until = self._clock() + seconds
        if self._turns and not self._is_running:
            self._go_on()

    def charge(self, seconds: float) -> None:
        """The step that runs has caused so much more work, which is done elsewhere."""
        self._left -= seconds
        if self._at_work is not None and self._clock() >= self._hurried_until:
            self._at_work.paid_at += seconds / SHARE

    def _go_on(self) -> None:
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
        """Whose turn it is; None: nobody's, until somebody has waited long enough or comes anew."""
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
        account = self._at_work = self._parties[party]
        step, began = account.steps.popleft(), self._clock()
        account.paid_at = max(account.paid_at, began)
        try:
            if step():
                account.steps.append(step)
        except Exception:  # a mistake of ours, about one peer: the others go on
            logger.exception("a step failed")
        finally:
            self._at_work = None
            took = self._clock() - began
            self._left -= took
            if began >= self._hurried_until:
                account.paid_at += took / SHARE
        if account.steps:
            self._turns.append(party)

    def _forget(self, now: float) -> float:
        """Let go of those who owe nothing: guests come and go. Return after how many seconds to look again."""
        for party in [party for party, account in self._parties.items() if account.paid_at <= now]:
            del self._parties[party]
        return max((account.paid_at - now for account in self._parties.values()), default=0.0)
