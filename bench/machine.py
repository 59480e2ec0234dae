"""The machine the figures are from, and which of its cores does what."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple


class Cores(NamedTuple):
    """A core for the server and one for the load; None where there is only one, and nothing is pinned."""

    server: int | None
    load: int | None


def cores() -> Cores:
    """The first core this process may use is the server's, the last the load's."""
    allowed = sorted(os.sched_getaffinity(0))
    return Cores(allowed[0], allowed[-1]) if len(allowed) > 1 else Cores(None, None)


def pin(pid: int, core: int | None) -> None:
    """Keeps the process, and what it starts from here on, on one core; None leaves it alone."""
    if core is not None:
        os.sched_setaffinity(pid, {core})


def describe() -> dict[str, str]:
    """What somebody needs to know to compare figures, by name."""
    picked = cores()
    allowed = len(os.sched_getaffinity(0))
    pinned = f"server on {picked.server}, load on {picked.load}" if picked.server is not None else "not pinned"
    return {
        "cpu": _cpu_model(),
        "cores": f"{allowed} of {os.cpu_count()} ({pinned})",
        "kernel": f"{platform.system()} {platform.release()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "websockets": version("websockets"),
        "load average": f"{os.getloadavg()[0]:.2f}",
    }


def resident_kib(pid: int) -> int:
    """Resident memory of a process, in KiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ProcessLookupError(pid)


def cpu_seconds(pid: int) -> float:
    """Seconds of processor time that a process has used up to now."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class CpuMeter:
    """Who used the cores since it was made: the server, and whoever is no part of the measurement."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._start = self._read()

    def shares(self) -> dict[str, float]:
        """`server_cpu` and `others_cpu`, in cores; others' time includes what a hypervisor took away."""
        now = self._read()
        seconds, server, ours, busy = (after - before for after, before in zip(now, self._start, strict=True))
        return {
            "server_cpu": round(server / seconds, 2),
            "others_cpu": round(max(0.0, busy - server - ours) / seconds, 2),
        }

    def _read(self) -> tuple[float, float, float, float]:
        """Seconds: the clock, the server's, this process's with the children it waited for, everybody's."""
        server = cpu_seconds(self._server)
        user, nice, system, _idle, _iowait, _irq, _softirq, steal = _all_cores()
        own = os.times()
        ours = own.user + own.system + own.children_user + own.children_system
        return time.monotonic(), server, ours, (user + nice + system + steal) / os.sysconf("SC_CLK_TCK")


def _all_cores() -> tuple[int, ...]:
    """The first eight counters of all cores together (proc(5)), in clock ticks."""
    return tuple(int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9])


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
