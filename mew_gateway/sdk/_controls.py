"""Controls: what a coordinator may ask of an agent: pause, status, forget, compact, clear, restart, shutdown (§3.9)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Literal, Protocol

import anyio
import msgspec

from mew_gateway.protocol import payloads
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY

from ._handlers import Handlers, guard
from ._runner import Runner
from ._tasks.tasks import Starter, Work
from .execution.interrupt import Interrupt
from .participant import Participant

log = logging.getLogger(__name__)

_PAUSE = "pause"
_FULL = 0.9  # of `max_tokens`
_ALWAYS = "messages_in_context"  # §3.9.4: in every status


class ControlHooks(Protocol):
    """Hooks of a controlled agent; `Agent` documents them."""

    async def status(self) -> dict[str, Any]:
        """Return telemetry."""

    async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:
        """Free memory that can be freed."""

    async def on_forget(self, direction: Literal["oldest", "newest"], entries: int | None) -> None:
        """Drop a part of the memory."""

    async def on_clear(self) -> None:
        """Drop all memory."""

    async def on_restart(self) -> None:
        """Begin anew."""


class Controls:
    """Executes `participant/*` envelopes to this agent. The gateway has checked their senders; malformed ones are
    dropped."""

    def __init__(
        self,
        agent: ControlHooks,
        participant: Participant,
        handlers: Handlers,
        tasks: Starter,
        *,
        runner: Runner,
        forget_all: Callable[[Interrupt], Awaitable[None]],
    ) -> None:
        self._shutdown: Interrupt | None = None
        self._shutdown_received = anyio.Event()
        self._agent = agent
        self._participant = participant
        self._client = participant.client
        self._handlers = handlers
        self._tasks = tasks
        self._runner = runner
        self._forget_all = forget_all
        self._pauses: dict[str, str] = {}  # by id: who asked for it

    @property
    def paused(self) -> bool:
        """True if a pause is in force: nothing new begins."""
        return bool(self._pauses)

    @property
    def is_shutting_down(self) -> bool:
        """True after a shutdown was received."""
        return self._shutdown is not None

    async def until_ended(self, listening: anyio.CancelScope) -> None:
        """Wait for a shutdown, interrupt every run, wait for the rest, then cancel `listening`.

        The rest are non-interruptible spans and the answers to requests. The gateway limits the wait: then it closes
        the connection.
        """
        await self._shutdown_received.wait()
        assert self._shutdown is not None
        await self._runner.order("shut-down", self._shutdown)
        await self._participant.answered()
        listening.cancel()

    async def take(self, envelope: Envelope) -> None:
        """Handle a control. Waits only until an acknowledgement of a shutdown has left."""
        handle = _TABLE.get(envelope.kind)
        if handle is not None and self._client.welcome.you.id in (envelope.to or ()):
            await handle(self, envelope)

    def forget_pauses(self) -> None:
        """Remove all pauses, because a resume may have been missed; the gateway still enforces a pause."""
        for id in list(self._pauses):
            self._remove_pause(id)

    async def _pause(self, envelope: Envelope) -> None:
        asked = msgspec.convert(envelope.payload or {}, payloads.Pause)
        if envelope.sender != GATEWAY:  # a further pause by the same participant takes the place of the earlier
            self._pauses = {id: by for id, by in self._pauses.items() if by != envelope.sender}
        self._pauses[envelope.id] = envelope.sender
        self._handlers.hold(_PAUSE)
        if asked.timeout_seconds is not None:
            self._start(
                envelope.kind, partial(self._remove_pause_after, envelope.id, int(asked.timeout_seconds * 1000))
            )

    async def _resume(self, envelope: Envelope) -> None:
        for id in envelope.correlation_id or list(self._pauses):
            self._remove_pause(id)

    async def _remove_pause_after(self, id: str, milliseconds: int) -> None:
        await self._client.sleep(milliseconds)
        self._remove_pause(id)

    def _remove_pause(self, id: str) -> None:
        self._pauses.pop(id, None)
        if not self._pauses:
            self._handlers.release(_PAUSE)

    async def _request_status(self, envelope: Envelope) -> None:
        asked = msgspec.convert(envelope.payload or {}, payloads.RequestStatus)
        self._start(envelope.kind, partial(self._say_status, envelope, asked.fields or ()))

    async def _say_status(self, envelope: Envelope, fields: Sequence[str] = (), **more: Any) -> None:
        metrics = {_ALWAYS: 0, **await self._agent.status(), **more}
        wanted = {key: value for key, value in metrics.items() if key == _ALWAYS or _is_wanted(key, fields)}
        await self._answer(envelope, "participant/status", wanted)

    async def _forget(self, envelope: Envelope) -> None:
        asked = msgspec.convert(envelope.payload or {}, payloads.Forget)
        hook = partial(self._agent.on_forget, asked.direction, _whole(asked.entries))
        self._start(envelope.kind, partial(self._do_and_say_status, envelope, hook))

    async def _clear(self, envelope: Envelope) -> None:
        self._start(envelope.kind, partial(self._do_and_say_status, envelope, self._agent.on_clear))

    async def _restart(self, envelope: Envelope) -> None:
        self._start(envelope.kind, partial(self._do_and_say_status, envelope, partial(self._begin_anew, envelope)))

    async def _begin_anew(self, envelope: Envelope) -> None:
        await self._forget_all(_order(envelope))
        await self._participant.streams.close_own("restart")
        await self._agent.on_restart()

    async def _do_and_say_status(self, envelope: Envelope, hook: Work) -> None:
        await hook()
        await self._say_status(envelope)

    async def _compact(self, envelope: Envelope) -> None:
        asked = msgspec.convert(envelope.payload or {}, payloads.Compact)
        self._start(envelope.kind, partial(self._do_compact, envelope, _whole(asked.target_tokens)))

    async def _do_compact(self, envelope: Envelope, target_tokens: int | None) -> None:
        """Compact, and always report `compact-done` (§3.9.7), so that no caller waits for it."""
        if (await self._agent.status()).get(_ALWAYS):
            await self._say_status(envelope, status="compacting")  # §3.9.6
        try:
            freed = await self._agent.on_compact(target_tokens)
            done = {"skipped": True, "reason": "nothing to compact"} if freed is None else freed
        except Exception:
            log.exception("on_compact failed")
            done = {"skipped": True, "reason": "failed"}
        await self._answer(envelope, "participant/compact-done", done)

    async def compact_if_full(self) -> None:
        """Compact before the context is full, and report it to all (§3.9.5)."""
        before = await self._agent.status()
        tokens, most = before.get("tokens"), before.get("max_tokens")
        if not (isinstance(tokens, int | float) and isinstance(most, int | float)) or tokens < most * _FULL:
            return
        freed = await self._agent.on_compact(None)
        fields = {"status": "nearly full"} if freed is None else {"status": "compacted", **freed}
        await self._client.send("participant/status", {_ALWAYS: 0, **await self._agent.status(), **fields})

    async def _shut_down(self, envelope: Envelope) -> None:
        """Acknowledge a shutdown, then end (§3.9.10)."""
        log.info("%s shuts us down", envelope.sender)
        await self._answer(envelope, "chat/acknowledge", {"status": "received"})
        self._shutdown = self._shutdown or _order(envelope)
        self._shutdown_received.set()

    async def _answer(self, envelope: Envelope, kind: str, payload: dict[str, Any]) -> None:
        await self._client.send(kind, payload, to=[envelope.sender], correlation_id=[envelope.id])

    def _start(self, name: str, work: Work) -> None:
        self._tasks.start_soon(guard, name, work)


_TABLE: dict[str, Callable[[Controls, Envelope], Awaitable[None]]] = {
    "participant/pause": Controls._pause,
    "participant/resume": Controls._resume,
    "participant/request-status": Controls._request_status,
    "participant/forget": Controls._forget,
    "participant/compact": Controls._compact,
    "participant/clear": Controls._clear,
    "participant/restart": Controls._restart,
    "participant/shutdown": Controls._shut_down,
}


def _order(envelope: Envelope) -> Interrupt:
    """Return the interrupt that an order to restart or shut down is to the runs."""
    reason = (envelope.payload or {}).get("reason")
    message = reason if isinstance(reason, str) else None
    return Interrupt(
        envelope.id, envelope.sender, None, "cancel", None, message,
        source="control", scope="participant", rule=envelope.kind,
    )  # fmt: skip


def _is_wanted(key: str, fields: Sequence[str]) -> bool:
    """Return true if a field names the metric, or a word of it: `latency` is `latency_ms` (§3.9.3)."""
    return not fields or any(field == key or field in key.split("_") for field in fields)


def _whole(count: float | None) -> int | None:
    return None if count is None else int(count)
