"""Our capabilities by the newest welcome, and the interrupt classes of others; the gateway decides in the end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability
from mew_gateway.protocol.reasons import CLASSES, Class

from .._transport.welcome import Present, Welcome
from ..execution.interrupt import INTERRUPT

log = logging.getLogger(__name__)

_MOST_KNOWN = 1_000


class Permissions:
    """Capabilities of the newest welcome, compiled once for each welcome."""

    def __init__(self) -> None:
        self._welcome: Welcome | None = None
        self._capabilities = Capabilities(())

    def allow(self, welcome: Welcome, kind: str, payload: dict[str, Any], to: Sequence[str]) -> bool:
        """Return true if a capability matches (docs/protocol.md §3). Kinds that are always allowed are not
        considered."""
        if welcome is not self._welcome:
            compiled = [_compiled(source) for source in welcome.you.capabilities]
            self._capabilities = Capabilities(one for one in compiled if one is not None)
            self._welcome = welcome
        return self._capabilities.allow(kind, payload, to)


class InterruptRights:
    """Classes with which others may interrupt us, by their capabilities; computed once for each participant."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Present, tuple[Class, ...]]] = {}

    def of(self, sender: Present | None, *, me: str) -> tuple[Class, ...]:
        """Return the classes from the weakest; none for an absent participant."""
        if sender is None:
            return ()
        known = self._known.get(sender.id)
        if known is None or known[0] is not sender:
            known = self._known[sender.id] = sender, _classes(sender, me)
            while len(self._known) > _MOST_KNOWN:
                del self._known[next(iter(self._known))]
        return known[1]


def _classes(sender: Present, me: str) -> tuple[Class, ...]:
    compiled = [_compiled(source) for source in sender.capabilities]
    held = Capabilities(one for one in compiled if one is not None)
    return tuple(
        class_
        for class_ in CLASSES
        if (held.allow_emergency if class_ == "emergency" else held.allow)(INTERRUPT, {"class": class_}, (me,))
    )


def _compiled(source: dict[str, Any]) -> Capability | None:
    try:
        return compile_capability(source)
    except Rejected as error:  # another gateway's dialect
        log.warning("a capability that cannot be read is taken for none: %s", error)
        return None
