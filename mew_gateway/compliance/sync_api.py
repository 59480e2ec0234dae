"""Synchronous entry to an examination, for callers without an event loop or inside another one."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from anyio.from_thread import start_blocking_portal

from .agent_under_test import Unexaminable, agent_under_test
from .examination import comply
from .exercises import EXERCISES
from .gateway_fixture import CannotServe
from .times import Times
from .verdicts import Report


def examine_sync(
    agent: str | None, *, exercises: Sequence[str] | None = None, patience: int, **named: Any
) -> tuple[Report | None, str | None]:
    """Examine an agent. Return the report, and a message if it violates a case. `named` go to `agent_under_test`.

    An agent's class is imported from this process's `sys.path`, which has the test's folder.
    """
    try:
        work = partial(
            comply,
            agent_under_test(agent, path=[os.path.abspath(one) for one in sys.path], **named),
            times=Times(patience=patience),
            exercises=tuple(EXERCISES if exercises is None else exercises),
        )
        with start_blocking_portal("asyncio") as portal:
            report = portal.call(work)
    except Unexaminable as error:
        return None, f"{error}\n{error.last_output}".rstrip()
    except CannotServe as error:
        return None, str(error)
    if report.passed:
        return report, None
    found = list(report.lines()) or ["None of the cases could be judged."]
    return report, "\n".join([f"{report.agent} does not keep the contract of interruption:", *found])
