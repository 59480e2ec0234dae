"""Result of an examination: a verdict for each case, with the envelopes that prove a violation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

import msgspec

from .record import Entry, Record

Status: TypeAlias = Literal["passed", "violated", "not judged"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One violation: a sentence, and the envelopes that prove it."""

    sentence: str
    evidence: tuple[Entry, ...] = ()


def finding(sentence: str, *evidence: Entry | None) -> Finding:
    """Make a finding; the evidence is put in order, and None is left out."""
    there = sorted((one for one in evidence if one is not None), key=lambda one: one.index)
    return Finding(sentence=sentence, evidence=tuple(there))


class Outcome(msgspec.Struct, frozen=True):
    """Outcome of one case in one exercise: without findings the case holds. `figures` are milliseconds."""

    findings: tuple[Finding, ...] = ()
    figures: tuple[int, ...] = ()


class ExerciseResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one exercise. `why` is the reason why it was not done. `exit_status` is that of an agent that ended by
    itself, `last_output` the end of its output."""

    exercise: str
    record: Record
    milliseconds: int = 0
    restarts: int = 0
    why: str | None = None
    exit_status: int | None = None
    last_output: str = ""


class ReportedFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding with its exercise, and its evidence as one line for each envelope."""

    exercise: str
    sentence: str
    evidence: tuple[str, ...]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Verdict on one case. `clause` is its source, `why` the reason why it was not judged, `figures` the measured
    milliseconds."""

    case: str
    rule: str
    clause: str
    status: Status
    why: str | None = None
    findings: tuple[ReportedFinding, ...] = ()
    figures: tuple[int, ...] = ()


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """The agent ended by itself during an exercise; `said` is the end of its output."""

    exercise: str
    status: int
    said: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Report of a whole examination. `policies` are those that the agent's runs declared."""

    agent: str
    policies: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    crashes: tuple[Crash, ...]
    milliseconds: int

    @property
    def violated(self) -> tuple[str, ...]:
        """Names of the violated cases."""
        return tuple(one.case for one in self.verdicts if one.status == "violated")

    @property
    def passed(self) -> bool:
        """True if at least one case was judged, and none was violated."""
        return not self.violated and any(one.status == "passed" for one in self.verdicts)

    def lines(self) -> Iterator[str]:
        """Yield the violations with their evidence, then the crashes, as lines for people."""
        for verdict in self.verdicts:
            if verdict.status == "violated":
                yield f"✗ {verdict.case}: {verdict.rule} ({verdict.clause})"
                yield from _finding_lines(verdict.findings)
        for crash in self.crashes:
            yield f"! The agent ended with status {crash.status} during {crash.exercise!r}; it wrote last:"
            yield from (f"      {line}" for line in crash.said.splitlines())


def _finding_lines(findings: tuple[ReportedFinding, ...]) -> Iterator[str]:
    """Yield the first finding of each sentence with its evidence, and the other exercises that show it."""
    for sentence in dict.fromkeys(one.sentence for one in findings):
        same = [one for one in findings if one.sentence == sentence]
        others = [one.exercise for one in same[1:]]
        yield f"    {same[0].exercise}: {sentence}" + (f" (so in {', '.join(others)})" if others else "")
        yield from (f"      {line}" for line in same[0].evidence)
