"""The tools without a space: the same answers that the wire gives, and the same refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mew_agents.tools.calendar import Calendar
from mew_agents.tools.ledger import Ledger, LedgerOptions
from mew_agents.tools.ledger_book import Sale
from mew_agents.tools.local import LocalTools, ToolRefused
from mew_agents.tools.pager import Pager
from mew_gateway.sdk import Misconfigured, ToolError
from mew_gateway.sdk.options import options_from
from mew_gateway.sdk.testing import Space

BOOKING = {"doctor": "ana-perez", "start": "2027-01-15T17:00-00:00", "patient": "Lucía"}
CALLS: list[tuple[str, dict[str, Any], dict[str, Any] | None]] = [
    ("calendar/doctors", {}, None),
    ("calendar/book_appointment", BOOKING, {}),
    ("calendar/book_appointment", BOOKING, {}),
    ("calendar/book_appointment", BOOKING, {"key": "other"}),
    ("calendar/book_appointment", {**BOOKING, "patient": "Ada"}, {}),
    ("calendar/book_appointment", {**BOOKING, "start": 5}, {}),
    ("calendar/book_appointment", BOOKING, {"fence": "x"}),
    ("calendar/booking_status", {"key": "k"}, {}),
    ("calendar/booking_status", {"key": "k2"}, {}),
    ("calendar/nothing", {}, None),
    ("ledger/refund", {"order_id": "A-1001", "amount": 5, "currency": "USD"}, {}),
    ("ledger/refund", {"order_id": "A-1001", "amount": 5.25, "currency": "USD"}, {"key": "f"}),
    ("ledger/orders", {}, None),
    ("pager/send_message", {"to": "Ada", "text": "hello"}, {}),
    ("pager/send_message", {"to": "Ada", "text": "hello"}, {}),
    ("pager/send_message", {"to": "Ada"}, None),
]


async def test_both_faces_answer_alike(tools: LocalTools, now: int, announced: Any) -> None:
    people = {"human": [{"kind": "mcp/*"}], **{name: [{"kind": "chat"}] for name in ("calendar", "ledger", "pager")}}
    async with Space(people) as space:
        human = await space.join("human")
        for kind in (Calendar, Ledger, Pager):
            await space.run(kind(clock=lambda: now), kind.__name__.lower())
        for tool, arguments, fields in CALLS:
            effect = None if fields is None else announced(**fields)
            local: Any
            wire: Any
            try:
                local = await tools.call(tool, arguments, effect)
            except ToolRefused as refused:
                local = refused.code, refused.message
            participant, _, name = tool.partition("/")
            params = {"name": name, "arguments": arguments}
            if effect is not None:
                params["_meta"] = {"mew/effect": effect}
            try:
                wire = await human.request(participant, "tools/call", params)
            except ToolError as error:
                wire = error.code, error.message
            assert local == wire, (tool, arguments)


async def test_a_participant_that_is_not_there_is_said_as_the_gateway_says_it(tools: LocalTools) -> None:
    with pytest.raises(ToolRefused) as caught:
        await tools.call("surgeon/cut", {})
    assert caught.value.code == "participant_not_found"


async def test_a_request_given_again_is_the_same_request(tools: LocalTools) -> None:
    first = await tools.call("calendar/book_appointment", BOOKING, request_id="r")
    again = await tools.call("calendar/book_appointment", BOOKING, request_id="r")
    assert again["structuredContent"] == {**first["structuredContent"], "repeated": True}
    assert (await tools.call("calendar/book_appointment", BOOKING))["structuredContent"]["code"] == "taken"


async def test_what_was_done_is_there_when_they_are_opened_again(tmp_path: Path, now: int, announced: Any) -> None:
    for repeated in (None, True):
        with LocalTools.shipped(tmp_path, clock=lambda: now) as tools:
            answer = await tools.call("calendar/book_appointment", BOOKING, announced())
            assert answer["structuredContent"].get("repeated") is repeated
    assert (tmp_path / "calendar" / "calendar.db").exists()


async def test_it_says_which_tools_there_are(tools: LocalTools) -> None:
    known = await tools.tools()
    for tool in ("calendar/book_appointment", "calendar/cancel_appointment", "ledger/refund", "ledger/reverse"):
        assert tool in known
    assert [tool for tool in known if tool.startswith("pager/")] == ["pager/send_message"]


async def test_the_pager_sends_as_often_as_it_is_asked_and_knows_nothing_of_it(
    tools: LocalTools, tmp_path: Path, announced: Any
) -> None:
    for _ in range(2):
        answer = await tools.call("pager/send_message", {"to": "Ada", "text": "hello"}, announced(), request_id="r")
        assert answer == {"content": [{"type": "text", "text": "Sent to Ada."}], "isError": False}
    lines = (tmp_path / "pager" / "outbox.jsonl").read_text().splitlines()
    assert lines == ['{"at":"2027-01-15T08:00:00.000Z","to":"Ada","text":"hello"}'] * 2


@pytest.mark.parametrize(
    "order",
    [
        {"id": "A", "customer": "Ada", "item": "tea", "amount": "1.001", "currency": "USD"},
        {"id": "A", "customer": "Ada", "item": "tea", "amount": "-1", "currency": "USD"},
        {"id": "A", "customer": "Ada", "item": "tea", "amount": "1", "currency": "XQX"},
    ],
)
def test_an_order_that_cannot_be_is_said_at_the_start(order: dict[str, Any]) -> None:
    ledger = Ledger(options_from({"orders": [order]}, LedgerOptions))
    with pytest.raises(Misconfigured, match="order is wrong"), ledger.opened(None):
        pass


def test_orders_come_from_the_options() -> None:
    order = {"id": "A", "customer": "Ada", "item": "tea", "amount": 1.5, "currency": "USD"}
    ledger = Ledger(options_from({"orders": [order]}, LedgerOptions))
    assert isinstance(ledger.options.orders[0], Sale)
    with ledger.opened(None):
        assert ledger.say(ledger.book.orders(None)) == "A: tea, Ada, paid $1.50, $1.50 remain"
