"""The work on a participant's envelopes: each has a share of the processor (docs/protocol.md §3).

What one envelope may take is bounded by `budget.MAX_WORK`; this bounds what many take together. Matching and
comparing patterns counts, and compiling them. Work is paid off by time: as long as something is owed, that much less
may be spent.
"""

from __future__ import annotations

from mew_gateway.errors import Rejected
from mew_gateway.protocol.budget import MAX_WORK, Budget
from mew_gateway.protocol.capabilities import Capabilities
from mew_gateway.protocol.kinds import URGENT

from .state import State

SHARE = 3_200  # steps a millisecond that are paid off: some 2 % of a core
_URGENT = 50_000  # steps that are always left for an interrupt, an ack, a conclusion or a resume
_KINDS = 256  # of one participant that are known to have been looked up
NOTED = 16_000  # steps of an envelope that are worth noting: how many come without is bounded by their rate


def budget_of(state: State, name: str, now: int, *, is_urgent: bool) -> Budget:
    """What may be spent on the participant's next envelope. Chatter never crowds out what is urgent."""
    owed = SHARE * max(0, state.owing.get(name, now) - now)
    return Budget(max(_URGENT if is_urgent else 0, MAX_WORK - owed))


def note(state: State, name: str, now: int, budget: Budget) -> None:
    """Have the participant owe what was spent."""
    since = max(now, state.owing.get(name, now))
    state.owing = {other: until for other, until in state.owing.items() if until > now}
    state.owing[name] = since + budget.spent // SHARE


def weigh(state: State, name: str, kind: str, capabilities: Capabilities, budget: Budget) -> None:
    """Take the work of finding which capabilities are about a kind: once, for it is known then. Of what is urgent it
    is theirs who gave the capabilities (`kinds_of`). Raises `Spent`."""
    if capabilities.most_work < NOTED or kind in URGENT:
        return
    known = state.weighed.setdefault(name, [])
    if kind not in known:
        budget.affords(capabilities.work_on(kind))
        if len(known) >= _KINDS:
            known.clear()
        known.append(kind)


def kinds_of(state: State, name: str) -> tuple[str, ...]:
    """The kinds that a further capability of the participant's is asked about without its paying: whoever gives the
    capability does."""
    return (*URGENT, *state.weighed.get(name, ()))


def check(state: State, name: str, now: int, budget: Budget) -> None:
    """Raises `Rejected` `rate_limited` where only what is owed kept the budget from being enough."""
    if budget.spent > budget.most and budget.most < MAX_WORK:
        # What this try has cost is owed as well, and behind that the budget is whole again.
        wait = state.owing[name] - now + budget.spent // SHARE
        raise Rejected(
            "rate_limited",
            f"Deciding about your envelopes takes too much work: wait {wait} ms.",
            retry_after_ms=wait,
        )
