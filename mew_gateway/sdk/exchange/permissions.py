"""What we may send, as far as the newest welcome tells; the gateway has the last word."""

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
    """The capabilities of the newest welcome, compiled once for each."""

    def __init__(self) -> None:
        self._welcome: Welcome | None = None
        self._capabilities = Capabilities(())

    def allow(self, welcome: Welcome, kind: str, payload: dict[str, Any], to: Sequence[str]) -> bool:
        """Whether a capability matches (docs/protocol.md §3). What everybody may do is not looked at."""
        if welcome is not self._welcome:
            compiled = [_compiled(source) for source in welcome.you.capabilities]
            self._capabilities = Capabilities(one for one in compiled if one is not None)
            self._welcome = welcome
        return self._capabilities.allow(kind, payload, to)


class Licences:
    """With which classes others may interrupt us, as their capabilities tell; worked out once for each participant."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Present, tuple[Class, ...]]] = {}

    def of(self, sender: Present | None, *, me: str) -> tuple[Class, ...]:
        """The classes, from the weakest; of who is not here, none."""
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
