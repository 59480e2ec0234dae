"""A ledger as a participant: refunds and transfers of money, made once however often they are asked for."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from mew_gateway.sdk import Envelope, Misconfigured, ToolError, ToolResult, tool
from mew_gateway.sdk.exchange.rpc import INVALID_PARAMS

from ..phrasebook import Spoken
from . import ledger_words
from .answer import Answer
from .call import Call
from .desk import Desk
from .effect import Id, Key
from .ledger_book import LedgerBook, Sale
from .money import check_currency

_SALES = (
    Sale("A-1001", "María López", "headphones", Decimal("120.00"), "USD"),
    Sale("A-1002", "João Lima", "bicycle", Decimal("849.90"), "USD"),
    Sale("A-1003", "Emily Stone", "desk lamp", Decimal("59.99"), "USD"),
    Sale("A-1004", "María López", "coffee machine", Decimal("245000.00"), "ARS"),
    Sale("A-1005", "João Lima", "running shoes", Decimal("349.90"), "BRL"),
    Sale("A-1006", "Lucía Gómez", "book", Decimal("18.50"), "EUR"),
)

OrderId = Annotated[str, Meta(min_length=1, max_length=64)]
Amount = Annotated[Decimal, Meta(description="as in 49.90")]
Currency = Annotated[str, Meta(max_length=10, description="as in EUR")]
Account = Annotated[str, Meta(min_length=1, max_length=100, description="shop, another own account, or a customer")]
Customer = Annotated[str, Meta(min_length=1, max_length=100)]
Card = Annotated[str, Meta(min_length=1, max_length=64)]
Reason = Annotated[str, Meta(max_length=500)]


class LedgerOptions(Spoken, frozen=True):
    """`orders` that were paid, own `accounts` besides `shop`, accounts of `payees`, and `cards`.

    What is not in the book yet is added at the start.
    """

    orders: tuple[Sale, ...] = _SALES
    accounts: tuple[Account, ...] = ("reserve",)
    payees: tuple[Account, ...] = ("ana", "bruno", "emily", "lucia")
    cards: tuple[Card, ...] = ("credit", "debit")


class Ledger(Desk[LedgerBook]):
    """Keeps the money. Its effects are `refund`, `transfer`, `reverse` and `block_card`; `refund_status`,
    `transfer_status` and `card_status` tell of any of them. Raises `Misconfigured` when it is opened with an order
    that cannot be."""

    Options = LedgerOptions
    options: LedgerOptions
    FILE = LedgerBook.NAME

    def open(self, path: Path | None) -> LedgerBook:
        try:
            return LedgerBook(
                path,
                accounts=self.options.accounts,
                sales=self.options.orders,
                now=self.now(),
                payees=self.options.payees,
                cards=self.options.cards,
            )
        except ToolError as error:
            raise Misconfigured(f"An order is wrong: {error}") from None

    def say(self, answer: Answer) -> str:
        if answer.get("reversed"):
            answer = {**answer, "code": f"{answer['code']}_and_reversed"}
        return self.sentence(answer, ledger_words.PHRASES, ledger_words.shown(answer, self.options.language))

    @tool
    def orders(self, customer: Customer | None = None) -> ToolResult:
        """Lists the orders of a customer, or all of them: what was paid, and what of it remains."""
        return self.informed(self.book.orders(customer))

    @tool
    def balance(self, account: Account, currency: Currency | None = None) -> ToolResult:
        """Says what is in an account: every sum, or that of one currency."""
        check_currency(currency)
        return self.looked_up(lambda: self.book.balance(account, currency))

    @tool
    def refund(
        self, request: Envelope, order_id: OrderId, amount: Amount, currency: Currency, reason: Reason | None = None
    ) -> ToolResult:
        """Gives money back for an order. Honours _meta["mew/effect"]; ask refund_status what became of it."""
        call = Call.of(request)
        answer = self.book.refund(
            call, order_id=order_id, amount=amount, currency=currency, reason=reason, now=self.now()
        )
        return self.told(answer)

    @tool
    def transfer(
        self, request: Envelope, source: Account, target: Account, amount: Amount, currency: Currency
    ) -> ToolResult:
        """Moves money from one account to another. Honours _meta["mew/effect"]; ask transfer_status about it."""
        call = Call.of(request)
        answer = self.book.transfer(
            call, source=source, target=target, amount=amount, currency=currency, now=self.now()
        )
        return self.told(answer)

    @tool
    def reverse(self, request: Envelope, transfer_id: Id | None = None, key: Key | None = None) -> ToolResult:
        """Takes a refund or a transfer back: the one of this id, or the one that was made under this key."""
        if (transfer_id is None) is (key is None):
            raise ToolError(INVALID_PARAMS, "Name the refund or transfer by transfer_id or by key.")
        call = Call.of(request)
        return self.told(self.book.reverse(call, transfer_id=transfer_id, key=key, now=self.now()))

    @tool
    def block_card(self, request: Envelope, card: Card, reason: Reason | None = None) -> ToolResult:
        """Blocks a card for good. Honours _meta["mew/effect"]; ask card_status what became of it."""
        return self.told(self.book.block_card(Call.of(request), card=card, reason=reason, now=self.now()))

    @tool
    def refund_status(self, request: Envelope, key: Key) -> ToolResult:
        """Says whether a refund was made under a key; with a fence, it stays so."""
        return self.informed(self.book.status(key, Call.of(request).effect))

    @tool
    def transfer_status(self, request: Envelope, key: Key) -> ToolResult:
        """Says whether a transfer or a reversal was made under a key; with a fence, it stays so."""
        return self.informed(self.book.status(key, Call.of(request).effect))

    @tool
    def card_status(self, request: Envelope, key: Key) -> ToolResult:
        """Says whether a card was blocked under a key; with a fence, it stays so."""
        return self.informed(self.book.status(key, Call.of(request).effect))
