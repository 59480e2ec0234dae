"""Every answer that a desk can give is said in every language, without a gap and without a foreign word."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mew_agents.phrasebook import LANGUAGES, Language
from mew_agents.tools import calendar_words, ledger_words
from mew_agents.tools.local import LocalTools, ToolRefused
from mew_agents.tools.words import COMMON

START = {"start": "2027-01-20T17:00-03:00", "patient": "Lucía"}
NOON, ODD = "2027-01-20T12:00+00:00", "{doctor_name} {0} %s"
ANA = {"doctor": "ana-perez", **START}
MOVE = {"source": "shop", "target": "reserve", "amount": "5", "currency": "USD"}
BACK = {"order_id": "A-1001", "amount": "20", "currency": "USD"}

# Tool, arguments, further fields of the effect (None: no effect), and the code that is answered.
STORY: list[tuple[str, dict[str, Any], dict[str, Any] | None, str]] = [
    ("calendar/doctors", {}, None, "doctors"),
    ("calendar/list_appointments", {}, None, "appointments"),
    ("calendar/free_times", {"doctor": "ana-perez", "date": "2027-01-20"}, None, "free"),
    ("calendar/free_times", {"doctor": "ana-perez", "date": "2027-01-17"}, None, "free"),
    ("calendar/free_times", {"doctor": "x", "date": "2027-01-17"}, None, "unknown_doctor"),
    ("calendar/book_appointment", ANA, {"key": "b"}, "booked"),
    ("calendar/book_appointment", ANA, {"key": "b"}, "booked"),
    ("calendar/book_appointment", ANA, None, "taken"),
    ("calendar/book_appointment", {**ANA, "doctor": "x"}, None, "unknown_doctor"),
    ("calendar/book_appointment", {**ANA, "start": "2020-01-20T17:00-03:00"}, None, "past"),
    ("calendar/book_appointment", {**ANA, "start": "2110-01-20T17:00-03:00"}, None, "too_far"),
    ("calendar/book_appointment", {**ANA, "start": "2027-01-20T23:00-03:00"}, None, "closed"),
    ("calendar/book_appointment", ANA, {"key": "late", "deadline": 5}, "too_late"),
    ("calendar/booking_status", {"key": "n"}, None, "absent"),
    ("calendar/booking_status", {"key": "n"}, {"key": "n", "fence": 7}, "absent"),
    ("calendar/book_appointment", ANA, {"key": "n"}, "fenced"),
    ("calendar/list_appointments", {}, None, "appointments"),
    ("calendar/cancel_appointment", {"key": "b"}, None, "cancelled"),
    ("calendar/cancel_appointment", {"key": "b"}, None, "cancelled_before"),
    ("calendar/cancel_appointment", {"appointment_id": 9}, None, "unknown_appointment"),
    ("calendar/booking_status", {"key": "b"}, None, "booked"),
    ("ledger/orders", {}, None, "orders"),
    ("ledger/orders", {"customer": "nobody"}, None, "orders"),
    ("ledger/balance", {"account": "reserve"}, None, "balance"),
    ("ledger/balance", {"account": "shop"}, None, "balance"),
    ("ledger/balance", {"account": "x"}, None, "unknown_account"),
    ("ledger/balance", {"account": "shop", "currency": "USD"}, None, "balance"),
    ("ledger/block_card", {"card": "debit", "reason": "lost"}, {"key": "c"}, "card_blocked"),
    ("ledger/block_card", {"card": "debit"}, None, "card_blocked_before"),
    ("ledger/block_card", {"card": "x"}, None, "unknown_card"),
    ("ledger/card_status", {"key": "c"}, None, "card_blocked"),
    ("ledger/refund", BACK, {"key": "r"}, "refunded"),
    ("ledger/refund", {**BACK, "amount": "500"}, None, "exceeds_order"),
    ("ledger/refund", {**BACK, "currency": "EUR"}, None, "other_currency"),
    ("ledger/refund", {**BACK, "order_id": "A-1"}, None, "unknown_order"),
    ("ledger/refund", {**BACK, "amount": "100"}, None, "refunded"),
    ("ledger/refund", {**BACK, "amount": "1"}, None, "nothing_left"),
    ("ledger/refund_status", {"key": "r"}, None, "refunded"),
    ("ledger/transfer", MOVE, {"key": "t"}, "transferred"),
    ("ledger/transfer", {**MOVE, "target": "shop"}, None, "same_account"),
    ("ledger/transfer", {**MOVE, "amount": "90000"}, None, "insufficient_funds"),
    ("ledger/reverse", {"key": "t"}, None, "reversed"),
    ("ledger/reverse", {"key": "t"}, None, "reversed_before"),
    ("ledger/reverse", {"key": "r"}, None, "reversed"),
    ("ledger/reverse", {"transfer_id": 99}, None, "unknown_transfer"),
    ("ledger/transfer_status", {"key": "t"}, None, "transferred"),
    ("ledger/refund_status", {"key": "r"}, None, "refunded"),
    ("ledger/refund_status", {"key": "n"}, {"key": "n", "fence": 7}, "absent"),
    ("ledger/refund_status", {"key": "n"}, {"key": "n", "fence": 6}, "fenced"),
]
UNTOLD = {"busy", "begun"}  # codes that take a second process or a second time: said below


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_answer_is_said(
    language: Language, now: int, announced: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    with LocalTools.shipped(
        tmp_path, language=language, timezone="America/Argentina/Buenos_Aires", clock=lambda: now
    ) as tools:
        for tool, arguments, fields, code in STORY:
            answer = await tools.call(tool, arguments, None if fields is None else announced(**fields))
            text = answer["content"][0]["text"]
            assert answer["structuredContent"]["code"] == code, (tool, arguments, text)
            assert text and not re.search(r"[{}]|None|\[|'", text), text
            assert text.isprintable() or "\n" in text


def test_the_story_tells_every_code() -> None:
    told = {code for *_, code in STORY} | UNTOLD
    inner = {"barred", "repeated", "booked_and_cancelled", "refunded_and_reversed", "transferred_and_reversed"}
    parts = {"openings", "no_openings", "appointment", "no_appointments", "more", "order", "no_orders", "empty"}
    phrases = {**COMMON.phrases, **calendar_words.PHRASES.phrases, **ledger_words.PHRASES.phrases}
    assert set(phrases) == told | inner | parts


@pytest.mark.parametrize("book", [COMMON, calendar_words.PHRASES, ledger_words.PHRASES])
def test_every_phrase_has_every_language_and_the_same_places(book: Any) -> None:
    for key, phrase in book.phrases.items():
        assert set(phrase) == set(LANGUAGES), key
        assert len({frozenset(re.findall(r"\{(\w+)\}", text)) for text in phrase.values()}) == 1, key


async def test_the_codes_that_take_more_are_said_too(now: int, tmp_path: Path) -> None:
    clock = [now]
    with LocalTools.shipped(tmp_path, clock=lambda: clock[0]) as tools:
        await tools.call("calendar/book_appointment", {**ANA, "start": "2027-01-15T10:00+00:00"})
        clock[0] += 10 * 3_600_000
        answer = await tools.call("calendar/cancel_appointment", {"appointment_id": 1})
        assert answer["content"][0]["text"] == (
            "That appointment has begun already: Friday, January 15, 2027, 10:00–10:30."
        )
    assert all("{" not in text for text in COMMON.phrases["busy"].values())


async def test_what_a_person_writes_is_never_taken_for_a_place(tools: LocalTools) -> None:
    answer = await tools.call("calendar/book_appointment", {**ANA, "start": NOON, "patient": ODD})
    assert ODD in answer["content"][0]["text"]
    with pytest.raises(ToolRefused):
        await tools.call("calendar/cancel_appointment", {"key": ""})
