"""Visibility: the one place that decides who may see what (docs/protocol.md §2).

With `routing: addressed`, an envelope with `to` is for those in `to`, its sender, and observers. With visible routing,
or without `to`, it is for all. What was addressed stays so when the routing becomes visible later.

A guest sees nothing from before its invitation, and a guest of the same name is another participant. Facts are ordered
by `State.ordinal`, and a guest has the ordinal of its invitation.

Delivery (`Members.route`), welcome, refusals, listings, and the record that is read back
(`gateway/broker/spaces/history_view.py`) all decide by the functions here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from .state import State


def is_shown(sender: str, to: Sequence[str] | None, name: str) -> bool:
    """Return true if a participant that does not observe sees the envelope under `routing: addressed`."""
    return not to or name in to or name == sender


class Viewer(NamedTuple):
    """A participant, as far as it matters for what it may see.

    `since` is the ordinal of a guest's invitation, `since_at` its time in milliseconds. Every fact is after those of a
    configured participant.
    """

    name: str
    since: int
    since_at: int
    observes: bool
    visible_since: int | None

    def was_here(self, ordinal: int) -> bool:
        """Return true if the participant was invited before the fact of that ordinal."""
        return ordinal > self.since

    def sees_all(self, at: int) -> bool:
        """Return true if the participant sees everything that was said at that time."""
        was_visible = self.visible_since is not None and at >= self.visible_since
        return at >= self.since_at and (self.observes or was_visible)

    def sees(self, ordinal: int, at: int, among: Collection[str] | None) -> bool:
        """Return true if the participant sees the fact of that ordinal, said to `among` (None: to all)."""
        return self.was_here(ordinal) and (among is None or self.name in among or self.sees_all(at))


def viewer(state: State, name: str) -> Viewer:
    """Return the participant of that id as a viewer."""
    configured, guest = state.settings.participants.get(name), state.invitees.get(name)
    since, since_at = (-2, 0) if configured is not None or guest is None else (guest.ordinal, guest.invited_at)
    observes = configured is not None and configured.observe
    return Viewer(name, since, since_at, observes, state.visible_since)


def still_same(state: State, ordinal: int, names: Iterable[str]) -> tuple[str, ...]:
    """Return the participants that are the same as at the fact of that ordinal, and no later guests of the name."""
    return tuple(name for name in names if viewer(state, name).was_here(ordinal))
