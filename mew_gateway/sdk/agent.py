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

from ._bodies import MOST
from ._controls import Controls
from ._dispatcher import Classifier, Dispatcher, Hearing
from ._handlers import Handlers, guard
from ._runner import Runner
from ._tasks.run_context import RunContext, current_context
from ._tasks.tasks import Group
from ._transport.io_thread.io_thread import IoThread
from ._transport.link import Disconnected, Stopped, open_link
from ._transport.names import Names, names_in
from ._transport.reception import item_in
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
from .span import Span, current, milliseconds
from .timeline.base import Timeline
from .timeline.entry import Entry
from .timeline.memory import TimelineMemory
from .timeline.recorder import Recorder
from .timeline.sqlite import NAME, TimelineFile, open_timeline
from .tools import Offers

log = logging.getLogger(__name__)

_MOST_KEPT = 256  # inputs of an earlier life that are heard in this one
_ATTENDED = 10_000  # interrupts that were answered as they came in, and have not come up to here yet


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

    A chat to it begins a run of its capability; everybody sees the run, and who may can interrupt it: the agent answers
    at once, stops in the way the capability's policy says, and keeps its promises (docs/interruption.md). What it
    offers to others besides are methods marked with `sdk.tool` and `sdk.resource`; what it asks of others goes through
    `participant`.

    Hooks run as tasks of their own, `at_once` at a time and `waiting` more in line. What one raises is logged
    and hurts no other. They share one event loop; the wire has a thread of its own, so that an interrupt is answered
    also while a hook computes or blocks. `run.thread` is for code that does.

    Everything about spans and interrupts is on the agent's own timeline (docs/timeline.md). The agent knows which
    sequences it has open. What an earlier life of it left open is concluded as `abandoned` when it joins; so give a
    participant that is an agent to one process at a time.
    """

    Options: ClassVar[type[AnyOptions]] = AnyOptions  # what `MEW_OPTIONS` may hold: a subclass of `sdk.Options`
    listens_to_all: ClassVar[bool] = False  # whether a chat that is addressed to nobody is for this agent too
    hears: ClassVar[Hearing] = "any"  # which words may interrupt what has the focus; `stop-words`: only those
    tells_errors: ClassVar[bool] = True  # whether the conclusion of a run that failed has the exception's message
    at_once: ClassVar[int] = 16
    waiting: ClassVar[int] = 256
    ignored_below: ClassVar[float] = 0.40  # how sure an interrupt's source has to be; capabilities may say otherwise
    queued_below: ClassVar[float] = 0.75
    left_at_work: ClassVar[int] = MOST  # bodies of tools that are left at work after their limits; then none begins
    classifier: Classifier | None = None  # decides what words mean; None: the rules of `execution.classifier`

    def __init_subclass__(cls, **more: Any) -> None:
        """Raises `Misdeclared` for a class that contradicts itself."""
        super().__init_subclass__(**more)
        if cls.hears not in get_args(Hearing):
            raise Misdeclared(f"{cls.__name__}.hears is one of {', '.join(get_args(Hearing))}, not {cls.hears!r}.")
        validate_capabilities(cls)

    def __init__(self, options: AnyOptions | None = None) -> None:
        self.options = self.Options() if options is None else options
        self.state_folder: Path | None = None  # what must outlive the process is kept there; None outside of `serve`
        self.space_account: str | None = None  # the account that spaces.yaml gives the space; None: none
        self._joined: _Joined | None = None
        self._dispatcher: Dispatcher | None = None  # while we live
        self._attended: deque[str] = deque(maxlen=_ATTENDED)
        self._guests = Guests()  # as the wire's thread has read of them

    # What a subclass writes.

    @classmethod
    def tools_called(cls, options: AnyOptions) -> Collection[str]:  # noqa: ARG003
        """The tools of others that an agent with these options will call, as `participant/name`, so far as that is
        certain before it joins: `mew check` looks whether somebody has them. Raises `Misconfigured`."""
        return ()

    async def on_chat(self, chat: Chat) -> None:
        """A chat addressed to this agent, or to nobody in particular if it `listens_to_all`; never its own, and none
        that interrupted something. It is given to the capability that takes chats, if there is one."""
        name = for_chats(type(self))
        if name is None:
            return
        if is_stop_word(chat.text):  # nothing was at work: there is nothing to stop, and nothing to begin
            await self.acknowledge(chat, status="ignored", reason_code="not_active")
            return
        try:
            answer = await getattr(self, name)(chat.text)
        except Exception:
            await self.acknowledge(chat, status="failed")  # why, is for the log
            raise
        if isinstance(answer, str):
            await self.reply(chat, answer)

    async def on_request(self, method: str, params: dict[str, Any], envelope: Envelope) -> Any:  # noqa: ARG002
        """An `mcp/request` addressed to this agent that its tools and resources do not answer.

        What it returns is the JSON-RPC result.

        A `ToolError` becomes the JSON-RPC error, any other exception an internal error, without its text. Nobody
        interrupts it, as a tool, and it has no time limit.
        A notification (`notifications/…`) comes here too, and is not answered.
        """
        raise ToolError(rpc.METHOD_NOT_FOUND, f"Method not found: {method}")

    async def on_redirect(self, input: Any, interrupt: Interrupt) -> None:
        """After a run that an `override` ended: what to do instead. As if it were a chat, unless overridden."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def on_queued(self, input: Any, interrupt: Interrupt) -> None:
        """After a run: what was queued meanwhile, in order. As if it were a chat, unless overridden."""
        await self.on_chat(chat_of(input, interrupt, me=self.me))

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:  # noqa: ARG002
        """A span has paused because somebody wants something clarified. What this returns, the span is told
        (`Span.answers`) and goes on; None: whatever they say next, or nothing, after five minutes."""
        text = "I have paused. Tell me what I should know, and I go on."
        await self.client.send("chat", {"text": text}, to=[interrupt.sender], correlation_id=[interrupt.id])

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

    async def beside(self) -> None:
        """What the agent does beside answering: from when it has joined until it leaves."""

    def arrived(self, item: Item) -> None:
        """Whatever arrives, in order, before any hook is called for it. It must be quick, and waits for nothing."""

    async def on_halted(self) -> None:
        """An emergency has halted this agent, in this life or before it: nothing begins until `on_released`."""

    async def on_released(self) -> None:
        """No emergency stands any more. What has waited begins when this returns."""

    def take_interrupt(self, interrupt: Interrupt) -> None:
        """An interrupt of a run, as it arrives, in the wire's thread: the core decides, and the ack leaves at once.

        An agent that overrides this without calling it cannot be stopped, and the gateway puts that on record.
        """
        runner = self._runner
        runner.answer(Interrupted(interrupt, runner.new_id(), runner.now()))

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

    @property
    def halted(self) -> bool:
        """Whether an emergency stands: nothing begins."""
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
        """Call somebody's tool; what we may not call is proposed, and waits for somebody's approval.

        In a run, the call is a part of it: it has the run as its `context`, and the wait is a boundary. `timeout` in
        milliseconds. Raises as `Participant.call` does: `ToolFailed`, `ToolError`, `ProposalRejected`, `Refused`,
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
        """A run, to be used as `async with`. As ANIMA has it, nothing may be interrupted unless its policy says so.

        `correlation_id` names what it answers (the chat or request that is at hand, unless given), `message` says what
        it is about, `payload` adds to its start; the others are as for `sdk.capability`. Raises `Misdeclared`; entered,
        `Halted` while an emergency stands.
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
        """A run for a capability that is called outside of any."""
        whole, payload = self._with_thresholds(declared), {"capability": capability}
        return Run(
            self._runner, whole, current_context(), message=message, payload=payload, tells_errors=self.tells_errors
        )

    def _with_thresholds(self, declared: Declaration) -> Declaration:
        """The declaration with the agent's thresholds, if it has none of its own."""
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
        """Interrupt ourselves: a safety trigger, or an alert that a capability gives (seed 000 §1).

        It means `run`, or whatever has the focus, and is decided like any other; the policies are respected. The
        decision is on the timeline. An emergency halts us until a resume that names nothing, for the gateway knows no
        such emergency, from somebody who may send them.
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
        """Answer a chat with a chat; returns the envelope's id.

        If its sender was a guest who has been removed by the time when it could leave, nothing is sent: somebody else
        may be called so by now.
        """
        return await self._answer(chat, "chat", {"text": text})

    async def acknowledge(self, chat: Chat, *, status: str = "received", **more: Any) -> str:
        """Confirm a chat without saying anything (§3.4.1); returns the envelope's id. Not to a removed guest."""
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

    # Living.

    async def serve(self, environment: Environment | None = None) -> None:
        """Join and serve until cancelled or shut down; the open runs are concluded first. Raises `Stopped` when the
        gateway does not want it back, `Misconfigured` when the environment (default: the process's) is wrong."""
        where = environment or Environment.read(os.environ)
        async with AsyncExitStack() as opened:
            timeline: TimelineFile | None = None
            if where.state is not None:  # an earlier process of ours may still end: join after it
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
        """Serve over a client that is connected, as `serve` does: its timeline in memory, unless one is given."""
        failure: MewError | None = None  # kept from the task group, which would wrap it
        async with anyio.create_task_group() as group:
            tasks = Group(group)
            handlers = Handlers(tasks, at_once=self.at_once, waiting=self.waiting)
            self._mind_deafness()
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
        """Take what arrives until somebody has shut us down, or for ever; why there is nothing more to come."""
        joined = self._all
        with anyio.CancelScope() as listening:
            joined.tasks.start_soon(controls.until_ended, listening)
            try:
                async for item in joined.client:
                    await self._take(item)
            except MewError as error:
                # A shutdown ends the connections: then it is awaited what may not be interrupted.
                if not controls.is_shutting_down:
                    return error
                await joined.runner.order("removed", _removal(error, id=joined.client.new_id()))
        return None

    async def hear(self, chat: Chat) -> None:
        """A chat that interrupted nothing: to its hook, and then a look at what is remembered."""
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
        """The span of ours that the caller is within."""
        span = current()
        return span if span is not None and span.belongs_to(self._runner) else None

    def _mind_deafness(self) -> None:
        several = capabilities_of(type(self))
        if several and for_chats(type(self)) is None and type(self).on_chat is Agent.on_chat:
            log.warning("no chat begins anything: mark one of %s with chat=True", ", ".join(several))

    def _attend(self, data: str | bytes) -> None:
        """A frame, as it comes in, in the wire's thread: an interrupt is answered before anything else is done."""
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
        """The guests that a welcome tells of, in the wire's thread, where it is read before anybody else takes it."""
        with suppress(msgspec.ValidationError):  # the client says so
            self._guests.welcome(welcome_in(envelope.payload))

    async def _take(self, item: Item) -> None:
        """One item of the stream. Nothing here waits for a hook, and nothing that arrives ends the agent."""
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
    """The interrupt that it is to be removed from the space, or to lose the connection for good (seed 000 §1)."""
    rule = f"close:{why.code}" if isinstance(why, Stopped) else "disconnected"
    return Interrupt(id, GATEWAY, None, "cancel", message=str(why), source="gateway", scope="participant", rule=rule)


def _started(execution: str, unsettled: tuple[Entry, ...]) -> Started:
    """A life begins with what the timeline tells of those before."""
    halts = [one for one in unsettled if one.kind == "halted"]
    queued = [msgspec.convert(one.data, KeptInput) for one in unsettled if one.kind == "queued"][-_MOST_KEPT:]
    return Started(
        execution,
        tuple(StandingHalt(str(one.cause_id), one.data.get("vouched") is not False) for one in halts),
        tuple(sorted(queued, key=lambda one: one.when != "instead")),
    )
