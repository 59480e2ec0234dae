"""All that can be measured, by name."""

from __future__ import annotations

from bench.agents import ACK, BOOKING, BOOKINGS, DECISION, EFFECT, FLOWS
from bench.capability import Check
from bench.idle import Idle
from bench.measurement import Measurement
from bench.rounds import Rounds
from bench.scenario import SCENARIOS, SPACES_IN_TURN
from bench.streams import Streams

# How fast the gateway is, in under five minutes; and what lies beside it, in about ten.
GATEWAY: tuple[Measurement, ...] = (*map(Rounds, SCENARIOS), Check(), Idle())
BESIDE: tuple[Measurement, ...] = (Rounds(SPACES_IN_TURN), Streams(), ACK, DECISION, BOOKING, BOOKINGS, EFFECT, FLOWS)
