"""The interrupts of all lives: each answered or timed out, once, and none before its deadline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from bench.crash.remains import Pending
from bench.inquiry import Placed

_ENDS = {"interrupt_ack_timeout": "timed out", "interrupt_overrun": "overrun"}


@dataclass(kw_only=True)
class Promises:
    """What a space's interrupts came to. `ack_deadline` and `conclusion` in milliseconds; `faults` are sentences.

    `latest` is how long after its deadline one timed out, in milliseconds: while the gateway was dead, nobody could.
    """

    ack_deadline: int
    conclusion: int
    interrupts: int = 0
    acked: int = 0
    timed_out: int = 0
    overrun: int = 0
    envelopes: int = 0
    latest: int = 0
    over_a_kill: int = 0
    faults: list[str] = field(default_factory=list)

    def survived(self, pending: Iterable[Pending]) -> None:
        """Look at what was pending when the gateway was killed: no deadline is early, and none was given twice."""
        for one in pending:
            if one.deadline is not None:
                self._check_due(one, "ack", one.deadline, one.accepted_at, self.ack_deadline)
            if one.conclusion_due is not None:
                began = one.accepted_at if one.acked_at is None else one.acked_at
                self._check_due(one, "conclusion", one.conclusion_due, began, self.conclusion)

    def _check_due(self, one: Pending, what: str, at: int, began: int, length: int) -> None:
        """A deadline begins with the interrupt or the ack, or with its target's return after a start (decision 56)."""
        self.over_a_kill += 1
        earliest, latest = began + length, max(began, one.returning) + length
        if at < earliest:
            self.faults.append(f"the {what} of {one.space}/{one.id} is due {earliest - at} ms early")
        if at > latest:
            self.faults.append(f"the {what} of {one.space}/{one.id} is due {at - latest} ms late")

    def judge(self, space: str, record: Sequence[Placed]) -> None:
        """Look through the whole record of a space."""
        asked: dict[str, int] = {}
        ends: dict[str, Counter[str]] = {}
        ids: Counter[str] = Counter()
        promised: dict[str, str] = {}  # by interrupt, the sequence that was to stop
        of: dict[str, str] = {}
        concluded: set[str] = set()
        for placed in record:
            envelope = placed.envelope
            kind, id = envelope["kind"], envelope["id"]
            ids[id] += 1
            self.envelopes += not id.startswith("gw-")
            about = (envelope.get("correlation_id") or [""])[0]
            if kind == "reasoning/interrupt":
                asked[id] = placed.at
                of[id] = about
            elif kind == "reasoning/interrupt-ack":
                ends.setdefault(about, Counter())["acked"] += 1
                if envelope["payload"]["status"] == "stopping":
                    promised[about] = of[about]
            elif kind == "reasoning/conclusion":
                concluded.add(envelope["context"])
            elif kind == "system/error" and envelope["payload"]["error"] in _ENDS:
                ends.setdefault(about, Counter())[_ENDS[envelope["payload"]["error"]]] += 1
                if envelope["payload"]["error"] == "interrupt_ack_timeout":
                    self._passed(space, about, placed.at - asked[about])
        self.faults += [f"{space} holds {id} {times} times" for id, times in ids.items() if times > 1]
        self.interrupts += len(asked)
        for id in asked:
            ended = ends.get(id, Counter())
            self._ended(f"{space}/{id}", ended)
            if id in promised and promised[id] not in concluded and not ended["overrun"]:
                self.faults.append(f"{space}/{id} was to stop {promised[id]}, which neither ended nor is overdue")

    def _passed(self, space: str, id: str, waited: int) -> None:
        self.latest = max(self.latest, waited - self.ack_deadline)
        if waited < self.ack_deadline:
            self.faults.append(f"{space}/{id} timed out after {waited} ms")

    def _ended(self, name: str, ended: Counter[str]) -> None:
        self.acked += ended["acked"]
        self.timed_out += ended["timed out"]
        self.overrun += ended["overrun"]
        for what, times in ended.items():
            if times > 1:
                self.faults.append(f"{name} {what} {times} times")
        if not (ended["acked"] or ended["timed out"]):
            self.faults.append(f"{name} was neither answered nor timed out")
