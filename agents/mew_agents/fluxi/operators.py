"""What people may do to Works from outside of the conversation, on record with who did it (docs/fluxi.md §8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, TypeVar

from mew_agents.fluxi import attempts
from mew_agents.fluxi.asking import ask_again
from mew_agents.fluxi.claim import undo_failed, undone_by
from mew_agents.fluxi.claims import compensate
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.ending import cancel
from mew_agents.fluxi.fsm import WAITING, Event, State
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.ports import UNSEEN, Answer, Witness
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Suspension, Work

T = TypeVar("T")
Resolution: TypeAlias = Literal["applied", "not_applied"]


class Operators:
    """Acts of operators. `account_id` narrows to an account: what belongs to another one is not found.

    Raises Refused. `by` names who acts.
    """

    def __init__(self, desk: Desk, effects: Effects) -> None:
        self._desk = desk
        self._effects = effects

    async def cancel(self, work_id: str, *, by: str, account_id: str | None = None, witness: Witness = UNSEEN) -> Work:
        """Cancels a live Work and voids its questions; while a call is out, as soon as its outcome is known."""

        def do(scene: Scene, work: Work) -> Work:
            if not work.live:
                raise Refused("ended", f"The Work {work_id} is {work.state}: it cannot be cancelled any more.")
            return cancel(scene, work)

        return await self._act(work_id, do, by=by, account_id=account_id, witness=witness)

    async def suspend(
        self, work_id: str, *, by: str, reason: Suspension = "halted", account_id: str | None = None,
        witness: Witness = UNSEEN,
    ) -> Work:  # fmt: skip
        """Holds a live Work: its time stops, no further effect begins. One that is suspended already stays so."""

        def do(scene: Scene, work: Work) -> Work:
            if not work.live or work.suspended_reason == reason or (reason != "halted" and work.suspended_reason):
                return work
            # A halt lies over everything else; what is in doubt below it is found again when it is lifted.
            return scene.happen(work, Event.WORK_SUSPENDED, suspended_reason=reason)

        return await self._act(work_id, do, by=by, account_id=account_id, witness=witness)

    async def resume(
        self, work_id: str, *, by: str, reason: Suspension | None = None, account_id: str | None = None,
        at_once: bool = True, witness: Witness = UNSEEN,
    ) -> Work:  # fmt: skip
        """Lets a suspended Work go on, and asks again what it had asked; with `reason`, only if that is why.

        `at_once`: a call that is due is made before this returns; otherwise the schedule makes it.
        """

        def do(scene: Scene, work: Work) -> Work:
            if work.suspended_reason == "in_doubt":
                raise Refused("in_doubt", f"An effect of the Work {work_id} is in doubt: resolve it, with evidence.")
            if work.suspended_reason is None or (reason is not None and work.suspended_reason != reason):
                return work
            work = scene.happen(work, Event.WORK_RESUMED, suspended_reason=None, unresolved=0)
            if any(one.status == "in_doubt" for one in scene.records.claims(work_id)):
                return scene.happen(work, Event.WORK_SUSPENDED, suspended_reason="in_doubt")
            if work.state in WAITING:
                ask_again(scene, work)
            return work

        work = await self._act(work_id, do, by=by, account_id=account_id, witness=witness)
        if at_once and work.state is State.EXECUTING:
            await self._effects.carry_out(work_id, witness)
        return work

    async def resolve(
        self,
        work_id: str,
        effect_id: str,
        outcome: Resolution,
        *,
        evidence: str,
        by: str,
        account_id: str | None = None,
        witness: Witness = UNSEEN,
    ) -> Work:
        """Says what became of an effect in doubt, or settles one that could not be undone: it is undone without a call
        (`applied`), or it stands. `evidence` is how the operator knows, and stays with the effect.
        """
        if not evidence.strip():
            raise Refused("no_evidence", "Say how you know: the evidence stays with the effect.")

        def do(scene: Scene, work: Work) -> Work:
            claims = scene.records.claims(work_id)
            answer = Answer(outcome=outcome, code="resolved", message=evidence, retry=False)
            undone = undone_by(effect_id) or effect_id
            if undone in undo_failed(claims):
                attempts.settle(scene, work, undone, answer, evidence=f"{by}: {evidence}")
                return scene.records.work(work_id) or work
            claim = next((one for one in claims if one.effect_id == effect_id), None)
            if claim is None:
                raise Refused("not_found", f"The Work {work_id} has no effect {effect_id}.")
            if claim.status != "in_doubt":
                raise Refused("not_in_doubt", f"The effect {effect_id} is {claim.status}, not in doubt.")
            held = attempts.held_by(scene, work, claim, scene.records.attempts(claim.claim_id)[-1], fence=claim.fence)
            attempts.record(scene, work, held, answer, "operator", evidence=f"{by}: {evidence}")
            return scene.records.work(work_id) or work

        work = await self._act(work_id, do, by=by, account_id=account_id, witness=witness)
        await self._effects.carry_out(work_id, witness)
        return work

    async def compensate(
        self, work_id: str, effect_id: str, *, by: str, account_id: str | None = None, witness: Witness = UNSEEN
    ) -> Result | None:
        """Undoes an effect that was done, by the effect its definition names for that."""

        def do(scene: Scene, work: Work) -> Work:
            done = {one.effect_id: one.status for one in scene.records.claims(work_id)}
            if done.get(effect_id) != "completed":
                raise Refused("not_done", f"The Work {work_id} has no effect {effect_id} that was done.")
            if scene.definition(work).effect(effect_id).compensate is None:
                raise Refused("irreversible", f"The definition names nothing that undoes {effect_id}.")
            if any(undone_by(one) == effect_id and status != "aborted" for one, status in done.items()):
                raise Refused("claimed", f"{effect_id} is being undone, or was.")
            if not work.ended:
                raise Refused("running", f"The Work {work_id} is {work.state}: cancel it first.")
            return compensate(scene, work, [effect_id])

        await self._act(work_id, do, by=by, account_id=account_id, witness=witness)
        return await self._effects.carry_out(work_id, witness)

    async def _act(
        self, work_id: str, do: Callable[[Scene, Work], Work], *, by: str, account_id: str | None, witness: Witness
    ) -> Work:
        def act(scene: Scene, work: Work) -> Work:
            if account_id not in (None, work.account_id):
                raise Refused("not_found", f"There is no Work {work_id}.")
            return do(scene, work)

        done = await self._desk.on_work(work_id, act, point="operator", by=by)
        if done is None:
            raise Refused("not_found", f"There is no Work {work_id}.")
        await witness.saw(done.events, done.thoughts)
        return done.value
