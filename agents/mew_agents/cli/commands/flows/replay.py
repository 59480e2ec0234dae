"""`mew flows replay`: dialogues done again from their events, and compared with what is stored."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
import typer
from rich.text import Text
from sqlalchemy import Connection, select

from mew_agents.cli.flows.store import DATABASE, DatabaseOption, looked_up, short_flow, whole_id
from mew_agents.cli.flows.timeline import Told, names_of, timeline
from mew_agents.flows.events import name_of
from mew_agents.flows.replaying import Replay
from mew_agents.flows.replaying import replay as replayed
from mew_agents.flows.versions import Versions
from mew_agents.fluxi.tables import flow_dialogues
from mew_gateway.cli.framework.failure import FAILED, mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import one_line, print_json, say, show

EXAMPLES = (
    "mew flows replay 1a2b3c4d",
    "mew flows replay --all --database sqlite:///.mew/flows.db  # only what differs",
    "mew flows replay 1a2b3c4d --json | jq .same",
    "Exit status: 0 everything is the same, 1 something differs, 2 a mistake in what was typed.",
)


def replay(
    id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The dialogue, or the beginning of its id.", show_default=False)
    ] = None,
    *,
    all_: Annotated[bool, typer.Option("--all", help="Every dialogue there is.")] = False,
    as_json: JsonOption = False,
    database: DatabaseOption = DATABASE,
) -> None:
    """Do a dialogue again from its events, with the flows as they were then: are state, deltas and effects the same?

    It calls nothing and changes nothing.
    """
    if (id is None) != all_:
        raise mistake("Say which dialogue, or --all.")
    wanted = None if id is None else whole_id(database, id)
    found = looked_up(database, lambda connection: list(_replays(connection, wanted)))
    if as_json:
        same = all(one.same for one in found)
        objects = [_object(one) for one in found]
        print_json({"same": same, "dialogues": objects} if all_ else objects[0])
    elif all_:
        _show_all(found)
    else:
        _show_one(found[0])
    if not all(one.same for one in found):
        raise typer.Exit(FAILED)


def _replays(connection: Connection, wanted: str | None) -> Iterator[Replay]:
    """All in one transaction, so that nothing moves meanwhile."""
    versions = Versions(connection)
    query = select(flow_dialogues.c.dialogue_id).order_by(flow_dialogues.c.opened_at)
    for dialogue_id in [wanted] if wanted is not None else connection.execute(query).scalars().all():
        found = replayed(connection, dialogue_id, versions)
        if found is not None:
            yield found


def _show_one(found: Replay) -> None:
    told = [
        Told(
            one.revision,
            one.event,
            str(one.cause.get("by")),
            one.happened.effects if one.happened else (),
            one.differences,
        )
        for one in found.retold
    ]
    show(timeline(told, names_of(told)))
    _show_verdict(found)


def _show_all(found: list[Replay]) -> None:
    for one in found:
        if not one.same:
            _show_verdict(one)
    same = sum(one.same for one in found)
    show(Text(f"{same} of {len(found)} dialogues are the same."))


def _show_verdict(found: Replay) -> None:
    name, events = short_flow(found.stored.dialogue_id), len(found.retold)
    if found.same:
        show(Text(f"same: {events} events make the dialogue {name} as it is stored, with the same effects."))
        return
    say(f"different: the dialogue {name} of {one_line(found.stored.participant)}", style="bold red")
    for retold in found.retold:
        for difference in retold.differences:
            say(f"  event {retold.revision}, {name_of(retold.event)}: {one_line(difference)}", style="red")
    for difference in found.differences:
        say(f"  {one_line(difference)}", style="red")


def _object(found: Replay) -> dict[str, Any]:
    return {
        "dialogue_id": found.stored.dialogue_id,
        "same": found.same,
        "differences": found.differences,
        "events": [
            {
                "revision": one.revision,
                "type": name_of(one.event),
                "at": one.event.at,
                "cause": one.cause,
                "effects": msgspec.to_builtins(one.happened.effects) if one.happened else None,
                "differences": one.differences,
            }
            for one in found.retold
        ],
    }
