"""The cases: each a rule of the contract, judged on the record of an exercise and on nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from .acks import acknowledged, both, fitting, late, once
from .end_checks import concluded, fenced, over, plain, silent
from .record import Record
from .restart_checks import answered_after_all, halted, taken_up
from .verdicts import Outcome

Judge: TypeAlias = Callable[[Record], Outcome | None]


class Case(NamedTuple):
    """A rule, where it is written, and how it is judged: None where the record has nothing to show for it.

    `needs` are the cases without which it cannot be judged; `only` are the exercises that are made for it, `besides`
    those that are made for other cases alone.
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
        acknowledged,
        besides=_MADE_FOR_OTHERS,
    ),
    Case(
        "answer",
        "the answer fits the class and the declared policy",
        "docs/interruption.md §3",
        fitting,
        needs=("ack",),
        besides=("late", "restart"),
    ),
    Case("one ack", "an interrupt is acknowledged once", "docs/protocol.md §5", once, needs=("ack",)),
    Case(
        "silence",
        "whoever promised to stop thinks no more than promised, and concludes in time",
        "docs/protocol.md §5",
        silent,
        needs=("ack", "answer"),
    ),
    Case(
        "one conclusion",
        "a run has one conclusion, which names the interrupt that ended it",
        "docs/interruption.md §1",
        concluded,
        needs=("ack", "answer", "silence"),
        besides=_MADE_FOR_OTHERS,
    ),
    Case(
        "over is over",
        "nothing follows in a run after its conclusion",
        "docs/interruption.md §2",
        over,
        needs=("one conclusion",),
    ),
    Case(
        "fence",
        "between a promise to stop and the conclusion it does not act",
        "docs/protocol.md §5",
        fenced,
        needs=("ack", "answer"),
    ),
    Case(
        "halt",
        "after an emergency nothing begins or acts until the safety role's resume, whatever comes; then it goes on",
        "docs/interruption.md §3",
        halted,
        needs=("ack", "answer", "one conclusion"),
        only=("emergency", "halted"),
    ),
    Case(
        "late interrupt",
        "an interrupt of a run that is over is answered with ignored",
        "docs/interruption.md §2",
        late,
        needs=("ack", "one conclusion"),
        besides=("again", "restart"),  # a decision stands, and is said again after the conclusion, too
    ),
    Case(
        "two interrupts",
        "each of two interrupts has its own ack, and their run one conclusion",
        "docs/interruption.md §5",
        both,
        needs=("ack", "answer", "one ack", "silence", "one conclusion"),
        only=("two",),
    ),
    Case(
        "lost ack",
        "an answer that was lost with the connection is given again",
        "docs/interruption.md §2",
        answered_after_all,
        needs=("ack", "one ack", "one conclusion"),
        only=("again",),
    ),
    Case(
        "restart",
        "a new life answers what waits, and concludes what the last one left open",
        "docs/protocol.md §5",
        taken_up,
        needs=("ack", "one conclusion"),
        only=("restart",),
    ),
    Case(
        "v0.4 cancel",
        "a reasoning/cancel of somebody else's ends the run",
        "docs/protocol.md §5",
        plain,
        needs=("ack", "one conclusion"),
        only=("plain",),
    ),
)
