"""CPU quota: bound the work that one participant's envelopes cause (docs/protocol.md §3).

Work is counted in steps (`protocol.budget`): matching, comparing and compiling capability patterns, and what handlers
do in proportion to an envelope or to what is held (`pay`). `budget.MAX_WORK`
bounds the steps of one envelope; this module bounds the steps of many envelopes together. Steps become a debt of the
participant (`State.owing`), which is paid off at `STEPS_PER_MS`. While a debt is left, the budget of the next envelope
is smaller by it.

Steps are counted, never measured by a clock: the same journal must give the same decisions.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import MAX_WORK, Budget, BudgetExceeded
from mew_gateway.protocol.capabilities import Capabilities
from mew_gateway.protocol.kinds import URGENT

from ..state import State

STEPS_PER_MS = 3_200  # steps a millisecond that are paid off: about 2 % of a core
_URGENT = 50_000  # steps that are always left for an interrupt, an ack, a conclusion or a resume
_KINDS = 256  # looked-up kinds that are remembered of one participant
CHARGED_FROM = 16_000  # steps of one envelope; less is not charged, as the rate limit bounds it


def budget_for(state: State, name: str, now: int, *, is_urgent: bool) -> Budget:
    """Return the budget of the participant's next envelope. An urgent kind always has at least `_URGENT` steps."""
    owed = STEPS_PER_MS * max(0, state.owing.get(name, now) - now)
    return Budget(max(_URGENT if is_urgent else 0, MAX_WORK - owed))


def charge(state: State, name: str, now: int, budget: Budget) -> None:
    """Add the steps that were spent to the participant's debt."""
    since = max(now, state.owing.get(name, now))
    state.owing = {other: until for other, until in state.owing.items() if until > now}
    state.owing[name] = since + budget.spent // STEPS_PER_MS


def charge_lookup(state: State, name: str, kind: str, capabilities: Capabilities, budget: Budget) -> None:
    """Charge for finding the capabilities that concern a kind: once a kind, since the result is cached.

    For urgent kinds the giver of the capabilities has paid already (`known_kinds`). Raises `BudgetExceeded`.
    """
    if capabilities.max_lookup_steps < CHARGED_FROM or kind in URGENT:
        return
    known = state.weighed.setdefault(name, [])
    if kind not in known:
        budget.take(capabilities.lookup_steps(kind))
        if len(known) >= _KINDS:
            known.clear()
        known.append(kind)


def known_kinds(state: State, name: str) -> tuple[str, ...]:
    """Return the kinds that a new capability of the participant is matched with at the cost of the giver."""
    return (*URGENT, *state.weighed.get(name, ()))


def pay(state: State, name: str, now: int, budget: Budget, steps: int) -> None:
    """Charge for work that is not of matching patterns.

    It may take more than is left of a whole budget: then it is owed. Raises `Rejected` `rate_limited` if the budget
    would have been enough without the participant's debt.
    """
    spent = budget.spent
    try:
        budget.take(steps)
    except BudgetExceeded:
        check(state, name, now, budget)
        budget.spent = spent + steps


def check(state: State, name: str, now: int, budget: Budget) -> None:
    """Raise `Rejected` `rate_limited` if the budget would have been enough without the participant's debt."""
    if budget.spent > budget.most and budget.most < MAX_WORK:
        # The steps of this attempt are owed as well; after that time the budget is whole again.
        wait = state.owing[name] - now + budget.spent // STEPS_PER_MS
        raise Rejected(
            "rate_limited",
            f"Deciding about your envelopes takes too much work: wait {wait} ms.",
            retry_after_ms=wait,
        )
