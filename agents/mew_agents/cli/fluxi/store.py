"""The database that a command of `mew fluxi` works on, and what goes wrong with it as a sentence and a status."""

from __future__ import annotations

import asyncio
import getpass
import shlex
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, TypeVar

import typer
from sqlalchemy import Connection

from mew_agents.durable import Database, DatabaseError
from mew_agents.durable.address import read
from mew_agents.flows.office import FlowOffice
from mew_agents.fluxi.lookup import fitting
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import SCHEMA
from mew_gateway.cli.framework.failure import REFUSED, Failure, mistake
from mew_gateway.cli.printing.terminal import one_line, print_json

T = TypeVar("T")

DATABASE = "sqlite:///.mew/fluxi.db"

# How it ends; a line of the help of every command that changes something.
STATUSES = "Exit status: 0 done, 1 it failed, 2 a mistake in what was typed, 6 refused."

_WHERE = "Where and as whom"
_MAKER = "mew fluxi chat"
_NAMED = 5  # databases of hosted agents

DatabaseOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="MEW_FLUXI_DATABASE",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME; an agent may be running on it.",
        rich_help_panel=_WHERE,
    ),
]
AccountOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--account", metavar="ACCOUNT", help="Only of this account.", rich_help_panel=_WHERE),
]
OperatorOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--as", metavar="NAME", help="Who you are, for the record; else your name here.", rich_help_panel=_WHERE
    ),
]
WorkArgument: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The Work, or the end of its id.")]
EffectArgument: TypeAlias = Annotated[
    str, typer.Argument(metavar="EFFECT", help="The effect, as its definition names it.")
]
ProposalArgument: TypeAlias = Annotated[str, typer.Argument(metavar="ID", help="The proposal, or the end of its id.")]


def looked_up(url: str, look: Callable[[Connection], T], *, maker: str = _MAKER) -> T:
    """What `look` finds in the database at `url`. Raises `Failure` and `DatabaseError`.

    `maker`: the command that makes one, for whoever has none yet.
    """

    async def read_it(database: Database) -> T:
        return await database.read(look)

    return _at(url, read_it, maker)


def decided(url: str, decide: Callable[[FlowOffice], Awaitable[T]], *, as_json: bool, maker: str = _MAKER) -> T:
    """What comes of an operator's act in the database at `url`. Raises `Failure` and `DatabaseError`.

    A refusal ends the command with status 6; `as_json` prints it as an object.
    """

    async def act(database: Database) -> T:
        return await decide(await FlowOffice.open(database))

    try:
        return _at(url, act, maker)
    except Refused as error:
        if as_json:
            print_json({"failure": {"error": error.code, "message": str(error)}})
            raise typer.Exit(REFUSED) from None
        raise Failure(f"refused: {error}", status=REFUSED) from None


def whole_id(url: str, typed: str, what: Literal["work", "proposal"]) -> str:
    """The id that is meant by a part of it. Raises `Failure` (exit status 2) for none, and for several."""
    part = typed.removeprefix("…")
    found = looked_up(url, lambda connection: fitting(connection, part, what=what))
    if len(found) == 1:
        return found[0]
    noun = "Work" if what == "work" else "proposal"
    if found:
        raise mistake(f"Which {noun}? {one_line(typed)} fits {', '.join(map(one_line, found))}.")
    raise mistake(f"There is no {noun} {one_line(typed)!r} here: `mew fluxi {what}s` lists them.")


def operator(name: str | None) -> str:
    """Who acts, as it goes on record: by the name given, else by the one this machine knows."""
    return f"operator:{name or person()}"


def person() -> str:
    """What this machine calls whoever sits at it."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # no variable says, and there is no such user
        return "me"


def checked(url: str) -> Path | None:
    """The file that a URL means, None for a server. Raises `Failure` (exit status 2) for a URL that cannot be read."""
    try:
        parts = read(url)
    except DatabaseError as error:
        raise mistake(str(error)) from None
    return Path(parts.database or "") if parts.get_backend_name() == "sqlite" else None


def _at(url: str, work: Callable[[Database], Awaitable[T]], maker: str) -> T:
    file = checked(url)
    if file is not None and not file.exists():
        missing = f"There is no database {file} here yet: `{maker}` makes one, --database names another."
        raise Failure("\n".join([missing, *_hosted(file)]))
    return asyncio.run(_within(url, work))


def _hosted(file: Path) -> Iterator[str]:
    """The databases of the agents that a gateway has hosted here, for whoever looks for theirs."""
    found = sorted(file.parent.glob(f"agents/*/*/{file.name}"))[:_NAMED]
    if found:
        yield "Agents hosted here have databases of their own:"
    for one in found:
        yield f"  --database {shlex.quote(f'sqlite:///{one}')}"


async def _within(url: str, work: Callable[[Database], Awaitable[T]]) -> T:
    database = Database.open(url, schema=SCHEMA)
    try:
        return await work(database)
    finally:
        database.close()
