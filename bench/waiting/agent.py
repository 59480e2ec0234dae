"""FlowAgent, which says how many tasks it has when it is asked (SIGUSR1): that is not to be seen from outside."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

from mew_agents.flows.agent import FlowAgent

TASKS = "tasks"  # the file in its state folder


class Counted(FlowAgent):
    """FlowAgent, and nothing else but the count."""

    async def beside(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self._count)
        await super().beside()

    def _count(self) -> None:
        file = Path(self.station.folder, TASKS)
        draft = file.with_suffix(".tmp")
        draft.write_text(str(len(asyncio.all_tasks())))
        draft.replace(file)
