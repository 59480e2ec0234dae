"""Operators and Works: cancel, resume, resolve, compensate, accept and decline, each with its exit status."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ..fluxi.bookings import KEYED, PLAIN, booking
from .works_database import WorksDatabase, request

UNDONE = KEYED | {"compensate": {"tool": "world/keyed", "args": {"key": {"key": "effect-0"}}}}


async def test_a_work_is_cancelled_once_and_its_owner_is_told(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle(request())
    id = (await works_db.newest()).work.work_id
    done = await typed("fluxi", "cancel", id[-8:], "--as", "berta")
    assert (done.status, done.out) == (0, f"…{id[-8:]} is CANCELLED\n")
    again = await typed("fluxi", "cancel", id)
    assert again.status == 6
    assert "refused" in again.err and "CANCELLED" in again.err
    last = (await works_db.newest()).events[-1]
    assert (last.type, last.cause["by"]) == ("work_cancelled", "operator:berta")
    (told,) = (await works_db.replies())[-1:]
    assert told["work_id"] == id and told["recipient"] == "ana"
    assert works_db.effects == []


async def test_an_effect_in_doubt_is_resolved_once_with_evidence(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(PLAIN), moods=["late"])
    *_, result = await works_db.handle(request(), "sí", "sí")
    id = (await works_db.newest()).work.work_id
    assert (await works_db.newest()).work.suspended_reason == "in_doubt", result
    resolve = ("fluxi", "resolve", id[-8:], "effect-0")
    nothing, blank, unknown, resumed = await asyncio.gather(
        typed(*resolve, "--evidence", "I called them"),
        typed(*resolve, "--applied", "--evidence", " "),
        typed("fluxi", "resolve", id, "effect-7", "--applied", "--evidence", "I called them"),
        typed("fluxi", "resume", id),
    )
    assert [nothing.status, blank.status, unknown.status, resumed.status] == [2, 2, 6, 6]
    assert "--not-applied" in nothing.err and "evidence" in blank.err and "effect-7" in unknown.err
    shown = await typed("fluxi", "work", id)
    assert "in doubt" in shown.out and f"mew fluxi resolve {id[-8:]} effect-0" in shown.out
    done = await typed(*resolve, "--applied", "--evidence", "I called them", "--as", "berta", "--json")
    assert (done.status, done.json()["state"], done.json()["suspended_reason"]) == (0, "COMPLETED", None)
    again = await typed(*resolve, "--not-applied", "--evidence", "no", "--json")
    assert (again.status, again.json()["failure"]["error"]) == (6, "not_in_doubt")
    (effect,) = (await works_db.newest()).effects
    assert (effect.outcome, effect.source) == ("applied", "operator")
    assert (effect.evidence or "").endswith("berta: I called them")
    assert works_db.effects == ["world/plain"]


async def test_compensate_leaves_the_effect_to_the_running_process(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(UNDONE))
    await works_db.handle(request(), "sí", "sí")
    id = (await works_db.newest()).work.work_id
    done = await typed("fluxi", "compensate", id, "effect-0")
    assert (done.status, works_db.effects) == (0, ["world/keyed"])
    assert "whoever runs on this database" in done.err
    await works_db.run_due()
    assert works_db.effects == ["world/keyed", "world/keyed"]
    assert (await typed("fluxi", "compensate", id, "effect-0")).status == 6
    listed, work = await asyncio.gather(typed("fluxi", "works"), typed("fluxi", "work", id))
    assert "undone" in listed.out and "COMPLETED, undone" in work.out
    (one,) = (await typed("fluxi", "works", "--json")).json()["works"]
    assert (one["state"], one["undone"]) == ("COMPLETED", True)


async def test_what_could_not_be_undone_waits_for_an_operator(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(UNDONE), moods=["applied", "refused"])
    await works_db.handle(request(), "sí", "sí")
    id = (await works_db.newest()).work.work_id
    await typed("fluxi", "compensate", id, "effect-0")
    await works_db.run_due()
    listed, work = await asyncio.gather(typed("fluxi", "works"), typed("fluxi", "work", id))
    assert "could not be undone" in " ".join(listed.out.split()) and "an operator" in " ".join(listed.out.split())
    assert "COMPLETED, could not be undone" in work.out and f"mew fluxi resolve {id[-8:]} effect-0" in work.out
    (one,) = (await typed("fluxi", "works", "--json")).json()["works"]
    assert (one["undone"], one["undo_failed"], one["waits_for"]) == (False, True, "an operator")
    resolve = ("fluxi", "resolve", id, "effect-0", "--applied", "--evidence", "paid back in cash", "--as", "berta")
    assert (await typed(*resolve)).status == 0
    assert (await typed(*resolve)).status == 6
    (one,) = (await typed("fluxi", "works", "--json")).json()["works"]
    assert (one["undone"], one["undo_failed"], one["waits_for"]) == (True, False, None)
    assert (await works_db.newest()).effects[-1].evidence == "operator:berta: paid back in cash"
    assert (await works_db.replies())[-1]["text"].startswith("Deshice")


async def test_a_suspended_work_asks_again_when_it_is_resumed(typed: Any, tmp_path: Path) -> None:
    works_db = WorksDatabase(tmp_path, definition=booking(KEYED))
    await works_db.handle("Quiero agendar un turno con la Dra. Pérez", *["xyzzy"] * 5)
    work = (await works_db.newest()).work
    assert work.suspended_reason == "needs_human"
    before = len(await works_db.replies())
    done = await typed("fluxi", "resume", work.work_id)
    assert (done.status, (await works_db.newest()).work.suspended_reason) == (0, None)
    assert [one["kind"] for one in (await works_db.replies())[before:]] == ["request_slot"]


@pytest.mark.parametrize("accepts", [True, False], ids=["accept", "decline"])
async def test_a_proposal_waits_for_a_person(accepts: bool, typed: Any, tmp_path: Path) -> None:
    reviewed = booking(KEYED, policies={"open": "review", "grants": ["*"]})
    works_db = WorksDatabase(tmp_path, definition=reviewed)
    await works_db.handle(request())
    (proposal,) = (await typed("fluxi", "proposals", "--json")).json()["proposals"]
    id = proposal["proposal_id"]
    assert (proposal["text"], proposal["slots"]["doctor"]) == (request(), "Dra. Pérez")
    listed = await typed("fluxi", "proposals")
    assert f"…{id[-8:]}" in listed.out and "“Dra. Pérez”" in listed.out
    if accepts:
        done = await typed("fluxi", "accept", id[-8:], "--json")
        assert done.json() == {"proposal_id": id, "work_id": (await works_db.newest()).work.work_id}
        again = await typed("fluxi", "accept", id)
    else:
        assert (await typed("fluxi", "decline", id, "--reason", " ")).status == 2
        done = await typed("fluxi", "decline", id, "--reason", "the clinic is closed", "--as", "berta")
        again = await typed("fluxi", "decline", id, "--reason", "still closed")
        assert "the clinic is closed" in (await works_db.replies())[-1]["text"]
    settled = (await typed("fluxi", "proposals", "--all", "--json")).json()["proposals"][0]
    assert (done.status, again.status) == (0, 6)
    assert settled["status"] == ("opened" if accepts else "discarded")
