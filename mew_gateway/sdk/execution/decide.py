"""Decision about an interrupt: which run and span it means, its effective class, and the table's answer.

docs/interruption.md §2 has the rules. The steps of `decide`: look up an earlier decision about the same interrupt; find
the run and span it means; lower the class if the confidence is low; read the rule from `policy.TABLE`; note the
decision; build the ack; then the directives to the spans.

Invariants: an interrupt is decided once, and a repeated one gets the same ack. Where several spans are meant, the
strictest policy decides. The first interrupt that stops a run governs its end.
"""

from __future__ import annotations

from typing import Any

import msgspec

from mew_gateway.protocol.envelope import timestamp
from mew_gateway.protocol.ids import GATEWAY
from mew_gateway.protocol.reasons import Class

from . import confidence, ending, halt
from .effects import Effect, Note, Send
from .events import Interrupted
from .interrupt import Interrupt, weaker
from .policy import (
    CANNOT_PAUSE,
    NOT_ACTIVE,
    QUEUE_FULL,
    QUEUED_AFTER_ALL,
    SPAN_ONLY,
    TABLE,
    Policy,
    Rule,
    strictest,
)
from .runs import Run, status_of
from .spans import Span
from .state import State

_STOP_BY = 60_000  # milliseconds that a span may go on under an emergency (docs/protocol.md §5)
_LONGEST = 200  # characters of what was said, on the timeline

_ACK = {"wire": "reasoning/interrupt-ack", "chat": "chat/acknowledge"}


class Decision(msgspec.Struct, frozen=True):
    """The decision about one run: rule, deciding policy, the span that was meant, and effects."""

    rule: Rule
    effects: tuple[Effect, ...] = ()
    status: str = "ignored"
    policy: Policy | None = None
    span: Span | None = None
    stop_by: int | None = None


def interrupted(state: State, event: Interrupted, now: int) -> tuple[Effect, ...]:
    """Decide an interrupt from the wire, or an alert."""
    return decide(state, event.interrupt, event.ack, now, received=event.received or now)


def decide(state: State, interrupt: Interrupt, ack: str | None, now: int, *, received: int) -> tuple[Effect, ...]:
    """Decide an interrupt. A known one keeps its decision: only its ack may have been lost (§2.2).

    `ack` is the id of the answer; None if it is not answered on the wire. `received` is the time of arrival, for the
    latency on record.
    """
    key = (interrupt.id, interrupt.source, interrupt.sender, interrupt.run)
    if key in state.answers:
        known = state.answers[key]
        return () if known is None else (known,)
    found = _found(state, interrupt, interrupt.class_)
    class_, rule = confidence.weighed(interrupt, found)
    if class_ != interrupt.class_:
        found = _found(state, interrupt, class_)
    effects: list[Effect] = [noted(interrupt, found)]
    if interrupt.class_ == "emergency" and (interrupt.source == "wire" or (class_ == "emergency" and rule is None)):
        # docs/protocol.md §5: one from the wire has halted us at its acceptance, however sure it is.
        effects.extend(halt.halt(state, interrupt))
    if rule is not None or found is None:
        decision = Decision(rule or NOT_ACTIVE)
    else:
        decision = about(*found, interrupt, class_, now)
    effects.append(decided(decision, interrupt, class_, found, now - received))
    answer = _answer(decision, interrupt, class_, ack, now)
    state.answered(key, answer)
    if answer is not None:
        effects.append(answer)
    effects.extend(decision.effects)
    if interrupt.source == "request" and decision.rule.directive == "end" and found is not None:
        effects.extend(_inside(state, found[0], interrupt, now))
    if rule is None and _reaches_all(interrupt, class_, found):
        effects.extend(_elsewhere(state, found, interrupt, class_, now))
    return tuple(effects)


def removal(run: Run, code: str) -> Interrupt:
    """Return the interrupt that stands for the loss of a run's sequence at the gateway."""
    return Interrupt(f"{run.id}:{code}", GATEWAY, run.id, "cancel", source="gateway", rule=code)


def given_up(run: Run, interrupt: Interrupt) -> tuple[Effect, ...]:
    """Record the table's decision about a run whose sequence the gateway has ended."""
    root = run.spans[run.root]
    policy = strictest(tuple(span.policy for span in run.spans.values()))
    decision = Decision(TABLE[("cancel", policy)], (), TABLE[("cancel", policy)].status, policy, root)
    return (noted(interrupt, (run, root)), decided(decision, interrupt, "cancel", (run, root), 0))


def _scope(interrupt: Interrupt, class_: Class) -> str:
    """Return the effective scope. An emergency reaches all runs unless it is limited, and never less than a run."""
    if class_ == "emergency":
        return "run" if interrupt.scope in ("run", "span") else "participant"
    return interrupt.scope or "run"


def _reaches_all(interrupt: Interrupt, class_: Class, found: tuple[Run, Span] | None) -> bool:
    """Return true if other runs are meant too: only for a stop; an emergency also if its run has ended."""
    if _scope(interrupt, class_) != "participant" or weaker(class_, "cancel"):
        return False
    return found is not None or class_ == "emergency"


def _found(state: State, interrupt: Interrupt, class_: Class) -> tuple[Run, Span] | None:
    """Find the run and the span that are meant: the named span, the run's focus, or its root."""
    if interrupt.run is None:
        return state.focused()
    run = state.runs.get(interrupt.run)
    if run is None or run.lost:
        return None
    if _scope(interrupt, class_) == "span" and interrupt.span_id is not None:
        span = run.spans.get(interrupt.span_id)
        return None if span is None else (run, span)
    return state.focused(run.id) or (run, run.spans[run.root])


def about(run: Run, span: Span, interrupt: Interrupt, class_: Class, now: int) -> Decision:
    """Decide about one run."""
    if class_ == "clarification":
        return _pausing(run, span, interrupt)
    alone = _scope(interrupt, class_) == "span" and span.id != run.root
    meant = run.family(span) if alone else list(run.spans.values())
    policy = strictest(tuple(one.policy for one in meant))
    rule = TABLE[(class_, policy)]
    wants_queue = interrupt.on_reject == "queue" and interrupt.input is not None
    if class_ == "override" and rule.directive is None and wants_queue:
        rule = QUEUED_AFTER_ALL
    if rule.directive == "end" and alone:
        rule = SPAN_ONLY._replace(follows=rule.follows)
    rule, effects = _kept(run, span, rule, interrupt)
    status = status_of(rule, run, meant)
    if rule.directive is not None:
        effects.extend(_stop(run, meant, rule, policy, status, interrupt, now, alone=alone))
    stop_by = _stop_by(meant, now) if rule.directive == "finish" else None
    return Decision(rule, tuple(effects), status, policy, span, stop_by)


def _stop(
    run: Run,
    meant: list[Span],
    rule: Rule,
    policy: Policy,
    status: str,
    interrupt: Interrupt,
    now: int,
    *,
    alone: bool,
) -> list[Effect]:
    """Mark a run, or one span of it, for ending. The first interrupt governs."""
    if not alone:
        if rule.directive == "finish":
            run.halted_by = run.halted_by or interrupt.id
        elif status == "stopping":
            run.thoughts_left = 0
        elif run.thoughts_left is None:
            run.thoughts_left = 1
        if run.stop is None:
            run.policy_applied = policy
            run.stop = None if run.spans[run.root].policy == "non-interruptible" else interrupt
    return ending.mark(run, meant, interrupt, now)


def _pausing(run: Run, span: Span, interrupt: Interrupt) -> Decision:
    """Decide a clarification, which means only the span that has the focus."""
    rule = TABLE[("clarification", span.policy)]
    if rule.directive == "pause" and (span.state != "running" or span.pausing is not None or run.stop is not None):
        rule = CANNOT_PAUSE
    rule, effects = _kept(run, span, rule, interrupt)
    if rule.directive == "pause":
        effects.extend(ending.pause(span, interrupt))
    return Decision(rule, tuple(effects), rule.status, span.policy, span)


def _inside(state: State, outer: Run, interrupt: Interrupt, now: int) -> list[Effect]:
    """Stop the runs that began within a silent run, each by its own policies, before that run."""
    effects: list[Effect] = []
    for run in state.runs_within(outer.id):
        span = run.spans[run.root]
        decision = about(run, span, msgspec.structs.replace(interrupt, run=run.id), interrupt.class_, now)
        effects += [decided(decision, interrupt, interrupt.class_, (run, span), 0), *decision.effects]
    return effects


def _elsewhere(
    state: State, named: tuple[Run, Span] | None, interrupt: Interrupt, class_: Class, now: int
) -> list[Effect]:
    """Stop the other runs of the agent, each by its own policies. The ack is about the named run only."""
    effects: list[Effect] = []
    for run in list(state.runs.values()):
        if run.lost or (named is not None and run is named[0]):
            continue
        span = run.spans[run.root]
        decision = about(run, span, msgspec.structs.replace(interrupt, scope="run", input=None), class_, now)
        effects.append(decided(decision, interrupt, class_, (run, span), 0))
        effects.extend(decision.effects)
    return effects


def _kept(run: Run, span: Span, rule: Rule, interrupt: Interrupt) -> tuple[Rule, list[Effect]]:
    """Keep the input for after the run. If the queue is full, the stop still counts."""
    if interrupt.input is None or rule.follows is None:
        return rule, []
    if not run.keep(rule.follows, interrupt):
        return QUEUE_FULL if rule.directive is None else rule._replace(reason_code=QUEUE_FULL.reason_code), []
    return rule, [ending.kept(rule.follows, interrupt, run=run, span=span)]


def _stop_by(spans: list[Span], now: int) -> int:
    """Return when the non-interruptible spans will have ended: by their limits, but within the gateway's maximum."""
    latest = now + _STOP_BY
    limits = [one.limit_at or latest for one in spans if one.policy == "non-interruptible"]
    return max(now, min(latest, max(limits, default=latest)))


def _answer(decision: Decision, interrupt: Interrupt, class_: Class, ack: str | None, now: int) -> Send | None:
    kind = _ACK.get(interrupt.source)
    if ack is None or kind is None:
        return None
    payload: dict[str, Any] = {"status": decision.status, "class": class_, "outcome": decision.rule.outcome}
    if decision.policy is not None:
        payload["policy_applied"] = decision.policy
    if decision.span is not None:
        payload["span_id"] = decision.span.id
    if decision.rule.reason_code is not None:
        payload["reason_code"] = decision.rule.reason_code
    if decision.stop_by is not None:
        payload["stop_by"] = timestamp(decision.stop_by)
    return Send(now, ack, kind, payload, to=(interrupt.sender,), correlation_id=(interrupt.id,))


def noted(interrupt: Interrupt, found: tuple[Run, Span] | None) -> Note:
    """Note source and target of an interrupt for the timeline (seed 000 §4)."""
    data: dict[str, Any] = {
        "source": interrupt.source,
        "sender": interrupt.sender,
        "class": interrupt.class_,
        "confidence": interrupt.confidence,
    }
    for field in ("run", "scope", "reason", "message"):
        value = getattr(interrupt, field)
        if value is not None:
            data[field] = value[:_LONGEST]
    trace, span = (None, None) if found is None else (found[0].id, found[1].id)
    return Note("interruption", trace, span, interrupt.id, data)


def decided(
    decision: Decision, interrupt: Interrupt, class_: Class, found: tuple[Run, Span] | None, latency: int
) -> Note:
    """Note class, policy, outcome, rule and latency of a decision for the timeline (seed 000 §4)."""
    data: dict[str, Any] = {
        "class": class_,
        "rule": interrupt.rule,
        "confidence": interrupt.confidence,
        "status": decision.status,
        "outcome": decision.rule.outcome,
        "latency_ms": latency,
    }
    if decision.policy is not None:
        data["policy"] = decision.policy
    if decision.rule.reason_code is not None:
        data["reason_code"] = decision.rule.reason_code
    trace, span = (None, None) if found is None else (found[0].id, found[1].id)
    return Note("decided", trace, span, interrupt.id, data)
