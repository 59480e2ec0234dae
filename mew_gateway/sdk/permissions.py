"""What we may send, as far as the newest welcome tells; the gateway has the last word."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from mew_gateway.errors import Rejected
from mew_gateway.protocol.capabilities import Capabilities, Capability, compile_capability

from .welcome import Welcome

log = logging.getLogger(__name__)


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


def _compiled(source: dict[str, Any]) -> Capability | None:
    try:
        return compile_capability(source)
    except Rejected as error:  # another gateway's dialect
        log.warning("a capability that cannot be read is taken for none: %s", error)
        return None
