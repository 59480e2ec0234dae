"""Visibility: the one place that decides who may see what (docs/protocol.md §2).

With `routing: addressed`, an envelope with `to` is for those in `to`, its sender, and observers. With visible routing,
or without `to`, it is for all. What was addressed stays so when the routing becomes visible later.

A guest sees nothing from before its invitation, and a guest of the same name is another participant. Facts of the state
are ordered by `State.ordinal`, the entries of the record by their position in the journal. A guest has both of its
invitation. Times order nothing: many things happen in one millisecond.

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

    `since` is the ordinal of a guest's invitation, `since_position` the position of its entry. A configured participant
    was here before every fact. `visible_since` and `visible_position` are the same of the visible routing, if it is.
    """

    name: str
    since: int
    since_position: int
    observes: bool
    visible_since: int | None
    visible_position: int

    def was_here(self, ordinal: int) -> bool:
        """Return true if the participant was invited before the fact of that ordinal."""
        return ordinal > self.since

    @property
    def sees_all_now(self) -> bool:
        """True if the participant sees everything that is said now."""
        return self.observes or self.visible_since is not None

    def sees_all(self, ordinal: int) -> bool:
        """Return true if the participant sees the fact of that ordinal, whoever it was said to."""
        was_visible = self.visible_since is not None and ordinal >= self.visible_since
        return self.was_here(ordinal) and (self.observes or was_visible)

    def sees(self, ordinal: int, among: Collection[str] | None) -> bool:
        """Return true if the participant sees the fact of that ordinal, said to `among` (None: to all)."""
        return self.was_here(ordinal) and (among is None or self.name in among or self.sees_all(ordinal))

    def was_here_at(self, position: int) -> bool:
        """Return true if the entry at that position is the participant's invitation, or came after it."""
        return position >= self.since_position

    def sees_all_at(self, position: int) -> bool:
        """Return true if the participant sees what the entry at that position says, whoever it was said to."""
        was_visible = self.visible_since is not None and position >= self.visible_position
        return self.was_here_at(position) and (self.observes or was_visible)


def viewer(state: State, name: str) -> Viewer:
    """Return the participant of that id as a viewer."""
    configured, guest = state.settings.participants.get(name), state.invitees.get(name)
    since, position = (-2, 0) if configured is not None or guest is None else (guest.ordinal, guest.position)
    observes = configured is not None and configured.observe
    return Viewer(name, since, position, observes, state.visible_since, state.visible_position)


def still_same(state: State, ordinal: int, names: Iterable[str]) -> tuple[str, ...]:
    """Return the participants that are the same as at the fact of that ordinal, and no later guests of the name."""
    return tuple(name for name in names if viewer(state, name).was_here(ordinal))
