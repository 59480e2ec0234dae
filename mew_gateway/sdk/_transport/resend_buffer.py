"""Resend buffer: the bytes of recent envelopes, kept in case the gateway refuses one temporarily."""

from __future__ import annotations

import threading

from mew_gateway.protocol.envelope import Envelope

_MOST_BYTES = 4 << 20
_TEMPORARY = ("rate_limited", "journal_unavailable")
_DEFAULT_WAIT = 1_000  # milliseconds
# Interrupts are not repeated: the caller gets the refusal and decides.
_NEVER_RESENT = ("reasoning/interrupt", "reasoning/cancel")


class ResendBuffer:
    """Bytes of the newest envelopes by id, up to 4 MiB. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: dict[str, bytes] = {}
        self._bytes = 0

    def keep(self, id: str, kind: str, data: bytes) -> None:
        """Store the bytes of an envelope that is being sent."""
        with self._lock:
            if kind in _NEVER_RESENT or id in self._sent:
                return
            self._sent[id] = data
            self._bytes += len(data)
            while self._bytes > _MOST_BYTES:
                self._bytes -= len(self._sent.pop(next(iter(self._sent))))

    def again(self, envelope: Envelope) -> tuple[bytes, int] | None:
        """Return the bytes to send again and the wait in milliseconds; None if the envelope asks for no resend."""
        payload = envelope.payload or {}
        if envelope.kind != "system/error" or payload.get("error") not in _TEMPORARY:
            return None
        data = self._sent.get((envelope.correlation_id or [""])[0])
        wait = payload.get("retry_after_ms", _DEFAULT_WAIT)
        return None if data is None else (data, wait if isinstance(wait, int) else _DEFAULT_WAIT)
