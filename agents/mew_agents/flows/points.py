"""Where flows can be interrupted by the end of their process: where Fluxi can, and around calls of their own."""

from __future__ import annotations

from typing import Final

from mew_agents.durable import around
from mew_agents.fluxi import points

OWN: Final[tuple[str, ...]] = around(
    # commits
    "action.record",
    # awaits between them
    "action.send",
)
POINTS: Final[tuple[str, ...]] = (*points.POINTS, *OWN)
