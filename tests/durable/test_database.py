"""Transactions of the store, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, func, select
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import Crash, Database, DatabaseError, Failpoints, around
from mew_agents.durable.failpoints import Fault

METADATA = MetaData()
notes = Table("notes", METADATA, Column("id", Integer, primary_key=True), Column("body", String, nullable=False))

POINTS = around("note")


@pytest.fixture
def failpoints() -> Failpoints:
    return Failpoints(POINTS)


@pytest.fixture
def database(empty_url: str, failpoints: Failpoints) -> Iterator[Database]:
    database = Database.open(empty_url, failpoints=failpoints)
    asyncio.run(database.write(METADATA.create_all, point="note"))
    failpoints.arm(None)
    yield database
    database.close()


def add(number: int) -> Callable[[Connection], int]:
    def work(connection: Connection) -> int:
        connection.execute(notes.insert().values(id=number, body="x"))
        return number

    return work


def count(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(notes)).scalar_one()


async def test_a_write_returns_what_its_work_returns_and_holds(database: Database) -> None:
    assert await database.write(add(7), point="note") == 7
    assert await database.read(count) == 1


async def test_an_error_rolls_everything_back_and_is_raised_as_it_is(database: Database) -> None:
    def twice(connection: Connection) -> None:
        add(1)(connection)
        add(1)(connection)

    with pytest.raises(IntegrityError):
        await database.write(twice, point="note")

    def breaks(connection: Connection) -> None:
        add(1)(connection)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await database.write(breaks, point="note")
    assert await database.read(count) == 0


async def test_work_goes_on_after_an_error_within_a_savepoint(database: Database) -> None:
    def work(connection: Connection) -> str:
        add(1)(connection)
        try:
            with connection.begin_nested():
                add(2)(connection)
                add(1)(connection)
        except IntegrityError:
            add(3)(connection)
        return "done"

    assert await database.write(work, point="note") == "done"
    found = await database.read(
        lambda connection: connection.execute(select(notes.c.id).order_by("id")).scalars().all()
    )
    assert found == [1, 3]


async def test_a_swallowed_error_never_looks_like_a_commit(database: Database) -> None:
    def work(connection: Connection) -> str:
        add(1)(connection)
        connection.exec_driver_sql("ROLLBACK" if database.kind == "sqlite" else "SAVEPOINT s")
        try:
            connection.exec_driver_sql("select * from nowhere")
        except Exception:
            return "as if nothing had happened"
        raise AssertionError

    with pytest.raises(RuntimeError, match="went on after an error"):
        await database.write(work, point="note")
    assert await database.read(count) == 0
    assert await database.write(add(1), point="note") == 1


async def test_a_read_cannot_write_on_postgresql_and_leaves_nothing_on_sqlite(database: Database) -> None:
    if database.kind == "postgresql":
        with pytest.raises(DatabaseError, match="may only be read"):
            await database.read(add(1))
    else:
        await database.read(add(1))
    assert await database.read(count) == 0


async def test_a_read_sees_one_state(database: Database, empty_url: str) -> None:
    other = Database.open(empty_url)
    loop = asyncio.get_running_loop()

    def twice(connection: Connection) -> tuple[int, int]:
        before = count(connection)
        asyncio.run_coroutine_threadsafe(other.write(add(1), point="note"), loop).result()
        return before, count(connection)

    assert await database.read(twice) == (0, 0)
    assert await database.read(count) == 1
    other.close()


async def test_two_databases_of_one_process_write_to_one_store(database: Database, empty_url: str) -> None:
    other = Database.open(empty_url)
    await asyncio.gather(
        *(one.write(add(number), point="note") for number, one in enumerate([database, other] * 20, 1)),
    )
    assert await other.read(count) == 40
    other.close()


async def test_what_is_asked_is_done_in_order_by_one_thread_which_is_not_the_loops(database: Database) -> None:
    seen: list[tuple[int, int]] = []

    def work(number: int) -> Callable[[Connection], None]:
        return lambda _: seen.append((number, threading.get_ident()))

    await asyncio.gather(*(database.write(work(number), point="note") for number in range(10)))
    assert [number for number, _ in seen] == list(range(10))
    assert {thread for _, thread in seen}.isdisjoint({threading.get_ident()})
    assert len({thread for _, thread in seen}) == 1


async def test_a_cancelled_write_that_has_begun_is_whole_and_one_that_has_not_is_not(database: Database) -> None:
    inside, leave = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add(1)(connection)
        inside.set()
        leave.wait()
        add(2)(connection)

    begun = asyncio.create_task(database.write(slow, point="note"))
    await asyncio.to_thread(inside.wait)
    queued = asyncio.create_task(database.write(add(3), point="note"))
    await asyncio.sleep(0)
    begun.cancel()
    queued.cancel()
    assert [type(error) for error in await asyncio.gather(begun, queued, return_exceptions=True)] == [
        asyncio.CancelledError,
        asyncio.CancelledError,
    ]
    leave.set()
    assert await database.read(count) == 2


async def test_the_thread_outlives_whatever_its_work_raises(database: Database) -> None:
    def stop(connection: Connection) -> None:
        raise StopIteration(3)

    def end(connection: Connection) -> None:
        raise Crash

    with pytest.raises(RuntimeError, match="StopIteration"):
        await database.write(stop, point="note")
    with pytest.raises(Crash):
        await database.write(end, point="note")
    assert await database.write(add(1), point="note") == 1


def test_a_loop_that_has_ended_holds_nobody_up(database: Database) -> None:
    inside, leave = threading.Event(), threading.Event()

    def slow(connection: Connection) -> None:
        add(1)(connection)
        inside.set()
        leave.wait()

    async def abandon() -> None:
        task = asyncio.create_task(database.write(slow, point="note"))
        await asyncio.to_thread(inside.wait)
        task.cancel()

    asyncio.run(abandon())
    leave.set()
    assert asyncio.run(database.read(count)) == 1


async def test_a_closed_database_says_so_after_finishing_what_was_asked(empty_url: str) -> None:
    database = Database.open(empty_url)
    writing = asyncio.create_task(database.write(METADATA.create_all, point="note"))
    await asyncio.sleep(0)
    database.close()
    database.close()
    await writing
    with pytest.raises(DatabaseError) as refused:
        await database.read(count)
    assert refused.value.code == "closed"


async def test_every_write_passes_two_points_around_its_commit(database: Database, failpoints: Failpoints) -> None:
    await database.write(add(1), point="note")
    await database.read(count)
    assert failpoints.passed == {"note.before": 1, "note.after": 1}
    failpoints.arm(Fault("note.before", deed="raise"))
    with pytest.raises(Crash):
        await database.write(add(2), point="note")
    assert await database.read(count) == 1
    failpoints.arm(Fault("note.after", nth=2, deed="raise"))
    await database.write(add(2), point="note")
    with pytest.raises(Crash):
        await database.write(add(3), point="note")
    assert await database.read(count) == 3


async def test_a_write_at_a_point_that_is_not_declared_is_refused_before_it_commits(database: Database) -> None:
    with pytest.raises(ValueError, match="elsewhere"):
        await database.write(add(1), point="elsewhere")
    assert await database.read(count) == 0
