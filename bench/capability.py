"""What it costs to see whether an envelope may be sent."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bench.measurement import Conditions, Result, Row, Spread
from bench.verdicts import Target
from mew_gateway.protocol.capabilities import Capabilities, compile_capability

PATTERNS = 100
TARGET = Target("≤", 8)  # µs

KIND = "mcp/request"
PAYLOAD: dict[str, Any] = {
    "method": "tools/call",
    "params": {"name": "files_write_7", "arguments": {"path": "/data/reports/2026/11.txt", "mode": "append"}},
}
TO = ("tools",)
_CHECKS = 20_000  # in a round


def patterns() -> list[dict[str, Any]]:
    """A hundred: ten of the envelope's kind, of which three have a glob in their payload and one is a regular
    expression. Only the last of these ten lets the envelope through, so all of them are looked at."""
    exact = [{"kind": KIND, "payload": {"method": "tools/call", "params": {"name": f"add_{n}"}}} for n in range(6)]
    globs = [{"kind": KIND, "payload": {"params": {"name": f"{name}_*"}}} for name in ("read", "list", "search")]
    regex = {"kind": KIND, "payload": {"params": {"name": "/^files_(write|append)_[0-9]+$/"}}}
    others = [{"kind": f"area{n}/act", "payload": {"name": f"thing_{n}_*"}} for n in range(PATTERNS - 10)]
    return [*others, *exact, *globs, regex]


@dataclass(frozen=True)
class Checked(Result):
    """Microseconds of processor time that a check takes: the mean of each round."""

    rounds: list[float]

    def rows(self) -> Iterator[Row]:
        """One."""
        yield Row("capability", "µs a check", Spread.of(self.rounds), target=TARGET)

    def as_json(self) -> object:
        """With the verdict."""
        found = Spread.of(self.rounds)
        return {"us": self.rounds, **found._asdict(), "met": TARGET.is_met(found.median)}


class Check:
    """The measurement, in this process: no server takes part."""

    name = "capability"

    def measure(self, conditions: Conditions) -> Checked | None:
        """Times checks of an envelope whose kind was seen before, as nearly all are."""
        if "gateway" not in conditions.servers:
            return None
        conditions.progress(f"capability: {PATTERNS} patterns, 10 of the kind, 3 with globs, 1 regular expression")
        held = Capabilities(map(compile_capability, patterns()))
        assert held.allow(KIND, PAYLOAD, TO)
        found = Checked([])
        for number in range(1, conditions.effort.rounds + 1):
            found.rounds.append(_mean_us(held))
            conditions.progress(f"  {number}/{conditions.effort.rounds} {found.rounds[-1]:.2f} µs")
        return found


def _mean_us(held: Capabilities) -> float:
    began = time.thread_time()
    for _ in range(_CHECKS):
        held.allow(KIND, PAYLOAD, TO)
    return (time.thread_time() - began) / _CHECKS * 1e6
