"""A guest of the same name is somebody else: it says yes to nothing of the earlier one (docs/protocol.md §2)."""

from __future__ import annotations

from typing import Any

import pytest

from ...kit.agents import Person
from ...kit.guests import MOMENTS, succession
from .flow_space import TRANSFER, FlowSpace, balance, dialogues


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_successors_yes_confirms_nothing(space: FlowSpace, attend: Any, moment: str) -> None:
    async def asked(old: Person) -> None:
        assert (await old.ask(TRANSFER))["payload"]["kind"] == "request_confirmation"

    async with (
        space.ledger(attend) as ledger,
        succession(space, lambda: space.flows(attend), moment, before=asked, words="sí") as found,
    ):
        assert found.reply["payload"]["kind"] == "reply"
        assert "flow_id" not in found.reply["payload"]
        assert balance(ledger, "bruno") == "0.00"
        assert len([one for one in found.new.seen("chat") if one["from"] == "fluxi"]) == 1
        old, new = sorted(await dialogues(found.agent), key=lambda one: one.revision, reverse=True)
        assert old.conversation_id != new.conversation_id
        assert (old.stack, old.last and (old.last.outcome, old.last.by, old.last.reason)) == (
            (),
            ("cancelled", "removed", "removed"),
        )
        await found.new.ask(TRANSFER)
        assert (await found.new.ask("sí"))["payload"]["kind"] == "completed", "it has a conversation of its own"
        assert balance(ledger, "bruno") == "50.00"
