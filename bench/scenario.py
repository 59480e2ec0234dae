"""What is measured, and how good it has to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from bench.gateway import Routing

Peer = Literal["floor", "plain"]


class Target(NamedTuple):
    """A bound on the ratio of the gateway's figure to a peer's."""

    peer: Peer
    bound: float
    sense: Literal["at least", "at most"]

    def is_met(self, ratio: float) -> bool:
        """Whether this ratio is good enough."""
        return ratio >= self.bound if self.sense == "at least" else ratio <= self.bound


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A load, and the figure that is read from what `load` prints."""

    name: str
    about: str
    mode: Literal["fanout", "pair"]
    clients: int
    window: int
    figure: str
    unit: str
    routing: Routing = "visible"
    targets: tuple[Target, ...] = ()

    def arguments(self) -> list[str]:
        """The options of `load`."""
        return ["--mode", self.mode, "--clients", str(self.clients), "--window", str(self.window)]


SCENARIOS = (
    Scenario(
        name="fan-out",
        about="50 clients, one publishes, everybody receives, 64 on their way",
        mode="fanout",
        clients=50,
        window=64,
        figure="deliveries_per_s",
        unit="deliveries/s",
        targets=(Target("plain", 14, "at least"), Target("floor", 0.45, "at least")),
    ),
    Scenario(
        name="round-trip",
        about="2 clients, one envelope at a time: the median time to the other",
        mode="fanout",
        clients=2,
        window=1,
        figure="p50_us",
        unit="µs",
        targets=(Target("floor", 3, "at most"),),
    ),
    Scenario(
        name="pairs",
        about="25 pairs, each envelope addressed to one, 16 on their way per pair",
        mode="pair",
        clients=50,
        window=16,
        figure="sent_per_s",
        unit="envelopes/s",
        routing="addressed",
    ),
)

IDLE = "idle"
IDLE_CONNECTIONS = 10_000
IDLE_PARTICIPANTS = 100  # a hundred connections each: ten thousand participants would measure their presence
IDLE_TARGET_KIB = 20.0

STREAMS = "streams"
STREAM_WRITERS = 20
STREAM_BYTES = 65_536
STREAM_RATE = 64  # frames a second of each writer: 4 MiB/s, the most that one participant may by default

ACK = "ack"
DECISION = "decision"

BOOKING = "booking"
BOOKINGS = "bookings"
EFFECT = "effect"

FLOWS = "flows"

NAMES = (*(scenario.name for scenario in SCENARIOS), STREAMS, IDLE, ACK, DECISION, BOOKING, BOOKINGS, EFFECT, FLOWS)
