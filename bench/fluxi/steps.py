"""A process that runs workflows of one durable step on DBOS (`python -m bench.fluxi.steps`).

Its store is set to what Fluxi's is: the same library, journal mode and `synchronous`.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from dbos import DBOS
from sqlalchemy import Engine, event

from bench.turns import turns
from mew_agents.durable.sqlite import SAFE_WAL, newest

_MORE = 10  # steps by which a workflow is longer, for the price of one more


def _one(number: int) -> int:
    return number


def _workflow(steps: int) -> int:
    return sum(step(number) for number in range(steps))


step = DBOS.step(name="one")(_one)
workflow = DBOS.workflow(name="workflow")(_workflow)


def _set_up(connection: Any, _: object) -> None:
    mode = "WAL" if newest().sqlite_version_info >= SAFE_WAL else "TRUNCATE"
    for pragma in (f"journal_mode = {mode}", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}").fetchall()


def main(folder: Path) -> None:
    """Workflows of one step; the part is what a step more costs in a longer one."""
    event.listen(Engine, "connect", _set_up)  # DBOS makes its engine itself
    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{folder}/dbos.sqlite",
            "db_engine_kwargs": {"module": newest()},
            "log_level": "ERROR",
        }
    )
    DBOS.launch()
    for turn in turns():
        while turn.goes_on():
            one, more = _timed(1), _timed(1 + _MORE)
            turn.took(one, (more - one) / _MORE)
    DBOS.destroy()


def _timed(steps: int) -> float:
    began = time.perf_counter()
    workflow(steps)
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main(Path(sys.argv[1]))
