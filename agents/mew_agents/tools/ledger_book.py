"""Orders, and the money that was paid and given back for them, in double-entry bookkeeping: nothing is ever changed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta

from mew_gateway.storage.sqlite_files import transaction

from .answer import Answer, Declined, applied
from .book import Book
from .call import Call
from .effect import Effect
from .money import minor_in, plain

SHOP = "shop"  # the account that orders are paid into, and refunded from

Kind: TypeAlias = Literal["sale", "refund", "transfer", "reversal"]

_REFUNDED = """
select coalesce(sum(e.amount), 0) from transfers t join entries e on e.transfer = t.id and e.amount > 0
where t.kind = 'refund' and t.order_id = ? and not exists (select 1 from transfers r where r.reverses = t.id)
"""
_BALANCES = "select currency, sum(amount) from entries where account = ? group by currency order by currency"
_ENTRIES = "select account, currency, amount from entries where transfer = ? order by amount"
_REVERSIBLE = "select id, order_id from transfers where (id = ? or key = ?) and kind in ('refund', 'transfer')"
_BALANCE_IN = "select coalesce(sum(amount), 0) from entries where account = ? and currency = ?"
_BLOCKED = "select blocked_at from cards where id = ?"
# Beside the tables: a book that was made before there were cards gets it as well.
_CARDS = "create table if not exists cards (id text primary key, blocked_at integer, reason text) strict, without rowid"
_POST = "insert into transfers (kind, key, order_id, reverses, memo, at) values (?, ?, ?, ?, ?, ?)"


class Sale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An order that somebody has paid."""

    id: Annotated[str, Meta(min_length=1, max_length=64)]
    customer: Annotated[str, Meta(min_length=1, max_length=100)]
    item: Annotated[str, Meta(max_length=200)]
    amount: Decimal
    currency: str


class Order(NamedTuple):
    """A row of the book: `amount` in minor units."""

    id: str
    customer: str
    item: str
    currency: str
    amount: int


class Movement(NamedTuple):
    """Money on its way from one account to another, in minor units, and what for."""

    kind: Kind
    source: str
    target: str
    minor: int
    currency: str
    order_id: str | None = None
    reverses: int | None = None
    memo: str | None = None

    @property
    def shown(self) -> dict[str, str]:
        amount = plain(self.minor, self.currency)
        return {"source": self.source, "target": self.target, "amount": amount, "currency": self.currency}


class LedgerBook(Book):
    """Moves money between accounts. A customer's account may fall below zero (what they paid came from outside), an own
    one may not. Amounts come and go as decimals in text. `now` is milliseconds since the epoch."""

    NAME = "ledger.db"
    APPLICATION = 0x4D45574C  # "MEWL"
    TABLES = """
    create table accounts (id text primary key, own integer not null) strict, without rowid;
    create table orders (
        id text primary key, customer text not null references accounts, item text not null,
        currency text not null, amount integer not null check (amount > 0)
    ) strict, without rowid;
    create table transfers (
        id integer primary key autoincrement, kind text not null, key text unique, order_id text references orders,
        reverses integer unique references transfers, memo text, at integer not null
    ) strict;
    create table entries (
        transfer integer not null references transfers, account text not null references accounts,
        currency text not null, amount integer not null check (amount <> 0), primary key (transfer, account)
    ) strict, without rowid;
    create index movements on entries (account, currency);
    create index refunds on transfers (order_id);
    create trigger no_change before update on entries begin select raise(abort, 'a ledger is never changed'); end;
    create trigger no_loss before delete on entries begin select raise(abort, 'a ledger is never changed'); end;
    create trigger no_rewriting before update on transfers begin select raise(abort, 'a ledger is never changed'); end;
    create trigger no_removal before delete on transfers begin select raise(abort, 'a ledger is never changed'); end;
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        accounts: Sequence[str],
        sales: Sequence[Sale],
        now: int,
        payees: Sequence[str] = (),
        cards: Sequence[str] = (),
    ) -> None:
        """Own accounts, those of payees, cards and orders that are not there yet are added; what is there stays.

        Raises `ToolError` for an amount that cannot be.
        """
        super().__init__(path)
        with transaction(self._connection):
            self._rows(_CARDS)
            for account in (SHOP, *accounts):
                self._rows("insert or ignore into accounts values (?, 1)", (account,))
            for account in payees:
                self._rows("insert or ignore into accounts values (?, 0)", (account,))
            for card in cards:
                self._rows("insert or ignore into cards values (?, null, null)", (card,))
            for sale in sales:
                self._sell(sale, now)

    def refund(
        self, call: Call, *, order_id: str, amount: Decimal, currency: str, reason: str | None, now: int
    ) -> Answer:
        """Money back for an order, never more than is left of it.

        Declined as `unknown_order`, `other_currency`, `nothing_left`, `exceeds_order` or `insufficient_funds`.
        """
        minor = minor_in(amount, currency)

        def work() -> Answer:
            order = self._order(order_id)
            self._check_refund(order, minor, currency)
            paid = Movement("refund", SHOP, order.customer, minor, currency, order.id, memo=reason)
            return applied(
                "refunded",
                transfer_id=self._move(paid, call, now),
                order_id=order.id,
                customer=order.customer,
                amount=plain(minor, currency),
                currency=currency,
                remaining=plain(self._left(order), currency),
                **({} if reason is None else {"reason": reason}),
            )

        return self._perform(call, work, now=now)

    def transfer(self, call: Call, *, source: str, target: str, amount: Decimal, currency: str, now: int) -> Answer:
        """Money from one account to another; declined as `same_account`, `unknown_account` or `insufficient_funds`."""
        minor = minor_in(amount, currency)

        def work() -> Answer:
            if source == target:
                raise Declined("same_account", account=source)
            moved = Movement("transfer", source, target, minor, currency)
            return applied("transferred", transfer_id=self._move(moved, call, now), **moved.shown)

        return self._perform(call, work, now=now)

    def reverse(self, call: Call, *, transfer_id: int | None, key: str | None, now: int) -> Answer:
        """A refund or transfer taken back, by its id or the key it was made under: the same sums the other way.

        What is taken back already stays so (`reversed_before`); declined as `unknown_transfer`, `insufficient_funds`.
        """

        def work() -> Answer:
            rows = self._rows(_REVERSIBLE, (transfer_id, key))
            if not rows:
                named = {"key": key} if transfer_id is None else {"transfer_id": transfer_id}
                raise Declined("unknown_transfer", **named)
            ((found, order_id),) = rows
            (target, currency, _), (source, _, minor) = self._rows(_ENTRIES, (found,))
            back = Movement("reversal", source, target, minor, currency, order_id, reverses=found)
            before = self._reversal_of(found)
            if before is not None:
                return applied("reversed_before", transfer_id=before, reverses=found, **back.shown)
            return applied("reversed", transfer_id=self._move(back, call, now), reverses=found, **back.shown)

        return self._perform(call, work, now=now)

    def block_card(self, call: Call, *, card: str, reason: str | None, now: int) -> Answer:
        """A card that pays nothing from now on.

        What is blocked already stays so (`card_blocked_before`); declined as `unknown_card`.
        """

        def work() -> Answer:
            rows = self._rows(_BLOCKED, (card,))
            if not rows:
                known = [one for (one,) in self._rows("select id from cards order by id")]
                raise Declined("unknown_card", card=card, cards=known)
            ((before,),) = rows
            if before is not None:
                return applied("card_blocked_before", card=card, blocked_at=before)
            self._rows("update cards set blocked_at = ?, reason = ? where id = ?", (now, reason, card))
            return applied("card_blocked", card=card, blocked_at=now)

        return self._perform(call, work, now=now)

    def status(self, key: str, effect: Effect | None = None) -> Answer:
        """What became of a key; `reversed` says whether what was moved has been taken back since."""
        answer = super().status(key, effect)
        if answer["code"] not in ("refunded", "transferred"):
            return answer
        return {**answer, "reversed": self._reversal_of(answer["transfer_id"]) is not None}

    def balance(self, account: str, currency: str | None = None) -> Answer:
        """What is in an account, a sum a currency, or the one sum of a currency. Raises `Declined`."""
        self._is_own(account)
        if currency is not None:
            ((sum_,),) = self._rows(_BALANCE_IN, (account, currency))
            one = {"currency": currency, "amount": plain(sum_, currency)}
            return {"code": "balance", "account": account, "balances": [one]}
        sums = [{"currency": one, "amount": plain(sum_, one)} for one, sum_ in self._rows(_BALANCES, (account,))]
        return {"code": "balance", "account": account, "balances": sums}

    def orders(self, customer: str | None) -> Answer:
        """The orders of a customer, or all: what was paid for each and what is left of that."""
        found = [
            Order(*row) for row in self._rows("select id, customer, item, currency, amount from orders order by id")
        ]
        wanted = [one for one in found if customer is None or one.customer.casefold() == customer.casefold()]
        return {"code": "orders", "orders": [self._shown(order) for order in wanted]}

    def _sell(self, sale: Sale, now: int) -> None:
        minor = minor_in(sale.amount, sale.currency)
        if self._rows("select 1 from orders where id = ?", (sale.id,)):
            return
        self._rows("insert or ignore into accounts values (?, 0)", (sale.customer,))
        row = (sale.id, sale.customer, sale.item, sale.currency, minor)
        self._rows("insert into orders values (?, ?, ?, ?, ?)", row)
        self._post(Movement("sale", sale.customer, SHOP, minor, sale.currency, sale.id), None, now)

    def _check_refund(self, order: Order, minor: int, currency: str) -> None:
        left = self._left(order)
        details = {
            "order_id": order.id,
            "amount": plain(minor, currency),
            "currency": currency,
            "remaining": plain(left, order.currency),
            "order_currency": order.currency,
        }
        if currency != order.currency:
            raise Declined("other_currency", **details)
        if left == 0:
            raise Declined("nothing_left", **details)
        if minor > left:
            raise Declined("exceeds_order", **details)

    def _move(self, movement: Movement, call: Call, now: int) -> int:
        """Post it, if both accounts exist and the first, if it is our own, has that much."""
        self._is_own(movement.target)
        if self._is_own(movement.source):
            held = dict(self._rows(_BALANCES, (movement.source,))).get(movement.currency, 0)
            if held < movement.minor:
                raise Declined("insufficient_funds", **movement.shown, held=plain(held, movement.currency))
        return self._post(movement, None if call.effect is None else call.effect.key, now)

    def _post(self, movement: Movement, key: str | None, now: int) -> int:
        row = (movement.kind, key, movement.order_id, movement.reverses, movement.memo, now)
        self._rows(_POST, row)
        id = self._connection.last_insert_rowid()
        for account, amount in ((movement.source, -movement.minor), (movement.target, movement.minor)):
            self._rows("insert into entries values (?, ?, ?, ?)", (id, account, movement.currency, amount))
        return id

    def _reversal_of(self, transfer: int) -> int | None:
        rows = self._rows("select id from transfers where reverses = ?", (transfer,))
        return int(rows[0][0]) if rows else None

    def _is_own(self, account: str) -> bool:
        rows = self._rows("select own from accounts where id = ?", (account,))
        if not rows:
            own = [name for (name,) in self._rows("select id from accounts where own order by id")]
            raise Declined("unknown_account", account=account, accounts=own)
        return bool(rows[0][0])

    def _order(self, id: str) -> Order:
        rows = self._rows("select id, customer, item, currency, amount from orders where id = ?", (id,))
        if not rows:
            raise Declined("unknown_order", order_id=id)
        return Order(*rows[0])

    def _left(self, order: Order) -> int:
        """What has not been given back."""
        ((refunded,),) = self._rows(_REFUNDED, (order.id,))
        return order.amount - int(refunded)

    def _shown(self, order: Order) -> dict[str, str]:
        return {
            "order_id": order.id,
            "customer": order.customer,
            "item": order.item,
            "currency": order.currency,
            "paid": plain(order.amount, order.currency),
            "remaining": plain(self._left(order), order.currency),
        }
