"""What a client has sent lately, kept for the case that the gateway says *later*."""

from __future__ import annotations

import threading

from mew_gateway.protocol.envelope import Envelope

_MOST_BYTES = 4 << 20
_LATER = ("rate_limited", "journal_unavailable")
_USUAL_WAIT = 1_000  # milliseconds
# Whoever interrupts is told that it was too often, and decides.
_NOT_AGAIN = ("reasoning/interrupt", "reasoning/cancel")


class Retained:
    """The bytes of the newest envelopes, by id, up to a bound. For any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[str, bytes] = {}
        self._bytes = 0

    def keep(self, id: str, kind: str, data: bytes) -> None:
        """An envelope leaves."""
        with self._lock:
            if kind in _NOT_AGAIN or id in self._sent:
                return
            self._sent[id] = data
            self._bytes += len(data)
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._sent.pop(next(iter(self._sent))))

    def again(self, envelope: Envelope) -> tuple[bytes, int] | None:
        """What a refusal asks to be sent again, and after how many milliseconds; None for any other envelope."""
        payload = envelope.payload or {}
        if envelope.kind != "system/error" or payload.get("error") not in _LATER:
            return None
        data = self._sent.get((envelope.correlation_id or [""])[0])
        wait = payload.get("retry_after_ms", _USUAL_WAIT)
        return None if data is None else (data, wait if isinstance(wait, int) else _USUAL_WAIT)
