"""What outlives a connection, a process and an emergency."""

from __future__ import annotations

from .gateway_fixture import GUARDIAN
from .record import PROMISES, Record
from .verdicts import Outcome, finding


def halted(record: Record) -> Outcome | None:
    """After an emergency nothing begins or acts until the safety role's resume; then it goes on."""
    alarm = next((one for one in record.interrupts if one.class_ == "emergency" and one.ack is not None), None)
    lift = next(record.of("participant/resume", sender=GUARDIAN), None)
    if alarm is None or alarm.ack is None or lift is None:
        return None
    end = next((run.end for run in record.runs if run.start.id == alarm.run), None)
    tried = [
        one
        for one in record.refusals("halted")
        if alarm.ack.index < one.index < lift.index
        and (one.kind == "reasoning/start" or (end is not None and end.index < one.index))
    ]
    if tried:
        sentence = "an emergency had halted it, and it began or acted before the safety role's resume"
        return Outcome((finding(sentence, alarm.entry, alarm.ack, *tried[:3], lift),))
    if not any(one.index > lift.index for one in record.of("reasoning/start", sender=record.agent)):
        sentence = "the safety role resumed it, and it began no run any more"
        return Outcome((finding(sentence, alarm.entry, lift),))
    return Outcome()


def answered_after_all(record: Record) -> Outcome | None:
    """The connection, or the process, was gone: what waits is answered, what is open and was to end is concluded."""
    if not record.interrupts:
        return None
    findings = []
    for one in record.interrupts:
        run = next((run for run in record.runs if run.start.id == one.run), None)
        if one.ack is None:
            back = [*record.presence("join")][1:]
            sentence = f"the {one.class_} waited for it, and was not acknowledged" + ("" if back else "; it never came")
            findings.append(finding(sentence, one.entry, *back, *one.refused, one.timed_out))
        elif run is not None and run.end is None and one.status in PROMISES:
            findings.append(finding("its run was never concluded", one.entry, one.ack))
    return Outcome(tuple(findings))


def taken_up(record: Record) -> Outcome | None:
    """Of a life that has ended nothing stays open, whatever the policy was: nobody reasons there any more."""
    outcome = answered_after_all(record)
    if outcome is None or outcome.findings:
        return outcome
    left = [run.start for run in record.runs if run.interrupts and run.end is None]
    return Outcome(tuple(finding("what an earlier life left open was never concluded", start) for start in left))
