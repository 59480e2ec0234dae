"""An agent: a participant that listens, thinks aloud in runs, and can be stopped while it does."""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

import anyio

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope

from . import rpc
from .chat import Chat, chat_in, chat_of
from .client import Client, Item, Reconnected
from .controls import Controls
from .environment import Environment
from .execution.effects import Follow, FollowUp
from .execution.events import Accepted, Began, Closed, Interrupted, Listed, Refused, Welcomed
from .execution.interrupt import CANCEL, Interrupt, interrupt_in
from .execution.policy import Policy
from .handlers import Handlers, guard
from .link import Disconnected
from .names import Names, names_in
from .offers import Offers
from .options import Options as AnyOptions
from .participant import Participant
from .rpc import ToolError
from .run import Run
from .runner import Runner
from .welcome import Welcome

log = logging.getLogger(__name__)

_ANSWER = 10_000  # milliseconds that the receive loop gives an ack or a conclusion to leave


class _Joined(NamedTuple):
    client: Client
    participant: Participant
    runner: Runner
    handlers: Handlers
    controls: Controls


class Agent:
    """The base of every agent. A subclass writes the hooks it needs:

        class Thinker(Agent):
            async def on_chat(self, chat):
                async with self.run(correlation_id=chat.id, policy="soft-stop") as run:
                    for step in plan(chat.text):
                        await run.thought(f"considering {step}")
                    run.conclude("the answer")

    What it offers to others are methods marked with `sdk.tool` and `sdk.resource`; what it asks of others goes
    through `participant`.

    Hooks run as tasks of their own, `at_once` at a time and `waiting` more in line. What one raises is logged
    and hurts no other. They share one event loop: a hook that computes for long without an `await` keeps the
    agent from answering interrupts, so compute in slices and await between them.

    The agent knows which sequences it has open. What an earlier life of it left open is concluded as `abandoned`
    when it joins; so give a participant that is an agent to one process at a time.
    """

    Options: ClassVar[type[AnyOptions]] = AnyOptions  # what `MEW_OPTIONS` may hold: a subclass of `sdk.Options`
    listens_to_all: ClassVar[bool] = False  # whether a chat that is addressed to nobody is for this agent too
    at_once: ClassVar[int] = 16
    waiting: ClassVar[int] = 256

    def __init__(self, options: AnyOptions | None = None) -> None:
        self.options = self.Options() if options is None else options
        self._joined: _Joined | None = None

    # What a subclass writes.

    async def on_chat(self, chat: Chat) -> None:
        """A chat addressed to this agent, or to nobody in particular if it `listens_to_all`; never its own."""

    async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:  # noqa: ARG002
        """An `mcp/request` addressed to this agent that its tools and resources do not answer.

        What it returns is the JSON-RPC result.

        A `ToolError` becomes the JSON-RPC error, any other exception an internal error, without its text.
        A notification (`notifications/…`) comes here too, and is not answered.
        """
        raise ToolError(rpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def on_redirect(self, input: Any, interrupt: Interrupt) -> None:
        """After a run that an `override` ended: what to do instead. As if it were a chat, unless overridden."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def on_queued(self, input: Any, interrupt: Interrupt) -> None:
        """After a run: what was queued meanwhile, in order. As if it were a chat, unless overridden."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def status(self) -> dict[str, Any]:
        """Telemetry for whoever asks (§3.9.4): `messages_in_context` (0 if it is left out), `tokens`, `max_tokens`,
        `latency_ms`, `status`, or others in snake_case. Asked after every chat: at nine tenths of `max_tokens` the
        agent compacts by itself."""
        return {}

    async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:  # noqa: ARG002
        """Free memory (§3.9.6): what came of it (`freed_tokens`, `freed_messages`, `status`); None: nothing to free."""
        return None

    async def on_forget(self, direction: Literal["oldest", "newest"], entries: int | None) -> None:
        """Drop so many of the oldest or newest things remembered, all such if None (§3.9.5)."""

    async def on_clear(self) -> None:
        """Drop everything remembered (§3.9.8)."""

    async def on_restart(self) -> None:
        """Begin anew (§3.9.9): what was under way has been ended. As if cleared, unless overridden."""
        await self.on_clear()

    async def on_interrupt(self, interrupt: Interrupt) -> None:
        """An interrupt of a run, within the receive loop: the core decides, and the ack leaves at once.

        An agent that overrides this without calling it cannot be stopped, and the gateway puts that on record.
        """
        await self._runner.perform(Interrupted(interrupt, self.client.new_id()), patience=_ANSWER)

    # What a subclass uses.

    @property
    def me(self) -> str:
        """This agent's participant id. Raises `Disconnected` before it has joined."""
        return self.client.welcome.you.id

    @property
    def client(self) -> Client:
        """The connection, for what has no method here. Raises `Disconnected` before the agent has joined."""
        return self._all.client

    @property
    def participant(self) -> Participant:
        """What asks others, and follows streams. Raises `Disconnected` before the agent has joined."""
        return self._all.participant

    @property
    def paused(self) -> bool:
        """Whether somebody has paused us: no new chat or request is begun, what runs had better wait."""
        return self._joined is not None and self._joined.controls.paused

    def run(
        self,
        *,
        correlation_id: Names = (),
        message: str | None = None,
        policy: Policy = "non-interruptible",
        kind: str = "think",
        **payload: Any,
    ) -> Run:
        """A run, to be used as `async with`. As ANIMA has it, nothing may be interrupted unless its policy says so.

        `correlation_id` names what it answers, `message` says what it is about, `payload` adds to its start.
        """
        return Run(
            self._runner,
            Began(self.client.new_id(), self.client.new_id(), policy, kind, message, names_in(correlation_id), payload),
        )

    async def reply(self, chat: Chat, text: str) -> str:
        """Answer a chat with a chat; returns the envelope's id."""
        return await self.client.send("chat", {"text": text}, to=[chat.sender], correlation_id=[chat.id])

    async def acknowledge(self, chat: Chat, *, status: str = "received") -> str:
        """Confirm a chat without saying anything (§3.4.1); returns the envelope's id."""
        payload = {"status": status}
        return await self.client.send("chat/acknowledge", payload, to=[chat.sender], correlation_id=[chat.id])

    # Living.

    async def serve(self, environment: Environment | None = None) -> None:
        """Join and serve until cancelled or shut down; the open runs are concluded first. Raises `Stopped` when the
        gateway does not want it back, `Misconfigured` when the environment (default: the process's) is wrong."""
        where = environment or Environment.read(os.environ)
        async with Client(where.url, space=where.space, token=where.token, persistent=True) as client:
            log.info("%s has joined %s", client.welcome.you.id, where.space)
            await self.live(client)

    async def live(self, client: Client) -> None:
        """Serve over a client that is connected, as `serve` does."""
        failure: MewError | None = None
        async with anyio.create_task_group() as tasks:
            handlers = Handlers(tasks, at_once=self.at_once, waiting=self.waiting)
            participant = Participant(client, offers=Offers.of(self), fallback=self.on_request)
            runner = Runner(client, follow=self._follow)
            self._joined = _Joined(client, participant, runner, handlers, Controls(self, participant, handlers, tasks))
            participant.begin(tasks, handlers)
            try:
                await self._compare(client.welcome)
                async for item in client:
                    await self._take(item)
                    if self._all.controls.ended:
                        break
            except MewError as error:  # kept from the task group, which would wrap it
                failure = error
            participant.end(failure or Disconnected("The agent was shut down."))
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    @property
    def _all(self) -> _Joined:
        if self._joined is None:
            raise Disconnected("The agent has not joined a space yet.")
        return self._joined

    @property
    def _runner(self) -> Runner:
        return self._all.runner

    @property
    def _handlers(self) -> Handlers:
        return self._all.handlers

    async def _take(self, item: Item) -> None:
        """One item of the stream. Nothing here waits for a hook, and nothing that arrives ends the agent."""
        self._all.participant.take(item)
        if isinstance(item, Reconnected):
            if item.missed:
                self._all.controls.forget_pauses()
            await self._compare(item.welcome)
            return
        handle = _TABLE.get(item.kind)
        if handle is not None:
            await guard(item.kind, partial(handle, self, item))
        elif item.kind.startswith("participant/"):
            await guard(item.kind, partial(self._all.controls.take, item))

    async def _compare(self, welcome: Welcome) -> None:
        listed = welcome.sequences.open
        mine = tuple(Listed(one.id, self.client.new_id()) for one in listed if one.owner == welcome.you.id)
        complete = welcome.sequences.count <= len(listed)
        await self._runner.perform(Welcomed(mine, complete), patience=_ANSWER)

    async def _take_chat(self, envelope: Envelope) -> None:
        chat = chat_in(envelope)
        for_me = self.me in chat.to or (self.listens_to_all and not chat.to)
        if not for_me or chat.sender == self.me:
            return
        if not self._handlers.offer("on_chat", partial(self._hear, chat), key=chat.id):
            await self.acknowledge(chat, status="busy")

    async def _hear(self, chat: Chat) -> None:
        await self.on_chat(chat)
        await self._all.controls.mind_headroom()

    async def _cancel_chat(self, envelope: Envelope) -> None:
        """§3.4.2: a chat that waits needs no attention any more; what has begun goes on."""
        for id in envelope.correlation_id or ():
            self._handlers.drop(id)

    async def _take_interrupt(self, envelope: Envelope) -> None:
        interrupt = interrupt_in(envelope)
        if interrupt is None:
            return
        if envelope.kind == CANCEL and envelope.sender == self.me:
            await self._take_closure(envelope)
        elif self.me in (envelope.to or ()) or (envelope.kind == CANCEL and self._runner.knows(interrupt.run)):
            await self.on_interrupt(interrupt)

    async def _take_closure(self, envelope: Envelope) -> None:
        """A conclusion or cancel in our own name: our own echo, or another connection of ours ended the run."""
        if envelope.sender == self.me and envelope.context is not None and "/" not in envelope.context:
            await self._runner.perform(Closed(envelope.context))

    async def _take_start(self, envelope: Envelope) -> None:
        if envelope.sender == self.me:
            await self._runner.perform(Accepted(envelope.id))

    async def _take_error(self, envelope: Envelope) -> None:
        payload = envelope.payload or {}
        code = str(payload.get("error"))
        if self.me in (envelope.to or ()) and code != "duplicate_id":  # of a resend: as good as accepted
            log.warning("the gateway says %s: %s", code, payload.get("message"))
        for id in envelope.correlation_id or ():
            await self._runner.perform(Refused(id, code), patience=_ANSWER)

    def _follow(self, effect: Follow) -> None:
        self._handlers.start("follow-ups", partial(self._follow_up, effect.inputs))

    async def _follow_up(self, inputs: tuple[FollowUp, ...]) -> None:
        for one in inputs:
            hook = self.on_redirect if one.when == "instead" else self.on_queued
            await guard(hook.__name__, partial(hook, one.input, one.interrupt))


_TABLE = {
    "chat": Agent._take_chat,
    "chat/cancel": Agent._cancel_chat,
    "reasoning/interrupt": Agent._take_interrupt,
    "reasoning/cancel": Agent._take_interrupt,
    "reasoning/start": Agent._take_start,
    "reasoning/conclusion": Agent._take_closure,
    "system/error": Agent._take_error,
}
