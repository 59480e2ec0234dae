"""The inbox: each message is taken once, whichever engine takes it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from sqlalchemy import Connection

from mew_agents.fluxi.duty import LEFT
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.unfinished import Unfinished

from .bookings import START, ZONE, booking
from .outside import Doubles, Outside

T = TypeVar("T")
HERE = Conversation("clinic", "c")
MESSAGE = Message(message_id="m", sender="ana", text="hola", answers="q", arrived=7)
POLICY = PolicyContext(now=START, timezone=ZONE, language="pt", rules=("be brief",))
RESULT = Result(kind="reply", text="¿qué?", reason_code="asked", data={"path": "amount"})


@pytest.fixture
async def fluxi(database_url: str, tmp_path: Path) -> AsyncIterator[Fluxi]:
    tools = Doubles(Outside(tmp_path / "world"))
    fluxi = await Fluxi.open(database_url, tools=tools, definitions=[booking()], clock=lambda: START)
    yield fluxi
    fluxi.close()


async def taken(
    fluxi: Fluxi, do: Callable[[Intake], T], message: Message = MESSAGE, policy: PolicyContext = POLICY
) -> T:
    """What is done with a message at the inbox, in one transaction."""

    def act(connection: Connection) -> T:
        records = fluxi.desk.records(connection)
        value = do(Intake(records, fluxi.catalogue, message, policy, HERE))
        records.flush()
        return value

    return await fluxi.desk.write(act, point="turn")


def filed(intake: Intake) -> None:
    intake.file(RESULT, at=POLICY.at)


async def test_what_was_filed_is_given_again(fluxi: Fluxi) -> None:
    assert await taken(fluxi, Intake.result) is None
    await taken(fluxi, filed)
    assert await taken(fluxi, lambda intake: (intake.result(), intake.received, intake.done)) == (RESULT, True, True)


async def test_one_that_was_received_is_taken_and_then_filed(fluxi: Fluxi) -> None:
    await taken(fluxi, Intake.receive)
    assert await taken(fluxi, lambda one: (one.result(), one.received, one.done)) == (None, True, False)
    await taken(fluxi, Intake.receive)
    await taken(fluxi, filed)
    assert await taken(fluxi, Intake.result) == RESULT


@pytest.mark.parametrize("arrive", [Intake.receive, filed])
@pytest.mark.parametrize("other", [{"text": "adiós"}, {"answers": None}])
async def test_an_id_is_one_messages(
    fluxi: Fluxi, arrive: Callable[[Intake], None], other: dict[str, str | None]
) -> None:
    """Nothing is done with another one under its id, finished or not."""
    await taken(fluxi, arrive)
    refused = await taken(fluxi, Intake.result, replace(MESSAGE, **other))  # type: ignore[arg-type]
    assert refused is not None and (refused.kind, refused.reason_code) == ("failed", "message_id_reused")


async def test_when_it_arrived_does_not_make_it_another_message(fluxi: Fluxi) -> None:
    await taken(fluxi, filed)
    assert await taken(fluxi, Intake.result, replace(MESSAGE, arrived=8)) == RESULT


async def test_one_that_is_discarded_stays_so_and_what_is_done_is_not_discarded(fluxi: Fluxi) -> None:
    await taken(fluxi, lambda intake: intake.discard("stopped"))
    nothing = Result(kind="no_action", text="", reason_code="stopped")
    assert await taken(fluxi, Intake.result) == nothing
    second = replace(MESSAGE, message_id="m2")
    await taken(fluxi, filed, second)
    await taken(fluxi, lambda intake: intake.discard("stopped"), second)
    assert await taken(fluxi, Intake.result, second) == RESULT


async def test_who_only_suggests_puts_nothing_on_record(fluxi: Fluxi) -> None:
    await taken(fluxi, Intake.receive, policy=replace(POLICY, mode="suggest"))
    assert await taken(fluxi, lambda intake: intake.received) is False


async def test_whoever_takes_over_what_was_left_is_given_it_as_it_was_said(fluxi: Fluxi) -> None:
    """The owner of unfinished messages can be another one; a message that is done is nobody's any more."""
    heard: list[tuple[Message, PolicyContext, Conversation]] = []

    async def again(message: Message, policy: PolicyContext, conversation: Conversation) -> None:
        heard.append((message, policy, conversation))
        await taken(fluxi, filed)

    fluxi.schedule.take_over("message", Unfinished(fluxi.desk, again))
    await taken(fluxi, Intake.receive)
    assert await fluxi.schedule.next_due() == POLICY.at + LEFT
    assert await fluxi.schedule.run_due() == 0
    fluxi.desk.clock = lambda: START + timedelta(milliseconds=LEFT)
    assert await fluxi.schedule.run_due() == 1
    assert heard == [(MESSAGE, POLICY, HERE)]
    assert await fluxi.schedule.run_due() == 0
    assert await fluxi.schedule.next_due() is None
