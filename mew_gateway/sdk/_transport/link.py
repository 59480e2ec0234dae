"""Link to a gateway: one connection that sends and receives frames.

`Link` is the interface, `WebSocket` the usual implementation; `memory_link` and `io_thread` have the others. A link
ends with `Disconnected` or `Stopped` (`reconnect`).
"""

from __future__ import annotations

import ipaddress
import logging
import os
import ssl
from collections.abc import Awaitable
from typing import Protocol
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus
from websockets.http11 import Response

from mew_gateway.errors import MewError
from mew_gateway.protocol.address import address, redacted
from mew_gateway.tls_trust import Trust

from .reconnect import Disconnected, Stopped, ended

_LARGEST_FRAME = 16 * 1024 * 1024  # of a frame received: a welcome may be bigger than what we may send
_OPENING = 10  # seconds for the handshake
_LONGEST_WAIT = 60_000  # milliseconds that are waited because of `Retry-After`
_BUSY = (408, 425, 429)  # of the 4xx statuses, those that pass by themselves

# Never at DEBUG, whatever the application logs: websockets would print the handshake, and the token in it.
_wire = logging.getLogger("mew_gateway.sdk.wire")
_wire.setLevel(logging.INFO)


class Link(Protocol):
    """Connection that a client uses: a WebSocket, or in tests a space without sockets (`sdk.testing`)."""

    def send(self, *frames: bytes, text: bool) -> Awaitable[None]:
        """Send these frames with nothing in between.

        Await the result: it is done when the frames are written. Raises `Disconnected` or `Stopped` when the connection
        has ended.

        This is not a coroutine function, because `IoThread` gives the frames their place in the queue when it is
        called. Other links may do so when the result is awaited.
        """

    async def receive(self) -> str | bytes:
        """Return the next frame; text as `str`. Raises `Disconnected` or `Stopped` when no more will come."""

    async def close(self) -> None:
        """Close the connection with a closing handshake. Idempotent; never raises."""

    def abort(self) -> None:
        """Drop the connection at once. Idempotent."""


class Opener(Protocol):
    """Function that opens a connection; `open_link` by default."""

    async def __call__(self, url: str, *, space: str, token: str, after: str | None) -> Link:
        """Connect. The welcome is the first envelope. Raises `Stopped` or `Disconnected`."""


class WebSocket:
    """A `Link` over a WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def send(self, *frames: bytes, text: bool) -> None:
        """As `Link.send`."""
        try:
            for data in frames:
                await self._socket.send(data, text=text)
        except ConnectionClosed:
            raise self._ended() from None

    async def receive(self) -> str | bytes:
        """As `Link.receive`."""
        try:
            return await self._socket.recv()
        except ConnectionClosed:
            raise self._ended() from None

    async def close(self) -> None:
        """As `Link.close`."""
        await self._socket.close()

    def abort(self) -> None:
        """As `Link.abort`."""
        self._socket.transport.abort()

    def _ended(self) -> Stopped | Disconnected:
        return ended(self._socket.close_code or 1006, self._socket.close_reason or "")


def secret(token: str) -> str:
    """Return a token without the line break that its file ends with.

    Raises `ValueError` if the token cannot be in a header. The message does not show the token, as a library's would.
    """
    token = token.strip()
    if not token.isprintable() or " " in token:
        raise ValueError("A token is one word; this one has blanks or control characters in it.")
    return token


async def open_link(
    url: str, *, space: str, token: str, after: str | None = None, ping: int = 20_000, trust: Trust | None = None
) -> Link:
    """Connect over a WebSocket. Raises `Stopped` or `Disconnected`.

    `ping` is the interval in milliseconds. `trust` says which certificates are accepted; None reads it from the
    environment, with OpenSSL's own variables.
    """
    where = address(url, space, after=after)
    tls, name = _tls(where, trust or Trust.of(os.environ))
    try:
        socket = await connect(
            where,
            ssl=tls,
            server_hostname=name,
            additional_headers={"Authorization": f"Bearer {token}"},
            proxy=None if _is_loopback(where) else True,
            compression=None,
            open_timeout=_OPENING,
            ping_interval=ping / 1000,
            ping_timeout=ping / 1000,
            close_timeout=2,
            max_size=_LARGEST_FRAME,
            logger=_wire,
        )
    except InvalidStatus as error:
        raise _refusal(error.response, space) from None
    except (OSError, EOFError, InvalidHandshake) as error:
        raise Disconnected(f"No gateway answers at {redacted(url)}: {str(error) or type(error).__name__}.") from None
    return WebSocket(socket)


def _tls(where: str, trust: Trust) -> tuple[ssl.SSLContext | None, str | None]:
    """Return the TLS context and the name to verify; None without TLS. Raises `Disconnected`: a missing file may
    return."""
    parts = urlsplit(where)
    if parts.scheme != "wss":
        return None, None
    try:
        return trust.context(), trust.server_name or parts.hostname
    except MewError as error:
        raise Disconnected(str(error)) from None


def _refusal(response: Response, space: str) -> Stopped | Disconnected:
    status = response.status_code
    if not 400 <= status < 500 or status in _BUSY:
        wait = _retry_after(response)
        return Disconnected(f"The gateway answered the handshake with {status}.", retry_after=wait)
    if status == 401:
        message = (
            f"The gateway knows no such token in space {space!r} (401). Check the space's name and MEW_TOKEN; "
            f"`mew token show` prints the token of a participant."
        )
    else:
        message = f"The gateway refused the handshake with {status}. Check the address and the space's name."
    return Stopped(status, "handshake refused", message)


def _retry_after(response: Response) -> int:
    """Return the milliseconds of a `Retry-After` in seconds (RFC 9110 §10.2.3); 0 for a date or none."""
    said = ",".join(response.headers.get_all("Retry-After")).strip()
    return min(1000 * int(said), _LONGEST_WAIT) if said.isascii() and said.isdigit() and len(said) < 10 else 0


def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
