"""Plays the cases of files one after the other, each file on one engine."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from .cases import Case, CaseFile
from .engines import CaseEngine
from .player import NotReached, play, reach, rehearse
from .report import Result


async def played(files: Iterable[CaseFile]) -> AsyncIterator[Result]:
    """The cases of files whose message is written. Raises NotReached."""
    for file in files:
        if not file.written:
            continue
        async for engine in _opened(file):
            for case in file.written:
                yield Result(file, await play(engine, case))


async def wrong(file: CaseFile, cases: Iterable[Case]) -> AsyncIterator[str]:
    """What is wrong with cases, whatever their message: a place they do not reach, a goal that plain words miss."""
    async for engine in _opened(file):
        for case in cases:
            try:
                await reach(engine, case)
            except NotReached as error:
                yield str(error)
            fault = await rehearse(engine, case)
            if fault is not None:
                yield fault


async def _opened(file: CaseFile) -> AsyncIterator[CaseEngine]:
    memory = Path("/dev/shm")  # where there is one, nobody waits for a disk
    with tempfile.TemporaryDirectory(prefix="mew-cases-", dir=memory if memory.is_dir() else None) as folder:
        engine = await CaseEngine.open(file, Path(folder))
        try:
            yield engine
        finally:
            engine.close()
