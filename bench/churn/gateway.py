"""`mew`, which also says how many tasks, timers and objects it has when it is asked (SIGUSR1): that is not to be seen
from outside. The answer is a file whose name is in the environment."""

from __future__ import annotations

import asyncio
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


def _answer(_number: int, _frame: FrameType | None) -> None:
    gc.collect()  # what waits for the collector is no leak
    kinds = Counter(type(one).__name__ for one in gc.get_objects())
    loop = asyncio.get_running_loop()
    found = {
        "tasks": len(asyncio.all_tasks(loop)),
        "timers": len(getattr(loop, "_scheduled", ())),
        "objects": sum(kinds.values()),
        "kinds": dict(kinds.most_common(_KINDS)),
    }
    file = Path(os.environ[ANSWER])
    draft = file.with_suffix(".tmp")
    draft.write_text(json.dumps(found))
    draft.replace(file)


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _answer)
    main()
