"""An agent: a participant that listens, thinks aloud in runs, and can be stopped while it does."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Collection
from contextlib import AsyncExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import anyio
import msgspec

from mew_gateway.errors import MewError
from mew_gateway.protocol.envelope import Envelope
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.reasons import Class

from ._controls import Controls
from ._dispatcher import Classifier, Dispatcher, Hearing
from ._handlers import Handlers, guard
from ._runner import Runner
from ._tasks.run_context import RunContext, current_context
from ._tasks.tasks import Group
from ._tool_calls import MOST
from ._transport.io_thread.io_thread import IoThread
from ._transport.join_and_read import item_in
from ._transport.link import open_link
from ._transport.names import Names, names_in
from ._transport.reconnect import Disconnected, Stopped
from ._transport.welcome import welcome_in
from .capability import capabilities_of, for_chats, validate_capabilities
from .classifier.classifier import is_stop_word
from .client import Client, Item, Reconnected
from .environment import Environment
from .exchange import rpc
from .exchange.chat import Chat, chat_of
from .exchange.guests import Guests
from .exchange.mcp import ToolResult
from .exchange.rpc import ToolError
from .execution.events import Interrupted, KeptInput, StandingHalt, Started
from .execution.interrupt import Interrupt, Scope
from .execution.policy import Policy
from .execution.spans import Declaration, Kind, Misdeclared, SideEffect
from .options import Options as AnyOptions
from .participant import Participant
from .run import Run
from .span import Span, current_span, milliseconds
from .timeline.base import Timeline
from .timeline.entry import Entry
from .timeline.memory import TimelineMemory
from .timeline.recorder import Recorder
from .timeline.sqlite import NAME, TimelineFile, open_timeline
from .tools import Offers

log = logging.getLogger(__name__)

_MOST_KEPT = 256  # unhandled inputs of an earlier process that are handled in this one
_ATTENDED = 10_000  # interrupts that were answered on arrival and are not dispatched yet


class _Joined(NamedTuple):
    client: Client
    participant: Participant
    runner: Runner
    controls: Controls
    dispatcher: Dispatcher
    tasks: Group


class Agent:
    """The base of every agent. A subclass writes what it can do, and the hooks it needs:

        class Researcher(Agent):
            @capability(policy="soft-stop")
            async def research(self, run, question):
                for source in sources_for(question):
                    await run.thought(f"reading {source}")
                return "the answer"

    A chat to it begins a run of its capability; all see the run, and some can interrupt it: the agent answers at once,
    stops in the way the capability's policy says, and keeps its promises (docs/interruption.md). What it offers to
    others besides are methods marked with `sdk.tool` and `sdk.resource`; what it asks of others goes through
    `participant`.

    Hooks run as tasks of their own, `at_once` at a time and `waiting` more in line. What one raises is logged
    and hurts no other. They share one event loop; the wire has a thread of its own, so that an interrupt is answered
    also while a hook computes or blocks. `run.thread` is for code that does.

    Everything about spans and interrupts is on the agent's own timeline (docs/timeline.md). The agent knows which
    sequences it has open. What an earlier life of it left open is concluded as `abandoned` when it joins; so give a
    participant that is an agent to one process at a time.
    """

    Options: ClassVar[type[AnyOptions]] = AnyOptions  # what `MEW_OPTIONS` may hold: a subclass of `sdk.Options`
    listens_to_all: ClassVar[bool] = False  # true: chats without addressees are for this agent, too
    hears: ClassVar[Hearing] = "any"  # chats that may interrupt the focus; `stop-words`: only those
    tells_errors: ClassVar[bool] = True  # true: the conclusion of a failed run has the exception's message
    at_once: ClassVar[int] = 16
    waiting: ClassVar[int] = 256
    ignored_below: ClassVar[float] = 0.40  # required confidence of an interrupt; a capability may override it
    queued_below: ClassVar[float] = 0.75
    left_at_work: ClassVar[int] = MOST  # bodies of tools that may outlast their limits; beyond that none begins
    classifier: Classifier | None = None  # classifies chats; None: the rules of `classifier`

    def __init_subclass__(cls, **more: Any) -> None:
        """Raises `Misdeclared` for a class that contradicts itself."""
        super().__init_subclass__(**more)
        if cls.hears not in get_args(Hearing):
            raise Misdeclared(f"{cls.__name__}.hears is one of {', '.join(get_args(Hearing))}, not {cls.hears!r}.")
        validate_capabilities(cls)

    def __init__(self, options: AnyOptions | None = None) -> None:
        self.options = self.Options() if options is None else options
        self.state_folder: Path | None = None  # for state that must outlive the process; None outside of `serve`
        self.space_account: str | None = None  # account of the space in spaces.yaml, if any
        self._joined: _Joined | None = None
        self._dispatcher: Dispatcher | None = None  # while it serves
        self._attended: deque[str] = deque(maxlen=_ATTENDED)
        self._guests = Guests()  # guests by what the I/O thread has read

    # Hooks, which a subclass overrides.

    @classmethod
    def tools_called(cls, options: AnyOptions) -> Collection[str]:  # noqa: ARG003
        """Return the tools of others that an agent with these options will certainly call, as `participant/name`.
        `mew check` verifies that they are offered. Raises `Misconfigured`."""
        return ()

    async def on_chat(self, chat: Chat) -> None:
        """Handle a chat to this agent, or without an addressee if it `listens_to_all`.

        It gets no chat of its own, and none that interrupted something. By default the capability that takes chats
        handles it, if there is one.
        """
        name = for_chats(type(self))
        if name is None:
            return
        if is_stop_word(chat.text):  # nothing runs: there is nothing to stop, and nothing to begin
            await self.acknowledge(chat, status="ignored", reason_code="not_active")
            return
        try:
            answer = await getattr(self, name)(chat.text)
        except Exception:
            await self.acknowledge(chat, status="failed")  # the reason is only logged
            raise
        if isinstance(answer, str):
            await self.reply(chat, answer)

    async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:  # noqa: ARG002
        """Handle an `mcp/request` to this agent that its tools and resources do not answer. Return the JSON-RPC result.

        A `ToolError` becomes the JSON-RPC error; any other exception becomes an internal error without its text. It
        cannot be interrupted, as a tool, and has no time limit. A notification (`notifications/…`) comes here too, and
        is not answered.
        """
        raise ToolError(rpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def on_redirect(self, input: Any, interrupt: Interrupt) -> None:
        """Handle the input of an `override`, after the run that it ended. By default as a chat."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def on_queued(self, input: Any, interrupt: Interrupt) -> None:
        """Handle an input that was queued during a run, after it, in order. By default as a chat."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:  # noqa: ARG002
        """Handle a clarification, for which a span has paused. Return the answer for the span (`Span.answers`).

        None: the answer is the sender's next chat, or nothing after five minutes.
        """
        text = "I have paused. Tell me what I should know, and I go on."
        await self.client.send("chat", {"text": text}, to=[interrupt.sender], correlation_id=[interrupt.id])

    async def status(self) -> dict[str, Any]:
        """Return telemetry (§3.9.4): `messages_in_context` (default 0), `tokens`, `max_tokens`, `latency_ms`, `status`,
        or others in snake_case.

        It is called after every chat: at nine tenths of `max_tokens` the agent compacts.
        """
        return {}

    async def on_compact(self, target_tokens: int | None) -> dict[str, Any] | None:  # noqa: ARG002
        """Free memory (§3.9.6). Return what was freed (`freed_tokens`, `freed_messages`, `status`); None: nothing."""
        return None

    async def on_forget(self, direction: Literal["oldest", "newest"], entries: int | None) -> None:
        """Drop so many of the oldest or newest entries of the memory, all if None (§3.9.5)."""

    async def on_clear(self) -> None:
        """Drop the whole memory (§3.9.8)."""

    async def on_restart(self) -> None:
        """Begin anew (§3.9.9), after the runs were ended. By default as `on_clear`."""
        await self.on_clear()

    async def beside(self) -> None:
        """Run in the background, from when the agent has joined until it leaves."""

    def arrived(self, item: Item) -> None:
        """Observe every arriving item, in order, before its hook is called. It must be quick and not wait."""

    async def on_halted(self) -> None:
        """Note that an emergency has halted this agent, now or before its start: nothing begins until `on_released`."""

    async def on_released(self) -> None:
        """Note that no emergency is in force any more. What waited begins when this returns."""

    def take_interrupt(self, interrupt: Interrupt) -> None:
        """Handle an interrupt of a run as it arrives, in the I/O thread: the core decides, and the ack leaves at once.

        An agent that overrides this without calling it cannot be stopped, and the gateway records that.
        """
        runner = self._runner
        runner.answer(Interrupted(interrupt, runner.new_id(), runner.now()))

    # Methods that a subclass uses.

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
        """Requests to other participants, and streams. Raises `Disconnected` before the agent has joined."""
        return self._all.participant

    @property
    def paused(self) -> bool:
        """True if the agent is paused: no new chat or request begins; running ones should wait."""
        return self._joined is not None and self._joined.controls.paused

    @property
    def halted(self) -> bool:
        """True if an emergency is in force: nothing begins."""
        return self._joined is not None and self._joined.runner.is_halted

    async def call(
        self,
        target: str,
        tool: str,
        arguments: dict[str, Any] | None = None,
        *,
        timeout: int = 300_000,
        propose: bool = False,
    ) -> ToolResult:
        """Call a tool of another participant. A call that is not allowed is proposed, and waits for approval.

        In a run, the call is a part of it: it has the run as its `context`, and the wait is a boundary. `timeout` is in
        milliseconds. Raises as `Participant.call`: `ToolFailed`, `ToolError`, `ProposalRejected`, `Refused`,
        `TimedOut`.
        """
        return await self.participant.call(target, tool, arguments, timeout=timeout, propose=propose)

    def run(
        self,
        *,
        correlation_id: Names = (),
        message: str | None = None,
        policy: Policy = "non-interruptible",
        kind: Kind = "think",
        side_effect: SideEffect = "none",
        limit: float | None = None,
        foreground: bool = True,
        interruptible: bool | None = None,
        **payload: Any,
    ) -> Run:
        """Return a run, for `async with`. By default it cannot be interrupted (seed 000 §3).

        `correlation_id` names what it answers (default: the chat or request being handled), `message` says what it is
        about, `payload` adds to its start; the others are as for `sdk.capability`. Raises `Misdeclared`; on entry
        `Halted` while an emergency is in force.
        """
        declared = Declaration(policy, kind, side_effect, milliseconds(limit), foreground, interruptible)
        at_hand = current_context()
        answers = names_in(correlation_id) or at_hand.correlation_id
        return Run(
            self._runner,
            self._with_thresholds(declared),
            RunContext(answers, at_hand.user, at_hand.caused_by, at_hand.state, at_hand.invitation),
            message=message,
            payload=payload,
            tells_errors=self.tells_errors,
        )

    def run_of(self, declared: Declaration, message: str, capability: str) -> Span:
        """Return a run for a capability that is called outside of a run."""
        whole, payload = self._with_thresholds(declared), {"capability": capability}
        return Run(
            self._runner, whole, current_context(), message=message, payload=payload, tells_errors=self.tells_errors
        )

    def _with_thresholds(self, declared: Declaration) -> Declaration:
        """Return the declaration, with the agent's thresholds if it has none of its own."""
        if declared.ignored_below is not None or declared.queued_below is not None:
            return declared
        return msgspec.structs.replace(declared, ignored_below=self.ignored_below, queued_below=self.queued_below)

    async def alert(
        self,
        message: str,
        *,
        class_: Class = "cancel",
        run: Span | None = None,
        scope: Scope | None = None,
        input: Any = None,
    ) -> None:
        """Interrupt ourselves: a safety trigger, or an alert from a capability (seed 000 §1).

        It means `run`, or the span that has the focus, and is decided as any interrupt, by the policies. The timeline
        has the decision. An emergency halts the agent until a resume without names, because the gateway does not know
        it, from a participant that may send emergencies.
        """
        id = self.client.new_id()
        sender = self.me
        named = None if run is None else run.run_id
        span = None if run is None else run.span_id
        self._runner.answer(
            Interrupted(
                Interrupt(
                    id, sender, named, class_, "other", message, input or message, "alert", scope, span, rule="alert"
                ),
                id,
                self._runner.now(),
            )
        )

    async def reply(self, chat: Chat, text: str) -> str:
        """Answer a chat with a chat. Return the envelope's id.

        If its sender was a guest who has been removed before the answer can leave, nothing is sent: another guest may
        have that name.
        """
        return await self._answer(chat, "chat", {"text": text})

    async def acknowledge(self, chat: Chat, *, status: str = "received", **more: Any) -> str:
        """Acknowledge a chat (§3.4.1). Return the envelope's id. Not sent to a removed guest."""
        return await self._answer(chat, "chat/acknowledge", {"status": status, **more})

    async def _answer(self, chat: Chat, kind: str, payload: dict[str, Any]) -> str:
        client = self.client
        if chat.invitation is None:
            return await client.send(kind, payload, to=[chat.sender], correlation_id=[chat.id])
        id, data = client.encode(kind, payload, to=[chat.sender], correlation_id=[chat.id])
        gone = False

        def decide() -> list[bytes]:
            nonlocal gone
            gone = client.is_gone(chat.sender, chat.invitation)
            return [] if gone else [data]

        await client.in_turn(decide)
        if gone:
            log.info("an answer to %s is not said: that guest was removed", chat.sender)
        return id

    # Serving.

    async def serve(self, environment: Environment | None = None) -> None:
        """Join and serve until cancelled or shut down. The open runs are concluded first.

        `environment` defaults to that of the process. Raises `Stopped` if the gateway does not want it back,
        `Misconfigured` if the environment is wrong.
        """
        where = environment or Environment.read(os.environ)
        async with AsyncExitStack() as opened:
            timeline: TimelineFile | None = None
            if where.state is not None:  # an earlier process may still be ending: join after it
                timeline = opened.enter_context(closing(await open_timeline(Path(where.state) / NAME)))
            io_thread = await opened.enter_async_context(IoThread(attend=self._attend))
            client = await opened.enter_async_context(
                Client(
                    where.url,
                    space=where.space,
                    token=where.token,
                    persistent=True,
                    open=io_thread.open,
                    aside=open_link,
                )
            )
            me = client.welcome.you.id
            log.info("%s has joined %s", me, where.space)
            self.state_folder, self.space_account = where.folder(me), where.account
            if timeline is None:
                timeline = opened.enter_context(closing(await open_timeline(self.state_folder / NAME)))
            await self.live(client, timeline=timeline, io_thread=io_thread)

    async def live(
        self, client: Client, *, timeline: Timeline | None = None, io_thread: IoThread | None = None
    ) -> None:
        """Serve over a connected client, as `serve` does. Without a `timeline` it is kept in memory."""
        failure: MewError | None = None  # kept from the task group, which would wrap it
        async with anyio.create_task_group() as group:
            tasks = Group(group)
            handlers = Handlers(tasks, at_once=self.at_once, waiting=self.waiting)
            self._warn_if_no_chat_starts()
            takes_requests = getattr(self.on_request, "__func__", None) is not Agent.on_request
            fallback = self.on_request if takes_requests else None
            participant = Participant(client, offers=Offers.of(self), fallback=fallback, within=self._span)
            dispatcher = Dispatcher(self, client, participant, handlers, tasks)
            execution = client.new_id()
            kept = TimelineMemory() if timeline is None else timeline
            runner = Runner(
                client,
                Recorder(kept, execution),
                tasks,
                participant=participant,
                perform=dispatcher.perform,
                io_thread=io_thread,
            )
            dispatcher.ask(runner)
            runner.answer(_started(execution, kept.unsettled()))
            controls = Controls(self, participant, handlers, tasks, runner=runner, forget_all=dispatcher.begin_anew)
            self._joined = _Joined(client, participant, runner, controls, dispatcher, tasks)
            self._dispatcher = dispatcher
            participant.begin(tasks, handlers, runner=runner, left_at_work=self.left_at_work)
            try:
                await dispatcher.compare(client.welcome)
                tasks.start_soon(guard, "beside", self.beside)
                failure = await self._listen(controls)
            finally:
                self._dispatcher = None
            participant.end(failure or Disconnected("The agent was shut down."))
            if failure is not None:
                await runner.order("removed", _removal(failure, id=client.new_id()))
            group.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _listen(self, controls: Controls) -> MewError | None:
        """Take arriving items until a shutdown. Return the error that ended the connection, if any."""
        joined = self._all
        with anyio.CancelScope() as listening:
            joined.tasks.start_soon(controls.until_ended, listening)
            try:
                async for item in joined.client:
                    await self._take(item)
            except MewError as error:
                # A shutdown ends the connections; non-interruptible spans are still awaited.
                if not controls.is_shutting_down:
                    return error
                await joined.runner.order("removed", _removal(error, id=joined.client.new_id()))
        return None

    async def hear(self, chat: Chat) -> None:
        """Handle a chat that interrupted nothing, then compact the memory if it is full."""
        await self.on_chat(chat)
        await self._all.controls.compact_if_full()

    @property
    def _all(self) -> _Joined:
        if self._joined is None:
            raise Disconnected("The agent has not joined a space yet.")
        return self._joined

    @property
    def _runner(self) -> Runner:
        return self._all.runner

    def _span(self) -> Span | None:
        """Return the span of this agent that the caller is within."""
        span = current_span()
        return span if span is not None and span.belongs_to(self._runner) else None

    def _warn_if_no_chat_starts(self) -> None:
        several = capabilities_of(type(self))
        if several and for_chats(type(self)) is None and type(self).on_chat is Agent.on_chat:
            log.warning("no chat begins anything: mark one of %s with chat=True", ", ".join(several))

    def _attend(self, data: str | bytes) -> None:
        """Handle a received frame in the I/O thread: an interrupt is answered before anything else."""
        dispatcher = self._dispatcher
        if not isinstance(data, str) or not any(kind in data for kind in _ATTENDED_TO):
            return
        item = item_in(data)
        if not isinstance(item, Envelope):
            return
        if item.kind == "system/welcome":
            self._note_welcome(item)
        else:
            self._guests.take(item)
        if dispatcher is not None and dispatcher.attend(item, self._guests.of(item.sender)):
            self._attended.append(item.id)

    def _note_welcome(self, envelope: Envelope) -> None:
        """Note the guests of a welcome, in the I/O thread."""
        with suppress(msgspec.ValidationError):  # the client logs it
            self._guests.welcome(welcome_in(envelope.payload))

    async def _take(self, item: Item) -> None:
        """Take one item. It waits for no hook, and no item ends the agent."""
        joined = self._all
        joined.participant.take(item)
        self.arrived(item)
        if isinstance(item, Reconnected):
            if item.missed:
                joined.controls.forget_pauses()
            await joined.dispatcher.compare(item.welcome)
            return
        attended = item.id in self._attended
        if attended:
            self._attended.remove(item.id)
        await guard(item.kind, partial(joined.dispatcher.take, item, attended=attended))
        if item.kind.startswith("participant/"):
            await guard(item.kind, partial(joined.controls.take, item))


_ATTENDED_TO = ('"reasoning/interrupt"', '"reasoning/cancel"', '"system/presence"', '"system/welcome"')


def _removal(why: MewError, *, id: str) -> Interrupt:
    """Return the interrupt that a removal from the space, or a final loss of the connection, is (seed 000 §1)."""
    rule = f"close:{why.code}" if isinstance(why, Stopped) else "disconnected"
    return Interrupt(id, GATEWAY, None, "cancel", message=str(why), source="gateway", scope="participant", rule=rule)


def _started(execution: str, unsettled: tuple[Entry, ...]) -> Started:
    """Begin a life with the state that the timeline has of the earlier ones."""
    halts = [one for one in unsettled if one.kind == "halted"]
    queued = [msgspec.convert(one.data, KeptInput) for one in unsettled if one.kind == "queued"][-_MOST_KEPT:]
    return Started(
        execution,
        tuple(StandingHalt(str(one.cause_id), one.data.get("vouched") is not False) for one in halts),
        tuple(sorted(queued, key=lambda one: one.when != "instead")),
    )
