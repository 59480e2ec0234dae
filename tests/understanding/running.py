"""Plays the cases of files one after the other, each file on one engine."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from .cases import Case, CaseFile
from .player import NotReached, play, reach, rehearse
from .report import Result
from .stages import Stage


async def played(files: Iterable[CaseFile]) -> AsyncIterator[Result]:
    """The cases of files whose message is written. Raises NotReached."""
    for file in files:
        if not file.written:
            continue
        async for stage in _staged(file):
            for case in file.written:
                yield Result(file, await play(stage, case))


async def wrong(file: CaseFile, cases: Iterable[Case]) -> AsyncIterator[str]:
    """What is wrong with cases, whatever their message: a place they do not reach, a goal that plain words miss."""
    async for stage in _staged(file):
        for case in cases:
            try:
                await reach(stage, case)
            except NotReached as error:
                yield str(error)
            fault = await rehearse(stage, case)
            if fault is not None:
                yield fault


async def _staged(file: CaseFile) -> AsyncIterator[Stage]:
    memory = Path("/dev/shm")  # where there is one, nobody waits for a disk
    with tempfile.TemporaryDirectory(prefix="mew-cases-", dir=memory if memory.is_dir() else None) as folder:
        stage = await Stage.open(file, Path(folder))
        try:
            yield stage
        finally:
            stage.close()
