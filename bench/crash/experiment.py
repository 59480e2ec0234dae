"""The experiment: a load, a kill at any moment, what is left, the next life; and at the end, everything once more."""

from __future__ import annotations

import asyncio
import random
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from bench.crash.cast import SPACES, WITNESS, Guard, Paced, cast, spaces_file
from bench.crash.promises import Promises
from bench.crash.record import Checked, Verdict
from bench.crash.remains import Remains
from bench.failure import PATIENCE, BenchFailure
from bench.mortal import Mortal

_SHORTLY, _LONG = 0.1, 1.2  # seconds of load before a kill
_AT_ONCE = 0.15  # the share of kills that fall into the return of the peers
_BACK = 0.5  # seconds within which these fall
_LOOK = 0.05

Lives: TypeAlias = list[asyncio.Task[None]]


@dataclass(kw_only=True)
class Found:
    """What came of it: `verdict` on everybody's record, `promises` on the interrupts; times in seconds."""

    kills: int
    promises: Promises
    verdict: Verdict = field(default_factory=Verdict)
    loaded: float = 0.0
    accepted: int = 0  # within that time
    replayed: int = 0
    resent: int = 0
    already_accepted: int = 0
    starts: list[float] = field(default_factory=list)
    status: int = -1  # until it has ended by itself

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong."""
        return self.verdict.is_good and not self.promises.faults and self.status == 0


async def run(
    *,
    kills: int,
    rate: float,
    seed: int,
    ack_deadline: int = 2_000,
    conclusion: int = 2_000,
    progress: Callable[[str], None] = lambda _: None,
) -> Found:
    """The experiment, in a temporary folder. Both deadlines in milliseconds. Raises `BenchFailure`."""
    with tempfile.TemporaryDirectory(prefix="mew-bench-") as folder:
        gateway = Mortal(Path(folder), spaces_file(ack_deadline=ack_deadline, conclusion=conclusion))
        found = Found(kills=kills, promises=Promises(ack_deadline=ack_deadline, conclusion=conclusion))
        try:
            await _Experiment(gateway, found, rate=rate, draw=random.Random(seed), progress=progress).run()
        except TimeoutError:
            raise BenchFailure("what had to happen did not") from None
        finally:
            await gateway.kill()
        return found


class _Experiment:
    def __init__(
        self, gateway: Mortal, found: Found, *, rate: float, draw: random.Random, progress: Callable[[str], None]
    ) -> None:
        self._gateway = gateway
        self._found = found
        self._draw = draw
        self._progress = progress
        self._remains = Remains()
        self._peers = list(cast(rate=rate, ack_deadline=found.promises.ack_deadline, draw=draw))
        self._checked = [Checked(peer) for peer in self._peers]

    async def run(self) -> None:
        await self._gateway.start()
        for nth in range(self._found.kills):
            await self._live_and_die()
            self._look_at_remains()
            self._found.starts.append(await self._gateway.start())
            await self._check(whole=False)
            self._tell(nth + 1)
        await self._last_life()

    async def _live_and_die(self) -> None:
        for peer in self._peers:
            peer.hastens = self._draw.random() < 0.5
        lives = self._begin_lives()
        if self._draw.random() < _AT_ONCE:
            await asyncio.sleep(self._draw.uniform(0, _BACK))
        else:
            await self._load(lives, self._draw.uniform(_SHORTLY, _LONG))
        self._gateway.signal()
        await self._gateway.ended()
        await asyncio.gather(*lives)
        self._found.resent += sum(len(peer.unanswered) for peer in self._peers)

    async def _load(self, lives: Lives, seconds: float) -> None:
        await self._all_back(lives)
        began, before = time.perf_counter(), self._answered
        await asyncio.sleep(seconds)
        self._found.loaded += time.perf_counter() - began
        self._found.accepted += self._answered - before

    def _begin_lives(self) -> Lives:
        for peer in self._peers:
            peer.forget_life()
        return [asyncio.create_task(peer.live(self._gateway)) for peer in self._peers]

    async def _each_is_back(self) -> None:
        for peer in self._peers:
            await peer.is_back.wait()

    async def _all_back(self, lives: Lives) -> None:
        """Wait for everybody. Raises `BenchFailure` when somebody's connection ends instead."""
        back = asyncio.create_task(self._each_is_back())
        await asyncio.wait([back, *lives], timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if back.done():
            return
        back.cancel()
        for peer, life in zip(self._peers, lives, strict=True):
            if life.done():
                life.result()
                raise BenchFailure(f"{peer} did not come back: {peer.ended}.{self._gateway.last_words}")
        raise BenchFailure("Not everybody came back.")

    @property
    def _answered(self) -> int:
        return sum(peer.answered for peer in self._peers)

    def _look_at_remains(self) -> None:
        """Whatever was delivered is in the file, as it stands without anybody's help."""
        verdict, pending = self._remains.read(self._gateway.journal)
        self._found.promises.survived(pending)
        for peer in self._peers:
            for one in peer.fresh:
                is_held = one.digest in self._remains.envelopes.get((peer.space, one.id), ())
                if not (is_held or one.id.startswith("gw-")):
                    verdict.lost += 1
                    verdict.lines.append(f"{peer} was given {one.id}, which is not in the file")
        self._found.verdict.add(verdict)

    async def _check(self, *, whole: bool) -> None:
        for checked in self._checked:
            self._found.verdict.add(await checked.check(self._gateway, whole=whole))

    async def _last_life(self) -> None:
        """Everybody comes back and sends no more than what is unanswered; then all that was promised must happen."""
        for peer in self._peers:
            if isinstance(peer.role, Paced | Guard):
                peer.role.rests = True
        lives = self._begin_lives()
        await self._all_back(lives)
        async with asyncio.timeout(PATIENCE):
            while any(peer.is_busy for peer in self._peers) or await self._is_pending():  # noqa: ASYNC110
                await asyncio.sleep(_LOOK)
        await self._check(whole=True)
        for space in SPACES:
            self._found.promises.judge(space, await self._gateway.inquiry(space, WITNESS).history())
        self._gateway.signal(signal.SIGTERM)
        self._found.status = await self._gateway.ended()
        await asyncio.gather(*lives)
        self._found.replayed = sum(peer.replayed for peer in self._peers)
        self._found.already_accepted = sum(peer.refused["duplicate_id"] for peer in self._peers)

    async def _is_pending(self) -> bool:
        for space in SPACES:
            for row in await self._gateway.inquiry(space, WITNESS).interrupts():
                if row["deadline_in_ms"] is not None or row["conclusion_in_ms"] is not None:
                    return True
        return False

    def _tell(self, nth: int) -> None:
        verdict, faults = self._found.verdict, self._found.promises.faults
        wrong = [*verdict.lines, *faults]
        self._progress(
            f"  kill {nth}: {verdict.delivered:,} delivered so far, ready again after {self._found.starts[-1]:.2f} s"
            + (f"; WRONG: {wrong[-1]}" if wrong else "")
        )
