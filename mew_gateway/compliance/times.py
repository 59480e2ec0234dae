"""How long an examination waits for what, in milliseconds."""

from __future__ import annotations

import msgspec

LONGEST_HALT = 60_000  # that a span may go on under an emergency (docs/protocol.md §5)


class Deadlines(msgspec.Struct, frozen=True, kw_only=True):
    """The deadlines of a space (docs/protocol.md §5). They are short: an examination is to be over in less than a
    minute."""

    ack: int = 2_000
    emergency_ack: int = 1_000
    stopping: int = 2_000
    completing: int = 4_000


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """What an examination itself waits for.

    `patience`: for a run to begin, and for an agent to come back. `longest`: for a run that nobody may stop to end by
    itself. `settle`: how long is watched for what must not come. `beyond`: past a deadline, for what is overdue.
    `before`: for the first thought of a run.
    """

    start: int = 20_000
    patience: int = 10_000
    longest: int = 10_000
    settle: int = 1_000
    beyond: int = 2_000
    before: int = 500
