"""Whether a client comes back after its connection has ended: the two errors that a link ends with.

`Disconnected` means: try again later. `Stopped` means: the gateway does not want this client back. The close codes of
docs/protocol.md decide (`ended`). `client` waits and connects again; a link never does.
"""

from __future__ import annotations

from mew_gateway.errors import MewError
from mew_gateway.protocol.codes import CLOSES, may_reconnect


class Disconnected(MewError):
    """There is no connection now; try again later.

    `code` is the WebSocket close code, if there was one. `retry_after` is the wait in milliseconds that the gateway
    asked for.
    """

    def __init__(self, message: str, *, code: int | None = None, retry_after: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after


class Stopped(MewError):
    """The gateway ended the connection for good; do not reconnect without a person's decision.

    `code` is the WebSocket close code (4500 to 4999), or the HTTP status of a refused handshake.
    """

    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


def ended(code: int, reason: str) -> Stopped | Disconnected:
    """Return the error for a close code: `Stopped` if the code says not to reconnect."""
    meaning = CLOSES.get(code)
    said = f"{code}{f' ({reason})' if reason else ''}"
    if may_reconnect(code):
        return Disconnected(f"The connection ended: {said}.", code=code)
    advice = f" {meaning.meaning} {meaning.remedy}" if meaning else " Do not come back."
    return Stopped(code, reason, f"The gateway ended the connection for good: {said}.{advice}")
