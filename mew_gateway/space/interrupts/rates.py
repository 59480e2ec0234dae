"""Limits of interrupts: of one sender about one sequence, of emergencies of one sender, and of what one target has not
answered (docs/protocol.md §5)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from mew_gateway.errors import Rejected

from ..handler_context import HandlerContext
from ..settings import Rate
from ..state import Sequence


def spend(ctx: HandlerContext, sequence: Sequence, sender: str) -> None:
    """Count one more interrupt of the sequence. Raises `Rejected` `rate_limited`."""
    rate = ctx.state.settings.interrupts.per_sequence
    asked = sequence.asked.get(sender, ())
    sequence.asked[sender] = _counted(asked, rate, ctx.now, what="interrupts of one sequence")


def spend_emergency(ctx: HandlerContext, sender: str) -> None:
    """Count one more emergency of the sender, apart from its other interrupts. Raises `Rejected` `rate_limited`.

    Senders are ordered by their latest emergency, so those whose emergencies no longer count are first and are
    forgotten.
    """
    rate, alarms = ctx.state.settings.interrupts.emergency, ctx.state.alarms
    asked = _counted(alarms.get(sender, ()), rate, ctx.now, what="emergencies of one sender")
    alarms.pop(sender, None)
    alarms[sender] = asked
    for name in list(takewhile(lambda name: ctx.now - alarms[name][-1] >= rate.per, alarms)):
        del alarms[name]


def check_pending(ctx: HandlerContext, target: str, size: int, *, is_emergency: bool) -> None:
    """Check that the unanswered interrupts of a target fit its outbox with this one: all are sent at each join.

    Emergencies have a share of their own, so that nothing else keeps one out. One interrupt alone always fits. Raises
    `Rejected` `rate_limited`.
    """
    waiting = [
        record
        for record in ctx.state.interrupts.values()
        if record.target == target and record.data is not None and (record.class_ == "emergency") == is_emergency
    ]
    most = ctx.state.settings.bounds.pending_bytes
    if not waiting or sum(len(record.data or b"") for record in waiting) + size <= most:
        return
    wait = max(1, min(record.deadline or record.conclusion_due or 0 for record in waiting) - ctx.now)
    raise Rejected(
        "rate_limited",
        f"{target} has not answered {len(waiting)} interrupts, and at most {most} bytes of them wait: wait {wait} ms.",
        retry_after_ms=wait,
        limit_bytes=most,
    )


def _counted(asked: Iterable[int], rate: Rate, now: int, *, what: str) -> list[int]:
    recent = [at for at in asked if now - at < rate.per]
    if len(recent) >= rate.count:
        wait = recent[-rate.count] + rate.per - now
        raise Rejected(
            "rate_limited",
            f"At most {rate.count} {what} in {rate.per / 1000:g} s: wait {wait} ms.",
            retry_after_ms=wait,
        )
    return [*recent, now]
