"""The ledger: nothing appears, nothing vanishes, no order gives back more than it brought."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mew_agents.tools.answer import Answer
from mew_agents.tools.call import Call, digest_of
from mew_agents.tools.effect import Effect
from mew_agents.tools.ledger_book import LedgerBook, Sale
from mew_gateway.sdk import ToolError

SALES = (
    Sale("A-1001", "Ada", "lamp", Decimal("120.00"), "USD"),
    Sale("A-1002", "Ada", "tea", Decimal("900"), "JPY"),
    Sale("A-1003", "João", "book", Decimal("18.50"), "USD"),
)


def new_book() -> LedgerBook:
    return LedgerBook(accounts=["reserve"], sales=SALES, now=0)


def refund(book: LedgerBook, call: Call, amount: str, *, order: str = "A-1001", currency: str = "USD") -> Answer:
    return book.refund(call, order_id=order, amount=Decimal(amount), currency=currency, reason=None, now=1)


def left(book: LedgerBook, order: str) -> str:
    return next(str(one["remaining"]) for one in book.orders(None)["orders"] if one["order_id"] == order)


def held(book: LedgerBook, account: str) -> dict[str, str]:
    return {one["currency"]: one["amount"] for one in book.balance(account)["balances"]}


@pytest.fixture
def book() -> Iterator[LedgerBook]:
    with new_book() as opened:
        yield opened


def test_a_refund_moves_money_back(book: LedgerBook, call: Any, effect: Any) -> None:
    answer = refund(book, call(effect()), "20")
    assert answer == {
        "status": "applied",
        "code": "refunded",
        "transfer_id": 4,
        "order_id": "A-1001",
        "customer": "Ada",
        "amount": "20.00",
        "currency": "USD",
        "remaining": "100.00",
    }
    assert held(book, "Ada") == {"USD": "-100.00", "JPY": "-900"}
    assert held(book, "shop") == {"USD": "118.50", "JPY": "900"}
    assert book.status("k") == {**answer, "key": "k", "reversed": False}


def test_a_card_is_blocked_once_under_its_key(call: Any, effect: Any) -> None:
    with LedgerBook(accounts=[], sales=[], now=0, cards=["debit"]) as book:
        answer = book.block_card(call(effect()), card="debit", reason="lost", now=5)
        assert answer == {"status": "applied", "code": "card_blocked", "card": "debit", "blocked_at": 5}
        assert book.status("k") == {**answer, "key": "k"}
        assert book.block_card(call(), card="debit", reason=None, now=9)["code"] == "card_blocked_before"
        assert book.block_card(call(), card="debit", reason=None, now=9)["blocked_at"] == 5
        declined = book.block_card(call(), card="credit", reason=None, now=9)
        assert (declined["status"], declined["code"], declined["cards"]) == ("not_applied", "unknown_card", ["debit"])


def test_a_book_from_before_there_were_cards_gets_them(tmp_path: Path, call: Any) -> None:
    path = tmp_path / "l.db"
    LedgerBook(path, accounts=[], sales=SALES, now=0).close()
    with apsw.Connection(str(path)) as connection:
        connection.execute("drop table cards")
    connection.close()
    with LedgerBook(path, accounts=[], sales=SALES, now=0, cards=["debit"]) as book:
        assert book.block_card(call(), card="debit", reason=None, now=1)["code"] == "card_blocked"


def test_a_balance_in_one_currency_is_one_sum(book: LedgerBook) -> None:
    assert book.balance("shop", "USD")["balances"] == [{"currency": "USD", "amount": "138.50"}]
    assert book.balance("reserve", "EUR")["balances"] == [{"currency": "EUR", "amount": "0.00"}]


def test_money_can_be_sent_to_payees(call: Any) -> None:
    with LedgerBook(accounts=[], sales=SALES, now=0, payees=["ana"]) as book:
        sent = book.transfer(call(), source="shop", target="ana", amount=Decimal("8.5"), currency="USD", now=1)
        assert (sent["status"], held(book, "ana")) == ("applied", {"USD": "8.50"})


@pytest.mark.parametrize(
    ("amount", "order", "currency", "code"),
    [
        ("120.00", "A-1001", "USD", "refunded"),
        ("120.01", "A-1001", "USD", "exceeds_order"),
        ("900", "A-1002", "JPY", "refunded"),
        ("1", "A-1002", "USD", "other_currency"),
        ("1", "A-9999", "USD", "unknown_order"),
    ],
)
def test_a_refund_is_bounded_by_its_order(
    book: LedgerBook, call: Any, amount: str, order: str, currency: str, code: str
) -> None:
    assert refund(book, call(), amount, order=order, currency=currency)["code"] == code


def test_nothing_is_left_after_all_of_it(book: LedgerBook, call: Any) -> None:
    refund(book, call(), "120")
    assert refund(book, call(), "0.01")["code"] == "nothing_left"


@pytest.mark.parametrize(
    ("amount", "currency"),
    [("0", "USD"), ("-1", "USD"), ("0.001", "USD"), ("1.5", "JPY"), ("1", "XQX"), ("1", "usd"), ("1e9", "USD")]
    + [(odd, "USD") for odd in ("NaN", "Infinity", "1e-999999", "1." + "0" * 40 + "1")],
)
def test_an_amount_that_cannot_be_is_refused_before_anything(
    book: LedgerBook, call: Any, amount: str, currency: str
) -> None:
    with pytest.raises(ToolError) as caught:
        refund(book, call(), amount, currency=currency)
    assert caught.value.code == -32602


def test_an_own_account_is_never_overdrawn(book: LedgerBook, call: Any) -> None:
    def move(source: str, target: str, amount: str) -> str:
        answer = book.transfer(call(), source=source, target=target, amount=Decimal(amount), currency="USD", now=1)
        return str(answer["code"])

    assert move("shop", "reserve", "138.51") == "insufficient_funds"
    assert move("shop", "reserve", "138.50") == "transferred"
    assert refund(book, call(), "1")["code"] == "insufficient_funds"
    assert move("reserve", "reserve", "1") == "same_account"
    assert move("reserve", "nobody", "1") == move("nobody", "shop", "1") == "unknown_account"
    assert move("Ada", "shop", "1000") == "transferred"  # it comes from outside


def test_what_is_taken_back_is_so_once_and_gives_the_order_its_money_again(
    book: LedgerBook, call: Any, effect: Any
) -> None:
    refund(book, call(effect()), "20")
    first = book.reverse(call(effect("undo"), what="r"), transfer_id=None, key="k", now=1)
    assert (first["code"], first["source"], first["target"], first["amount"]) == ("reversed", "Ada", "shop", "20.00")
    assert book.reverse(call(what="r"), transfer_id=4, key=None, now=1)["code"] == "reversed_before"
    assert left(book, "A-1001") == "120.00"
    assert book.status("k")["reversed"] is True
    for unknown in (1, first["transfer_id"], 99):  # a sale, a reversal, nothing
        assert book.reverse(call(), transfer_id=unknown, key=None, now=1)["code"] == "unknown_transfer"


def test_nothing_in_it_can_be_changed(tmp_path: Any) -> None:
    LedgerBook(tmp_path / "l.db", accounts=[], sales=SALES, now=0).close()
    connection = apsw.Connection(str(tmp_path / "l.db"))
    for change in (
        "update entries set amount = 1",
        "delete from entries",
        "update transfers set kind = 'refund'",
        "delete from transfers",
    ):
        with pytest.raises(apsw.ConstraintError, match="never changed"):
            connection.execute(change)
    connection.close()


def test_orders_are_added_at_the_start_and_never_anew(tmp_path: Any, call: Any) -> None:
    with LedgerBook(tmp_path / "l.db", accounts=[], sales=SALES[:1], now=0) as book:
        refund(book, call(), "20")
    with LedgerBook(tmp_path / "l.db", accounts=[], sales=SALES, now=0) as book:
        assert [left(book, order) for order in ("A-1001", "A-1003")] == ["100.00", "18.50"]
        assert [one["order_id"] for one in book.orders("ADA")["orders"]] == ["A-1001", "A-1002"]


class Bookkeeping(RuleBasedStateMachine):
    """Refunds, transfers and reversals in any order, some repeated, against a model that is only sums."""

    def __init__(self) -> None:
        super().__init__()
        self.book = new_book()
        self.requests = 0
        self.keys: list[tuple[str, Any, Answer]] = []

    def teardown(self) -> None:
        self.book.close()

    def _call(self, key: str, what: Any) -> Call:
        self.requests += 1
        effect = Effect(key, 1, 1, 10)
        return Call("human", f"r{self.requests}", digest_of("tool", {"what": what}), effect)

    def _do(self, what: tuple[Any, ...], key: str) -> Answer:
        call = self._call(key, what)
        match what:
            case ("refund", order, amount, currency):
                return refund(self.book, call, amount, order=order, currency=currency)
            case ("transfer", source, target, amount):
                return self.book.transfer(
                    call, source=source, target=target, amount=Decimal(amount), currency="USD", now=1
                )
            case ("reverse", undone):
                return self.book.reverse(call, transfer_id=None, key=undone, now=1)
        raise AssertionError(what)

    def _first(self, *what: Any) -> None:
        key = f"k{len(self.keys)}"
        self.keys.append((key, what, self._do(what, key)))

    @rule(order=st.sampled_from(["A-1001", "A-1003"]), cents=st.integers(1, 13_000))
    def refund(self, order: str, cents: int) -> None:
        self._first("refund", order, str(Decimal(cents) / 100), "USD")

    @rule(yen=st.integers(1, 1_000))
    def refund_yen(self, yen: int) -> None:
        self._first("refund", "A-1002", str(yen), "JPY")

    @rule(
        source=st.sampled_from(["shop", "reserve", "Ada"]),
        receiver=st.sampled_from(["shop", "reserve", "João"]),
        cents=st.integers(1, 20_000),
    )
    def transfer(self, source: str, receiver: str, cents: int) -> None:
        self._first("transfer", source, receiver, str(Decimal(cents) / 100))

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def reverse(self, data: st.DataObject) -> None:
        self._first("reverse", data.draw(st.sampled_from(self.keys))[0])

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def repeat(self, data: st.DataObject) -> None:
        key, what, answer = data.draw(st.sampled_from(self.keys))
        before = self._dump()
        assert self._do(what, key) == {**answer, "repeated": True}
        assert self._dump() == before

    @invariant()
    def every_transfer_sums_to_zero(self) -> None:
        query = "select transfer from entries group by transfer, currency having sum(amount) <> 0 or count(*) <> 2"
        assert self.book._rows(query) == []

    @invariant()
    def own_accounts_are_not_overdrawn_and_orders_not_overpaid(self) -> None:
        for account in ("shop", "reserve"):
            assert all(Decimal(amount) >= 0 for amount in held(self.book, account).values())
        for order in self.book.orders(None)["orders"]:
            assert 0 <= Decimal(order["remaining"]) <= Decimal(order["paid"])

    @invariant()
    def what_was_said_to_be_done_is_what_is_there(self) -> None:
        done = {answer["transfer_id"] for _, _, answer in self.keys if answer["status"] == "applied"}
        assert done | {1, 2, 3} == {id for (id,) in self.book._rows("select id from transfers")}

    def _dump(self) -> list[Any]:
        return [self.book._rows(f"select * from {table}") for table in ("transfers", "entries", "keys")]


TestBookkeeping = Bookkeeping.TestCase
TestBookkeeping.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
