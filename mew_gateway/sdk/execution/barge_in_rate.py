"""Rate of barge-ins: how often the chats of one sender may interrupt (seed 000 §8)."""

from __future__ import annotations

from .state import State

_MOST, _PERIOD = 5, 10_000  # barge-ins of one sender in so many milliseconds (seed 000 §8)
_SENDERS = 1_000


def counts(state: State, sender: str, now: int) -> bool:
    """Return false if the sender has interrupted too often (seed 000 §8)."""
    recent = [at for at in state.barged_in.pop(sender, []) if at > now - _PERIOD]
    free = len(recent) < _MOST
    state.barged_in[sender] = [*recent, now] if free else recent
    while len(state.barged_in) > _SENDERS:
        del state.barged_in[next(iter(state.barged_in))]
    return free
