"""The experiment: everybody is there, the gateway is told to stop, starts again, and everybody comes back."""

from __future__ import annotations

import asyncio
import random
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import websockets

from bench.crash.cast import Paced
from bench.crash.record import Checked, Verdict
from bench.failure import PATIENCE, BenchFailure
from bench.mortal import Mortal
from bench.peer import Peer
from bench.restart.crowd import Deaf, crowd, spaces_file

_LOOK = 0.05
_LATE = 0.02  # seconds between two who come too late
_DISTINCT = 0.01  # seconds: what is told so far behind what was told before is another batch

Lives: TypeAlias = list[asyncio.Task[None]]


@dataclass(kw_only=True)
class Found:
    """What came of it. Times in seconds: `told` from SIGTERM to each peer's close frame, in order, of those that read;
    `stopped` to the end of the process, `started` to /ready, `back` until everybody was there again."""

    peers: int
    verdict: Verdict = field(default_factory=Verdict)
    codes: Counter[int] = field(default_factory=Counter)
    told: list[float] = field(default_factory=list)
    late: Counter[str] = field(default_factory=Counter)
    status: int = -1
    stopped: float = 0.0
    started: float = 0.0
    back: float = 0.0
    loaded: float = 0.0
    accepted: int = 0
    resent: int = 0
    replayed: int = 0
    last_status: int = -1

    @property
    def batches(self) -> int:
        """How many times peers were told, as far as it can be told apart outside."""
        return 1 + sum(after - before >= _DISTINCT for before, after in pairwise(self.told))

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong: everybody was told 1012, came back and misses nothing, and nobody came late."""
        everybody_told = self.codes == {1012: self.peers}
        stopped_well = (self.status, self.last_status) == (0, 0)
        return self.verdict.is_good and everybody_told and stopped_well and not self.late["welcomed"]


async def run(
    *,
    spaces: int,
    each: int,
    deaf: int,
    rate: float,
    seconds: float,
    spread: float,
    seed: int,
    progress: Callable[[str], None] = lambda _: None,
) -> Found:
    """The experiment with `spaces` × `each` clients, loaded for so many `seconds`, who come back within `spread`
    seconds. Raises `BenchFailure`."""
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        gateway = Mortal(Path(folder), spaces_file(spaces=spaces, each=each))
        peers = list(crowd(spaces=spaces, each=each, deaf=deaf, rate=rate))
        experiment = _Experiment(gateway, peers, draw=random.Random(seed), spread=spread, progress=progress)
        try:
            return await experiment.run(seconds)
        except TimeoutError:
            raise BenchFailure("what had to happen did not") from None
        finally:
            await gateway.kill()


class _Experiment:
    def __init__(
        self,
        gateway: Mortal,
        peers: list[Peer],
        *,
        draw: random.Random,
        spread: float,
        progress: Callable[[str], None],
    ) -> None:
        self._gateway = gateway
        self._peers = peers
        self._checked = [Checked(peer) for peer in peers]
        self._draw = draw
        self._spread = spread
        self._progress = progress
        self._found = Found(peers=len(peers))

    async def run(self, seconds: float) -> Found:
        found = self._found
        await self._gateway.start()
        lives, took = await self._come()
        self._progress(f"  {found.peers:,} clients are there after {took:.1f} s")
        await self._load(seconds)
        await self._stop(lives)
        self._progress(f"  stopped after {found.stopped:.2f} s, the last was told after {max(found.told):.2f} s")
        found.started = await self._gateway.start()
        self._rest()
        lives, found.back = await self._come()
        self._progress(f"  ready again after {found.started:.2f} s, all back after {found.back:.1f} s")
        await self._settle()
        for checked in self._checked:
            found.verdict.add(await checked.check(self._gateway, whole=True))
        found.replayed = sum(peer.replayed for peer in self._peers)
        self._gateway.signal(signal.SIGTERM)
        found.last_status = await self._gateway.ended()
        await asyncio.gather(*lives)
        return found

    async def _come(self) -> tuple[Lives, float]:
        """Everybody comes at a time of its own; the connections, and how long it took until all were there."""
        began = time.perf_counter()
        for peer in self._peers:
            peer.forget_life()
        lives = [asyncio.create_task(self._live(peer, self._draw.uniform(0, self._spread))) for peer in self._peers]
        async with asyncio.timeout(self._spread + PATIENCE):
            for peer in self._peers:
                await peer.is_back.wait()
        return lives, time.perf_counter() - began

    async def _live(self, peer: Peer, wait: float) -> None:
        await asyncio.sleep(wait)
        await peer.live(self._gateway)
        if not peer.is_back.is_set():
            raise BenchFailure(f"{peer} could not join: {peer.ended}.{self._gateway.last_words}")

    async def _load(self, seconds: float) -> None:
        began, before = time.perf_counter(), sum(peer.answered for peer in self._peers)
        await asyncio.sleep(seconds)
        self._found.loaded = time.perf_counter() - began
        self._found.accepted = sum(peer.answered for peer in self._peers) - before

    async def _stop(self, lives: Lives) -> None:
        """SIGTERM, while everybody goes on talking and others try to get in; then who did not read does."""
        found, began = self._found, time.perf_counter()
        self._gateway.signal(signal.SIGTERM)
        late = asyncio.create_task(self._come_late())
        found.status = await self._gateway.ended()
        found.stopped = time.perf_counter() - began
        await late
        found.told = sorted(
            peer.closed_at - began for peer in self._peers if not isinstance(peer.role, Deaf) and peer.closed_at
        )
        for peer in self._peers:
            peer.read_again()
        await asyncio.gather(*lives)
        found.codes.update(peer.close_code for peer in self._peers)
        found.resent = sum(len(peer.unanswered) for peer in self._peers)

    async def _come_late(self) -> None:
        """Somebody new tries to join again and again, from the first close on."""
        while not any(peer.closed_at for peer in self._peers):  # noqa: ASYNC110 - the process ends them all
            await asyncio.sleep(_LATE / 4)
        while self._gateway.is_running:
            self._found.late[await self._refusal()] += 1
            await asyncio.sleep(_LATE)

    async def _refusal(self) -> str:
        try:
            async with self._gateway.join("space0", "p0") as socket:
                await socket.recv()
                return "welcomed"
        except websockets.ConnectionClosed as closed:
            return f"closed {closed.rcvd.code}" if closed.rcvd else "cut"
        except (OSError, websockets.InvalidHandshake):
            return "refused"

    def _rest(self) -> None:
        """From here on nobody says anything new, and everybody reads."""
        for peer in self._peers:
            if isinstance(peer.role, Paced | Deaf):
                peer.role.rests = True

    async def _settle(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while any(peer.unanswered for peer in self._peers):  # noqa: ASYNC110 - they are as many as they are
                await asyncio.sleep(_LOOK)
