"""Cases about acks: in time, fitting the policy, once per interrupt, `ignored` after the end of the run."""

from __future__ import annotations

from mew_gateway.sdk.execution.policy import TABLE, Rule

from .conclusion_checks import end_faults
from .record import NON_INTERRUPTIBLE, Interrupt, Record, Run
from .verdicts import Finding, Outcome, finding

_TABLE: dict[tuple[str, str | None], Rule] = {(class_, policy): rule for (class_, policy), rule in TABLE.items()}
_STOPS = ("cancel", "override")
_OFTEN = 3  # ignored stops that cannot be chance


def judge_acks(record: Record) -> Outcome | None:
    """Check that every interrupt is acknowledged before its deadline. The figures are the latencies."""
    if not record.interrupts:
        return None
    findings = [_missing_ack(one) for one in record.interrupts if one.timed_out is not None]
    figures = [one.latency for one in record.interrupts if one.latency is not None]
    return Outcome(tuple(findings), tuple(figures)) if findings or figures else None


def _missing_ack(one: Interrupt) -> Finding:
    if one.latency is not None:
        sentence = f"the {one.class_} was acknowledged after {one.latency} ms, when its deadline had passed"
    elif one.refused:
        sentence = f"the acks of the {one.class_} were all refused"
    else:
        sentence = f"the {one.class_} was not acknowledged"
    return finding(sentence, one.entry, *one.refused, one.timed_out, one.ack)


def judge_answers(record: Record) -> Outcome | None:
    """Check that the answer fits the class and the declared policy."""
    judged = [(run, one) for run in record.runs for one in run.answered]
    found = [_contradictory_span(run) for run in record.runs] + [_wrong_answer(run, one) for run, one in judged]
    found.append(_always_ignored(record))
    findings = tuple(one for one in found if one is not None)
    return Outcome(findings) if judged or findings else None


def _contradictory_span(run: Run) -> Finding | None:
    if run.policy is not None:
        return None
    span = run.start.payload.get("span")
    return finding(f"the span of a run contradicts itself: {span}", run.start)


def _wrong_answer(run: Run, one: Interrupt) -> Finding | None:
    """Return the finding if the answer is not in the decision table (docs/interruption.md §3)."""
    if one.ack is None:
        return None
    policy = run.governed_by(one.ack)
    rule = _TABLE.get((one.class_, policy))
    if rule is None:
        return None
    allowed = {rule.status, rule.at_boundary}
    declared = f"a {policy} span answers {_a(one.class_)}"
    proof = (run.start, one.entry, one.ack)
    if one.status not in allowed:
        return finding(f"{declared} with {' or '.join(sorted(allowed))}, not with {one.status}", *proof)
    promised = one.ack.payload.get("outcome") == "halt_after_span" and "stop_by" in one.ack.payload
    if rule.outcome == "halt_after_span" and not promised:
        return finding(f"{declared} with the outcome halt_after_span and a stop_by", *proof)
    return None


def _always_ignored(record: Record) -> Finding | None:
    """Return the finding if every stop was ignored: a non-interruptible span protects its run only while it lasts."""
    asked = [
        (run, one)
        for run in record.runs
        if run.policy not in (None, NON_INTERRUPTIBLE)
        for one in run.answered
        if one.class_ in _STOPS
    ]
    ignored = [one for run, one in asked if one.ack is not None and run.is_spared(one.ack)]
    if len(ignored) < max(_OFTEN, len(asked)):
        return None
    run = asked[0][0]
    sentence = (
        f"a run declares {run.policy}, and each of {len(ignored)} stops, at as many moments, was ignored as if nobody "
        "might interrupt it"
    )
    return finding(sentence, run.start, *(entry for one in ignored for entry in (one.entry, one.ack)))


def judge_one_ack(record: Record) -> Outcome | None:
    """Check that each interrupt is acknowledged once."""
    acked = [one for one in record.interrupts if one.ack is not None]
    findings = []
    for one in acked:
        again = [ack for ack in one.refused if ack.refused == "already_acked"]
        if again:
            sentence = f"the {one.class_} was acknowledged {1 + len(again)} times"
            findings.append(finding(sentence, one.entry, one.ack, *again))
    return Outcome(tuple(findings)) if acked else None


def judge_late_interrupts(record: Record) -> Outcome | None:
    """Check that an interrupt of a concluded run is answered with `ignored`."""
    found = [(run.end, one) for run in record.runs for one in run.interrupts if _is_late(run, one)]
    findings = []
    for end, one in found:
        if one.status != "ignored":
            how = "not acknowledged" if one.ack is None else f"acknowledged with {one.status}, not with ignored"
            sentence = f"its run was concluded, and the {one.class_} was {how}"
            findings.append(finding(sentence, one.entry, end, one.ack, one.timed_out))
    return Outcome(tuple(findings)) if found else None


def _is_late(run: Run, one: Interrupt) -> bool:
    """Return true if the run ended before the ack, or before the deadline of the ack."""
    answer = one.ack or one.timed_out
    return run.end is not None and answer is not None and answer.index > run.end.index


def judge_two_interrupts(record: Record) -> Outcome | None:
    """Check that each of two interrupts has its own ack, and their run one conclusion."""
    run = next((run for run in record.runs if len(run.interrupts) > 1), None)
    if run is None:
        return None
    missing = [one for one in run.interrupts if one.ack is None]
    if missing:
        sentence = f"of {len(run.interrupts)} interrupts of a run {len(missing)} were not acknowledged"
        proof = [entry for one in run.interrupts for entry in (one.entry, one.ack, one.timed_out)]
        return Outcome((finding(sentence, *proof),))
    return Outcome(tuple(end_faults(run)))


def _a(word: str) -> str:
    return f"{'an' if word[0] in 'aeio' else 'a'} {word}"
