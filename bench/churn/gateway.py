"""`mew`, which also says how many tasks, timers and objects it has when it is asked (`bench.probe`)."""

from __future__ import annotations

import asyncio
import ctypes
import gc
from collections import Counter

from bench.probe import answer_with
from mew_gateway.cli.main import main

_KINDS = 40  # of objects, the most frequent


class _MallInfo(ctypes.Structure):
    """glibc's `struct mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def _allocated() -> int:
    """Bytes that C's allocator has given out and not got back: what is resident besides is its own to keep. 0 where it
    does not tell."""
    mallinfo = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if mallinfo is None:
        return 0
    mallinfo.restype = _MallInfo
    found = mallinfo()
    return int(found.uordblks + found.hblkhd)


def _held() -> dict[str, object]:
    gc.collect()  # what waits for the collector is no leak
    kinds = Counter(type(one).__name__ for one in gc.get_objects())
    loop = asyncio.get_running_loop()
    return {
        "tasks": len(asyncio.all_tasks(loop)),
        "timers": len(getattr(loop, "_scheduled", ())),
        "objects": sum(kinds.values()),
        "allocated_kib": _allocated() // 1024,
        "kinds": dict(kinds.most_common(_KINDS)),
    }


if __name__ == "__main__":
    answer_with(_held)
    main()
