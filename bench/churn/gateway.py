"""`mew`, which also says how many tasks, timers and objects it has when it is asked (SIGUSR1): that is not to be seen
from outside. The answer is a file whose name is in the environment."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import json
import os
import signal
from collections import Counter
from pathlib import Path
from types import FrameType

from mew_gateway.cli.main import main

ANSWER = "MEW_BENCH_ANSWER"  # the variable
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


def _answer(_number: int, _frame: FrameType | None) -> None:
    gc.collect()  # what waits for the collector is no leak
    kinds = Counter(type(one).__name__ for one in gc.get_objects())
    loop = asyncio.get_running_loop()
    found = {
        "tasks": len(asyncio.all_tasks(loop)),
        "timers": len(getattr(loop, "_scheduled", ())),
        "objects": sum(kinds.values()),
        "allocated_kib": _allocated() // 1024,
        "kinds": dict(kinds.most_common(_KINDS)),
    }
    file = Path(os.environ[ANSWER])
    draft = file.with_suffix(".tmp")
    draft.write_text(json.dumps(found))
    draft.replace(file)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _answer)
    main()
