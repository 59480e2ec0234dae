"""What is due is done by whoever has the duty, and what fails holds up nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from mew_agents.fluxi.duty import LEFT, Around, Duty, Key
from mew_agents.fluxi.engine import Fluxi
from mew_gateway.errors import MewError

from .bookings import START
from .outside import Doubles, Outside

AT = round(START.timestamp() * 1000)


class Bells(Duty):
    """Rings at times; a bell is rung once, unless it has failed."""

    def __init__(self, *times: int, failing: Sequence[Exception] = ()) -> None:
        self.times = list(times)
        self.failing = list(failing)
        self.rung: list[int] = []

    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        assert not connection.closed
        return [(time,) for time in self.times if time <= at][:limit]

    async def do(self, key: Key, _around: Around, /) -> None:
        if self.failing:
            raise self.failing.pop()
        self.rung.append(key[0])
        self.times.remove(key[0])

    def next_due(self, connection: Connection) -> int | None:
        assert not connection.closed
        return min(self.times, default=None)


@pytest.fixture
async def fluxi(tmp_path: Path) -> AsyncIterator[Fluxi]:
    url = f"sqlite:///{tmp_path}/fluxi.db"
    tools = Doubles(Outside(tmp_path / "world"))
    fluxi = await Fluxi.open(url, tools=tools, definitions=[], clock=lambda: START)
    yield fluxi
    fluxi.close()


async def test_a_new_duty_is_done_when_it_is_due(fluxi: Fluxi) -> None:
    bells = Bells(AT - 5, AT, AT + 5)
    fluxi.schedule.take_over("bells", bells)
    assert await fluxi.schedule.next_due() == AT - 5
    assert await fluxi.schedule.run_due() == 2
    assert bells.rung == [AT - 5, AT]
    assert await fluxi.schedule.next_due() == AT + 5


async def test_who_took_over_a_duty_does_it_alone(fluxi: Fluxi) -> None:
    first, second = Bells(AT), Bells(AT)
    fluxi.schedule.take_over("bells", first)
    fluxi.schedule.take_over("bells", second)
    assert await fluxi.schedule.run_due() == 1
    assert (first.rung, second.rung) == ([], [AT])


async def test_what_fails_is_left_for_a_while_and_the_rest_is_done(fluxi: Fluxi) -> None:
    bells = Bells(AT - 1, AT, failing=[ValueError("a fault")])
    fluxi.schedule.take_over("bells", bells)
    assert await fluxi.schedule.run_due() == 2
    assert bells.rung == [AT]
    assert await fluxi.schedule.run_due() == 0
    fluxi.desk.clock = lambda: START + timedelta(milliseconds=LEFT)
    assert await fluxi.schedule.run_due() == 1
    assert bells.rung == [AT, AT - 1]


async def test_what_nothing_could_do_now_is_raised_and_tried_at_once(fluxi: Fluxi) -> None:
    bells = Bells(AT, failing=[MewError("the database is away")])
    fluxi.schedule.take_over("bells", bells)
    with pytest.raises(MewError, match="away"):
        await fluxi.schedule.run_due()
    assert await fluxi.schedule.run_due() == 1
