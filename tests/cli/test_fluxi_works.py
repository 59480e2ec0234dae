"""Works on the command line: lists, one in detail, a replay; and unusable databases."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import text

from mew_agents.durable import Database
from mew_agents.fluxi.message import Conversation

from ..fluxi.bookings import KEYED, PLAIN, booking
from .works_database import WorksDatabase, request


async def test_works_are_listed_and_narrowed(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle(request(), "sí", "sí")
    await works_db.handle(request("11:30"), sender="berta", where=Conversation("clinic", "b"))
    told, everything, live, theirs, none = await asyncio.gather(
        typed("fluxi", "works"),
        typed("fluxi", "works", "--json"),
        typed("fluxi", "works", "--state", "live", "--json"),
        typed("fluxi", "works", "--account", "clinic", "--state", "waiting_confirmation", "--json"),
        typed("fluxi", "works", "--state", "FAILED"),
    )
    first, second = everything.json()["works"]
    assert (first["state"], second["state"]) == ("COMPLETED", "WAITING_CONFIRMATION")
    assert "Dra. Ana Pérez" in first["about"]
    assert live.json()["works"] == theirs.json()["works"] == [second]
    for one in (first, second):
        assert f"…{one['work_id'][-8:]}" in told.out and one["state"] in told.out
    assert none.out == "There is no such Work here.\n"


async def test_json_and_text_agree_on_what_a_work_waits_for(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(PLAIN), moods=["late"])
    await works_db.handle(request(), "sí", "sí")
    await works_db.handle(request("11:30"), sender="berta", where=Conversation("local", "b"))
    told, as_json = await asyncio.gather(typed("fluxi", "works"), typed("fluxi", "works", "--json"))
    in_doubt, asked = as_json.json()["works"]
    assert (in_doubt["suspended_reason"], in_doubt["waits_for"]) == ("in_doubt", "an operator")
    assert asked["state"] == "WAITING_CONFIRMATION" and asked["waits_for"]
    assert "an operator" in told.out and asked["waits_for"].split()[0] in told.out
    shown = await typed("fluxi", "work", in_doubt["work_id"])
    assert "waits for an operator" in shown.out


async def test_a_work_is_shown_with_everything_about_it(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle(request(), "sí", "sí")
    id = (await works_db.newest()).work.work_id
    told, as_json, replayed = await asyncio.gather(
        typed("fluxi", "work", id[-8:]), typed("fluxi", "work", id, "--json"), typed("fluxi", "work", id, "--replay")
    )
    whole = as_json.json()
    key = whole["effects"][0]["claim"]["idempotency_key"]
    assert whole["slots"]["doctor"]["evidence"]["text"] == "Dra. Pérez"
    assert [event["revision"] for event in whole["events"]] == list(range(1, whole["revision"] + 1))
    for part in ("COMPLETED", "“Dra. Pérez” at 31–41", "committed", "attempt 1", key[:12], "work_opened → CREATED"):
        assert part in told.out
    assert f"ana: “{request()}”" in told.out
    assert (replayed.status, replayed.out) == (
        0,
        f"ok: {whole['revision']} events make the Work as it is stored.\n",
    )


async def test_replay_finds_a_row_that_differs_from_its_events(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle(request())
    id = (await works_db.newest()).work.work_id
    database = Database.open(works_db.url)
    forged = text("UPDATE fluxcore_work_slots SET value = '\"joao-souza\"' WHERE path = 'doctor'")
    await database.write(lambda connection: connection.execute(forged), point="forge")
    database.close()
    told, as_json = await asyncio.gather(
        typed("fluxi", "work", id, "--replay"), typed("fluxi", "work", id, "--replay", "--json")
    )
    (difference,) = as_json.json()["differences"]
    assert (told.status, as_json.status) == (1, 1)
    assert "doctor" in difference and "joao-souza" in difference and difference in told.err


async def test_ids_that_fit_none_or_several_are_mistakes(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle(request(), sender="ana", where=Conversation("local", "a"))
    await works_db.handle(request("11:30"), sender="ana", where=Conversation("local", "b"))
    id = (await works_db.newest()).work.work_id
    ambiguous, unknown, short = await asyncio.gather(
        typed("fluxi", "work", id[:6]), typed("fluxi", "cancel", "ffffffff"), typed("fluxi", "work", id[-3:])
    )
    assert [ambiguous.status, unknown.status, short.status] == [2, 2, 2]
    assert id in ambiguous.err and "Which Work?" in ambiguous.err
    assert "There is no Work 'ffffffff'" in unknown.err


async def test_an_unusable_database_is_reported_in_a_sentence(typed: Any, tmp_path: Path) -> None:
    (tmp_path / "none.db").write_text("no database at all, and long enough to be read as the head of one " * 9)
    other = f"sqlite:///{tmp_path}/other.db"
    database = Database.open(other)
    await database.write(
        lambda connection: [
            connection.execute(text("CREATE TABLE fluxcore_version (version_num VARCHAR(32) NOT NULL)")),
            connection.execute(text("INSERT INTO fluxcore_version VALUES ('r9999')")),
        ],
        point="make",
    )
    database.close()
    missing, url, none, schema, server = await asyncio.gather(
        typed("fluxi", "works"),
        typed("fluxi", "works", "--database", "fluxi.db"),
        typed("fluxi", "works", "--database", "sqlite:///none.db"),
        typed("fluxi", "works", MEW_FLUXI_DATABASE=other),
        typed("fluxi", "works", "--database", "postgresql://nobody:secret@127.0.0.1:1/none"),
    )
    assert [one.status for one in (missing, url, none, schema, server)] == [1, 2, 1, 1, 1]
    assert "mew fluxi chat" in missing.err and not (tmp_path / ".mew").exists()
    assert "sqlite:///" in url.err
    assert "is not an SQLite database" in none.err
    assert "the tables of another version" in schema.err and "r9999" in schema.err
    assert "No server answers" in server.err and "secret" not in server.err
