"""Cases of the restart backoff of hosted programs."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path
from typing import Any

from mew_gateway.config import Hosted
from mew_gateway.config.configuration import Restart
from mew_gateway.gateway.hosting.host import Host

from .limit import Pair
from .limit_fixture import LimitFixture

_BACKOFF, _MOST = 700, 5_000  # ms
_STARTS = 8


class _Mortal(Host):
    """A program that ends at once. Records its restart waits, in milliseconds."""

    def __init__(self, *args: Any, **where: Any) -> None:
        super().__init__(*args, **where)
        self.waits: list[int] = []

    async def _run_once(self) -> int:
        self.starts += 1
        if self.starts > _STARTS:
            raise asyncio.CancelledError
        return 1

    async def _pause(self, seconds: float) -> None:
        self.waits.append(round(seconds * 1000))


async def _waits(*, jitter: float) -> list[int]:
    """Return the waits between starts, in milliseconds, for the shortest (0.0) or longest (1.0) jitter."""
    hosted = Hosted(command=("true",), restart=Restart(backoff=_BACKOFF, max_backoff=_MOST))
    folder = Path(tempfile.mkdtemp())
    where: dict[str, Any] = {"url": "", "token": str, "state": folder, "directory": folder, "draw": lambda: jitter}
    host = _Mortal(hosted, space="demo", participant="agent", **where)
    await asyncio.wait([asyncio.ensure_future(host.run())])
    shutil.rmtree(folder)
    return host.waits


async def _backoff_at(_: LimitFixture) -> None:
    assert (await _waits(jitter=1.0))[0] == _BACKOFF


async def _backoff_past(_: LimitFixture) -> None:
    assert (await _waits(jitter=1.0))[:3] == [_BACKOFF, 2 * _BACKOFF, 4 * _BACKOFF]
    assert (await _waits(jitter=0.0))[:3] == [_BACKOFF // 2, _BACKOFF, 2 * _BACKOFF]


async def _longest_at(_: LimitFixture) -> None:
    assert max(await _waits(jitter=1.0)) == _MOST


async def _longest_past(_: LimitFixture) -> None:
    assert (await _waits(jitter=1.0))[3:] == [_MOST] * (_STARTS - 3)  # eight times the first would be more


BACKOFF = Pair(_backoff_at, _backoff_past)
MAX_BACKOFF = Pair(_longest_at, _longest_past)
