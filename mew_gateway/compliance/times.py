"""Deadlines and waiting times of an examination, in milliseconds."""

from __future__ import annotations

import msgspec

LONGEST_HALT = 60_000  # for a span to finish after an emergency (docs/protocol.md §5)


class Deadlines(msgspec.Struct, frozen=True, kw_only=True):
    """Deadlines of a space (docs/protocol.md §5), short enough for an examination of less than a minute."""

    ack: int = 2_000
    emergency_ack: int = 1_000
    stopping: int = 2_000
    completing: int = 4_000


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """Waiting times of the examination itself.

    `start`: for the agent to join. `patience`: for a run to begin, and for an agent to reconnect. `longest`: for a
    non-interruptible run to end by itself. `settle`: for envelopes that must not come. `beyond`: for overdue envelopes,
    after a deadline. `before`: for the first thought of a run.
    """

    start: int = 20_000
    patience: int = 10_000
    longest: int = 10_000
    settle: int = 1_000
    beyond: int = 2_000
    before: int = 500
