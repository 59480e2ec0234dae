"""Whoever writes in another language is answered in it, as long as they do."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from mew_agents.flows import Flows
from mew_agents.fluxi import Conversation, Message, PolicyContext

from ..fluxi.outside import Outside
from .acceptance.dialogue_player import Answering

HERE = Conversation("bank", "c")
SAID = ("Hello, I would like to transfer 50 to Bruno, please", "no", "the amount is 60")


async def replies(folder: Path, *, follows: bool) -> list[str]:
    folder.mkdir()
    flows = await Flows.open(f"sqlite:///{folder}/flows.db", tools=Answering(Outside(folder)))
    policy = PolicyContext(now=datetime.now(UTC), language="es", follows=follows)
    found = []
    for number, text in enumerate(SAID):
        result = await flows.handle(Message(message_id=f"{number}", sender="ana", text=text), policy, HERE)
        found.append(result.text)
    flows.close()
    return found


async def test_a_dialogue_is_in_the_language_of_its_person(tmp_path: Path) -> None:
    first, second, third = await replies(tmp_path / "follows", follows=True)
    assert first == "I am going to transfer $50.00 to Bruno. Shall I?"
    assert second.startswith("What would you like to change: payee or amount?")
    assert third == "I am going to transfer $60.00 to Bruno. Shall I?"
    assert (await replies(tmp_path / "fixed", follows=False))[0].endswith("¿Cuánto desea transferir?")
