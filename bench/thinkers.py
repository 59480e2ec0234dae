"""Agents that compute, so many in this process (`python -m bench.thinkers`, told the rest as JSON on stdin)."""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path
from typing import ClassVar, Literal

import anyio
from anyio.lowlevel import checkpoint

from mew_gateway.sdk import Agent, Span, capability
from mew_gateway.sdk.environment import Environment
from mew_gateway.sdk.host import SWITCH_INTERVAL

Work = Literal["blocking", "slices"]

_BLOCK = 0.05  # seconds of computing between two boundaries
_SLICE = 0.002  # seconds of computing before the loop has its turn, in the cooperative ones


class Thinker(Agent):
    """Computes in pure Python, all of a core that it can get, until it is stopped."""

    slice: ClassVar[float] = _BLOCK

    @capability(policy="soft-stop")
    async def think(self, run: Span, _: str) -> None:
        """Begin, and never end."""
        while True:
            until = time.perf_counter() + _BLOCK
            while (now := time.perf_counter()) < until:
                compute(min(now + self.slice, until))
                await checkpoint()
            await run.boundary()


class CooperativeThinker(Thinker):
    """Lets others have a turn every few milliseconds."""

    slice = _SLICE


KINDS: dict[Work, type[Thinker]] = {"blocking": Thinker, "slices": CooperativeThinker}


def compute(until: float) -> int:
    """Keep the interpreter busy."""
    n = 0
    while time.perf_counter() < until:
        for _ in range(100):
            n = n * 31 % 1_000_003 + 1
    return n


async def _serve(url: str, tokens: list[str], work: Work, state: Path) -> None:
    async with anyio.create_task_group() as tasks:
        for number, token in enumerate(tokens):
            where = Environment(url, "bench", token, state=str(state / str(number)))
            tasks.start_soon(KINDS[work]().serve, where)


def main() -> None:
    """Serve until SIGTERM."""
    told = json.loads(sys.stdin.readline())
    logging.basicConfig(level=logging.WARNING)
    sys.setswitchinterval(SWITCH_INTERVAL)  # as a hosted agent has it
    anyio.run(_serve, told["url"], told["tokens"], told["work"], Path(told["state"]))


if __name__ == "__main__":
    main()
