"""What an examination comes to: a verdict for each case, with the envelopes that prove what was violated."""

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
    """A violation with the evidence that there is, in its order."""
    there = sorted((one for one in evidence if one is not None), key=lambda one: one.index)
    return Finding(sentence=sentence, evidence=tuple(there))


class Outcome(msgspec.Struct, frozen=True):
    """What an exercise says about a case: no finding means that it holds. `figures` are milliseconds."""

    findings: tuple[Finding, ...] = ()
    figures: tuple[int, ...] = ()


class Performance(msgspec.Struct, frozen=True, kw_only=True):
    """An exercise that was done. `why` tells what kept it from being done; `ended` is the exit status of an agent that
    ended by itself, `said` what it wrote last."""

    exercise: str
    record: Record
    milliseconds: int = 0
    restarts: int = 0
    why: str | None = None
    ended: int | None = None
    said: str = ""


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A finding as it is reported: in which exercise, and its evidence a line an envelope."""

    exercise: str
    sentence: str
    evidence: tuple[str, ...]


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One case: whether the agent keeps it. `clause` is where it is written, `why` tells what kept it from being
    judged, `figures` are milliseconds, as many as were measured."""

    case: str
    rule: str
    clause: str
    status: Status
    why: str | None = None
    findings: tuple[Shown, ...] = ()
    figures: tuple[int, ...] = ()


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """The agent ended by itself during an exercise; `said` is what it wrote last."""

    exercise: str
    status: int
    said: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The whole examination. `policies` are those that the agent's runs declared."""

    agent: str
    policies: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    crashes: tuple[Crash, ...]
    milliseconds: int

    @property
    def violated(self) -> tuple[str, ...]:
        """The names of the cases that the agent does not keep."""
        return tuple(one.case for one in self.verdicts if one.status == "violated")

    @property
    def passed(self) -> bool:
        """Whether something was judged, and nothing was violated."""
        return not self.violated and any(one.status == "passed" for one in self.verdicts)

    def lines(self) -> Iterator[str]:
        """Every violation with a proof, then whatever crashed: for a person, a line each."""
        for verdict in self.verdicts:
            if verdict.status == "violated":
                yield f"✗ {verdict.case}: {verdict.rule} ({verdict.clause})"
                yield from _told(verdict.findings)
        for crash in self.crashes:
            yield f"! The agent ended with status {crash.status} during {crash.exercise!r}; it wrote last:"
            yield from (f"      {line}" for line in crash.said.splitlines())


def _told(findings: tuple[Shown, ...]) -> Iterator[str]:
    """The first finding of each sentence with its evidence, and in which other exercises it was so."""
    for sentence in dict.fromkeys(one.sentence for one in findings):
        same = [one for one in findings if one.sentence == sentence]
        others = [one.exercise for one in same[1:]]
        yield f"    {same[0].exercise}: {sentence}" + (f" (so in {', '.join(others)})" if others else "")
        yield from (f"      {line}" for line in same[0].evidence)
