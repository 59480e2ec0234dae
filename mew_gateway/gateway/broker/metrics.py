"""Metrics of the gateway: plain integers on the hot path, Prometheus text on request."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from mew_gateway.space.state import State

# Seconds that a commit takes, with what follows from it, as the upper ends of a histogram's classes.
_TOOK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Counters:
    """The gateway's counts since it started."""

    def __init__(self) -> None:
        self.received = 0  # messages read from connections
        self.journalled = 0  # entries
        self.ticks = 0  # commits
        self.unwritten = 0  # commits that failed
        self.stalls = 0  # in which the process stood still
        self.stalled = 0  # ms of them
        self.delivered = 0  # envelopes and frames times recipients
        self.frames = 0  # of streams, let through
        self.refused: Counter[str] = Counter()  # by code
        self.closed: Counter[int] = Counter()  # by close code
        self.took_seconds = 0.0  # for commits, and what followed from them
        self.slower = [0] * (len(_TOOK) + 1)  # commits by class of `_TOOK`; the last took longer still

    def took(self, seconds: float) -> None:
        """Record the seconds of a commit with its deliveries."""
        self.took_seconds += seconds
        self.slower[bisect_left(_TOOK, seconds)] += 1


class Measure(NamedTuple):
    """A metric that is read on request: its help text, and a function that reads it. Counters end in `_total`."""

    meaning: str
    read: Callable[[], float]


# Metrics that are read from each space's state.
_OF_A_SPACE: dict[str, tuple[str, Callable[[State], float]]] = {
    "mew_participants_present": ("Participants that are connected.", lambda state: len({*state.connections.values()})),
    "mew_sequences_open": ("Reasoning sequences that are open.", lambda state: len(state.sequences)),
    "mew_interrupts_open": (
        "Interrupts that wait for an ack or a conclusion.",
        lambda state: len(state.interrupts),
    ),
    "mew_proposals_open": ("Proposals that wait for a decision.", lambda state: len(state.proposals)),
    "mew_participants_paused": ("Participants that are paused.", lambda state: len(state.paused)),
    "mew_participants_halted": ("Participants that an emergency has halted.", lambda state: len(state.halted)),
}


class _Exporter(Collector):
    def __init__(
        self,
        counters: Counters,
        readings: Mapping[str, Measure],
        states: Mapping[str, State],
        events: Mapping[tuple[str, str], int],
        names: Iterable[str],
        *,
        by_space: bool,
    ) -> None:
        self._counters = counters
        self._readings = readings
        self._states = states
        self._events = events
        self._names = names
        self._by_space = by_space

    def collect(self) -> Iterator[Metric]:
        counters = self._counters
        yield CounterMetricFamily("mew_received", "Messages read from connections.", value=counters.received)
        yield CounterMetricFamily("mew_journalled", "Journal entries written.", value=counters.journalled)
        yield CounterMetricFamily("mew_ticks", "Journal commits.", value=counters.ticks)
        yield CounterMetricFamily("mew_commits_failed", "Journal commits that failed.", value=counters.unwritten)
        yield CounterMetricFamily("mew_stalls", "Times that the gateway stood still.", value=counters.stalls)
        yield CounterMetricFamily(
            "mew_stalled_seconds", "Seconds for which it did, in all.", value=counters.stalled / 1000
        )
        yield CounterMetricFamily("mew_delivered", "Envelopes and frames times recipients.", value=counters.delivered)
        yield CounterMetricFamily("mew_frames", "Frames of streams let through.", value=counters.frames)
        refused = CounterMetricFamily("mew_refused", "Envelopes refused, by error code.", labels=["code"])
        for code, count in sorted(counters.refused.items()):
            refused.add_metric([code], count)
        yield refused
        closed = CounterMetricFamily("mew_closed", "Connections the gateway closed, by close code.", labels=["code"])
        for close, count in sorted(counters.closed.items()):
            closed.add_metric([str(close)], count)
        yield closed
        yield self._commits()
        for name, (meaning, read) in self._readings.items():
            family = CounterMetricFamily if name.endswith("_total") else GaugeMetricFamily
            yield family(name, meaning, value=read())
        yield from self._spaces()

    def _commits(self) -> Metric:
        counts, total = [], 0
        for bound, count in zip((*map(str, _TOOK), "+Inf"), self._counters.slower, strict=True):
            total += count
            counts.append((bound, total))
        took = HistogramMetricFamily("mew_commit_seconds", "Seconds that a commit took, with what followed from it.")
        took.add_metric([], counts, self._counters.took_seconds)
        return took

    def _spaces(self) -> Iterator[Metric]:
        """Yield the figures by space, or only their sums, as the names of spaces may be private."""
        labels = ["space"] if self._by_space else []
        for name, (meaning, read) in _OF_A_SPACE.items():
            gauge = GaugeMetricFamily(name, meaning, labels=labels)
            if self._by_space:
                for space, state in self._states.items():
                    gauge.add_metric([space], read(state))
            else:
                gauge.add_metric([], sum(read(state) for state in self._states.values()))
            yield gauge
        happened = CounterMetricFamily(
            "mew_events", "What happened in the spaces, by its name (docs/operations.md).", labels=["event", *labels]
        )
        for event in self._names:
            counts = [self._events.get((space, event), 0) for space in self._states]
            if self._by_space:
                for space, count in zip(self._states, counts, strict=True):
                    happened.add_metric([event, space], count)
            else:
                happened.add_metric([event], sum(counts))
        yield happened


def exposition(
    counters: Counters,
    readings: Mapping[str, Measure],
    states: Mapping[str, State],
    events: Mapping[tuple[str, str], int],
    names: Iterable[str],
    *,
    by_space: bool,
) -> bytes:
    """Return the metrics in the Prometheus text format.

    `readings` are by the metric's name, `states` by space, `events` by space and name. Only the events in `names` are
    exported. With `by_space` each space has its own figures, else there are only the sums.
    """
    registry = CollectorRegistry()
    registry.register(_Exporter(counters, readings, states, events, names, by_space=by_space))
    ProcessCollector(registry=registry)  # memory, descriptors and time of the process, if the system provides them
    return generate_latest(registry)
