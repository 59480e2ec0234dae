"""The three measurements of Fluxi: a booking, many bookings at once on PostgreSQL, and an effect beside DBOS."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from importlib.util import find_spec
from statistics import median
from typing import NamedTuple

from bench.failure import BenchFailure
from bench.fluxi.postgres import server
from bench.measurement import percentile
from bench.turns import Did, all_started, together
from bench.verdicts import Target

PROCESSES = 8
BOOKING_MS = Target("≤", 8)  # the median of a booking on SQLite
BOOKINGS_PER_S = Target("≥", 60)  # on PostgreSQL
BOOKINGS_SHARE = Target("≥", 0.4)  # of what the statements alone do there
EFFECT_RATIO = Target("≤", 0.4)  # of a durable step of DBOS

_WORKER = "bench.fluxi.worker"
_WARM_UP = 1.0  # seconds


class Booked(NamedTuple):
    """A round of bookings on SQLite, one after the other: milliseconds each."""

    p50_ms: float
    p99_ms: float
    bookings: int


class Crowded(NamedTuple):
    """A round on PostgreSQL: bookings a second of all processes, by Fluxi and by its statements alone."""

    fluxi_per_s: float
    bare_per_s: float

    @property
    def share(self) -> float:
        """Fluxi's part of what the statements alone do."""
        return self.fluxi_per_s / self.bare_per_s


class Effected(NamedTuple):
    """A round on SQLite, medians in milliseconds: a confirmed effect, DBOS's workflow of one step, and what each
    further step of a workflow costs."""

    effect_ms: float
    workflow_ms: float
    step_ms: float

    @property
    def ratio(self) -> float:
        """The effect to the workflow of one step."""
        return self.effect_ms / self.workflow_ms


def bookings(*, rounds: int, seconds: float) -> list[Booked]:
    """On SQLite, in one process. Raises `BenchFailure`."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mew-bench-"))
        processes = stack.enter_context(all_started([(_WORKER, "book", f"sqlite:///{folder}/fluxi.db", "0")]))
        together(processes, seconds=_WARM_UP)
        return [_booked(*together(processes, seconds=seconds)) for _ in range(rounds)]


def _booked(did: Did) -> Booked:
    return Booked(median(did.whole), percentile(did.whole, 99), len(did.whole))


def crowds(*, rounds: int, seconds: float) -> list[Crowded]:
    """On PostgreSQL, so many processes at once, in turns with as many that only send the statements."""
    with server() as url, ExitStack() as stack:
        ours, bare = (
            stack.enter_context(all_started([(_WORKER, deed, url, str(number)) for number in range(PROCESSES)]))
            for deed in ("book", "replay")
        )
        for processes in (ours, bare):
            together(processes, seconds=_WARM_UP)
        return [
            Crowded(_per_s(together(ours, seconds=seconds)), _per_s(together(bare, seconds=seconds)))
            for _ in range(rounds)
        ]


def _per_s(dids: list[Did]) -> float:
    return sum(len(did.whole) / did.seconds for did in dids)


def effects(*, rounds: int, seconds: float) -> list[Effected]:
    """On SQLite, in turns with DBOS. Raises `BenchFailure`."""
    if find_spec("dbos") is None:
        raise BenchFailure("There is no DBOS: pip install 'mew-gateway[bench]'.")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mew-bench-"))
        started = all_started([(_WORKER, "book", f"sqlite:///{folder}/fluxi.db", "0"), ("bench.fluxi.steps", folder)])
        processes = stack.enter_context(started)
        for process in processes:
            together([process], seconds=_WARM_UP)
        return [_effected(*(together([process], seconds=seconds)[0] for process in processes)) for _ in range(rounds)]


def _effected(ours: Did, theirs: Did) -> Effected:
    return Effected(median(ours.part), median(theirs.whole), median(theirs.part))
