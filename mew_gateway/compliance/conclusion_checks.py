"""Cases about the conclusion of a run: one, which names the interrupt, and nothing after it."""

from __future__ import annotations

from collections.abc import Iterable

from .promise_checks import CLOCK_TOLERANCE
from .record import NON_INTERRUPTIBLE, PROMISES, Entry, Record, Run
from .verdicts import Finding, Outcome, finding


def judge_conclusions(record: Record) -> Outcome | None:
    """Check that a run has one conclusion, which names the interrupt. The figures are the times from the ack to it."""
    findings: list[Finding] = []
    figures: list[int] = []
    judged = [run for run in record.runs if run.ends or run.promise or _is_overdue(run, record)]
    for run in judged:
        findings += end_faults(run)
        if run.halt is not None and _is_overdue(run, record):
            sentence = "halt_after_span was answered, and the run was not concluded by its stop_by"
            findings.append(finding(sentence, run.start, run.halt.entry, run.halt.ack))
        if run.end is not None and run.promise is not None and run.promise.ack is not None:
            figures.append(run.end.at - run.promise.ack.at)
    return Outcome(tuple(findings), tuple(figures)) if judged else None


def _is_overdue(run: Run, record: Record) -> bool:
    """Return true if a run that was to halt after its span was still open past `stop_by`, at the end of the record."""
    halt = run.halt
    if halt is None or halt.stop_by is None or run.promise is not None or run.end is not None:
        return False
    return record.entries[-1].at > halt.stop_by + CLOCK_TOLERANCE


def end_faults(run: Run) -> Iterable[Finding]:
    """Yield the faults of a run's conclusion, or that it is missing."""
    promise, end = run.promise, run.end
    again = [one for one in run.ends if one.refused == "sequence_closed"]
    if again:
        yield finding(f"a run was concluded {1 + len(again)} times", run.start, end, *again)
    if promise is None and end is not None:
        named = next((one for one in run.answered if one.id == end.payload.get("interrupt_id")), None)
        if named is not None and named.stop_by is None:
            sentence = f"the {named.class_} was answered with {named.status}, and ended the run all the same"
            yield finding(sentence, named.entry, named.ack, end)
    elif promise is not None and end is None:
        overrun = next((one.overrun for one in run.interrupts if one.overrun is not None), None)
        sentence = f"{promise.status} was answered, and the run was never concluded"
        refused = [one for one in run.ends if one.refused is not None]
        yield finding(sentence, promise.entry, promise.ack, *refused, overrun)
    elif promise is not None and end is not None:
        promised = [one.id for one in run.answered if one.status in PROMISES or one.stop_by is not None]
        if end.payload.get("interrupt_id") not in promised:
            sentence = "the conclusion does not name the interrupt in interrupt_id"
            yield finding(sentence, promise.entry, promise.ack, end)


def judge_over(record: Record) -> Outcome | None:
    """Check that nothing follows in a run after its conclusion."""
    ended = [(run, run.end) for run in record.runs if run.end is not None]
    findings = []
    for run, end in ended:
        after = [one for one in run.entries if one.index > end.index and one not in run.ends]
        if after:
            sentence = f"{len(after)} more came in a run that was concluded"
            findings.append(finding(sentence, end, *after[:3]))
    return Outcome(tuple(findings)) if ended else None


def judge_cancel(record: Record) -> Outcome | None:
    """Check that a `reasoning/cancel` of another participant ends the run, unless a non-interruptible span within the
    run prevents it. The figures are the times from cancel to conclusion."""
    asked = [one for one in record.of("reasoning/cancel") if one.sender != record.agent]
    judged = [
        (run, one) for one in asked for run in record.runs if run.start.id == one.root and _must_end(run, one, record)
    ]
    findings: list[Finding] = []
    figures: list[int] = []
    for run, one in judged:
        overrun = record.noted("interrupt_overrun", one.id)
        if run.end is None or overrun is not None:
            sentence = "a reasoning/cancel of a supervisor's did not end the run in time"
            findings.append(finding(sentence, run.start, one, overrun, run.end))
        else:
            figures.append(run.end.at - one.at)
    return Outcome(tuple(findings), tuple(figures)) if judged else None


def _must_end(run: Run, cancel: Entry, record: Record) -> bool:
    """Return true if this cancel must end the run: its policy allows it, and no ack names a non-interruptible span."""
    acks = record.of("reasoning/interrupt-ack", sender=record.agent)
    is_spared = any(run.is_spared(ack) for ack in acks if cancel.id in ack.correlation_id)
    return run.policy not in (None, NON_INTERRUPTIBLE) and not is_spared
