"""Dispatcher of an agent: turns arriving envelopes into events of the core, and effects of the core into calls of
hooks.

`Dispatcher.take` gets every envelope in order and never waits for a hook: hooks run as tasks of `Handlers`. Interrupts
come earlier, by `attend`, from the I/O thread, so that their acks leave at once. `perform` gets the effects that
concern the agent; `_runner` performs those on the wire and on spans.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, assert_never

import anyio

from mew_gateway.protocol.envelope import Envelope

from ._handlers import Handlers, guard
from ._runner import AgentEffect, Runner
from ._tasks.run_context import RunContext, begin
from ._tasks.tasks import Starter
from ._transport.welcome import Welcome
from .classifier.classifier import Classification
from .client import Client
from .exchange.chat import Chat, chat_in
from .exchange.permissions import InterruptRights
from .execution.effects import Attend, Classify, Follow, FollowUp, Halt, Release, Talk
from .execution.events import (
    Accepted,
    Clarified,
    Classified,
    Closed,
    Followed,
    Heard,
    Listed,
    Refused,
    ResumeHeard,
    Welcomed,
    Withdrawn,
)
from .execution.interrupt import CANCEL, Interrupt, interrupt_in
from .execution.state import remember
from .participant import Participant

log = logging.getLogger(__name__)

Hearing: TypeAlias = Literal["any", "stop-words", "never"]

_ANSWER = 10_000  # milliseconds that the receive loop gives an envelope to leave
_HALT, _RESTART = "halt", "restart"
_HEARD = 1_000  # chats that the core may want back
_ACKNOWLEDGE = "chat/acknowledge"


class Classifier(Protocol):
    """Classifier of an agent, usually a model. `within` is how many milliseconds it has before the rules decide.

    It can return no class stronger than the rules allow. Its result is recorded, and a replay does not call it.
    """

    within: int

    async def classify(self, text: str) -> Classification:
        """Return what a text asks of a run."""


class DispatcherHooks(Protocol):
    """Hooks that the dispatcher calls; `Agent` documents them."""

    hears: ClassVar[Hearing]
    listens_to_all: ClassVar[bool]
    classifier: Classifier | None

    async def hear(self, chat: Chat) -> None:
        """Handle a chat that interrupts nothing."""

    async def on_redirect(self, input: Any, interrupt: Interrupt) -> None:
        """Handle the input of an override, instead of the run."""

    async def on_queued(self, input: Any, interrupt: Interrupt) -> None:
        """Handle a queued input, after the run."""

    async def on_clarification(self, input: Any, interrupt: Interrupt) -> Any:
        """Handle a clarification, for which a span has paused."""

    async def on_halted(self) -> None:
        """Note that nothing begins from now on."""

    async def on_released(self) -> None:
        """Note that what waits begins when this returns."""

    def take_interrupt(self, interrupt: Interrupt) -> None:
        """Handle an interrupt as it arrives."""


class Dispatcher:
    """Dispatches arriving envelopes. Never waits for a hook."""

    def __init__(
        self,
        agent: DispatcherHooks,
        client: Client,
        participant: Participant,
        handlers: Handlers,
        tasks: Starter,
    ) -> None:
        self._agent = agent
        self._client = client
        self._participant = participant
        self._handlers = handlers
        self._tasks = tasks
        self._interrupt_rights = InterruptRights()
        self._heard: dict[str, Chat] = {}  # by what the core calls them
        self._runner: Runner | None = None

    @property
    def runner(self) -> Runner:
        """The runner that gets the events."""
        assert self._runner is not None
        return self._runner

    def ask(self, runner: Runner) -> None:
        """Set the runner that gets the events."""
        self._runner = runner

    @property
    def _me(self) -> str:
        return self._client.welcome.you.id

    # What arrives.

    async def take(self, envelope: Envelope, *, attended: bool) -> None:
        """Dispatch an envelope. `attended`: it was an interrupt, and was answered when it arrived."""
        if envelope.kind in ("reasoning/interrupt", CANCEL):
            if not attended:
                self.attend(envelope, self._participant.invitation(envelope.sender))
            if envelope.kind == CANCEL and envelope.sender == self._me:
                await self._take_closure(envelope)
            return
        handle = _TABLE.get(envelope.kind)
        if handle is not None:
            await handle(self, envelope)

    def attend(self, envelope: Envelope, invitation: str | None) -> bool:
        """Handle an interrupt to this agent as soon as it arrives. Return true if it was one. From any thread.

        `invitation` is that of its sender, if the sender is a guest.
        """
        interrupt = interrupt_in(envelope, invitation)
        if interrupt is None or (envelope.kind == CANCEL and envelope.sender == self._me):
            return False
        named = self._me in (envelope.to or ())
        if not named and not (envelope.kind == CANCEL and self.runner.knows(interrupt.run or "")):
            return False
        self._agent.take_interrupt(interrupt)
        return True

    async def compare(self, welcome: Welcome) -> None:
        """Reconcile runs and emergencies with the welcome of a new connection."""
        listed = welcome.sequences.open
        mine = tuple(Listed(one.id, self._client.new_id()) for one in listed if one.owner == welcome.you.id)
        halted = None if welcome.halted is None else tuple(welcome.halted)
        complete = welcome.sequences.count <= len(listed)
        await self.runner.perform(Welcomed(mine, complete, halted), patience=_ANSWER)

    async def _take_chat(self, envelope: Envelope) -> None:
        chat = chat_in(envelope, self._participant.invitation(envelope.sender))
        for_me = self._me in chat.to or (self._agent.listens_to_all and not chat.to)
        if not for_me or chat.sender == self._me:
            return
        hears = self._agent.hears
        if hears == "never" or not self.runner.has_focus:
            await self._attend_to(chat)
            return
        name = None if chat.id not in self._heard else self._client.new_id()  # others may use the same id
        remember(self._heard, name or chat.id, chat, _HEARD)
        model = self._agent.classifier
        self.runner.answer(
            Heard(
                chat.id,
                chat.sender,
                chat.text,
                self.runner.now(),
                chat.confidence,
                self._interrupt_rights.of(self._participant.participants.get(chat.sender), me=self._me),
                hears,
                None if model is None else model.within,
                self._client.new_id() if self._participant.may(_ACKNOWLEDGE, {}, to=chat.sender) else None,
                name,
                chat.invitation,
            )
        )

    async def _attend_to(self, chat: Chat) -> None:
        context = RunContext((chat.id,), chat.sender, invitation=chat.invitation)
        if not self._handlers.offer("on_chat", partial(self._hear, chat, context), key=(chat.sender, chat.id)):
            payload = {"status": "busy"}
            await self._client.send(_ACKNOWLEDGE, payload, to=[chat.sender], correlation_id=[chat.id])

    async def _hear(self, chat: Chat, context: RunContext) -> None:
        if self._is_gone("what was said", chat.sender, chat.invitation):
            return
        begin(context)
        await self._agent.hear(chat)

    def _is_gone(self, what: str, name: str, invitation: str | None) -> bool:
        """Return true if that guest was removed: nothing begins for it any more (docs/protocol.md §2)."""
        gone = self._client.is_gone(name, invitation)
        if gone:
            log.info("%s by %s is not heard: that guest was removed", what, name)
        return gone

    async def _cancel_chat(self, envelope: Envelope) -> None:
        """Withdraw a chat that waits (§3.4.2). One that has begun goes on."""
        ids = tuple(envelope.correlation_id or ())
        for id in ids:
            self._forget(envelope.sender, id)
            self._handlers.drop((envelope.sender, id))
        self.runner.answer(Withdrawn(ids, envelope.sender, self._participant.invitation(envelope.sender)))

    def _forget(self, sender: str, id: str) -> None:
        """Drop a chat that the core does not need any more."""
        self._heard = {name: one for name, one in self._heard.items() if (one.sender, one.id) != (sender, id)}

    async def begin_anew(self, order: Interrupt) -> None:
        """Interrupt all runs, and drop what waits after them (§3.9.9). Nothing begins until all has ended."""
        self.runner.answer(Withdrawn())
        self._handlers.hold(_RESTART)
        try:
            await self._handlers.end_all(after=self.runner.order("restart", order))
        finally:
            self._handlers.release(_RESTART)

    async def _take_closure(self, envelope: Envelope) -> None:
        """Handle a conclusion or cancel in our own name: our echo, or another connection of ours ended the run."""
        if envelope.sender == self._me and envelope.context is not None and "/" not in envelope.context:
            await self.runner.perform(Closed(envelope.context))

    async def _take_start(self, envelope: Envelope) -> None:
        if envelope.sender == self._me:
            await self.runner.perform(Accepted(envelope.id))

    async def _take_resume(self, envelope: Envelope) -> None:
        if self._me in (envelope.to or ()) and envelope.sender != self._me:
            classes = self._interrupt_rights.of(self._participant.participants.get(envelope.sender), me=self._me)
            ids = tuple(envelope.correlation_id or ())
            await self.runner.perform(ResumeHeard(envelope.sender, ids, "emergency" in classes))

    async def _take_error(self, envelope: Envelope) -> None:
        payload = envelope.payload or {}
        code, halt = str(payload.get("error")), payload.get("interrupt_id")
        yours = code != "duplicate_id" or payload.get("yours") is True  # of a resend: as good as accepted
        to_us = self._me in (envelope.to or ())
        if to_us and not (yours and code == "duplicate_id"):
            log.warning("the gateway says %s: %s", code, payload.get("message"))
        named = halt if code == "halted" and isinstance(halt, str) and to_us else None
        for id in envelope.correlation_id or ():
            # An error to all may be about another's envelope under an id of ours; but not of an open run.
            if to_us or self.runner.is_open(id):
                await self.runner.perform(Refused(id, code, named, yours), patience=_ANSWER)

    # What the core wants.

    def perform(self, effect: AgentEffect) -> None:
        """Perform an effect, in a task if it takes time."""
        match effect:
            case Follow():
                self._handlers.start("follow-ups", partial(self._follow_up, effect.inputs))
            case Talk():
                self._start("on_clarification", partial(self._talk, effect))
            case Classify():
                self._start("classifier", partial(self._classify, effect))
            case Attend():
                chat = self._heard.pop(effect.id, None)
                if chat is not None:
                    self._start("on_chat", partial(self._attend_to, chat))
            case Halt():
                self._handlers.hold(_HALT)
                self._start("on_halted", self._agent.on_halted)
            case Release():
                self._tasks.start_soon(self._release)
            case _:
                assert_never(effect)

    async def _follow_up(self, inputs: tuple[FollowUp, ...]) -> None:
        for one in inputs:
            interrupt = one.interrupt
            self._forget(interrupt.sender, interrupt.id)
            if not self.runner.is_following(interrupt):
                continue  # it was withdrawn
            self.runner.answer(Followed(interrupt.id, interrupt.sender))
            if self._is_gone("what was to follow", interrupt.sender, interrupt.invitation):
                continue
            begin(RunContext((interrupt.id,), interrupt.sender, interrupt.id, one.state, interrupt.invitation))
            hook = self._agent.on_redirect if one.when == "instead" else self._agent.on_queued
            await guard(hook.__name__, partial(hook, one.input, interrupt))

    async def _release(self) -> None:
        await guard("on_released", self._agent.on_released)
        if not self.runner.is_halted:
            self._handlers.release(_HALT)

    async def _talk(self, effect: Talk) -> None:
        asking = effect.interrupt
        if self._is_gone("a question", asking.sender, asking.invitation):
            self.runner.answer(Clarified(effect.run, effect.span, None))
            return
        begin(RunContext((asking.id,), asking.sender, invitation=asking.invitation))
        answer = await self._agent.on_clarification(effect.interrupt.input, effect.interrupt)
        if answer is not None:
            self.runner.answer(Clarified(effect.run, effect.span, answer))

    async def _classify(self, effect: Classify) -> None:
        model = self._agent.classifier
        assert model is not None
        with anyio.move_on_after(effect.within / 1000):  # what comes later is not listened to
            found = await model.classify(effect.text)
            self.runner.answer(Classified(effect.id, found.class_, found.confidence, found.rule))

    def _start(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        self._tasks.start_soon(guard, name, work)


_TABLE: dict[str, Callable[[Dispatcher, Envelope], Awaitable[None]]] = {
    "chat": Dispatcher._take_chat,
    "chat/cancel": Dispatcher._cancel_chat,
    "participant/resume": Dispatcher._take_resume,
    "reasoning/start": Dispatcher._take_start,
    "reasoning/conclusion": Dispatcher._take_closure,
    "system/error": Dispatcher._take_error,
}
