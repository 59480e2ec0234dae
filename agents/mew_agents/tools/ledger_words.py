"""What the ledger says to people, in English, Spanish and Portuguese."""

from __future__ import annotations

from collections.abc import Mapping

from babel.lists import format_list

from ..phrasebook import Language, Phrasebook
from .answer import Answer
from .money import written

PHRASES = Phrasebook(
    {
        "refunded": {
            "en": "Refunded: {sum} of order {order_id} to {customer}; {left} of it remain. It is transfer "
            "{transfer_id}.",
            "es": "Reembolsado: {sum} del pedido {order_id} a {customer}; quedan {left}. Es el movimiento "
            "{transfer_id}.",
            "pt": "Reembolsado: {sum} do pedido {order_id} para {customer}; restam {left}. É o movimento "
            "{transfer_id}.",
        },
        "refunded_and_reversed": {
            "en": "Refunded, and taken back since: {sum} of order {order_id} to {customer} (transfer {transfer_id}).",
            "es": "Reembolsado, y revertido después: {sum} del pedido {order_id} a {customer} (movimiento "
            "{transfer_id}).",
            "pt": "Reembolsado, e estornado depois: {sum} do pedido {order_id} para {customer} (movimento "
            "{transfer_id}).",
        },
        "transferred": {
            "en": "Transferred: {sum} from {source} to {target}. It is transfer {transfer_id}.",
            "es": "Transferido: {sum} de {source} a {target}. Es el movimiento {transfer_id}.",
            "pt": "Transferido: {sum} de {source} para {target}. É o movimento {transfer_id}.",
        },
        "transferred_and_reversed": {
            "en": "Transferred, and taken back since: {sum} from {source} to {target} (transfer {transfer_id}).",
            "es": "Transferido, y revertido después: {sum} de {source} a {target} (movimiento {transfer_id}).",
            "pt": "Transferido, e estornado depois: {sum} de {source} para {target} (movimento {transfer_id}).",
        },
        "reversed": {
            "en": "Taken back: {sum} from {source} to {target}, which undoes transfer {reverses}.",
            "es": "Revertido: {sum} de {source} a {target}, con lo que se deshace el movimiento {reverses}.",
            "pt": "Estornado: {sum} de {source} para {target}, o que desfaz o movimento {reverses}.",
        },
        "reversed_before": {
            "en": "Transfer {reverses} had been taken back already, by transfer {transfer_id}.",
            "es": "El movimiento {reverses} ya se había revertido, con el movimiento {transfer_id}.",
            "pt": "O movimento {reverses} já tinha sido estornado, pelo movimento {transfer_id}.",
        },
        "exceeds_order": {
            "en": "{sum} is more than remains of order {order_id}: {left}.",
            "es": "{sum} es más de lo que queda del pedido {order_id}: {left}.",
            "pt": "{sum} é mais do que resta do pedido {order_id}: {left}.",
        },
        "nothing_left": {
            "en": "All of order {order_id} has been refunded already.",
            "es": "El pedido {order_id} ya se reembolsó por completo.",
            "pt": "O pedido {order_id} já foi reembolsado por completo.",
        },
        "other_currency": {
            "en": "Order {order_id} was paid in {order_currency}, not in {currency}.",
            "es": "El pedido {order_id} se pagó en {order_currency}, no en {currency}.",
            "pt": "O pedido {order_id} foi pago em {order_currency}, não em {currency}.",
        },
        "insufficient_funds": {
            "en": "The account {source} holds {funds}: too little for {sum}.",
            "es": "En la cuenta {source} hay {funds}: no alcanza para {sum}.",
            "pt": "A conta {source} tem {funds}: não chega para {sum}.",
        },
        "same_account": {
            "en": "From {account} to {account} nothing moves.",
            "es": "De {account} a {account} no se mueve nada.",
            "pt": "De {account} para {account} nada se move.",
        },
        "unknown_order": {
            "en": "There is no order {order_id}.",
            "es": "No hay ningún pedido {order_id}.",
            "pt": "Não há nenhum pedido {order_id}.",
        },
        "unknown_account": {
            "en": "There is no account {account}. There are {accounts}, and one of each customer.",
            "es": "No hay ninguna cuenta {account}. Hay {accounts}, y una de cada cliente.",
            "pt": "Não há nenhuma conta {account}. Há {accounts}, e uma de cada cliente.",
        },
        "unknown_transfer": {
            "en": "There is no such refund or transfer.",
            "es": "No hay tal reembolso ni transferencia.",
            "pt": "Não há tal reembolso nem transferência.",
        },
        "card_blocked": {
            "en": "Blocked: the card {card}. It pays nothing any more.",
            "es": "Bloqueada: la tarjeta {card}. Ya no paga nada.",
            "pt": "Bloqueado: o cartão {card}. Não paga mais nada.",
        },
        "card_blocked_before": {
            "en": "The card {card} had been blocked already.",
            "es": "La tarjeta {card} ya estaba bloqueada.",
            "pt": "O cartão {card} já estava bloqueado.",
        },
        "unknown_card": {
            "en": "There is no card {card}. There are {cards}.",
            "es": "No hay ninguna tarjeta {card}. Hay {cards}.",
            "pt": "Não há nenhum cartão {card}. Há {cards}.",
        },
        "balance": {"en": "{account}: {sums}", "es": "{account}: {sums}", "pt": "{account}: {sums}"},
        "empty": {"en": "nothing", "es": "nada", "pt": "nada"},
        "orders": {"en": "{lines}", "es": "{lines}", "pt": "{lines}"},
        "order": {
            "en": "{order_id}: {item}, {customer}, paid {sum}, {left} remain",
            "es": "{order_id}: {item}, {customer}, pagado {sum}, quedan {left}",
            "pt": "{order_id}: {item}, {customer}, pago {sum}, restam {left}",
        },
        "no_orders": {
            "en": "There are no such orders.",
            "es": "No hay tales pedidos.",
            "pt": "Não há tais pedidos.",
        },
    }
)


def shown(answer: Answer, language: Language) -> Mapping[str, str]:
    """The fields of the ledger's answers as people write them."""
    values: dict[str, str] = {}
    currency = str(answer.get("currency"))
    for name, said in (("amount", "sum"), ("paid", "sum"), ("held", "funds")):
        if name in answer:
            values[said] = written(answer[name], currency, language)
    if "remaining" in answer:
        values["left"] = written(answer["remaining"], answer.get("order_currency", currency), language)
    if "accounts" in answer:
        values["accounts"] = format_list(answer["accounts"], locale=language)
    if "cards" in answer:
        values["cards"] = format_list(answer["cards"], locale=language)
    if "balances" in answer:
        sums = [written(one["amount"], one["currency"], language) for one in answer["balances"]]
        values["sums"] = ", ".join(sums) or PHRASES.say("empty", language)
    if "orders" in answer:
        lines = [PHRASES.say("order", language, **one, **shown(one, language)) for one in answer["orders"]]
        values["lines"] = "\n".join(lines) or PHRASES.say("no_orders", language)
    return values
