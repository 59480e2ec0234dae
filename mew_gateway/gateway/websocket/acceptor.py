"""The port: takes connections as long as the process has descriptors for them, and waits while it has none."""

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

_BACKLOG = 2048  # connections that the system keeps for us
_AT_ONCE = 2  # taken in a step: 0.2 to 0.3 ms each, with what follows
_EACH = 0.0003  # seconds
_PORT = "port"  # the party of all who come
_KEPT = 32  # descriptors left alone: the journal, tokens, logs and the agents' processes need some at any time
_AGAIN = 1.0  # seconds until it looks whether there are descriptors again
_SILENCE = 60.0  # seconds without want after which the next is told in the log


class Acceptor:
    """Gives each connection that it accepts a protocol, behind TLS its handshake, for which it has `patience` seconds
    and the context that `tls` returns.

    asyncio's own server tries to accept thousands of times in a row when there is no descriptor left, each second, and
    logs each; and when there is none the journal has none either.
    """

    def __init__(
        self,
        listening: socket.socket,
        *,
        protocol: Callable[[], asyncio.Protocol],
        tls: Callable[[], ssl.SSLContext] | None,
        patience: float,
        work_queue: WorkQueue,
        stalls: Stalls,
    ) -> None:
        self._socket = listening
        self._work_queue = work_queue
        self._stalls = stalls
        self._protocol = protocol
        self._tls = tls
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._accepted: set[socket.socket] = set()  # whose task has not begun
        self._arriving: set[asyncio.Task[None]] = set()
        self._again: asyncio.TimerHandle | None = None
        self._wanted_at = self._refused_at = -_SILENCE
        self._is_closed = False

    def start(self) -> None:
        """From here on connections are taken."""
        self._socket.setblocking(False)
        self._socket.listen(_BACKLOG)
        self._resume()

    def close(self) -> None:
        """From here on the port is closed, and who is amid a handshake is let go."""
        self._is_closed = True
        self._loop.remove_reader(self._socket)
        if self._again is not None:
            self._again.cancel()
        for task in self._arriving:
            task.cancel()
        for peer in self._accepted:  # a task that is cancelled before it begins closes nothing
            peer.close()
        self._socket.close()

    def _resume(self) -> None:
        self._again = None
        self._loop.add_reader(self._socket, self._await_turn)

    def _await_turn(self) -> None:
        """Somebody has come: take a few in turns of the work_queue."""
        self._loop.remove_reader(self._socket)
        self._work_queue.put(_PORT, self._accept)

    def _accept(self) -> bool:
        """Take the next few. Whether there may be more."""
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
            self._work_queue.charge(_EACH)
            self._accepted.add(peer)
            task = self._loop.create_task(self._connect(peer))
            self._arriving.add(task)
            task.add_done_callback(self._arriving.discard)
        return True

    def _is_full(self) -> bool:
        """Whether there are no descriptors but those that are kept for others. To accept first and see would be to hang
        up on somebody. Raises `OSError` where there are none at all."""
        soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        next_one = os.dup(self._socket.fileno())  # it is always the lowest that is free
        os.close(next_one)
        return soft != resource.RLIM_INFINITY and next_one >= soft - _KEPT

    def _wait(self, error: OSError | None) -> None:
        """Whoever comes now is kept by the system until somebody else ends: slow requests do, soon."""
        self._again = self._loop.call_later(_AGAIN, self._resume)
        now = self._loop.time()
        if now - self._wanted_at >= _SILENCE:
            reason = "nearly all descriptors are in use" if error is None else error.strerror
            logger.error("new connections have to wait: %s; allow more (`ulimit -n`) or look who holds them", reason)
        self._wanted_at = now

    async def _connect(self, peer: socket.socket) -> None:
        self._accepted.discard(peer)
        patience = None if self._tls is None else self._patience
        tls = None if self._tls is None else self._tls()
        self._stalls.expect(peer)  # until its protocol expects its request
        try:
            await self._loop.connect_accepted_socket(self._protocol, peer, ssl=tls, ssl_handshake_timeout=patience)
        except OSError as error:  # theirs: no handshake, or not in time
            logger.debug("a connection was not made: %s", error)
            if tls is not None:
                self._tell_refused(error)
        finally:
            self._stalls.heard(peer)

    def _tell_refused(self, error: OSError) -> None:
        """A handshake that failed is told of once in `_SILENCE`: who does not trust the certificate comes back."""
        now = self._loop.time()
        if now - self._refused_at >= _SILENCE:
            self._refused_at = now
            why = error.strerror or str(error) or "the other side hung up"
            logger.info("a TLS handshake failed: %s. Who does not trust the certificate ends like this.", why)
