"""The statements of one booking as the database gets them, and the same once more without Fluxi."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psycopg
from sqlalchemy import Engine, event

from bench.fluxi.booking import AtOnce, book
from mew_agents.durable import Database
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.tables import SCHEMA

# What stands in every id and key of the recorded booking, and is replaced in each repetition of it.
TOKEN = "~"
_APART = 100  # so that the recorded booking is none of those that are made beside it


class Statement(NamedTuple):
    """One statement; `many`: with a list of parameters. `rows`: whether it has a result."""

    text: str
    parameters: Any
    many: bool
    rows: bool


class Recording(NamedTuple):
    """The transactions of one booking, in order, and what names it in them."""

    transactions: list[list[Statement]]
    names: tuple[str, ...]


async def record(url: str, *, process: int) -> Recording:
    """The transactions of the second booking at a database: the first has made what is kept."""
    numbers = itertools.count()
    database = Database.open(url, schema=SCHEMA)
    fluxi = Fluxi(database, tools=AtOnce(), new_id=lambda: f"{TOKEN}{process}-{next(numbers)}{TOKEN}")
    await fluxi.start()
    try:
        await book(fluxi, 0, process=process + _APART)
        with _recorded() as transactions:
            await book(fluxi, 1, process=process + _APART)
        held = [one.parameters for all in transactions for one in all if "aggregate_key" in one.text]
        keys = {key for one in held if isinstance(one, dict) and (key := one.get("aggregate_key"))}
        return Recording(transactions, (f"c{process + _APART}-1", *sorted(keys)))
    finally:
        fluxi.close()


def replay(connection: psycopg.Connection[Any], recording: Recording, name: str) -> None:
    """Sends the same statements with the same parameters but for the booking's name."""
    for transaction in recording.transactions:
        for statement in transaction:
            parameters = _renamed(statement.parameters, recording.names, name)
            with connection.cursor() as cursor:
                if statement.many:
                    cursor.executemany(statement.text, parameters)
                else:
                    cursor.execute(statement.text, parameters)
                if statement.rows:
                    cursor.fetchall()
        connection.commit()


def _renamed(value: Any, names: tuple[str, ...], name: str) -> Any:
    if isinstance(value, str):
        for one in names:
            value = value.replace(one, f"{one}/{name}")
        return value.replace(TOKEN, name)
    if isinstance(value, dict):
        return {key: _renamed(one, names, name) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_renamed(one, names, name) for one in value]
    return value


@contextmanager
def _recorded() -> Iterator[list[list[Statement]]]:
    transactions: list[list[Statement]] = [[]]

    def sent(_: Any, cursor: Any, text: str, parameters: Any, __: Any, many: bool) -> None:
        transactions[-1].append(Statement(text, parameters, many, cursor.description is not None))

    def committed(_: Any) -> None:
        transactions.append([])

    # Every engine of this process: Fluxi's is the only one.
    event.listen(Engine, "after_cursor_execute", sent)
    event.listen(Engine, "commit", committed)
    try:
        yield transactions
    finally:
        event.remove(Engine, "after_cursor_execute", sent)
        event.remove(Engine, "commit", committed)
        if not transactions[-1]:
            transactions.pop()
