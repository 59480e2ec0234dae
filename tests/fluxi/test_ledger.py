"""The audit that other tests rely on sees what it is there to see: each rule finds its own kind of damage."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mew_agents.durable import Database
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.tables import METADATA

from .bookings import KEYED, START, ZONE, booking
from .ledger import RULES, broken
from .outside import Doubles, Outside

TEXT = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"
# A rule, and what is done to the rows of a booking that is completed and one that waits for its yes.
DAMAGE = [
    ("rebuilt_from_events", "update fluxcore_works set revision = revision + 1"),
    ("rebuilt_from_events", "update fluxcore_works set state = 'FAILED' where state = 'COMPLETED'"),
    ("rebuilt_from_events", "update fluxcore_work_slots set value = '\"x\"' where path = 'doctor'"),
    ("rebuilt_from_events", "delete from fluxcore_work_events where revision = 2"),
    ("proposed_before", "update fluxcore_proposed_works set status = 'discarded'"),
    ("proposed_before", "update fluxcore_proposed_works set type_id = 'other'"),
    ("decided_once", "insert into fluxcore_decision_events select 'x', account_id, conversation_id, sender, message_id,"
     " work_id, interpreter, definitions, answer, decided_at from fluxcore_decision_events limit 1"),
    ("nothing_half_done", "update fluxcore_works set state = 'ACTIVE' where state = 'WAITING_CONFIRMATION'"),
    ("nothing_half_done", "update fluxcore_semantic_contexts set status = 'void' where status = 'pending'"),
    ("nothing_half_done", "update fluxcore_works set expires_at = null"),
    ("nothing_half_done", "update fluxcore_external_effect_claims set status = 'invoking'"),
    ("consumed_once", "update fluxcore_semantic_contexts set status = 'rejected' where status = 'consumed'"),
    ("consumed_once", "update fluxcore_semantic_contexts set settled_at = 1 where status = 'pending'"),
    ("claimed_before", "update fluxcore_semantic_contexts set status = 'void' where status = 'consumed'"),
    ("claimed_before", "delete from fluxcore_effect_attempts"),
    ("claimed_before", "delete from fluxcore_external_effect_claims"),
    ("one_effect_each", "update fluxcore_external_effects set outcome = 'not_applied'"),
    ("one_effect_each", "update fluxcore_external_effect_claims set status = 'aborted'"),
    ("one_of_a_kind", "update fluxcore_works set state = 'EXECUTING', aggregate_key = 'same'"),
    ("answered", "update fluxcore_inbox set result = null"),
    ("answered", "update fluxcore_outbox set body = '{}'"),
]  # fmt: skip


@pytest.fixture
async def path(made_file: Path, tmp_path: Path) -> Path:
    """The file of one who has booked, and of another who is asked for a yes; nothing protects it any more."""
    path = tmp_path / "fluxi.db"
    path.write_bytes(made_file.read_bytes())
    fluxi = await Fluxi.open(
        f"sqlite:///{path}",
        tools=Doubles(Outside(tmp_path / "world")),
        definitions=[booking(KEYED)],
        clock=lambda: START,
    )
    for number, (who, text) in enumerate((("ana", TEXT), ("ana", "sí"), ("bob", TEXT.replace("17", "18")))):
        message = Message(message_id=f"m{number}", sender=who, text=text)
        await fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), Conversation("account", who))
    fluxi.close()
    with closing(sqlite3.connect(path)) as connection:
        for table in METADATA.tables:
            connection.execute(f"create table bare as select * from {table}")
            connection.execute(f"drop table {table}")
            connection.execute(f"alter table bare rename to {table}")
        connection.commit()
    return path


async def found(path: Path) -> list[str]:
    database = Database.open(f"sqlite:///{path}")
    try:
        return await database.read(broken)
    finally:
        database.close()


async def test_nothing_is_found_where_nothing_is_wrong(path: Path) -> None:
    assert await found(path) == []


@pytest.mark.parametrize(("rule", "damage"), DAMAGE)
async def test_damage_is_found(path: Path, rule: str, damage: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(damage).rowcount > 0
        connection.commit()
    assert rule in {problem.partition(":")[0] for problem in await found(path)}


def test_every_rule_is_shown_to_find_something() -> None:
    assert {rule for rule, _ in DAMAGE} == {check.__name__ for check in RULES}
