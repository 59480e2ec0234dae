"""The way into an examination from where there is no event loop, or somebody else's."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from anyio.from_thread import start_blocking_portal

from .agent_under_test import Unexaminable, subject
from .examination import comply
from .exercises import EXERCISES
from .gateway_fixture import CannotServe
from .times import Times
from .verdicts import Report


def examined(
    agent: str | None, *, exercises: Sequence[str] | None = None, patience: int, **named: Any
) -> tuple[Report | None, str | None]:
    """The report, and what there is to complain about, as a text for a person. `named` are `subject`'s.

    An agent's class is found where this process finds its modules: a test's own folder is among them.
    """
    try:
        work = partial(
            comply,
            subject(agent, path=[os.path.abspath(one) for one in sys.path], **named),
            times=Times(patience=patience),
            exercises=tuple(EXERCISES if exercises is None else exercises),
        )
        with start_blocking_portal("asyncio") as portal:
            report = portal.call(work)
    except Unexaminable as error:
        return None, f"{error}\n{error.said}".rstrip()
    except CannotServe as error:
        return None, str(error)
    if report.passed:
        return report, None
    found = list(report.lines()) or ["None of the cases could be judged."]
    return report, "\n".join([f"{report.agent} does not keep the contract of interruption:", *found])
