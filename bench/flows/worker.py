"""A process that talks to flows, or to a graph of LangGraph's (`python -m bench.flows.worker`)."""

from __future__ import annotations

import asyncio
import itertools
import sys
from contextlib import closing
from pathlib import Path

from bench.flows.dialogues import ONBOARDING, TRANSFER, Ledger, Watch, talk
from bench.flows.graph import compiled, onboard
from bench.turns import turns
from mew_agents.flows.engine import Flows


async def _onboard(folder: Path) -> None:
    """Each turn of an onboarding; the part is its dialogue's mean turn."""
    numbers = itertools.count()
    with closing(await Flows.open(f"sqlite:///{folder}/onboarding.db", tools=Ledger())) as flows:
        for turn in turns():
            while turn.goes_on():
                times = await talk(flows, f"c{next(numbers)}", ONBOARDING)
                for one in times:
                    turn.took(one, sum(times) / len(times))


async def _transfer(folder: Path) -> None:
    """Each turn of a transfer until it is committed; the part is the effect behind the yes, for both."""
    numbers, watch = itertools.count(), Watch()
    url = f"sqlite:///{folder}/transfer.db"
    with closing(await Flows.open(url, tools=Ledger(), failpoints=watch)) as flows:
        for turn in turns():
            while turn.goes_on():
                asked, paid = await talk(flows, f"c{next(numbers)}", TRANSFER, watch)
                turn.took(asked, watch.effect)
                turn.took(paid - watch.effect, watch.effect)


async def _graph(folder: Path) -> None:
    """Each step of an onboarding on LangGraph; the part is its dialogue's mean step."""
    numbers = itertools.count()
    with compiled(folder / "graph.db") as graph:
        for turn in turns():
            while turn.goes_on():
                times = onboard(graph, f"c{next(numbers)}", ONBOARDING)
                for one in times:
                    turn.took(one, sum(times) / len(times))


_DEEDS = {"onboard": _onboard, "transfer": _transfer, "graph": _graph}

if __name__ == "__main__":
    deed, folder = sys.argv[1:]
    asyncio.run(_DEEDS[deed](Path(folder)))
