"""A fire drill: Fluxi that is killed once, at a chosen moment, to see for oneself that nothing happens twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

from mew_agents.fluxi.agent import FluxiAgent
from mew_agents.fluxi.participant.options import FluxiOptions
from mew_agents.fluxi.points import POINTS
from mew_gateway.sdk import Misconfigured

_MARK = "drill-is-over"


class DrillOptions(FluxiOptions, frozen=True):
    """What FluxiAgent takes; `dies_at`: the failpoint at which it is killed, by default between call and record."""

    dies_at: str = "effect.record.before"


class OneDeath:
    """Ends the process with SIGKILL at one failpoint, once in the life of a state folder."""

    def __init__(self, point: str, folder: Callable[[], Path | None]) -> None:
        self._point = point
        self._folder = folder

    def reach(self, name: str) -> None:
        folder = self._folder()
        if name != self._point or folder is None or (folder / _MARK).exists():
            return
        (folder / _MARK).write_text(f"Killed at {name}.\n", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)


class Drill(FluxiAgent):
    """FluxiAgent with one sudden death. Hosted, it is started again at once."""

    Options = DrillOptions
    options: DrillOptions

    def __init__(self, options: DrillOptions | None = None) -> None:
        chosen = options or DrillOptions()
        if chosen.dies_at not in POINTS:
            raise Misconfigured(f"unknown_point: there is no moment {chosen.dies_at!r}, but {', '.join(POINTS)}.")
        super().__init__(chosen, failpoints=OneDeath(chosen.dies_at, lambda: self.state_folder))
