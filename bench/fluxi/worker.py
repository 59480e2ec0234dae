"""A process that books, or only repeats what a booking says to the database (`python -m bench.fluxi.worker`)."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from contextlib import closing

import psycopg

from bench.fluxi.booking import AtOnce, book
from bench.fluxi.recording import record, replay
from bench.turns import turns
from mew_agents.fluxi.engine import Fluxi


async def _book(url: str, process: int) -> None:
    fluxi = await Fluxi.open(url, tools=AtOnce())
    numbers = itertools.count()
    with closing(fluxi):
        for turn in turns():
            while turn.goes_on():
                taken = await book(fluxi, next(numbers), process=process)
                turn.took(taken.whole, taken.effect)


async def _replay(url: str, process: int) -> None:
    recording = await record(url, process=process)
    numbers = itertools.count()
    with psycopg.connect(url) as connection:
        for turn in turns():
            while turn.goes_on():
                began = time.perf_counter()
                replay(connection, recording, f"r{process}-{next(numbers)}")
                turn.took((time.perf_counter() - began) * 1000)


_DEEDS = {"book": _book, "replay": _replay}

if __name__ == "__main__":
    deed, url, process = sys.argv[1:]
    asyncio.run(_DEEDS[deed](url, int(process)))
