"""The database that a command of `mew flows` works on, and the dialogues and flows in it as people name them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated, TypeAlias, TypeVar

import typer
from sqlalchemy import Connection

from mew_agents.cli.fluxi import store
from mew_agents.flows.lookup import DialogueSheet, FlowLine, dialogue, fitting
from mew_agents.flows.office import FlowOffice
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.printing.terminal import one_line

T = TypeVar("T")

DATABASE = "sqlite:///.mew/flows.db"

_MAKER = "mew flows chat"
_SHOWN = 8  # of a dialogue's id, whose beginning tells

DatabaseOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--database",
        "--db",
        metavar="URL",
        envvar="MEW_FLOWS_DATABASE",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME; an agent may be running on it.",
        rich_help_panel="Where and as whom",
    ),
]


def looked_up(url: str, look: Callable[[Connection], T]) -> T:
    """What `look` finds in the database at `url`. Raises `Failure` and `DatabaseError`."""
    return store.looked_up(url, look, maker=_MAKER)


def decided(url: str, decide: Callable[[FlowOffice], Awaitable[T]], *, as_json: bool) -> T:
    """What comes of an operator's act, as `mew fluxi` has it. Raises `Failure` and `DatabaseError`."""
    return store.decided(url, decide, as_json=as_json, maker=_MAKER)


def whole_id(url: str, typed: str) -> str:
    """The dialogue that is meant by a part of its id, or of a flow's. Raises `Failure` (exit status 2)."""
    found = looked_up(url, partial(fitting, typed=typed))
    if len(found) == 1:
        return found[0]
    if found:
        raise mistake(f"Which dialogue? {one_line(typed)} fits {', '.join(found)}.")
    raise mistake(f"There is no dialogue {one_line(typed)!r} here: `mew flows list --all` lists them.")


def sheet_of(url: str, typed: str) -> DialogueSheet:
    """Everything about the dialogue that is meant. Raises `Failure` (exit status 2)."""
    dialogue_id = whole_id(url, typed)
    found = looked_up(url, partial(dialogue, id=dialogue_id))
    if found is None:
        raise mistake(f"There is no dialogue {dialogue_id} any more.")
    return found


def flow_meant(found: DialogueSheet, typed: str) -> FlowLine:
    """The flow under way that is meant: by its id, or as the only one. Raises `Failure` (exit status 2)."""
    rest = typed.partition(".")[2]
    fits = [one for one in found.flows if not rest or one.flow_id.partition(".")[2] == rest]
    if len(fits) == 1:
        return fits[0]
    if fits:
        offered = ", ".join(f"{short_flow(one.flow_id)} ({one.name})" for one in fits)
        raise mistake(f"Which flow? Under way there are {offered}.")
    raise mistake(f"There is no flow {one_line(typed)!r} under way: `mew flows list` lists them.")


def short_flow(id: str) -> str:
    """The id of a flow or a dialogue for the eye, enough to be typed."""
    dialogue_id, dot, rest = id.partition(".")
    return f"{dialogue_id[:_SHOWN]}{dot}{rest}"
