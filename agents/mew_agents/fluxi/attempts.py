"""Tx B and Tx C of an effect: an attempt is written down before it is made, and what came of it after (§4.2, §4.4).

Whoever holds the claim's fence decides; an answer that comes under a lower one moves nothing and is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.claim import Attempt, Claim, undoings, undone_by
from mew_agents.fluxi.claims import claim_by_hand
from mew_agents.fluxi.definitions.effects import Effect
from mew_agents.fluxi.ending import call_off
from mew_agents.fluxi.evidence import evidence_of
from mew_agents.fluxi.fsm import Event, State
from mew_agents.fluxi.ports import Answer, Call, Prepared
from mew_agents.fluxi.replies import Key
from mew_agents.fluxi.replies.sentence import capital
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_ATTEMPT, INSERT_EFFECT, UPDATE_ATTEMPT
from mew_agents.fluxi.undoing import undoing_decided
from mew_agents.fluxi.wording import result_told
from mew_agents.fluxi.work import Work

Source: TypeAlias = Literal["response", "history", "reconciled", "operator"]

# The code of an answer when somebody stopped us before anything was sent: the attempt does not count.
NOT_SENT = "not_sent"
# The code of an answer when a person rejected the proposal of a call.
DECLINED = "rejected"
# How long an attempt is its worker's own beyond its time limit, in ms: what it writes must be written by then.
GRACE = 5_000


# What is said instead, while an effect is undone.
_UNDOING: Mapping[Key, Key] = {"proposed": "undoing_proposed", "retrying": "undoing", "in_doubt": "undoing_in_doubt"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An attempt that somebody is making or finding out about: the claim's fence is theirs until the lease is over."""

    claim_id: str
    effect_id: str
    work_id: str
    attempt: int
    fence: int
    key: str
    timeout: int
    keyed: bool
    reconcile: str | None
    prepared: Prepared
    resend: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How one claim is to be carried out. Times in ms."""

    timeout: int
    keyed: bool
    reconcile: str | None
    attempts: int
    backoff: int
    max_backoff: int

    def wait(self, attempts: int) -> int:
        """The pause after so many attempts: it doubles."""
        return min(self.max_backoff, self.backoff << min(attempts - 1, 30))


def terms(scene: Scene, work: Work, claim: Claim) -> Terms:
    """The terms of a claim: its definition's; a compensation has those of what it undoes."""
    effect: Effect = scene.definition(work).effect(undone_by(claim.effect_id) or claim.effect_id)
    retry = effect.retry
    return Terms(
        timeout=effect.timeout,
        keyed=effect.idempotency == "keyed",
        reconcile=None if undone_by(claim.effect_id) else effect.reconcile,
        attempts=retry.attempts,
        backoff=retry.backoff,
        max_backoff=retry.max_backoff,
    )


def begin(scene: Scene, work: Work) -> Held | None:
    """Tx B: the next effect of a Work is about to be called. None: there is none now.

    After its commit, and only then, `prepared` is sent.
    """
    claim = _next(scene, work)
    if claim is None:
        return None
    scene.cause = claim.cause
    agreed = terms(scene, work, claim)
    attempt, fence = claim.attempts + 1, claim.fence + 1
    call = Call(
        request_id=scene.records.new_id(),
        tool=str(claim.call["tool"]),
        arguments=claim.call["arguments"],
        key=claim.idempotency_key,
        attempt=attempt,
        fence=fence,
        deadline=scene.at + agreed.timeout,
        evidence=evidence_of(work),
    )
    prepared = scene.tools.prepare(call)
    scene.records.change_claim(
        claim,
        status="proposed" if prepared.proposed else "invoking",
        attempts=attempt,
        fence=fence,
        lease_until=None if prepared.proposed else call.deadline + GRACE,
        # Whoever sends a proposal says that it is out; if nobody does, it is sent again.
        due_at=call.deadline + GRACE if prepared.proposed else None,
    )
    scene.records.write(
        INSERT_ATTEMPT,
        {
            "claim_id": claim.claim_id,
            "attempt": attempt,
            "fence": fence,
            "request_id": call.request_id,
            "request": prepared.request,
            "cursor": prepared.cursor,
            "deadline": call.deadline,
            "began_at": scene.at,
        },
    )
    if prepared.proposed:
        note = {"effect_id": claim.effect_id, "request_id": call.request_id}
        work = scene.happen(work, Event.EFFECT_PROPOSED, note=note)
        scene.say("reply", _said_of(claim, "proposed"), code="proposed", work=work, summary=scene.summary(work))
    return _held(claim, work, attempt, fence, agreed, prepared)


def proposal_out(scene: Scene, held: Held) -> None:
    """A proposal is known to be out: from now on it waits for a person, without any time limit of ours."""
    claim = scene.records.claim(held.claim_id)
    if claim is not None and claim.status == "proposed" and claim.fence == held.fence:
        scene.records.change_claim(claim, due_at=None)


def take_over(scene: Scene, work: Work, claim: Claim) -> tuple[Held, list[Attempt]]:
    """An attempt that its worker has left: from here on the fence is ours. With all attempts, the last one ours."""
    tried = scene.records.attempts(claim.claim_id)
    fence = claim.fence + 1
    held = held_by(scene, work, claim, tried[-1], fence=fence)
    scene.records.change_claim(claim, fence=fence, lease_until=scene.at + held.timeout * 2 + GRACE)
    return held, tried


def held_by(scene: Scene, work: Work, claim: Claim, tried: Attempt, *, fence: int | None = None) -> Held:
    """An attempt as its own worker holds it, or, with `fence`, whoever holds that."""
    prepared = Prepared(request=tried.request, proposed=claim.status == "proposed", cursor=tried.cursor)
    held_fence = tried.fence if fence is None else fence
    return _held(claim, work, tried.attempt, held_fence, terms(scene, work, claim), prepared)


def _held(claim: Claim, work: Work, attempt: int, fence: int, agreed: Terms, prepared: Prepared) -> Held:
    return Held(
        claim_id=claim.claim_id,
        effect_id=claim.effect_id,
        work_id=work.work_id,
        attempt=attempt,
        fence=fence,
        key=claim.idempotency_key,
        timeout=agreed.timeout,
        keyed=agreed.keyed,
        reconcile=agreed.reconcile,
        prepared=prepared,
        # What was not sent before an emergency is not sent during it. A cancel came too late: the call counts as out.
        resend=work.suspended_reason != "halted",
    )


def _next(scene: Scene, work: Work) -> Claim | None:
    """Effects happen in their order; the first that is not settled is next, when it is due."""
    if work.suspended_reason is not None or work.cancel_requested is not None:
        return None
    for claim in scene.records.claims(work.work_id):
        if claim.open:
            due = claim.status == "claimed" and (claim.due_at is None or claim.due_at <= scene.at)
            return claim if due else None
    return None


def record(
    scene: Scene, work: Work, held: Held, answer: Answer, source: Source, *, evidence: str | None = None
) -> bool:
    """Tx C: what is known of an attempt. False: the fence is somebody else's by now, and nothing was moved."""
    claim = scene.records.claim(held.claim_id)
    if claim is None or claim.fence != held.fence or not claim.open:
        _keep(scene, held, late=answer)
        return False
    scene.cause = claim.cause
    if answer.outcome == "unknown":
        # The next thing is to find out: nobody needs to wait for the end of the lease. What was said stays with it.
        _keep(scene, held, answer=answer)
        scene.records.change_claim(claim, lease_until=scene.at if claim.status == "invoking" else claim.lease_until)
        return True
    _keep(scene, held, answer=answer)
    if claim.status == "in_doubt":
        work = _out_of_doubt(scene, work, claim, answer, source)
    if answer.outcome == "applied":
        _applied(scene, work, claim, held, answer, source, evidence)
    else:
        _not_applied(scene, work, claim, held, answer, source, evidence)
    return True


def doubt(scene: Scene, work: Work, held: Held, answer: Answer) -> None:
    """Nothing tells what became of an attempt: the Work stands still until somebody finds out (§4.5)."""
    claim = scene.records.claim(held.claim_id)
    if claim is None or claim.fence != held.fence or not claim.open:
        return
    scene.cause = claim.cause
    if claim.status == "in_doubt":
        scene.records.change_claim(claim, lease_until=None, due_at=scene.at + terms(scene, work, claim).max_backoff)
        return
    due_at = scene.at + terms(scene, work, claim).max_backoff
    scene.records.change_claim(claim, status="in_doubt", lease_until=None, due_at=due_at)
    note = {"effect_id": claim.effect_id, "attempt": held.attempt, "reason": answer.code, "message": answer.message}
    work = scene.happen(work, Event.EFFECT_IN_DOUBT, note=note)
    if work.live and work.suspended_reason is None:
        work = scene.happen(work, Event.WORK_SUSPENDED, suspended_reason="in_doubt")
    key, data = _said_of(claim, "in_doubt"), {"effect_id": claim.effect_id}
    scene.say("in_doubt", key, code="in_doubt", work=work, summary=scene.summary(work), data=data)


def _said_of(claim: Claim, key: Key) -> Key:
    return _UNDOING[key] if undone_by(claim.effect_id) else key


def _out_of_doubt(scene: Scene, work: Work, claim: Claim, answer: Answer, source: Source) -> Work:
    note = {"effect_id": claim.effect_id, "outcome": answer.outcome, "source": source}
    work = scene.happen(work, Event.EFFECT_RECONCILED, note=note)
    if work.suspended_reason == "in_doubt":
        work = scene.happen(work, Event.WORK_RESUMED, suspended_reason=None)
    return work


def settle(scene: Scene, work: Work, effect_id: str, answer: Answer, *, evidence: str) -> None:
    """A person has settled what could not be undone: it is undone without a call of ours, or it stands."""
    last = undoings(scene.records.claims(work.work_id))[effect_id]
    work, claim = claim_by_hand(scene, work, last, "completed" if answer.outcome == "applied" else "aborted")
    work = _recorded(scene, work, claim, 0, answer, "operator", evidence)
    undoing_decided(scene, work, claim)


def _keep(scene: Scene, held: Held, *, answer: Answer | None = None, late: Answer | None = None) -> None:
    key = {"_claim_id": held.claim_id, "_attempt": held.attempt}
    if answer is not None:
        ended = {"ended_at": scene.at, "outcome": answer.outcome, "answer": written(_plain(answer))}
        scene.records.write(UPDATE_ATTEMPT, {**key, **ended})
    if late is not None:
        scene.records.write(UPDATE_ATTEMPT, {**key, "late": written({**_plain(late), "at": scene.at})})


def _plain(answer: Answer) -> dict[str, Any]:
    return {
        "outcome": answer.outcome,
        "content": dict(answer.content),
        "code": answer.code,
        "message": answer.message,
        "retry": answer.retry,
    }


def answer_of(plain: Mapping[str, Any]) -> Answer:
    """An answer from its stored JSON."""
    names = ("outcome", "content", "code", "message", "retry")
    return Answer(**{name: plain[name] for name in names})


def came_late(tried: Sequence[Attempt]) -> Answer | None:
    """A definite answer under a lower fence: that it was done, of any attempt; that it was not, of the last."""
    late = [(attempt, answer_of(attempt.late)) for attempt in tried if attempt.late is not None]
    definite = (
        answer
        for attempt, answer in late
        if answer.outcome == "applied" or (answer.outcome == "not_applied" and attempt is tried[-1])
    )
    return next(definite, None)


def _recorded(
    scene: Scene, work: Work, claim: Claim, attempt: int, answer: Answer, source: Source, evidence: str | None
) -> Work:
    scene.records.write(
        INSERT_EFFECT,
        {
            "claim_id": claim.claim_id,
            "work_id": work.work_id,
            "effect_id": claim.effect_id,
            "effect_type": claim.effect_type,
            "outcome": answer.outcome,
            "attempt": attempt,
            "source": source,
            "answer": written(_plain(answer)),
            "evidence": evidence,
            "recorded_at": scene.at,
        },
    )
    note = {"effect_id": claim.effect_id, "outcome": answer.outcome, "source": source, "attempt": attempt}
    return scene.happen(work, Event.EFFECT_RECORDED, note={**note, "code": answer.code})


def _applied(
    scene: Scene, work: Work, claim: Claim, held: Held, answer: Answer, source: Source, evidence: str | None
) -> None:
    claim = scene.records.change_claim(claim, status="completed", lease_until=None, due_at=None)
    work = _recorded(scene, work, claim, held.attempt, answer, source, evidence)
    if work.ended:
        undoing_decided(scene, work, claim)
        return
    others = [one for one in scene.records.claims(work.work_id) if one.claim_id != claim.claim_id]
    if not any(one.open for one in others):
        _complete(scene, work, answer, others, claim.effect_id)
    elif work.cancel_requested is not None:
        call_off(scene, work, [*others, claim])


def _complete(scene: Scene, work: Work, answer: Answer, claims: list[Claim], effect_id: str) -> None:
    """`claims`: all of which something might not have been done."""
    late = work.cancel_requested is not None
    work = scene.happen(work, Event.WORK_COMPLETED, State.COMPLETED)
    if late:
        scene.say("reply", "cancel_refused_executing", work=work, title=scene.title(work))
    undone = scene.effects_told(work, claims)["undone"]
    data = {"result": dict(answer.content)}
    told = _results_told(scene, work, {effect_id: answer})
    summary = scene.summary(work)
    scene.say("completed", "completed", work=work, summary=summary, undone=undone, detail=told, data=data)


def _results_told(scene: Scene, work: Work, now: Mapping[str, Answer]) -> str:
    """What the definition tells of all that was done, in the order of its effects. `now`: what is recorded just now."""
    definition = scene.definition(work)
    rows = scene.records.effects(work.work_id)
    answers = {row.effect_id: answer_of(read(row.answer)) for row in rows} | dict(now)
    done = ((one.id, answers.get(one.id)) for one in definition.effects)
    told = (
        result_told(definition, effect_id, answer.content, scene.policy)
        for effect_id, answer in done
        if answer is not None and answer.outcome == "applied"
    )
    return ". ".join(capital(one) for one in dict.fromkeys(told) if one)


def _not_applied(
    scene: Scene, work: Work, claim: Claim, held: Held, answer: Answer, source: Source, evidence: str | None
) -> None:
    agreed = terms(scene, work, claim)
    made = _made(scene, held)
    unsent = answer.code == NOT_SENT
    again = answer.retry and (unsent or made < agreed.attempts) and work.cancel_requested is None
    if again:
        due_at = scene.at + agreed.wait(max(made, 1))
        scene.records.change_claim(claim, status="claimed", lease_until=None, due_at=due_at)
        note = {"effect_id": claim.effect_id, "outcome": "not_applied", "attempt": held.attempt, "code": answer.code}
        work = scene.happen(work, Event.EFFECT_RECORDED, note=note)
        work = scene.happen(work, Event.RETRY_SCHEDULED, note={"effect_id": claim.effect_id, "due_at": due_at})
        if unsent:
            return
        scene.say("reply", _said_of(claim, "retrying"), code="retrying", work=work, summary=scene.summary(work))
        return
    claim = scene.records.change_claim(claim, status="aborted", lease_until=None, due_at=None)
    work = _recorded(scene, work, claim, held.attempt, answer, source, evidence)
    if work.ended:
        undoing_decided(scene, work, claim, reason=answer.for_people)
        return
    others = [one for one in scene.records.claims(work.work_id) if one.claim_id != claim.claim_id]
    if work.cancel_requested is not None:
        call_off(scene, work, others)
    elif claim.required:
        _fail(scene, work, claim, others, answer)
    elif not any(one.open for one in others):
        _complete(scene, work, answer, [*others, claim], claim.effect_id)


def _made(scene: Scene, held: Held) -> int:
    """How many attempts were really made, this one included."""
    before = (one for one in scene.records.attempts(held.claim_id) if one.attempt < held.attempt)
    return 1 + sum(one.answer is None or str(one.answer.get("code")) != NOT_SENT for one in before)


def _fail(scene: Scene, work: Work, claim: Claim, others: list[Claim], answer: Answer) -> None:
    for one in others:
        if one.status == "claimed":
            scene.records.change_claim(one, status="aborted", due_at=None)
    done = [one.effect_id for one in others if one.status == "completed"]
    note = {"effect_id": claim.effect_id, "code": answer.code, "message": answer.message, "effects_done": done}
    work = scene.happen(work, Event.WORK_FAILED, State.FAILED, note=note)
    told = {"summary": scene.summary(work), "reason": answer.for_people, "detail": _results_told(scene, work, {})}
    told |= scene.effects_told(work, [claim, *others])
    data = {"effect_id": claim.effect_id, "code": answer.code, "effects_done": done}
    key: Key = "failed_partly" if done else "declined" if answer.code == DECLINED else "failed"
    scene.say("failed", key, code="effect_failed", work=work, data=data, **told)
