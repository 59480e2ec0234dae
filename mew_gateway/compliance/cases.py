"""The cases: each is one rule of the contract, judged on the record of an exercise and on nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from .ack_checks import judge_acks, judge_answers, judge_late_interrupts, judge_one_ack, judge_two_interrupts
from .conclusion_checks import judge_cancel, judge_conclusions, judge_over
from .promise_checks import judge_fence, judge_silence
from .record import Record
from .restart_checks import judge_halt, judge_lost_ack, judge_restart
from .verdicts import Outcome

Judge: TypeAlias = Callable[[Record], Outcome | None]


class Case(NamedTuple):
    """A rule, its clause, and its judge. A judge returns None if the record shows nothing about the rule.

    `needs` are the cases that must hold before this one is judged. `only` are the exercises made for it; empty means
    all but those in `besides`.
    """

    name: str
    rule: str
    clause: str
    judge: Judge
    needs: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()


_MADE_FOR_OTHERS = ("two", "again", "restart", "late")

CASES: tuple[Case, ...] = (
    Case(
        "ack",
        "every interrupt is acknowledged before its deadline",
        "docs/protocol.md §5",
        judge_acks,
        besides=_MADE_FOR_OTHERS,
    ),
    Case(
        "answer",
        "the answer fits the class and the declared policy",
        "docs/interruption.md §3",
        judge_answers,
        needs=("ack",),
        besides=("late", "restart"),
    ),
    Case("one ack", "an interrupt is acknowledged once", "docs/protocol.md §5", judge_one_ack, needs=("ack",)),
    Case(
        "silence",
        "an agent that promised to stop thinks no more than promised, and concludes in time",
        "docs/protocol.md §5",
        judge_silence,
        needs=("ack", "answer"),
    ),
    Case(
        "one conclusion",
        "a run has one conclusion, which names the interrupt that ended it",
        "docs/interruption.md §1",
        judge_conclusions,
        needs=("ack", "answer", "silence"),
        besides=_MADE_FOR_OTHERS,
    ),
    Case(
        "over is over",
        "nothing follows in a run after its conclusion",
        "docs/interruption.md §2",
        judge_over,
        needs=("one conclusion",),
    ),
    Case(
        "fence",
        "between a promise to stop and the conclusion it does not act",
        "docs/protocol.md §5",
        judge_fence,
        needs=("ack", "answer"),
    ),
    Case(
        "halt",
        "after an emergency nothing begins or acts until the safety role's resume, whatever comes; then it goes on",
        "docs/interruption.md §3",
        judge_halt,
        needs=("ack", "answer", "one conclusion"),
        only=("emergency", "halted"),
    ),
    Case(
        "late interrupt",
        "an interrupt of a run that is over is answered with ignored",
        "docs/interruption.md §2",
        judge_late_interrupts,
        needs=("ack", "one conclusion"),
        besides=("again", "restart"),  # there the first ack is sent again after the conclusion
    ),
    Case(
        "two interrupts",
        "each of two interrupts has its own ack, and their run one conclusion",
        "docs/interruption.md §5",
        judge_two_interrupts,
        needs=("ack", "answer", "one ack", "silence", "one conclusion"),
        only=("two",),
    ),
    Case(
        "lost ack",
        "an answer that was lost with the connection is given again",
        "docs/interruption.md §2",
        judge_lost_ack,
        needs=("ack", "one ack", "one conclusion"),
        only=("again",),
    ),
    Case(
        "restart",
        "a restarted agent answers what waits, and concludes what it left open",
        "docs/protocol.md §5",
        judge_restart,
        needs=("ack", "one conclusion"),
        only=("restart",),
    ),
    Case(
        "v0.4 cancel",
        "a reasoning/cancel of another participant ends the run",
        "docs/protocol.md §5",
        judge_cancel,
        needs=("ack", "one conclusion"),
        only=("plain",),
    ),
)
