"""Composition of a gateway process: journal, broker, port, hosted agents; its start and its stop.

Start: open the journal, replay the spaces, listen, accept, then start hosted agents, which connect like any client.
Stop: refuse joins, end hosted agents, drain the connections, journal the leaves, close the port. Timers check the
connections and prune the journal meanwhile. Next: `broker/broker.py`, `websocket/connection.py`, `http/app.py`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn

from mew_gateway.config import Configuration, JournalSettings
from mew_gateway.errors import CorruptJournal, MewError, Unavailable
from mew_gateway.journal.open import open_journal
from mew_gateway.journal.retention import Released

from .auth.certificate import Certificate
from .auth.tokens import TokenStore
from .broker.broker import Broker
from .broker.clock import Clock, GatewayClock
from .broker.metrics import Counters, Measure
from .broker.sessions import Sessions
from .broker.spaces.engine import Engine
from .broker.spaces.invite_tokens import holder_of
from .event_loop import AsyncioLoop, RandomIds
from .hosting.output_log import OutputLogs
from .hosting.supervisor import Host, Hosting
from .http.app import HttpApp
from .http.fair_queue import FairQueue
from .websocket.acceptor import Acceptor
from .websocket.connection import AcceptContext, Connection
from .websocket.drain import GOODBYE, drain_connections
from .websocket.http_timeouts import TimedHttpProtocol
from .websocket.outbox import WriteTurns, bound_unsent
from .websocket.work_queue import WorkQueue

logger = logging.getLogger("mew.server")

_CHECK_EVERY = 10  # checks of the lagging connections between two checks of all
_LAGGING_EVERY = 0.1  # seconds between two checks of the lagging connections
_PRUNE_EVERY = 60.0  # seconds
_PRUNED_AT_ONCE = 50  # entries: a commit of a millisecond, then a pause for other work
_PRUNE_PAUSE = 0.004  # seconds


class Gateway:
    """A running gateway. Made by `serving`; all its objects belong to one event loop.

    `failed` gets the error that ends the gateway: a corrupt journal.
    """

    def __init__(self, configuration: Configuration, *, tokens: TokenStore, clock: Callable[[int], Clock]) -> None:
        self._configuration = configuration
        settings = configuration.gateway
        self.counters = Counters()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.work_queue = WorkQueue(loop=asyncio.get_running_loop())
        ids = RandomIds()
        sessions = Sessions(limits=settings.limits, ids=ids)
        journal = open_journal(settings.journal.url, synchronous=settings.journal.synchronous)
        engine = Engine(journal, links=sessions.links, counters=self.counters)
        self.broker = Broker(
            engine=engine,
            sessions=sessions,
            clock=clock(engine.time),
            loop=AsyncioLoop(asyncio.get_running_loop()),
            turns=self.work_queue,
            ids=ids,
            limits=settings.limits,
            counters=self.counters,
            supervisor=self,
        )
        try:
            self._open(configuration, tokens)
        except BaseException:
            self.broker.stop()
            raise

    def _open(self, configuration: Configuration, tokens: TokenStore) -> None:
        settings = configuration.gateway
        self._tokens = tokens
        self._listener: Acceptor | None = None
        self.url = ""
        authenticator = tokens.authenticator(lambda: self.broker.now, invited=self._invited)
        self.accept_context = AcceptContext(
            work_queue=self.work_queue,
            writing=WriteTurns(asyncio.get_running_loop()),
            broker=self.broker,
            authenticator=authenticator,
            limits=settings.limits,
            counters=self.counters,
            is_allowed_origin=partial(_is_allowed_origin, settings.allowed_origins),
        )
        self.queue = FairQueue()
        site = HttpApp(
            broker=self.broker,
            queue=self.queue,
            authenticator=authenticator,
            counters=self.counters,
            limits=settings.limits,
            started=self.broker.now,
            readings=self._readings(),
            by_space=settings.metrics_by_space,
        )
        self._streams = site.streams
        self._certificate = None if settings.tls is None else Certificate(settings.tls)
        self.trust: Mapping[str, str] = {}  # what clients on this machine need to verify the certificate
        self._server = _QuietServer(_uvicorn(configuration, site, self.accept_context))
        self._hosting = Hosting([])
        self._logs = OutputLogs(
            dict(_output_logs(configuration)), broker=self.broker, most=settings.limits.outbox_bytes
        )
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Replay, listen, then start the hosted agents. Raises `MewError` if the port or the journal is unavailable."""
        spaces = {name: space.settings for name, space in self._configuration.spaces.items()}
        self.broker.start(spaces)
        listening = _listen(self._configuration.gateway.host, self._configuration.gateway.port)
        self.url = _url(self._configuration, listening)
        self.trust = self._trust()
        self._listener = Acceptor(
            listening,
            protocol=self._server.protocol,
            tls=None if self._certificate is None else self._certificate.context,
            handshake_timeout=self._configuration.gateway.limits.join_timeout / 1000,
            work_queue=self.accept_context.work_queue,
            stalls=self.broker.stalls,
        )
        self._tasks = [
            asyncio.create_task(self._server.serve(sockets=[]), name="http"),
            asyncio.create_task(self._check(), name="check"),
            asyncio.create_task(self._prune(), name="prune"),
        ]
        await self._server.started_up.wait()
        self.broker.stalls.start()
        self._listener.start()
        self._logs.start()
        self._hosting = Hosting(self._hosts())
        self._hosting.start(skip=self._kicked())

    async def stop(self) -> None:
        """Refuse joins, end the agents, close connections (1012) in batches, journal the leaves, close the port."""
        self.broker.drain()
        await self._hosting.stop()
        for stream in list(self._streams):
            stream.close(*GOODBYE)
        await drain_connections(self.accept_context.open)
        self.broker.stop()
        if self._listener is not None:
            self._listener.close()
        self._server.should_exit = True
        for task in self._tasks[1:]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def dismiss(self, space: str, participant: str) -> None:
        """Do not restart a participant that was kicked; the space closes its connections, an output log's too."""
        self._hosting.dismiss(space, participant)

    def terminate(self, space: str, participant: str, limit: int) -> None:
        """End a participant's process, a step of an escalation. Before the gateway is ready, no process runs."""
        self._hosting.terminate(space, participant, limit / 1000)

    def readmit(self, space: str, participant: str) -> None:
        if self.broker.is_ready:
            self._logs.readmit(space, participant)
            self._hosting.readmit(space, participant)

    def _trust(self) -> Mapping[str, str]:
        """Return `ca` and `server_name`, with which clients on this machine verify the certificate.

        A certificate that they cannot verify is only logged: other clients may be able to.
        """
        tls, host = self._configuration.gateway.tls, self._configuration.gateway.host
        if tls is None or self._certificate is None:
            return {}
        try:
            name = self._certificate.server_name(host)
        except MewError as error:
            logger.error("%s", error)
            name = tls.name or host
        return {"ca": str(tls.ca or tls.certificate), "server_name": name}

    def _readings(self) -> Mapping[str, Measure]:
        """Return the metrics of the process that the broker does not have."""
        hosted = sum(len(space.hosted) for space in self._configuration.spaces.values())
        files = _journal_files(self._configuration.gateway.journal)
        return {
            "mew_hosted": Measure("Participants that the gateway hosts.", lambda: hosted),
            "mew_hosted_running": Measure("Of them, those whose process runs.", lambda: self._hosting.running),
            "mew_hosted_starts_total": Measure(
                "Starts of their processes, the first ones too.", lambda: self._hosting.starts
            ),
            "mew_journal_bytes": Measure(
                "Bytes of the journal's files.", lambda: sum(file.stat().st_size for file in files if file.exists())
            ),
        }

    def _kicked(self) -> set[tuple[str, str]]:
        return {(name, who) for name, running in self.broker.engine.items() for who in running.machine.state.kicked}

    def _invited(self, space: str, digest: bytes) -> str | None:
        return holder_of(self.broker.engine[space].machine, digest) if space in self.broker.engine else None

    def fail(self, error: MewError) -> None:
        if not self.failed.done():
            logger.critical("%s", error)
            self.failed.set_exception(error)

    async def _check(self) -> None:
        while True:
            for _ in range(_CHECK_EVERY):
                await asyncio.sleep(_LAGGING_EVERY)
                for connection in list(self.accept_context.lagging):
                    connection.check_stalled(self.broker.awake)
            now = self.broker.awake
            for connection in list(self.accept_context.open):
                connection.check(now)
            self._hosting.trim()
            self._hosting.check_joined(now / 1000, self._is_joined)
            self._logs.retry()

    def _is_joined(self, space: str, participant: str) -> bool:
        return space in self.broker.engine and bool(self.broker.engine[space].machine.members.connections(participant))

    async def _prune(self) -> None:
        keep, max_size = self._configuration.gateway.journal.keep, self._configuration.gateway.journal.max_size
        spaces = self.broker.engine
        while True:
            await asyncio.sleep(_PRUNE_EVERY)
            self.broker.trim()
            try:
                while spaces.prune(older_than=self.broker.now - keep, limit=_PRUNED_AT_ONCE):  # noqa: ASYNC110
                    await asyncio.sleep(_PRUNE_PAUSE)
                while max_size is not None and (released := spaces.release(most=max_size // 2, limit=_PRUNED_AT_ONCE)):
                    _log_released(released)
                    await asyncio.sleep(_PRUNE_PAUSE)
                while _is_beyond(spaces.size, max_size) and spaces.prune_oldest(limit=_PRUNED_AT_ONCE):  # noqa: ASYNC110
                    await asyncio.sleep(_PRUNE_PAUSE)
            except Unavailable:
                pass  # the next write reports it
            except CorruptJournal as error:
                self.fail(error)

    def _hosts(self) -> Iterator[Host]:
        folder = self._configuration.gateway.state_dir / "agents"
        for name, space in self._configuration.spaces.items():
            for participant, hosted in space.hosted.items():
                yield Host(
                    hosted,
                    space=name,
                    participant=participant,
                    url=self.url.replace("http", "ws", 1),
                    token=partial(self._tokens.token, name, participant),
                    state=folder / name / participant,
                    directory=self._configuration.file.parent,
                    environment={f"MEW_{key.upper()}": value for key, value in self.trust.items()},
                )


class _QuietServer(uvicorn.Server):
    """uvicorn without its signal handlers and without its port; they re-raise signals, and the exit status is not 0."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.started_up = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.started_up.set()

    def protocol(self) -> asyncio.Protocol:
        """Return the HTTP protocol of a new connection."""
        return self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state={}
        )


def _uvicorn(configuration: Configuration, site: HttpApp, accept_context: AcceptContext) -> uvicorn.Config:
    """Return uvicorn's configuration. The acceptor does TLS."""
    settings = configuration.gateway
    protocol: Any = partial(
        TimedHttpProtocol,
        head_timeout=settings.limits.join_timeout / 1000,
        stall_timeout=settings.limits.outbox_stalled / 1000,
        stalls=accept_context.broker.stalls,
        work_queue=accept_context.work_queue,
        upgrade=partial(Connection, accept_context),
    )
    config = uvicorn.Config(
        site.app(),
        http=protocol,
        ws=Connection,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    config.load()
    return config


@contextlib.asynccontextmanager
async def serving(
    configuration: Configuration, *, tokens: TokenStore, clock: Callable[[int], Clock] | None = None
) -> AsyncIterator[Gateway]:
    """Run a gateway for the duration of the block; shut it down cleanly on exit.

    `clock` makes the gateway's clock from the newest entry's time. Raises `MewError` if the port is taken, or if the
    journal belongs to another process or cannot be read.
    """
    _prepare(configuration.gateway.state_dir)
    gateway = Gateway(configuration, tokens=tokens, clock=clock or (lambda floor: GatewayClock(floor=floor)))
    try:
        await gateway.start()
        address = _Address(configuration.gateway.state_dir)
        address.write(gateway.url, gateway.trust)
        try:
            yield gateway
        finally:
            address.remove()
    finally:
        await gateway.stop()


class _Address:
    """File `gateway.json` in the state folder: the address at which the command line finds the running gateway."""

    def __init__(self, state_dir: Path) -> None:
        self._file = state_dir / "gateway.json"

    def write(self, url: str, trust: Mapping[str, str]) -> None:
        """Raises `MewError`."""
        text = json.dumps({"url": url, "pid": os.getpid(), **trust})
        draft = self._file.with_suffix(".new")
        try:
            draft.write_text(text)
            draft.replace(self._file)
        except OSError as error:
            raise MewError(f"{self._file} cannot be written: {error.strerror}.") from None

    def remove(self) -> None:
        """Remove the file. If that fails it names a process that has ended; its readers check that."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)


def _output_logs(configuration: Configuration) -> Iterator[tuple[tuple[str, str], Path]]:
    for name, space in configuration.spaces.items():
        for participant, file in space.output_logs.items():
            yield (name, participant), file


def _log_released(released: Released) -> None:
    (space, participant), entries, size = released
    logger.warning(
        "%s: the record of what was interrupted takes more than half of journal.max_size. %s has most of it: its %d "
        "oldest entries (%d bytes) were deleted. A greater max_size keeps more.",
        space,
        participant or "the gateway",
        entries,
        size,
    )


def _is_beyond(size: int, most: int | None) -> bool:
    return most is not None and size > most


def _journal_files(settings: JournalSettings) -> tuple[Path, ...]:
    """Return the journal's files: the database and its write-ahead log."""
    scheme, _, path = settings.url.partition(":")
    return (Path(path), Path(f"{path}-wal")) if scheme == "sqlite" else ()


def _prepare(state_dir: Path) -> None:
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise MewError(f"The state folder {state_dir} cannot be made: {error.strerror}.") from None


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off only where the protocol is named: without it, an ack waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound_unsent(listener)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise MewError(
            f"Cannot listen on {host}:{port}: {error.strerror}. Another program may be there; change gateway.listen."
        ) from None
    return listener


def _url(configuration: Configuration, listener: socket.socket) -> str:
    """Return the URL of the gateway on this machine.

    It has the configured host, which a certificate may be for; for a wildcard address, the loopback address.
    """
    configured, port = configuration.gateway.host, listener.getsockname()[1]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(configured, configured)
    scheme = "http" if configuration.gateway.tls is None else "https"
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"


def _is_allowed_origin(allowed: tuple[str, ...], origin: str, host: str) -> bool:
    """Return true for the same origin or an allowed one (docs/protocol.md §1)."""
    return origin in allowed or urlsplit(origin).netloc == host
