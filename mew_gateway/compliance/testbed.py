"""A stage: one space with a supervisor, a guardian and the agent, whose cable can be pulled."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio

from mew_gateway.protocol.envelope import Envelope
from mew_gateway.sdk import Tasks
from mew_gateway.sdk.exchange.requests import Refused
from mew_gateway.sdk.participant import Participant

from .agent_process import Actor
from .agent_under_test import Subject, Unexaminable
from .fault_proxy import Cable
from .gateway_fixture import AGENT, GUARDIAN, SUPERVISOR, Site
from .record import NOBODY, PROMISES, Record, moment, policy_of
from .times import LONGEST_HALT, Deadlines, Times
from .wire import Wire

_ATTEMPTS = 5
_PAUSES = (1, 2, 4)  # times `settle`: between an interrupt that was ignored and the next
_LOOK = 50  # milliseconds between two looks at the process
_REASONS = {"cancel": "user_request", "override": "redirect", "emergency": "error"}  # else `other`
_ENDS = ("reasoning/conclusion", "reasoning/cancel")

FAILED = "Not exercised: every run failed before it could be interrupted. What the agent wrote may tell why."


class NotExercised(Unexaminable):
    """The agent did not do what an exercise needs: begin a run, and keep it open long enough to be interrupted."""


class Stage:
    """What an exercise is done with. `restarts` counts how often the agent was started again."""

    def __init__(
        self,
        subject: Subject,
        supervisor: Participant,
        guardian: Participant,
        cable: Cable,
        actor: Actor,
        *,
        times: Times,
        deadlines: Deadlines,
    ) -> None:
        self.supervisor, self.guardian = supervisor, guardian
        self.cable, self.actor = cable, actor
        self.times, self.deadlines = times, deadlines
        self.wire = Wire(supervisor)
        self.restarts = 0
        self._subject = subject

    # Bringing it to reason.

    async def ask(self) -> None:
        """Say, or call, what begins a run."""
        subject = self._subject
        if subject.call is None:
            await self.supervisor.client.send("chat", {"text": subject.say}, to=[AGENT])
            return
        id = self.supervisor.client.new_id()
        params = {"name": subject.call, "arguments": subject.arguments}
        payload = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
        await self.supervisor.client.send("mcp/request", payload, to=[AGENT], id=id)

    async def begin(self, *, before: int | None = None) -> str:
        """Bring the agent to reason: the id of its run, once it has thought or `before` milliseconds are over. Raises
        `NotExercised`."""
        since = len(self.wire.heard)
        await self.ask()
        start = await self._first(_is("reasoning/start"), within=self.times.patience, since=since)
        if start is None and self.actor.ended is not None:
            raise NotExercised(f"Not exercised: the agent ended with status {self.actor.ended} when it was asked.")
        if start is None:
            raise NotExercised(
                f"Not exercised: no reasoning/start came within {self.times.patience / 1000:g} s of "
                f"{'the chat' if self._subject.call is None else 'the call'}. Say (or call) what brings it to reason: "
                "--say, or --call with --arguments."
            )
        moment = self.times.before if before is None else before
        await self.wire.until(_in(start.id, "reasoning/thought", *_ENDS), within=moment, since=since)
        return start.id

    # Interrupting it.

    async def interrupt(self, run: str, class_: str, *, by: Participant | None = None) -> str:
        """Interrupt a run; the interrupt's id, once the gateway has taken it. Raises `Refused`.

        A class that some reason stands for goes without saying, as a peer of v0.4 would send it.
        """
        payload = {"reason": _REASONS.get(class_, "other"), "message": f"This is an exercise: {class_}."}
        if class_ not in ("cancel", "override"):
            payload["class"] = class_
        return await (by or self.supervisor).send("reasoning/interrupt", payload, to=[AGENT], correlation_id=[run])

    async def interrupted(self, class_: str, *, by: Participant | None = None) -> tuple[str, str]:
        """Begin a run and interrupt it: the ids of both. Raises `NotExercised` if every run has ended before."""
        runs = []
        for attempt in range(_ATTEMPTS):
            run = await self.begin(before=None if attempt == 0 else 0)
            try:
                return run, await self.interrupt(run, class_, by=by)
            except Refused as refused:
                if refused.code not in ("sequence_closed", "sequence_not_found"):
                    raise
            runs.append(run)
        ends = [await self.end(run, within=self.times.settle) for run in runs]
        if all(end is not None and (end.payload or {}).get("outcome") == "failed" for end in ends):
            raise NotExercised(FAILED)
        raise NotExercised(
            "Not exercised: every run ended before it could be interrupted. Say (--say) what takes longer to answer."
        )

    async def ack(self, interrupt: str, *, within: int | None = None) -> Envelope | None:
        """The ack of an interrupt, however late it comes; None: there is none."""
        patience = self.deadlines.ack + self.times.beyond if within is None else within
        return await self.wire.until(
            lambda one: one.kind == "reasoning/interrupt-ack" and interrupt in (one.correlation_id or ()),
            within=patience,
        )

    async def end(self, run: str, *, within: int) -> Envelope | None:
        """The conclusion of a run; None: there is none in time."""
        return await self.wire.until(_in(run, *_ENDS), within=within)

    async def follow(self, run: str, interrupt: str) -> Envelope | None:
        """Wait for the ack, and for the conclusion where it promises one; the ack."""
        ack = await self.ack(interrupt)
        status = (ack.payload or {}).get("status") if ack else None
        if status in PROMISES:
            due = self.deadlines.stopping if status == "stopping" else self.deadlines.completing
            await self.end(run, within=due + self.times.beyond)
        return ack

    async def cancel(self, run: str) -> Envelope | None:
        """A cancel as MEW v0.4 has it: the end of the run, or the ack that ignores it. Raises `Refused`."""
        reason = {"reason": "no longer needed"}
        id = await self.supervisor.send("reasoning/cancel", reason, to=[AGENT], context=run)
        ended = _in(run, *_ENDS)
        return await self.wire.until(
            lambda one: (
                ended(one) or (id in (one.correlation_id or ()) and (one.payload or {}).get("status") == "ignored")
            ),
            within=self.deadlines.completing + self.times.beyond,
        )

    async def halt(self, run: str, ack: Envelope) -> None:
        """Wait for the end of a run that halts behind its span, until it is overdue."""
        said, stop_by = moment(ack.ts), moment((ack.payload or {}).get("stop_by"))
        due = 0 if said is None or stop_by is None else min(max(0, stop_by - said), LONGEST_HALT)
        await self.end(run, within=due + self.times.beyond)

    async def insist(
        self, run: str, ack: Envelope | None, ask: Callable[[str], Awaitable[Envelope | None]]
    ) -> tuple[str, Envelope | None]:
        """Ask again, at a few other moments, while the answer is `ignored` and the run may be stopped: something within
        it that nobody may interrupt may have kept it from that. The run that was asked last, and its ack."""
        with suppress(NotExercised):
            for pause in _PAUSES:
                if ack is None or not self.is_ignored(run, ack):
                    break
                if await self.end(run, within=pause * self.times.settle) is not None:
                    run = await self.begin(before=0)
                with suppress(Refused):  # the run may have come to its end meanwhile
                    ack = await ask(run)
        return run, ack

    def is_ignored(self, run: str, ack: Envelope) -> bool:
        """Whether an open run that declares that it may be stopped has not been."""
        heard = self.wire.heard
        before = heard[: heard.index(ack)]
        declared = next((policy_of(one.payload or {}) for one in before if one.id == run), None)
        is_open = not any(_in(run, *_ENDS)(one) for one in before)
        return is_open and declared not in (None, NOBODY) and (ack.payload or {}).get("status") == "ignored"

    async def watch(self) -> None:
        """Look on for a while: what must not come has its chance."""
        await anyio.sleep(self.times.settle / 1000)

    # Its process.

    async def present(self, event: str, *, since: int = 0) -> None:
        """Wait until the agent has come (`join`) or gone (`leave`). Raises `Unexaminable`."""
        if await self._first(_presence(event), within=self.times.start, since=since) is not None:
            return
        if self.actor.ended is not None:
            raise Unexaminable(f"The agent ended with status {self.actor.ended} before it had joined.")
        raise Unexaminable(f"There was no {event} of the agent within {self.times.start / 1000:g} s.")

    async def come_back(self) -> None:
        """Wait until the agent has connected again. One that ends with its connection is started again, as whoever
        runs it would."""
        with anyio.move_on_after(self.times.patience / 1000):
            while self.actor.ended is None and not await self.cable.plugged(within=_LOOK):
                pass
        if self.actor.ended is not None:
            await self.start_again()

    async def start_again(self) -> None:
        """A new life of the agent, in the same space and with the same state."""
        self.restarts += 1
        await self.actor.kill()
        await self.actor.start()

    async def _first(self, is_it: Callable[[Envelope], bool], *, within: int, since: int) -> Envelope | None:
        """The first such envelope; None: not in time, or the agent has ended."""
        found = None
        with anyio.move_on_after(within / 1000):
            while found is None and self.actor.ended is None:
                found = await self.wire.until(is_it, within=_LOOK, since=since)
        return found

    async def curtain(self) -> None:
        """End the agent without a warning, which would make it conclude; and hear the last of it."""
        since, here = len(self.wire.heard), self.actor.ended is None
        await self.actor.kill()
        if here:
            await self.wire.until(_presence("leave"), within=self.times.settle, since=since)

    def record(self, events: list[dict[str, object]]) -> Record:
        """What happened here, as the gateway has put it down."""
        return Record(events, {one.id: one.payload or {} for one in self.wire.heard}, agent=AGENT)


@asynccontextmanager
async def staged(
    site: Site, space: str, subject: Subject, *, times: Times, deadlines: Deadlines
) -> AsyncIterator[Stage]:
    """A stage in a space of a running gateway, with the agent in it. Raises `Unexaminable`."""
    folder = site.folder / "agents" / space
    folder.mkdir(parents=True)
    cable, tasks = Cable(site.url), Tasks()
    await cable.open()
    environment = {
        "MEW_URL": cable.url,
        "MEW_SPACE": space,
        "MEW_PARTICIPANT": AGENT,
        "MEW_TOKEN": site.token(space, AGENT),
        "MEW_OPTIONS": json.dumps(subject.options),
        "MEW_STATE": str(folder),
    }
    if subject.path:
        environment["PYTHONPATH"] = os.pathsep.join(subject.path)
    actor = Actor(subject.words, environment=environment, output=folder.with_suffix(".log"))
    try:
        async with (
            Participant(site.client(space, SUPERVISOR)) as supervisor,
            Participant(site.client(space, GUARDIAN)) as guardian,
        ):
            stage = Stage(subject, supervisor, guardian, cable, actor, times=times, deadlines=deadlines)
            tasks.start_soon(cable.carry)
            tasks.start_soon(stage.wire.listen)
            await actor.start()
            await stage.present("join")
            yield stage
    except Unexaminable as error:
        error.said = actor.said
        raise
    finally:
        await actor.aclose()
        with anyio.CancelScope(shield=True):
            await tasks.aclose()


def _is(kind: str) -> Callable[[Envelope], bool]:
    return lambda one: one.kind == kind and one.sender == AGENT


def _in(run: str, *kinds: str) -> Callable[[Envelope], bool]:
    return lambda one: one.kind in kinds and one.sender == AGENT and one.context == run


def _presence(event: str) -> Callable[[Envelope], bool]:
    def is_it(one: Envelope) -> bool:
        payload = one.payload or {}
        return (
            one.kind == "system/presence"
            and payload.get("event") == event
            and (payload.get("participant") or {}).get("id") == AGENT
        )

    return is_it
