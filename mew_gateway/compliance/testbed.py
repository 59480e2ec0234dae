"""Testbed of one exercise: a space with a supervisor, a guardian, and an agent that connects through a fault proxy."""

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

from .agent_process import AgentProcess
from .agent_under_test import AgentUnderTest, Unexaminable
from .envelope_log import EnvelopeLog
from .fault_proxy import FaultProxy
from .gateway_fixture import AGENT, GUARDIAN, SUPERVISOR, GatewayFixture
from .record import NON_INTERRUPTIBLE, PROMISES, Record, parse_time, policy_of
from .times import LONGEST_HALT, Deadlines, Times

_ATTEMPTS = 5
_PAUSES = (1, 2, 4)  # times `settle`: waits between an ignored interrupt and the next
_POLL = 50  # milliseconds between two checks of the process
_REASONS = {"cancel": "user_request", "override": "redirect", "emergency": "error"}  # else `other`
_ENDS = ("reasoning/conclusion", "reasoning/cancel")

FAILED = "Not exercised: every run failed before it could be interrupted. What the agent wrote may tell why."


class NotExercised(Unexaminable):
    """The agent did not do what an exercise needs: begin a run, and keep it open long enough to be interrupted."""


class Testbed:
    """Operations of an exercise on one agent. `restarts` counts restarts of its process."""

    def __init__(
        self,
        agent: AgentUnderTest,
        supervisor: Participant,
        guardian: Participant,
        proxy: FaultProxy,
        process: AgentProcess,
        *,
        times: Times,
        deadlines: Deadlines,
    ) -> None:
        self.supervisor, self.guardian = supervisor, guardian
        self.proxy, self.process = proxy, process
        self.times, self.deadlines = times, deadlines
        self.log = EnvelopeLog(supervisor)
        self.restarts = 0
        self._agent = agent

    # Begin a run.

    async def ask(self) -> None:
        """Send the chat or the call that begins a run."""
        agent = self._agent
        if agent.call is None:
            await self.supervisor.client.send("chat", {"text": agent.say}, to=[AGENT])
            return
        id = self.supervisor.client.new_id()
        params = {"name": agent.call, "arguments": agent.arguments}
        payload = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
        await self.supervisor.client.send("mcp/request", payload, to=[AGENT], id=id)

    async def begin_run(self, *, before: int | None = None) -> str:
        """Make the agent begin a run. Return the run's id after its first thought, or after `before` milliseconds.
        Raises `NotExercised`."""
        since = len(self.log.envelopes)
        await self.ask()
        start = await self._first_envelope(_is_kind("reasoning/start"), within=self.times.patience, since=since)
        if start is None and self.process.exit_status is not None:
            raise NotExercised(
                f"Not exercised: the agent ended with status {self.process.exit_status} when it was asked."
            )
        if start is None:
            raise NotExercised(
                f"Not exercised: no reasoning/start came within {self.times.patience / 1000:g} s of "
                f"{'the chat' if self._agent.call is None else 'the call'}. Say (or call) what brings it to reason: "
                "--say, or --call with --arguments."
            )
        moment = self.times.before if before is None else before
        await self.log.wait_for(_in_run(start.id, "reasoning/thought", *_ENDS), within=moment, since=since)
        return start.id

    # Interrupt a run.

    async def interrupt(self, run: str, class_: str, *, by: Participant | None = None) -> str:
        """Interrupt a run. Return the interrupt's id once the gateway has accepted it. Raises `Refused`.

        The class is left out if the reason implies it, as a peer of v0.4 would send it.
        """
        payload = {"reason": _REASONS.get(class_, "other"), "message": f"This is an exercise: {class_}."}
        if class_ not in ("cancel", "override"):
            payload["class"] = class_
        return await (by or self.supervisor).send("reasoning/interrupt", payload, to=[AGENT], correlation_id=[run])

    async def begin_and_interrupt(self, class_: str, *, by: Participant | None = None) -> tuple[str, str]:
        """Begin a run and interrupt it. Return both ids. Raises `NotExercised` if every run ends too early.

        A run that completed is tried again without a wait before the interrupt. One that failed is tried as before:
        an interrupt in the moment before a failure shows nothing.
        """
        failures = 0
        for attempt in range(_ATTEMPTS):
            run = await self.begin_run(before=None if failures == attempt else 0)
            try:
                return run, await self.interrupt(run, class_, by=by)
            except Refused as refused:
                if refused.code not in ("sequence_closed", "sequence_not_found"):
                    raise
            end = await self.wait_end(run, within=self.times.settle)
            failures += end is not None and (end.payload or {}).get("outcome") == "failed"
        if failures == _ATTEMPTS:
            raise NotExercised(FAILED)
        raise NotExercised(
            "Not exercised: every run ended before it could be interrupted. Say (--say) what takes longer to answer."
        )

    async def wait_ack(self, interrupt: str, *, within: int | None = None) -> Envelope | None:
        """Wait for the ack of an interrupt, also after its deadline. Return None if none comes."""
        patience = self.deadlines.ack + self.times.beyond if within is None else within
        return await self.log.wait_for(
            lambda one: one.kind == "reasoning/interrupt-ack" and interrupt in (one.correlation_id or ()),
            within=patience,
        )

    async def wait_end(self, run: str, *, within: int) -> Envelope | None:
        """Wait for the conclusion of a run. Return None if none comes within `within` milliseconds."""
        return await self.log.wait_for(_in_run(run, *_ENDS), within=within)

    async def wait_outcome(self, run: str, interrupt: str) -> Envelope | None:
        """Wait for the ack, and for the conclusion if the ack promises one. Return the ack."""
        ack = await self.wait_ack(interrupt)
        status = (ack.payload or {}).get("status") if ack else None
        if status in PROMISES:
            due = self.deadlines.stopping if status == "stopping" else self.deadlines.completing
            await self.wait_end(run, within=due + self.times.beyond)
        return ack

    async def cancel(self, run: str) -> Envelope | None:
        """Send a v0.4 cancel. Return the end of the run, or the ack that ignores the cancel. Raises `Refused`."""
        reason = {"reason": "no longer needed"}
        id = await self.supervisor.send("reasoning/cancel", reason, to=[AGENT], context=run)
        ended = _in_run(run, *_ENDS)
        return await self.log.wait_for(
            lambda one: (
                ended(one) or (id in (one.correlation_id or ()) and (one.payload or {}).get("status") == "ignored")
            ),
            within=self.deadlines.completing + self.times.beyond,
        )

    async def wait_halted(self, run: str, ack: Envelope) -> None:
        """Wait for the end of a run that halts after its span, until the end is overdue."""
        said, stop_by = parse_time(ack.ts), parse_time((ack.payload or {}).get("stop_by"))
        due = 0 if said is None or stop_by is None else min(max(0, stop_by - said), LONGEST_HALT)
        await self.wait_end(run, within=due + self.times.beyond)

    async def retry_while_ignored(
        self, run: str, ack: Envelope | None, ask: Callable[[str], Awaitable[Envelope | None]]
    ) -> tuple[str, Envelope | None]:
        """Call `ask` again after some pauses while an interruptible run answers `ignored`: a non-interruptible span
        within it may have been open. Return the last run, and its ack."""
        with suppress(NotExercised):
            for pause in _PAUSES:
                if ack is None or not self.is_ignored(run, ack):
                    break
                if await self.wait_end(run, within=pause * self.times.settle) is not None:
                    run = await self.begin_run(before=0)
                with suppress(Refused):  # the run may have ended meanwhile
                    ack = await ask(run)
        return run, ack

    def is_ignored(self, run: str, ack: Envelope) -> bool:
        """Return true if the ack ignores a stop of an open run that declares itself interruptible."""
        heard = self.log.envelopes
        before = heard[: heard.index(ack)]
        declared = next((policy_of(one.payload or {}) for one in before if one.id == run), None)
        is_open = not any(_in_run(run, *_ENDS)(one) for one in before)
        return is_open and declared not in (None, NON_INTERRUPTIBLE) and (ack.payload or {}).get("status") == "ignored"

    async def observe(self) -> None:
        """Wait for `settle` milliseconds, so that envelopes that must not come can come."""
        await anyio.sleep(self.times.settle / 1000)

    # The agent's process.

    async def wait_presence(self, event: str, *, since: int = 0) -> None:
        """Wait until the agent's presence is `join` or `leave`. Raises `Unexaminable`."""
        if await self._first_envelope(_presence(event), within=self.times.start, since=since) is not None:
            return
        if self.process.exit_status is not None:
            raise Unexaminable(f"The agent ended with status {self.process.exit_status} before it had joined.")
        raise Unexaminable(f"There was no {event} of the agent within {self.times.start / 1000:g} s.")

    async def wait_reconnected(self) -> None:
        """Wait until the agent has connected again. An agent that exits with its connection is restarted, as a
        supervisor would do."""
        with anyio.move_on_after(self.times.patience / 1000):
            while self.process.exit_status is None and not await self.proxy.wait_connected(within=_POLL):
                pass
        if self.process.exit_status is not None:
            await self.restart_agent()

    async def restart_agent(self) -> None:
        """Kill the agent and start it again, in the same space and with the same state."""
        self.restarts += 1
        await self.process.kill()
        await self.process.start()

    async def _first_envelope(self, matches: Callable[[Envelope], bool], *, within: int, since: int) -> Envelope | None:
        """Wait for the first match. Return None if it does not come in time, or the agent has exited."""
        found = None
        with anyio.move_on_after(within / 1000):
            while found is None and self.process.exit_status is None:
                found = await self.log.wait_for(matches, within=_POLL, since=since)
        return found

    async def stop_agent(self) -> None:
        """Kill the agent (a SIGTERM would make it conclude its runs) and wait for its leave."""
        since, here = len(self.log.envelopes), self.process.exit_status is None
        await self.process.kill()
        if here:
            await self.log.wait_for(_presence("leave"), within=self.times.settle, since=since)

    def record(self, events: list[dict[str, object]]) -> Record:
        """Return the record of this exercise, from the gateway's timeline `events`."""
        return Record(events, {one.id: one.payload or {} for one in self.log.envelopes}, agent=AGENT)


@asynccontextmanager
async def open_testbed(
    gateway: GatewayFixture, space: str, agent: AgentUnderTest, *, times: Times, deadlines: Deadlines
) -> AsyncIterator[Testbed]:
    """Open a testbed in a space of a running gateway, with the agent joined. Raises `Unexaminable`."""
    folder = gateway.folder / "agents" / space
    folder.mkdir(parents=True)
    proxy, tasks = FaultProxy(gateway.url), Tasks()
    await proxy.open()
    environment = {
        "MEW_URL": proxy.url,
        "MEW_SPACE": space,
        "MEW_PARTICIPANT": AGENT,
        "MEW_TOKEN": gateway.token(space, AGENT),
        "MEW_OPTIONS": json.dumps(agent.options),
        "MEW_STATE": str(folder),
    }
    if agent.path:
        environment["PYTHONPATH"] = os.pathsep.join(agent.path)
    process = AgentProcess(agent.command, environment=environment, output=folder.with_suffix(".log"))
    try:
        async with (
            Participant(gateway.client(space, SUPERVISOR)) as supervisor,
            Participant(gateway.client(space, GUARDIAN)) as guardian,
        ):
            testbed = Testbed(agent, supervisor, guardian, proxy, process, times=times, deadlines=deadlines)
            tasks.start_soon(proxy.serve)
            tasks.start_soon(testbed.log.listen)
            await process.start()
            await testbed.wait_presence("join")
            yield testbed
    except Unexaminable as error:
        error.last_output = process.last_output
        raise
    finally:
        await process.aclose()
        with anyio.CancelScope(shield=True):
            await tasks.aclose()


def _is_kind(kind: str) -> Callable[[Envelope], bool]:
    return lambda one: one.kind == kind and one.sender == AGENT


def _in_run(run: str, *kinds: str) -> Callable[[Envelope], bool]:
    return lambda one: one.kind in kinds and one.sender == AGENT and one.context == run


def _presence(event: str) -> Callable[[Envelope], bool]:
    def matches(one: Envelope) -> bool:
        payload = one.payload or {}
        return (
            one.kind == "system/presence"
            and payload.get("event") == event
            and (payload.get("participant") or {}).get("id") == AGENT
        )

    return matches
