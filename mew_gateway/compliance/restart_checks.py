"""Cases about what must survive a lost connection, a restart and an emergency."""

from __future__ import annotations

from .gateway_fixture import GUARDIAN
from .record import PROMISES, Record
from .verdicts import Outcome, finding


def judge_halt(record: Record) -> Outcome | None:
    """Check that after an emergency nothing begins or acts until the safety role's resume, and a run begins then."""
    emergency = next((one for one in record.interrupts if one.class_ == "emergency" and one.ack is not None), None)
    resume = next(record.of("participant/resume", sender=GUARDIAN), None)
    if emergency is None or emergency.ack is None or resume is None:
        return None
    end = next((run.end for run in record.runs if run.start.id == emergency.run), None)
    refused = [
        one
        for one in record.refusals("halted")
        if emergency.ack.index < one.index < resume.index
        and (one.kind == "reasoning/start" or (end is not None and end.index < one.index))
    ]
    if refused:
        sentence = "an emergency had halted it, and it began or acted before the safety role's resume"
        return Outcome((finding(sentence, emergency.entry, emergency.ack, *refused[:3], resume),))
    if not any(one.index > resume.index for one in record.of("reasoning/start", sender=record.agent)):
        sentence = "the safety role resumed it, and it began no run any more"
        return Outcome((finding(sentence, emergency.entry, resume),))
    return Outcome()


def judge_lost_ack(record: Record) -> Outcome | None:
    """Check that after a lost connection waiting interrupts are answered, and runs that promised to end do end."""
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


def judge_restart(record: Record) -> Outcome | None:
    """Check that after a restart every interrupted run of the old process is concluded, whatever its policy."""
    outcome = judge_lost_ack(record)
    if outcome is None or outcome.findings:
        return outcome
    left = [run.start for run in record.runs if run.interrupts and run.end is None]
    return Outcome(tuple(finding("what an earlier life left open was never concluded", start) for start in left))
