"""The course of an interrupt: what its sender has heard of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mew_gateway.protocol.envelope import Envelope

from ..framework.failure import CONTINUING, IGNORED, REFUSED, TIMED_OUT

_STATUSES = {"stopping": 0, "completing_thought": 0, "continuing": CONTINUING, "ignored": IGNORED}


@dataclass(kw_only=True)
class Course:
    """An interrupt that was sent. `refusal`, `missed` and `overrun` are payloads of `system/error`, `ack` that of the
    ack, `conclusion` that of the conclusion; each None until it is heard."""

    id: str
    me: str
    target: str
    sequence: str
    emergency: bool = False
    accepted: bool = False
    refusal: dict[str, Any] | None = None
    missed: dict[str, Any] | None = None
    ack: dict[str, Any] | None = None
    overrun: dict[str, Any] | None = None
    conclusion: dict[str, Any] | None = None
    lost: bool = False  # the target left for good, and its sequence with it
    record: dict[str, Any] = field(default_factory=dict)  # as the gateway had it last, over HTTP

    @property
    def answered(self) -> bool:
        """Whether it is decided what the target says, if anything."""
        return self.lost or any(one is not None for one in (self.refusal, self.missed, self.ack))

    @property
    def promised(self) -> bool:
        """Whether a conclusion is due: the target has promised it, or has to end with its span in an emergency."""
        if self.ack is None:
            return False
        after_span = self.emergency and self.ack.get("outcome") == "halt_after_span"
        return after_span or _STATUSES.get(self.ack.get("status", "")) == 0

    @property
    def halts(self) -> bool:
        """Whether its target is halted: an emergency does that at once, whatever is answered."""
        return self.emergency and self.accepted and self.refusal is None

    @property
    def over(self) -> bool:
        """Whether the promise was kept or broken."""
        return self.lost or self.conclusion is not None or self.overrun is not None

    @property
    def result(self) -> str:
        """`acked`, `refused`, `timed_out`, `lost`, or `unanswered`."""
        if self.refusal is not None:
            return "refused"
        if self.ack is not None:
            return "acked"
        if self.missed is not None:
            return "timed_out"
        return "lost" if self.lost else "unanswered"

    @property
    def status(self) -> int:
        """The exit status: of the answer, unless a deadline passed, the answer's or that of a promised conclusion."""
        if self.refusal is not None:
            return REFUSED
        if self.ack is None or (self.promised and self.conclusion is None and (self.overrun is not None or self.lost)):
            return TIMED_OUT
        if self.promised:
            return 0
        return _STATUSES.get(self.ack.get("status", ""), TIMED_OUT)

    def take(self, envelope: Envelope) -> None:
        """Hear an envelope."""
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
        """Hear what was missed while there was no connection: the gateway's record, and the sequence's."""
        self.accepted = True
        self.record = record
        if record["ack"] is not None and self.ack is None:
            self.ack = {name: record["ack"][name] for name in ("status", "message", "outcome")}
        steps = [step["status"] for step in record["steps"]]
        if "timed_out" in steps and self.missed is None:
            self.missed = {"error": "interrupt_ack_timeout"}
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
            self.missed = payload
        elif code == "interrupt_overrun":
            self.overrun = payload
        elif code == "participant_not_found" or payload.get("yours") is True:  # it was taken, now or before
            self.accepted = True
        else:
            self.refusal = payload
