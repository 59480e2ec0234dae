"""Named places where a test may end, stop or break the process: around every commit, before every await."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, Protocol, TypeAlias, cast, get_args

Deed: TypeAlias = Literal["kill", "raise", "hang"]

VARIABLE = "MEW_FAILPOINT"


class Crash(BaseException):
    """A stand-in, within one process, for its end: no `except Exception` may carry on after it."""


class Reaching(Protocol):
    """What the engine asks for: to be told where it is."""

    def reach(self, name: str) -> None:
        """The engine is at `name` now."""


class Fault(NamedTuple):
    """What happens where, and at which time of passing (from 1)."""

    name: str
    nth: int = 1
    deed: Deed = "kill"


def around(*commits: str) -> tuple[str, ...]:
    """The two points that `Database.write(point=…)` gives each of these commits: `turn.before` and `turn.after`."""
    return tuple(f"{commit}.{side}" for commit in commits for side in ("before", "after"))


class Failpoints:
    """The points of one package, with at most one fault; it counts how often each was passed.

    `points` are all the names there are: reaching or arming another raises `ValueError`. `kill` sends this process
    SIGKILL, `hang` SIGSTOP (it goes on with SIGCONT), `raise` raises `Crash`. Used from any thread.
    """

    def __init__(self, points: Iterable[str], fault: Fault | None = None) -> None:
        self._points = frozenset(points)
        self._lock = threading.Lock()
        self.passed: Counter[str] = Counter()
        self.arm(fault)

    @classmethod
    def from_environment(cls, points: Iterable[str], environment: Mapping[str, str] = os.environ) -> Failpoints:
        """The points with the fault that MEW_FAILPOINT names: `name[:nth][=kill|raise|hang]`; unset, with none.

        For the programs that tests start: no command of this project reads it. Raises `ValueError`.
        """
        text = environment.get(VARIABLE)
        return cls(points, fault(text) if text else None)

    def arm(self, fault: Fault | None) -> None:
        """From now on this fault; what was passed before does not count. None disarms."""
        if fault is not None and fault.name not in self._points:
            raise ValueError(f"No failpoint is called {fault.name!r}.")
        self.passed.clear()
        self._fault = fault

    def reach(self, name: str) -> None:
        if name not in self._points:
            raise ValueError(f"No failpoint is called {name!r}.")
        with self._lock:
            self.passed[name] += 1
            fault = self._fault
            due = fault is not None and fault.name == name and fault.nth == self.passed[name]
        if due and fault is not None:
            _do(fault)


class Nowhere:
    """The points of a program that runs for good: passing one does nothing."""

    def reach(self, name: str) -> None:
        pass


NONE: Reaching = Nowhere()


def fault(text: str) -> Fault:
    """The fault in `name[:nth][=kill|raise|hang]`. Raises `ValueError`."""
    place, _, deed = text.partition("=")
    name, _, nth = place.partition(":")
    if deed not in ("", *get_args(Deed)) or not (nth or "1").isdecimal() or nth == "0":
        raise ValueError(f"{VARIABLE} is name[:nth][=kill|raise|hang], not {text!r}.")
    return Fault(name, int(nth or 1), cast(Deed, deed or "kill"))


def _do(fault: Fault) -> None:
    match fault.deed:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "hang":
            # To this thread, so that it stands still here and not some instructions later.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
        case "raise":
            raise Crash(f"at {fault.name}, time {fault.nth}")
