"""So many inputs for one target, fed by a process that is watched: it may hang or die, and the next one goes on."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from ctypes import c_int64
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from .feeding import READY, Cost, Found, Slow, feed

_HANGS = 30.0  # seconds that one input may take, on however busy a machine
_STARTS = 300.0  # seconds that a process may take to begin
_ENOUGH = 10  # faults after which no more are looked for
_LOOK = 1.0  # seconds


class Outcome(NamedTuple):
    """What a target came to. `drift_kib`: what it grew by since it was warm, at most in any of its processes."""

    inputs: int
    seconds: float
    slowest: tuple[Slow, ...]
    end_kib: int
    drift_kib: int
    found: tuple[Found, ...]


class Campaign:
    """`saw` is called about once a second with how many inputs are done, and `found` with each fault."""

    def __init__(self, name: str, *, seed: str, saw: Callable[[int], object], found: Callable[[Found], object]) -> None:
        self._name = name
        self._seed = seed
        self._saw = saw
        self._tell = found
        self._found: list[Found] = []
        self._costs: list[Cost] = []

    def run(self, first: int, inputs: int) -> Outcome:
        """Feed the inputs from that number on."""
        last = first + inputs
        while first < last and len(self._found) < _ENOUGH:
            first = self._feed(first, last)
        slowest = sorted((slow for cost in self._costs for slow in cost.slowest), reverse=True)
        return Outcome(
            inputs=sum(cost.inputs for cost in self._costs),
            seconds=sum(cost.seconds for cost in self._costs),
            slowest=tuple(slowest[:3]),
            end_kib=max((cost.end_kib for cost in self._costs), default=0),
            drift_kib=max((cost.end_kib - cost.warm_kib for cost in self._costs), default=0),
            found=tuple(self._found),
        )

    def _feed(self, first: int, last: int) -> int:
        """Have a process take the inputs, as far as it gets; where to go on."""
        context = multiprocessing.get_context("spawn")
        at = context.RawValue(c_int64, first)
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=feed, args=(self._name, self._seed, first, last, at, theirs), daemon=True)
        process.start()
        theirs.close()
        try:
            return last if self._watch(process, at, ours) else at.value + 1
        finally:
            process.kill()
            process.join()

    def _watch(self, process: BaseProcess, at: c_int64, told: Connection) -> bool:
        """Whether it got through. It did not if it died, hangs, or has found enough."""
        seen, since, is_ready = at.value, time.monotonic(), False
        while len(self._found) < _ENOUGH:
            try:
                news = told.recv() if told.poll(_LOOK) else None
            except EOFError:
                process.join()
                self._note(Found(at.value, f"The process ended with {process.exitcode}."))
                return False
            if isinstance(news, Cost):
                self._costs.append(news)
                return True
            if news == READY:
                since, is_ready = time.monotonic(), True
            elif isinstance(news, Found):
                self._note(news)
            self._saw(at.value)
            if at.value != seen:
                seen, since = at.value, time.monotonic()
            elif time.monotonic() - since > (_HANGS if is_ready else _STARTS):
                self._note(Found(seen, "It did not end in time."))
                return False
        return False

    def _note(self, found: Found) -> None:
        self._found.append(found)
        self._tell(found)
