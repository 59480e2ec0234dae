"""SIGTERM under load: everybody is told 1012, nobody gets in, and all come back and miss nothing."""

from __future__ import annotations

from bench.restart.experiment import run

from ..kit.torture import SEED, TIMES


async def test_everybody_is_told_and_comes_back_to_all_there_is() -> None:
    """What `python -m bench.restart` does with a thousand clients."""
    found = await run(spaces=3, each=20 * TIMES, deaf=2, rate=60, seconds=0.5 * TIMES, spread=0.2, seed=SEED)
    assert found.codes == {1012: 60 * TIMES}
    assert (found.status, found.last_status) == (0, 0)
    assert found.late["closed 1012"] > 0
    assert found.late["welcomed"] == 0
    assert found.accepted > 0
    assert found.verdict.delivered > 100
    assert found.verdict.lines == []
    assert found.is_good
