"""What flows cost on SQLite, beside the same dialogue on LangGraph's SQLite checkpointer."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from statistics import median
from typing import NamedTuple

from bench.failure import BenchFailure
from bench.measurement import percentile
from bench.process import Process
from bench.turns import Did, all_started, together
from bench.verdicts import Target

TURN_MS = Target("≤", 2)  # the median of a turn on SQLite
LANGGRAPH_RATIO = Target("≥", 2.5)  # LangGraph's time for the same dialogue

_WORKER = "bench.flows.worker"
_WARM_UP = 1.0  # seconds
_SLICES = 10  # of a round


class Talked(NamedTuple):
    """A round, in milliseconds: turns of onboardings and of transfers without their effects, at the median and at the
    99th percentile; the effect behind a yes; the mean turn of an onboarding, and of the same on LangGraph.
    """

    p50_ms: float
    p99_ms: float
    onboarding_ms: float
    transfer_ms: float
    effect_ms: float
    mean_ms: float
    langgraph_ms: float
    turns: int

    @property
    def ratio(self) -> float:
        """LangGraph's time to ours, for the whole onboarding."""
        return self.langgraph_ms / self.mean_ms


def talks(*, rounds: int, seconds: float) -> list[Talked]:
    """Onboardings, transfers, and onboardings on LangGraph in turns, a process each. Raises `BenchFailure`."""
    if find_spec("langgraph") is None:
        raise BenchFailure("There is no LangGraph: pip install 'mew-gateway[bench]'.")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mew-bench-"))
        deeds = [(_WORKER, deed, folder) for deed in ("onboard", "transfer", "graph")]
        processes = stack.enter_context(all_started(deeds))
        for process in processes:
            together([process], seconds=_WARM_UP)
        return [_talked(*_in_turns(processes, seconds)) for _ in range(rounds)]


def _in_turns(processes: Sequence[Process], seconds: float) -> Iterator[Did]:
    """What each did in so many seconds, a slice of them after the other: whatever else goes on meets all of them."""
    slices = [[together([one], seconds=seconds / _SLICES)[0] for one in processes] for _ in range(_SLICES)]
    for of_one in zip(*slices, strict=True):
        yield Did(
            sum(did.seconds for did in of_one),
            [one for did in of_one for one in did.whole],
            [one for did in of_one for one in did.part],
        )


def _talked(onboarding: Did, transfer: Did, graph: Did) -> Talked:
    # As many of each as a dialogue of both has, however many were made: six turns and two.
    count = min(len(onboarding.whole) // 6, len(transfer.whole) // 2)
    both = [*onboarding.whole[: 6 * count], *transfer.whole[: 2 * count]]
    return Talked(
        p50_ms=median(both),
        p99_ms=percentile(both, 99),
        onboarding_ms=median(onboarding.whole),
        transfer_ms=median(transfer.whole),
        effect_ms=median(transfer.part),
        mean_ms=median(onboarding.part),
        langgraph_ms=median(graph.part),
        turns=len(both),
    )
