"""What comes from outside about a call that nobody waits for any more: late answers, and what became of a proposal."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select

from mew_agents.fluxi import attempts
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.effects import Effects
from mew_agents.fluxi.ending import call_off
from mew_agents.fluxi.ports import UNSEEN, Answer, Prepared, Witness
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.tables import effect_attempts, external_effect_claims
from mew_agents.fluxi.work import Work


class Arrivals:
    """Takes in what is known of requests by their id. Each returns False for a request that is not ours."""

    def __init__(self, desk: Desk, effects: Effects) -> None:
        self._desk = desk
        self._effects = effects

    async def prepared(self, request_id: str) -> Prepared | None:
        """What was sent under that id; None for a request that is not ours."""
        attempts = effect_attempts.c
        query = select(attempts.request, attempts.cursor).where(attempts.request_id == request_id)
        row = await self._desk.database.read(lambda connection: connection.execute(query).first())
        return None if row is None else Prepared(request=row.request, cursor=row.cursor)

    async def answered(self, request_id: str, answer: Answer, *, witness: Witness = UNSEEN) -> bool:
        """A late answer, or what came of a proposal that somebody fulfilled or rejected."""

        def do(scene: Scene, work: Work, claim_id: str) -> None:
            claim = scene.records.claim(claim_id)
            tried = next((one for one in scene.records.attempts(claim_id) if one.request_id == request_id), None)
            if claim is not None and tried is not None:
                attempts.record(scene, work, attempts.held_by(scene, work, claim, tried), answer, "response")

        found = await self._about(request_id, do, witness)
        if found is None:
            return False
        work_id, claim_id = found
        # Under a lower fence it was only kept; it is a definite outcome nevertheless, for whoever finds out (§4.4).
        await self._effects.find_out(work_id, claim_id, witness)
        await self._effects.carry_out(work_id, witness)
        return True

    async def fulfilled(self, request_id: str, *, witness: Witness = UNSEEN) -> bool:
        """Somebody does what we proposed: from now on a call is out, and its outcome must be found out (§4)."""

        def do(scene: Scene, work: Work, claim_id: str) -> None:
            claim = scene.records.claim(claim_id)
            if claim is not None and claim.status == "proposed":
                lease_until = scene.at + attempts.terms(scene, work, claim).timeout + attempts.GRACE
                scene.records.change_claim(claim, status="invoking", lease_until=lease_until, due_at=None)

        return await self._about(request_id, do, witness) is not None

    async def withdrawn(self, request_id: str, *, witness: Witness = UNSEEN) -> bool:
        """A proposal of ours was withdrawn before anybody fulfilled it, in the order of the space: it never happens."""

        def do(scene: Scene, work: Work, claim_id: str) -> None:
            claim = scene.records.claim(claim_id)
            if claim is None or claim.status != "proposed":
                return
            scene.cause = claim.cause
            scene.records.change_claim(claim, status="aborted")
            if work.live:
                others = [one for one in scene.records.claims(work.work_id) if one.claim_id != claim_id]
                call_off(scene, work, others)

        return await self._about(request_id, do, witness) is not None

    async def _about(
        self, request_id: str, do: Callable[[Scene, Work, str], None], witness: Witness
    ) -> tuple[str, str] | None:
        found = await self._desk.database.read(lambda connection: _claim_of(connection, request_id))
        if found is None:
            return None
        work_id, claim_id = found
        done = await self._desk.on_work(
            work_id, lambda scene, work: do(scene, work, claim_id), point="effect.record", by="engine"
        )
        if done is not None:
            await witness.saw(done.events, done.thoughts)
        return found


def _claim_of(connection: Connection, request_id: str) -> tuple[str, str] | None:
    claims = external_effect_claims.c
    query = (
        select(claims.work_id, claims.claim_id)
        .join(effect_attempts, effect_attempts.c.claim_id == claims.claim_id)
        .where(effect_attempts.c.request_id == request_id)
    )
    row = connection.execute(query).first()
    return None if row is None else (row.work_id, row.claim_id)
