"""What only a server can do to its clients: end their connections, let them wait for each other, not be there."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Iterator
from typing import Literal

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from mew_agents.durable import CommitUnknown, Database, DatabaseError

from ..kit.stores import Postgres


class Wire:
    """A stretch of network between a client and the server, which can be cut at a COMMIT."""

    def __init__(self, server: str) -> None:
        self._server = server
        self.cut: Literal["nowhere", "before", "after"] = "nowhere"
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                for carry in (self._there, self._back):
                    threading.Thread(target=carry, args=(client, server), daemon=True).start()

    def _there(self, client: socket.socket, server: socket.socket) -> None:
        with _ending(client, server):
            while data := client.recv(65536):
                if b"COMMIT\0" in data and self.cut == "before":
                    return
                server.sendall(data)

    def _back(self, client: socket.socket, server: socket.socket) -> None:
        with _ending(client, server):
            while data := server.recv(65536):
                if b"COMMIT\0" in data and self.cut == "after":
                    return
                client.sendall(data)


@contextlib.contextmanager
def _ending(*ends: socket.socket) -> Iterator[None]:
    """Both ends of a connection end with whatever runs within."""
    with contextlib.suppress(OSError):
        yield
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()


@pytest.fixture
def name(postgres: Postgres) -> Iterator[str]:
    name = postgres.make()
    postgres.execute("create table notes (id integer primary key)", database=name)
    yield name
    postgres.drop(name)


@pytest.fixture
def database(postgres: Postgres, name: str) -> Iterator[Database]:
    database = Database.open(postgres.url(name))
    yield database
    database.close()


def add(connection: Connection) -> None:
    connection.execute(text("insert into notes values (1)"))


def count(connection: Connection) -> int:
    return int(connection.execute(text("select count(*) from notes")).scalar_one())


async def test_a_connection_that_is_lost_is_made_anew_and_the_work_done_again(database: Database) -> None:
    runs = 0

    def work(connection: Connection) -> int:
        nonlocal runs
        runs += 1
        add(connection)
        if runs == 1:
            connection.execute(text("select pg_terminate_backend(pg_backend_pid())"))
        return runs

    assert await database.write(work, point="note") == 2
    assert await database.read(count) == 1


async def test_a_connection_that_was_lost_while_idle_is_noticed_by_nobody(
    database: Database, postgres: Postgres, name: str
) -> None:
    assert await database.read(count) == 0
    postgres.execute(f"select pg_terminate_backend(pid) from pg_stat_activity where datname = '{name}'")
    assert await database.read(count) == 0


@pytest.mark.parametrize(("cut", "held"), [("before", 0), ("after", 1)])
async def test_a_commit_whose_answer_is_lost_is_neither_done_again_nor_called_a_failure(
    postgres: Postgres, name: str, cut: Literal["before", "after"], held: int
) -> None:
    path = postgres.url(name).partition("host=")[2]
    wire = Wire(f"{path}/.s.PGSQL.5432")
    database = Database.open(f"postgresql://postgres@127.0.0.1:{wire.port}/{name}")
    wire.cut = cut
    with pytest.raises(CommitUnknown, match="not known") as raised:
        await database.write(add, point="note")
    assert raised.value.code == "commit_unknown"
    wire.cut = "nowhere"
    assert await database.read(count) == held
    if held:
        with pytest.raises(IntegrityError):
            await database.write(add, point="note")
    else:
        await database.write(add, point="note")
    database.close()
    wire.close()


async def test_of_two_that_wait_for_each_other_both_are_done(postgres: Postgres, name: str) -> None:
    postgres.execute("insert into notes values (10), (20)", database=name)
    barrier = threading.Barrier(2)
    waited = 0

    def both(first: int, second: int, connection: Connection) -> None:
        nonlocal waited
        lock = text("select id from notes where id = :id for update")
        connection.execute(lock, {"id": first})
        if waited < 2:
            waited += 1
            barrier.wait()
        connection.execute(lock, {"id": second})

    one, other = Database.open(postgres.url(name)), Database.open(postgres.url(name))
    await asyncio.gather(
        one.write(lambda connection: both(10, 20, connection), point="note"),
        other.write(lambda connection: both(20, 10, connection), point="note"),
    )
    one.close()
    other.close()


async def test_a_row_that_is_held_for_too_long_makes_the_database_busy(postgres: Postgres, name: str) -> None:
    postgres.execute("insert into notes values (10)", database=name)
    inside, leave = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        connection.execute(text("select id from notes for update"))
        inside.set()
        leave.wait()

    def want(connection: Connection) -> None:
        connection.execute(text("set local lock_timeout = '1ms'"))
        connection.execute(text("select id from notes for update"))

    one, other = Database.open(postgres.url(name)), Database.open(postgres.url(name), patience=0.05)
    holding = asyncio.create_task(one.write(hold, point="note"))
    await asyncio.to_thread(inside.wait)
    with pytest.raises(DatabaseError, match="held by other programs") as raised:
        await other.write(want, point="note")
    assert raised.value.code == "busy"
    leave.set()
    await holding
    await other.write(want, point="note")
    one.close()
    other.close()


async def test_a_server_that_never_comes_back_is_unreachable(postgres: Postgres, name: str) -> None:
    database = Database.open(postgres.url(name), patience=0.05)
    postgres.drop(name)
    with pytest.raises(DatabaseError) as raised:
        await database.read(count)
    assert raised.value.code == "not_found"
    database.close()
    postgres.execute(f"create database {name}")


async def test_writers_see_what_is_committed_and_times_out_where_they_stand_still(database: Database) -> None:
    def settings(connection: Connection) -> dict[str, str]:
        names = ("transaction_isolation", "lock_timeout", "idle_in_transaction_session_timeout", "fsync")
        return {one: connection.execute(text(f"show {one}")).scalar_one() for one in names}

    common = {"lock_timeout": "5s", "idle_in_transaction_session_timeout": "5s", "fsync": "on"}
    assert await database.write(settings, point="note") == {"transaction_isolation": "read committed", **common}
    assert await database.read(settings) == {"transaction_isolation": "repeatable read", **common}
    assert await database.write(settings, point="note") == {"transaction_isolation": "read committed", **common}


async def test_options_of_the_url_add_to_ours(postgres: Postgres, name: str) -> None:
    database = Database.open(f"{postgres.url(name)}&options=-c%20work_mem%3D5MB&application_name=mine")

    def settings(connection: Connection) -> list[str]:
        return [connection.execute(text(f"show {one}")).scalar_one() for one in
                ("work_mem", "lock_timeout", "application_name")]  # fmt: skip

    assert await database.read(settings) == ["5MB", "5s", "mine"]
    database.close()
