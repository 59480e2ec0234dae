"""What a space remembers. All of it survives a restart: by replay, or from a snapshot."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from .settings import SpaceSettings

# pending -> acked | timed_out | target_left; timed_out -> late; a promise to stop -> honoured | overrun (§5)
Status: TypeAlias = Literal["pending", "acked", "timed_out", "late", "target_left", "honoured", "overrun"]
Answer: TypeAlias = Literal["stopping", "completing_thought", "continuing", "ignored"]
Outcome: TypeAlias = Literal["concluded", "cancelled", "lost"]


class Fence(msgspec.Struct):
    """What an ack that promises a stop leaves behind on its sequence, until the conclusion.

    `thoughts_left` more thoughts are let through; `ordinal` tells sequences opened before it from later ones.
    """

    answer: Literal["stopping", "completing_thought"]
    thoughts_left: int
    ordinal: int


class Sequence(msgspec.Struct):
    """One `reasoning/start` … conclusion. Times are milliseconds since the epoch."""

    id: str
    owner: str
    ordinal: int
    opened_at: int
    message: str | None = None
    thoughts: int = 0
    closed_at: int | None = None
    outcome: Outcome | None = None
    said: str | None = None  # the conclusion's own word for its outcome
    fence: Fence | None = None
    interrupts: list[str] = []  # the unsettled ones
    asked: dict[str, list[int]] = {}  # by sender: when their latest accepted interrupts came


class Ack(msgspec.Struct, frozen=True):
    """The target's typed answer to an interrupt."""

    id: str
    answer: Answer
    at: int
    message: str | None = None
    outcome: str | None = None


class Interrupt(msgspec.Struct):
    """The record of one interrupt, from acceptance on. `steps` is its whole way: (status, when).

    A `reasoning/cancel` from somebody else is one too, without an ack deadline. `data` is the envelope, kept
    while the target may have to be given it again; `conclusion_due` is set while a promise is unredeemed.
    """

    id: str
    kind: Literal["reasoning/interrupt", "reasoning/cancel"]
    sequence: str
    ordinal: int  # the sequence's: its id may come back
    target: str
    sender: str
    reason: str | None
    class_: str
    message: str | None
    accepted_at: int
    data: bytes | None
    delivered_at: int | None = None
    deadline: int | None = None
    conclusion_due: int | None = None
    status: Status = "pending"
    ack: Ack | None = None
    rung: int = 0  # of the escalation ladder: how far it was climbed, and when the next is due
    rung_due: int | None = None
    escalated: list[str] = []
    steps: list[tuple[Status, int]] = []

    def move(self, status: Status, now: int) -> None:
        """Take the next step of its way."""
        self.status = status
        self.steps.append((status, now))


class Request(msgspec.Struct, frozen=True):
    """An open `mcp/request`: who asked, and who has yet to answer (None: anybody, it was a broadcast)."""

    id: str
    sender: str
    awaited: tuple[str, ...] | None


class State(msgspec.Struct):
    """Everything a space knows but the ids its participants have used, and nothing that can be derived from it."""

    settings: SpaceSettings
    version: int
    epoch: str
    issued: int = 0  # gateway envelopes so far: their ids derive from it
    ordinal: int = 0  # sequences and fences so far
    last_connection: int = 0  # the highest number so far: none is used twice
    connections: dict[int, str] = {}  # who holds it, in the order they joined
    absent: dict[str, int] = {}  # owners of open sequences without a connection: when their grace ends
    sequences: dict[str, Sequence] = {}
    closed: dict[str, Sequence] = {}
    fenced: dict[str, list[str]] = {}  # by owner: their sequences under a fence
    interrupts: dict[str, Interrupt] = {}  # unsettled: a deadline runs, or the target has yet to answer
    settled: dict[str, Interrupt] = {}
    requests: dict[str, Request] = {}
    asking: dict[str, list[str]] = {}  # by sender: their open requests, oldest first
    deadlines: list[tuple[int, int, str, str]] = []  # a heap of (at, number, what, id)
    timers: int = 0
