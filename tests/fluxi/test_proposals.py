"""The list of proposals: what a person has to look at."""

from __future__ import annotations

from pathlib import Path

from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.lookup import proposals
from mew_agents.fluxi.message import Conversation, Message, PolicyContext

from .bookings import SHIPPED, START, ZONE
from .outside import Doubles, Outside, Post

TWO = "I want two refunds: 25 dollars for order A-1001, it came late, and 30 dollars for order A-1002, it is broken"


async def test_a_second_wish_is_nobodys_to_look_at(database_url: str, tmp_path: Path) -> None:
    world = Outside(tmp_path / "world")
    definitions = [SHIPPED["refund_request"]]
    fluxi = await Fluxi.open(
        database_url, tools=Doubles(world), definitions=definitions, carrier=Post(world), clock=lambda: START
    )
    try:
        policy = PolicyContext(now=START, language="en", timezone=ZONE)
        await fluxi.handle(Message(message_id="m1", sender="ana", text=TWO), policy, Conversation("shop", "c"))
        every = await fluxi.database.read(lambda connection: proposals(connection, status=None))
        pending = await fluxi.database.read(proposals)
    finally:
        fluxi.close()
    assert sorted(one.status for one in every) == ["opened", "pending"]
    assert pending == []
