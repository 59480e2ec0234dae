"""The gateway's time."""

from __future__ import annotations

from mew_gateway.gateway.broker.clock import GatewayClock


class Machine:
    """A wall clock that can be set and a monotonic one that only runs."""

    def __init__(self) -> None:
        self.wall = 1_000.0
        self.running = 5_000_000_000

    def clock(self, floor: int = 0) -> GatewayClock:
        return GatewayClock(floor=floor, wall=lambda: self.wall, monotonic=lambda: self.running)


def test_the_clock_starts_as_wall_and_runs_as_monotonic() -> None:
    machine = Machine()
    clock = machine.clock()
    assert clock.now() == 1_000_000
    machine.running += 250_000_000
    assert clock.now() == 1_000_250


def test_a_wall_clock_that_jumps_moves_nothing() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.wall -= 3_600
    assert clock.now() == 1_000_000
    machine.wall += 7_200
    assert clock.now() == 1_000_000


def test_after_a_restart_the_clock_is_never_before_the_journal() -> None:
    machine = Machine()
    machine.wall = 10.0
    clock = machine.clock(floor=1_234_567)
    assert clock.now() == 1_234_567
    machine.running += 1_000_000
    assert clock.now() == 1_234_568
