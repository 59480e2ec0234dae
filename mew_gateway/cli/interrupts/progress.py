"""The progress of one interrupt: what its sender has received about it so far.

`InterruptProgress` is a small state machine without I/O. Envelopes go in by `take`; what a lost connection hid goes in
by `catch_up`, from the gateway's record. Properties answer whether to wait any longer, and how it ended.

Invariants: an envelope counts only if it names this interrupt or its sequence, and comes from the target or the
gateway; what was received live is never overwritten by the record.

Where to go next: `session` (sends and waits), `report` (prints).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mew_gateway.protocol.envelope import Envelope

PROMISES = ("stopping", "completing_thought")  # statuses of an ack that promise a conclusion


@dataclass(kw_only=True)
class InterruptProgress:
    """An interrupt that was sent.

    `refusal`, `ack_timeout` and `overrun` are payloads of `system/error`, `ack` is that of the ack, `conclusion`
    that of the conclusion; each is None until it is received.
    """

    id: str
    me: str
    target: str
    sequence: str
    emergency: bool = False
    accepted: bool = False
    refusal: dict[str, Any] | None = None
    ack_timeout: dict[str, Any] | None = None
    ack: dict[str, Any] | None = None
    overrun: dict[str, Any] | None = None
    conclusion: dict[str, Any] | None = None
    lost: bool = False  # the target left for good, its sequence is lost
    record: dict[str, Any] = field(default_factory=dict)  # the gateway's row, as read last over HTTP

    @property
    def answered(self) -> bool:
        """True if no further answer is due: the target has answered, cannot answer, or was too late."""
        return self.lost or any(one is not None for one in (self.refusal, self.ack_timeout, self.ack))

    @property
    def promised(self) -> bool:
        """True if a conclusion is due: the target promised it, or an emergency ends its span."""
        if self.ack is None:
            return False
        after_span = self.emergency and self.ack.get("outcome") == "halt_after_span"
        return after_span or self.ack.get("status") in PROMISES

    @property
    def halts(self) -> bool:
        """True if the target is halted: an accepted emergency halts at once, whatever is answered."""
        return self.emergency and self.accepted and self.refusal is None

    @property
    def ended(self) -> bool:
        """True if the promise was kept or broken."""
        return self.lost or self.conclusion is not None or self.overrun is not None

    @property
    def result(self) -> str:
        """The result by name: `acked`, `refused`, `timed_out`, `lost`, or `unanswered`."""
        if self.refusal is not None:
            return "refused"
        if self.ack is not None:
            return "acked"
        if self.ack_timeout is not None:
            return "timed_out"
        return "lost" if self.lost else "unanswered"

    def take(self, envelope: Envelope) -> None:
        """Take in an envelope; one about something else changes nothing."""
        about = self.id in (envelope.correlation_id or ())
        if envelope.id == self.id:
            self.accepted = self.accepted or envelope.sender == self.me
        elif envelope.kind == "system/error":
            self._take_error(envelope.payload or {}, about=about)
        elif envelope.sender != self.target:
            return
        elif envelope.kind == "reasoning/interrupt-ack":
            if about and self.me in (envelope.to or (self.me,)):
                self.ack = envelope.payload or {}
        elif envelope.kind in ("reasoning/conclusion", "reasoning/cancel") and envelope.context == self.sequence:
            self.conclusion = envelope.payload or {}

    def catch_up(self, record: dict[str, Any], sequence: dict[str, Any] | None) -> None:
        """Take in the gateway's rows of the interrupt and its sequence: what happened while there was no connection."""
        self.accepted = True
        self.record = record
        if record["ack"] is not None and self.ack is None:
            self.ack = {name: record["ack"][name] for name in ("status", "message", "outcome")}
        steps = [step["status"] for step in record["steps"]]
        if "timed_out" in steps and self.ack_timeout is None:
            self.ack_timeout = {"error": "interrupt_ack_timeout"}
        if "overrun" in steps and self.overrun is None:
            self.overrun = {"error": "interrupt_overrun"}
        state = None if sequence is None else sequence["state"]
        if state == "lost" or record["status"] == "target_left":
            self.lost = True
        elif state in ("concluded", "cancelled") and self.conclusion is None:
            self.conclusion = {"outcome": sequence["outcome"] if sequence else None}

    def _take_error(self, payload: dict[str, Any], *, about: bool) -> None:
        code = payload.get("error")
        if code == "sequence_lost" and payload.get("sequence_id") == self.sequence:
            self.lost = True
        elif not about:
            return
        elif code == "interrupt_ack_timeout":
            self.ack_timeout = payload
        elif code == "interrupt_overrun":
            self.overrun = payload
        elif code == "participant_not_found" or payload.get("yours") is True:  # it was accepted, now or before
            self.accepted = True
        else:
            self.refusal = payload
