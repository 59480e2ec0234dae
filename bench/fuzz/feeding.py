"""A process that feeds a target with the inputs of some numbers, and tells what it found and what they cost."""

from __future__ import annotations

import heapq
import multiprocessing
import os
import threading
import time
import traceback
from ctypes import c_int64
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import NamedTuple

from bench.machine import resident_kib

from .target import Target, draw
from .targets import TARGETS

_WARM = 20_000  # inputs until what is kept for good is there: caches, interned names, the allocator's arenas
_SLOWEST = 3

READY = "ready"  # told once, before the first input


class Found(NamedTuple):
    """An input that something is wrong with, and what."""

    number: int
    what: str


class Slow(NamedTuple):
    """What an input cost, in milliseconds of the processor."""

    milliseconds: float
    number: int


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What some inputs cost: seconds of the processor, those who cost most, and KiB of memory, warm and at the end."""

    inputs: int
    seconds: float
    slowest: tuple[Slow, ...]
    warm_kib: int
    end_kib: int


def feed(name: str, seed: str, first: int, last: int, at: c_int64, told: Connection) -> None:
    """Feed the inputs from `first` to before `last`; `at` always has the number of the one that is being taken."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    target = TARGETS[name]()
    told.send(READY)
    slowest: list[Slow] = []
    warm = 0
    began = time.process_time()
    for number in range(first, last):
        at.value = number
        cost, what = _feed(target, draw(target, seed, number))
        if what is not None:
            told.send(Found(number, what))
        if len(slowest) < _SLOWEST or cost > slowest[0].milliseconds:
            (heapq.heappush if len(slowest) < _SLOWEST else heapq.heappushpop)(slowest, Slow(cost, number))
        if number == first + min(_WARM, (last - first) // 2):
            warm = resident_kib(os.getpid())
    told.send(
        Cost(
            inputs=last - first,
            seconds=time.process_time() - began,
            slowest=tuple(sorted(slowest, reverse=True)),
            warm_kib=warm,
            end_kib=resident_kib(os.getpid()),
        )
    )


def _end_with_parent() -> None:
    """Whoever kills the command does not mean that this process goes on alone."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _feed(target: Target, data: bytes) -> tuple[float, str | None]:
    """Milliseconds that it took, and what was wrong with it."""
    began = time.thread_time()
    what = None
    try:
        target.one(data)
    except Exception as error:
        what = "".join(traceback.format_exception(error, limit=-6))
    return (time.thread_time() - began) * 1_000, what
