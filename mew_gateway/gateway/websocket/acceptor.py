"""Accepts connections on the gateway's port; pauses while the process has no descriptors for them."""

from __future__ import annotations

import asyncio
import logging
import os
import resource
import socket
import ssl
from collections.abc import Callable

from ..broker.stalls import Stalls
from .work_queue import WorkQueue

logger = logging.getLogger("mew.server")

_BACKLOG = 2048  # connections that the system keeps until they are accepted
_AT_ONCE = 2  # accepted in a step
_CONNECT_COST = 0.0003  # seconds that a new connection takes, with its set-up
_PORT = "port"  # the party of all new connections
_RESERVED = 32  # descriptors kept free: the journal, tokens, logs and the agents' processes need some at any time
_RETRY_AFTER = 1.0  # seconds between two checks whether descriptors are free again
_LOG_EVERY = 60.0  # seconds without a failure after which the next one is logged


class Acceptor:
    """Accepts connections and gives each a protocol, after the TLS handshake if `tls` returns a context for it.

    The handshake has `handshake_timeout` seconds. asyncio's own server is not used: without free descriptors it tries
    to accept thousands of times a second and logs each failure; and it leaves no descriptor for the journal.
    """

    def __init__(
        self,
        listening: socket.socket,
        *,
        protocol: Callable[[], asyncio.Protocol],
        tls: Callable[[], ssl.SSLContext] | None,
        handshake_timeout: float,
        work_queue: WorkQueue,
        stalls: Stalls,
    ) -> None:
        self._socket = listening
        self._work_queue = work_queue
        self._stalls = stalls
        self._protocol = protocol
        self._tls = tls
        self._patience = handshake_timeout
        self._loop = asyncio.get_running_loop()
        self._accepted: set[socket.socket] = set()  # whose task has not begun
        self._connecting: set[asyncio.Task[None]] = set()
        self._retry_timer: asyncio.TimerHandle | None = None
        self._wanted_at = self._refused_at = -_LOG_EVERY
        self._is_closed = False

    def start(self) -> None:
        """Start to accept connections."""
        self._socket.setblocking(False)
        self._socket.listen(_BACKLOG)
        self._resume()

    def close(self) -> None:
        """Close the port, and cancel the TLS handshakes that are under way."""
        self._is_closed = True
        self._loop.remove_reader(self._socket)
        if self._retry_timer is not None:
            self._retry_timer.cancel()
        for task in self._connecting:
            task.cancel()
        for peer in self._accepted:  # a task that is cancelled before it begins closes nothing
            peer.close()
        self._socket.close()

    def _resume(self) -> None:
        self._retry_timer = None
        self._loop.add_reader(self._socket, self._await_turn)

    def _await_turn(self) -> None:
        """Accept the waiting connections in turns of the work queue; called if there is one."""
        self._loop.remove_reader(self._socket)
        self._work_queue.put(_PORT, self._accept)

    def _accept(self) -> bool:
        """Accept the next few connections. Return true if there may be more."""
        if self._is_closed:
            return False
        for _ in range(_AT_ONCE):
            try:
                if self._is_full():
                    self._wait(None)
                    return False
                peer, _address = self._socket.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                self._resume()
                return False
            except OSError as error:
                self._wait(error)
                return False
            self._work_queue.charge(_CONNECT_COST)
            self._accepted.add(peer)
            task = self._loop.create_task(self._connect(peer))
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        return True

    def _is_full(self) -> bool:
        """Return true if only the reserved descriptors are free. Raises `OSError` if none is free.

        It is checked before accepting: a connection that has been accepted would have to be closed.
        """
        soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        lowest_free = os.dup(self._socket.fileno())
        os.close(lowest_free)
        return soft != resource.RLIM_INFINITY and lowest_free >= soft - _RESERVED

    def _wait(self, error: OSError | None) -> None:
        """Accept nothing for a while: the system keeps new connections until others end, as slow requests soon do."""
        self._retry_timer = self._loop.call_later(_RETRY_AFTER, self._resume)
        now = self._loop.time()
        if now - self._wanted_at >= _LOG_EVERY:
            reason = "nearly all descriptors are in use" if error is None else error.strerror
            logger.error("new connections have to wait: %s; allow more (`ulimit -n`) or look who holds them", reason)
        self._wanted_at = now

    async def _connect(self, peer: socket.socket) -> None:
        self._accepted.discard(peer)
        handshake_timeout = None if self._tls is None else self._patience
        tls = None if self._tls is None else self._tls()
        self._stalls.expect(peer)  # until its protocol expects its request
        try:
            await self._loop.connect_accepted_socket(
                self._protocol, peer, ssl=tls, ssl_handshake_timeout=handshake_timeout
            )
        except OSError as error:  # of the peer: the handshake failed or took too long
            logger.debug("a connection was not made: %s", error)
            if tls is not None:
                self._log_refused(error)
        finally:
            self._stalls.heard(peer)

    def _log_refused(self, error: OSError) -> None:
        """Log a failed handshake once in `_LOG_EVERY`: a client that does not trust the certificate tries again."""
        now = self._loop.time()
        if now - self._refused_at >= _LOG_EVERY:
            self._refused_at = now
            why = error.strerror or str(error) or "the other side hung up"
            logger.info("a TLS handshake failed: %s. The client may not trust the certificate.", why)
