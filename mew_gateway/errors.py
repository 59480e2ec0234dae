"""The exceptions of the gateway, named for what the caller does next."""

from __future__ import annotations

from typing import Any


class MewError(Exception):
    """Anything this package raises on purpose."""


class Rejected(MewError):
    """One envelope is refused: reply with a `system/error` and carry on.

    `code` is one of `protocol.codes.ERRORS`, `message` a sentence for a person, `details` further payload
    fields. `correlation` is the refused envelope's id, where it could be read.
    """

    def __init__(self, code: str, message: str, *, correlation: str | None = None, **details: Any) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.correlation = correlation
        self.details = details

    @classmethod
    def told(cls, payload: dict[str, Any], *, correlation: str | None) -> Rejected:
        """The rejection that the payload of a `system/error` tells of."""
        details = {key: value for key, value in payload.items() if key not in ("error", "message")}
        return cls(payload["error"], payload["message"], correlation=correlation, **details)


class Fatal(MewError):
    """The connection is at fault: close it with `close_code` (see `protocol.codes.CLOSES`) and `reason`."""

    def __init__(self, close_code: int, reason: str) -> None:
        super().__init__(f"{close_code}: {reason}")
        self.close_code = close_code
        self.reason = reason


class Unavailable(MewError):
    """Something outside (the disk, mostly) does not answer now: nothing was accepted, try again later.

    `reason` is a sentence that anybody may read: it names no file.
    """

    def __init__(self, message: str, *, reason: str = "The journal cannot be written.") -> None:
        super().__init__(message)
        self.reason = reason


class Misconfigured(MewError):
    """An agent cannot start as it was told to: correct what the sentence names."""


class CorruptJournal(MewError):
    """The journal cannot be read as what it claims to be: stop and let a person look."""
