"""Where Fluxi can be interrupted by the end of its process: every commit, every await (docs/fluxi.md §4)."""

from __future__ import annotations

from typing import Final

from mew_agents.durable import around

POINTS: Final[tuple[str, ...]] = around(
    # commits
    "register",
    "receive",
    "decide",
    "turn",
    "suggest",
    "effect.begin",
    "effect.record",
    "effect.take_over",
    "timer",
    "operator",
    "outbox.lease",
    "outbox.mark",
    # awaits between them
    "names",
    "interpret",
    "effect.send",
    "effect.look_back",
    "effect.ask",
    "outbox.carry",
)
