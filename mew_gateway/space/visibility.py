"""Who may see what was said: the one place that decides (docs/protocol.md §2).

Words are for whom they were addressed to: with `routing: addressed` for those in `to`, their sender, and observers;
while routing is visible, or without `to`, for all. What was addressed stays so when the routing becomes visible later.
A guest sees nothing from before its invitation, and a guest of the same name is somebody else: facts are ordered by
`State.ordinal`, and a guest has the ordinal of its invitation. Delivery (`Members.route`), the welcome, refusals, the
listings, and the record read back (`gateway/history.py`) ask here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from .state import State


def is_shown(sender: str, to: Sequence[str] | None, name: str) -> bool:
    """Whether a participant who does not observe sees an envelope under `routing: addressed`."""
    return not to or name in to or name == sender


class Viewer(NamedTuple):
    """A participant who would see something.

    `since` is the ordinal of a guest's invitation, `since_at` its time in milliseconds; nothing is before who is
    configured.
    """

    name: str
    since: int
    since_at: int
    observes: bool
    visible_since: int | None

    def was_here(self, ordinal: int) -> bool:
        """Whether the participant was invited when the fact of that ordinal came about."""
        return ordinal > self.since

    def sees_all(self, at: int) -> bool:
        """Whether nothing that was said at a time is kept from the participant."""
        was_visible = self.visible_since is not None and at >= self.visible_since
        return at >= self.since_at and (self.observes or was_visible)

    def sees(self, ordinal: int, at: int, among: Collection[str] | None) -> bool:
        """Whether the participant sees what was said to `among` (None: to all), as the fact of that ordinal."""
        return self.was_here(ordinal) and (among is None or self.name in among or self.sees_all(at))


def viewer(state: State, name: str) -> Viewer:
    """The participant of that id, as it may see things now."""
    configured, guest = state.settings.participants.get(name), state.invitees.get(name)
    since, since_at = (-2, 0) if configured is not None or guest is None else (guest.ordinal, guest.invited_at)
    observes = configured is not None and configured.observe
    return Viewer(name, since, since_at, observes, state.visible_since)


def same(state: State, ordinal: int, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the participants who are still who they were when the fact of that ordinal came about."""
    return tuple(name for name in names if viewer(state, name).was_here(ordinal))
