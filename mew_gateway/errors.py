"""Exceptions of the gateway. Each name says what the caller does next."""

from __future__ import annotations

from typing import Any


class MewError(Exception):
    """Base of all exceptions that this package raises on purpose."""


class Rejected(MewError):
    """One envelope is refused: reply with a `system/error` and continue.

    `code` is one of `protocol.codes.ERRORS`, `message` a sentence for people, `details` further payload fields.
    `correlation` is the id of the refused envelope; None if it could not be read.
    """

    def __init__(self, code: str, message: str, *, correlation: str | None = None, **details: Any) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.correlation = correlation
        self.details = details

    @classmethod
    def from_payload(cls, payload: dict[str, Any], *, correlation: str | None) -> Rejected:
        """Return the rejection that the payload of a `system/error` reports."""
        details = {key: value for key, value in payload.items() if key not in ("error", "message")}
        return cls(payload["error"], payload["message"], correlation=correlation, **details)


class Fatal(MewError):
    """The connection broke a rule: close it with `close_code` (see `protocol.codes.CLOSES`) and `reason`."""

    def __init__(self, close_code: int, reason: str) -> None:
        super().__init__(f"{close_code}: {reason}")
        self.close_code = close_code
        self.reason = reason


class Unavailable(MewError):
    """A resource (usually the disk) is not available now: nothing was accepted, try again later.

    `reason` is a sentence for any reader: it names no file.
    """

    def __init__(self, message: str, *, reason: str = "The journal cannot be written.") -> None:
        super().__init__(message)
        self.reason = reason


class Misconfigured(MewError):
    """An agent cannot start with its settings: correct what the sentence names."""


class CorruptJournal(MewError):
    """The journal is damaged or has another format: stop, and let a person decide."""
