"""What the gateway counts: plain integers on the hot path, Prometheus text when somebody asks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector


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


class _Exporter(Collector):
    def __init__(self, counters: Counters, gauges: dict[str, tuple[str, Callable[[], float]]]) -> None:
        self._counters = counters
        self._gauges = gauges

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
        for name, (meaning, read) in self._gauges.items():
            yield GaugeMetricFamily(name, meaning, value=read())


def exposition(counters: Counters, gauges: dict[str, tuple[str, Callable[[], float]]]) -> bytes:
    """The Prometheus text format. `gauges` maps a metric's name to its meaning and how to read it."""
    registry = CollectorRegistry()
    registry.register(_Exporter(counters, gauges))
    ProcessCollector(registry=registry)  # memory, descriptors and time of the process, where the system tells
    return generate_latest(registry)
