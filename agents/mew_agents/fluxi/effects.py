"""Effects happen: an attempt is committed, sent, and its outcome committed; nothing is ever sent blindly twice.

Between two commits no transaction is open (docs/fluxi.md §4). Whatever is cut off anywhere here, by the end of the
process or by being cancelled, is taken up again from what is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace

import anyio

from mew_agents.durable.failpoints import Reaching
from mew_agents.fluxi import attempts
from mew_agents.fluxi.attempts import Held, Source
from mew_agents.fluxi.claim import Attempt
from mew_agents.fluxi.desk import Desk, Done
from mew_agents.fluxi.fsm import Event
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.ports import Answer, ToolPort, Witness
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work

# After these nothing of a Work is due, and nobody needs to look.
_OVER = (Event.WORK_COMPLETED, Event.WORK_FAILED)

_NOT_SENT = Answer(outcome="not_applied", code="not_sent", message="It was stopped before it was sent.", retry=True)


class Effects:
    """Carries out the claims of Works, and finds out about those that were left."""

    def __init__(self, desk: Desk, tools: ToolPort, failpoints: Reaching) -> None:
        self._desk = desk
        self._tools = tools
        self._failpoints = failpoints

    async def carry_out(self, work_id: str, witness: Witness, *, heard: bool = False) -> Result | None:
        """Calls what is due of a Work, one after the other. The last result, None if there was nothing to do.

        `heard`: somebody waits for it.
        """
        result: Result | None = None
        while True:
            begun = await self._desk.on_work(work_id, attempts.begin, point="effect.begin", by="engine", heard=heard)
            if begun is None or begun.value is None:
                return result
            result = begun.result or result
            held = begun.value
            async with AsyncExitStack() as stack:
                try:
                    await stack.enter_async_context(witness.attempt(held.effect_id, limit=held.timeout / 1000))
                    await witness.saw(begun.events, begun.thoughts)
                except BaseException:
                    # Somebody has stopped us before anything was sent: it was not done, and may be begun again.
                    with anyio.CancelScope(shield=True):
                        await self._record(held, _NOT_SENT, "response", heard=heard)
                    raise
                answer = await self._send(held)
                if held.prepared.proposed and answer.outcome == "unknown":
                    await self._out(held)
                    return result
                recorded = await self._record(held, answer, "response", heard=heard)
            if recorded is not None:
                await witness.saw(recorded.events, recorded.thoughts)
                result = recorded.result or result
                if any(event.type in _OVER for event in recorded.events):
                    return result
            if answer.outcome == "unknown":
                result = await self.find_out(held.work_id, held.claim_id, witness, heard=heard) or result

    async def _send(self, held: Held) -> Answer:
        self._failpoints.reach("effect.send.before")
        answer = await self._tools.send(held.prepared, timeout=held.timeout / 1000)
        self._failpoints.reach("effect.send.after")
        return answer

    async def propose(self, work_id: str, claim_id: str, witness: Witness) -> None:
        """Sends a proposal whose sending nobody knows of: the same bytes, which are taken once."""

        def as_it_is(scene: Scene, work: Work) -> Held | None:
            claim = scene.records.claim(claim_id)
            if claim is None or claim.status != "proposed" or work.cancel_requested is not None:
                return None
            return attempts.held_by(scene, work, claim, scene.records.attempts(claim_id)[-1])

        found = await self._desk.on_work(work_id, as_it_is, point="effect.take_over", by="recovery")
        if found is None or found.value is None:
            return
        answer = await self._send(found.value)
        if answer.outcome == "unknown":
            await self._out(found.value)
        elif (recorded := await self._record(found.value, answer, "response")) is not None:
            await witness.saw(recorded.events, recorded.thoughts)

    async def _out(self, held: Held) -> None:
        def out(scene: Scene, _: Work) -> None:
            attempts.proposal_out(scene, held)

        await self._desk.on_work(held.work_id, out, point="effect.record", by="engine")

    async def _record(self, held: Held, answer: Answer, source: Source, *, heard: bool = False) -> Done[bool] | None:
        def record(scene: Scene, work: Work) -> bool:
            return attempts.record(scene, work, held, answer, source)

        return await self._desk.on_work(held.work_id, record, point="effect.record", by="engine", heard=heard)

    async def find_out(self, work_id: str, claim_id: str, witness: Witness, *, heard: bool = False) -> Result | None:
        """What became of an attempt that was left: the history, the same bytes again, the tool itself (§4.5).

        None: somebody else is at it, or it is settled. When nothing tells, it is in doubt.
        """

        def take_over(scene: Scene, work: Work) -> tuple[Held, list[Attempt]] | None:
            claim = scene.records.claim(claim_id)
            left = claim is not None and claim.status in ("invoking", "in_doubt")
            if claim is None or not left or (claim.lease_until or 0) > scene.at:
                return None
            return attempts.take_over(scene, work, claim)

        taken = await self._desk.on_work(work_id, take_over, point="effect.take_over", by="recovery")
        if taken is None or taken.value is None:
            return None
        held, tried = taken.value
        async with witness.attempt(held.effect_id, limit=2 * held.timeout / 1000):
            answer, source = await self._learn(held, tried)
            done: Done[bool] | Done[None] | None
            if answer.outcome == "unknown":
                done = await self._doubt(held, answer, heard=heard)
            else:
                done = await self._record(held, answer, source, heard=heard)
        if done is None:
            return None
        await witness.saw(done.events, done.thoughts)
        return done.result

    async def _learn(self, held: Held, tried: Sequence[Attempt]) -> tuple[Answer, Source]:
        """The first definite answer, from whoever can give one."""
        late = attempts.came_late(tried)
        if late is not None:
            return late, "history"
        self._failpoints.reach("effect.look_back.before")
        seen = await self._tools.look_back(held.prepared)
        self._failpoints.reach("effect.look_back.after")
        if seen is not None and seen.outcome != "unknown":
            return seen, "history"
        said = tried[-1].answer
        answer = seen or (Answer(outcome="unknown", code="no_answer") if said is None else attempts.answer_of(said))
        if held.resend and (self._tools.once or held.keyed):
            # The receiver takes these bytes once, or the tool their key: this is no second call.
            again = await self._send(held)
            if again.outcome != "unknown":
                return again, "history"
            answer = again
        if held.reconcile is not None:
            self._failpoints.reach("effect.ask.before")
            told = await self._tools.ask(held.reconcile, held.key, fence=held.fence, timeout=held.timeout / 1000)
            self._failpoints.reach("effect.ask.after")
            if told.outcome != "unknown":
                # Proven absent, and barred from now on: it may be tried again.
                return replace(told, retry=told.outcome == "not_applied"), "reconciled"
            answer = told
        return answer, "response"

    async def _doubt(self, held: Held, answer: Answer, *, heard: bool) -> Done[None] | None:
        def doubt(scene: Scene, work: Work) -> None:
            attempts.doubt(scene, work, held, answer)

        return await self._desk.on_work(held.work_id, doubt, point="effect.record", by="recovery", heard=heard)
