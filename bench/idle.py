"""What connections cost that say nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from bench.failure import BenchFailure
from bench.gateway import gateway
from bench.load import held
from bench.machine import resident_kib
from bench.measurement import Conditions, Result, Row, Spread
from bench.verdicts import Target

CONNECTIONS = 10_000
PARTICIPANTS = 100  # a hundred connections each: ten thousand participants would measure their presence
TARGET = Target("≤", 12)  # KiB each


@dataclass(frozen=True)
class Held(Result):
    """The gateway's resident memory in KiB without and with idle connections; the seconds it took to connect them."""

    connections: int
    before_kib: int
    after_kib: int
    connected_in_s: float

    @property
    def kib_each(self) -> float:
        """KiB of resident memory per connection."""
        return (self.after_kib - self.before_kib) / self.connections

    def rows(self) -> Iterator[Row]:
        """One: it is measured once."""
        yield Row("idle", "KiB a connection", Spread.of([self.kib_each]), target=TARGET)

    def lines(self) -> Iterator[str]:
        """What it was computed from."""
        yield (
            f"idle: {self.connections:,} connections, {self.before_kib / 1024:.0f} MiB before, "
            f"{self.after_kib / 1024:.0f} MiB after, connected in {self.connected_in_s:.1f} s; measured once"
        )

    def as_json(self) -> object:
        """With the verdict."""
        return {**asdict(self), "kib_each": self.kib_each, "met": TARGET.is_met(self.kib_each)}


class Idle:
    """The measurement."""

    name = "idle"

    def measure(self, conditions: Conditions) -> Held | None:
        """Reads the gateway's memory without and with idle connections. Raises `BenchFailure`."""
        if "gateway" not in conditions.servers:
            return None
        conditions.progress(f"idle: {CONNECTIONS:,} connections that say nothing")
        arguments = ["--clients", str(CONNECTIONS), "--ids", str(PARTICIPANTS)]
        try:
            with gateway(participants=PARTICIPANTS, journal=conditions.journal) as server:
                time.sleep(1)  # until what its start left behind is freed
                before = resident_kib(server.pid)
                with held(server, arguments) as line:
                    connected = float(line["connected_in_s"])
                    settle = conditions.effort.settle
                    conditions.progress(f"  connected in {connected:.1f} s, settling {settle:.0f} s")
                    time.sleep(settle)
                    after = resident_kib(server.pid)
        except BenchFailure as failure:
            raise BenchFailure(f"idle: {failure}") from None
        return Held(CONNECTIONS, before, after, connected)
