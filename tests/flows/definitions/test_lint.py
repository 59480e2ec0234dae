"""What a flow file gets wrong, word for word and with its place; and what it is only warned about."""

from __future__ import annotations

from pathlib import Path

import pytest

from mew_agents.flows.definitions import Checked, check

SHOP = (Path(__file__).parent / "shop.yaml").read_text(encoding="utf-8")
TOOLS = {"shop/price", "shop/order", "shop/status", "shop/undo"}


def checked(*changes: tuple[str, str], tools: set[str] | None = None) -> Checked:
    text = SHOP
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return check(text.encode(), tools=tools)


def told(found: Checked, *, warnings: bool = False) -> str:
    lines = found.warnings if warnings else found.errors
    return "\n".join(str(line).removeprefix("flows.yaml:") for line in lines)


def test_the_example_is_right() -> None:
    found = checked(tools=TOOLS)
    assert (found.errors, found.warnings) == ((), ())
    assert [flow.name for flow in found.require()] == ["order", "address", "survey"]


# What is written instead of what, and what is said about it.
REFUSALS = [
    (
        "digression: deny",
        "digresion: deny",
        "5:5: flows.order.digresion: Unknown key (did you mean `digression`?)",
    ),
    (
        "digression: deny",
        "digression: maybe",
        "5:17: flows.order.digression: `maybe` is not one of allow, deny.",
    ),
    (
        "title: {es: pedido, en: order}",
        "title: {fr: ordre}",
        "3:13: flows.order.title.fr: `fr` is not one of es, pt, en.",
    ),
    (
        "  order:\n    title",
        "  Order:\n    title",
        "2:3: flows.Order: `Order` is no name (1 to 31 of a-z 0-9 _, beginning with a letter)",
    ),
    (
        "{id: what, collect: item}",
        "{id: what, colect: item}",
        "18:9: flows.order.steps[0]: The step does nothing (did you mean `collect`?)",
    ),
    (
        "{id: what, collect: item}",
        "{id: what, collect: item, say: {es: a}}",
        "18:9: flows.order.steps[0]: A step does one thing, not `collect` and `say` (make two steps of it)",
    ),
    (
        "{id: what, collect: item}",
        "{collect: item}",
        "18:9: flows.order.steps[0].id: The key is required.",
    ),
    (
        "{id: what, collect: item}",
        "[what]",
        "18:9: flows.order.steps[0]: Expected a mapping (`key: value`), not a list.",
    ),
    (
        "{id: what, collect: item}",
        "{id: end, collect: item}",
        "18:14: flows.order.steps[0].id: `end` stands for an end, so no step is called that (give it another id)",
    ),
    (
        "{id: what, collect: item}",
        "{id: what, collect: itm}",
        "18:29: flows.order.steps[0].collect: There is no slot `itm` (did you mean `item`?)",
    ),
    (
        "{id: what, collect: item}",
        "{id: how_many, collect: item}",
        "19:14: flows.order.steps[1].id: Another step has this id (give it another)\n"
        "38:116: flows.order.steps[6].on_deny: There is no step `what`.",
    ),
    (
        "{id: what, collect: item}",
        "{id: what, collect: item, note: x}",
        "18:35: flows.order.steps[0].note: Unknown key (known here: id, collect)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: integer}\n",
        "16:21: flows.order.slots.tries.type: `integer` is not one of string, text, int, number, money, bool, "
        "enum, date, time, datetime, duration, phone, email, ref (did you mean `int`?)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int, validators: {minimum: 1}}\n",
        "16:39: flows.order.slots.tries.validators.minimum: Unknown key (did you mean `min`?)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int, min: 1}\n",
        "16:26: flows.order.slots.tries.min: Unknown key (known here: validators, label, ask, cues, explain, type)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int, validators: {min: 5, max: 4}}\n",
        "16:44: flows.order.slots.tries.validators.min: More than `max`: nothing is both.",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int, validators: {check: value > 1}}\n",
        "16:38: flows.order.slots.tries.validators: A `check` and a `message` belong together (write both)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int}\n      now: {type: int}\n",
        "17:7: flows.order.slots.now: `now` means something else in an expression (give it another name)",
    ),
    (
        "      street: {type: string}\n      tries",
        "      street: {type: ref}\n      tries",
        "15:15: flows.order.slots.street: A ref has either a list or a tool that knows it (`list: {id: "
        "[names]}` or `tool: …`)",
    ),
    (
        "      street: {type: string}\n      tries",
        "      street: {type: string, validators: {min_length: 9, max_length: 3}}\n      tries",
        "15:55: flows.order.slots.street.validators.min_length: More than `max_length`: nothing is both.",
    ),
    (
        "price: {type: money, currency: USD}",
        "price: {type: money, currency: US}",
        "13:38: flows.order.slots.price.currency: `US` is no currency (three capitals of ISO 4217, such as ARS, "
        "BRL or USD)",
    ),
    (
        "price: {type: money, currency: USD}",
        "price: {type: money}",
        "13:7: flows.order.slots.price.currency: The key is required.",
    ),
    (
        "value != 7 or",
        "value != 7 orr",
        "10:45: flows.order.slots.count.validators.check: This is no expression (docs/flow-files.md, expressions)",
    ),
    (
        "value != 7 or",
        "vale != 7 or",
        "10:45: flows.order.slots.count.validators.check: There is no slot `vale` (known here: item, count, "
        "price, note, street, tries)",
    ),
    (
        "value != 7 or",
        "value.amount != 7 or",
        "10:45: flows.order.slots.count.validators.check: A slot of the type int has no parts, and so no `amount`.",
    ),
    (
        "tries < 2",
        "tries ** 2",
        "22:16: flows.order.steps[3].while: Only values, slots, + - * / // %, comparisons, `and`, `or`, `not`, "
        "`in`, `a if b else c`, `[…]` and abs, int, len, lower, max, min, number, round, text, upper are taken "
        "(docs/flow-files.md, expressions)",
    ),
    (
        "tries < 2",
        "tres < 2",
        "22:16: flows.order.steps[3].while: There is no slot `tres` (did you mean `tries`?)",
    ),
    (
        "price.amount > 100",
        "price.amont > 100",
        "34:19: flows.order.steps[4].branch[1].when: Money has no `amont` (did you mean `amount`?)",
    ),
    (
        "price.amount > 100",
        "item.amount > 100",
        "34:19: flows.order.steps[4].branch[1].when: A slot of the type enum has no parts, and so no `amount`.",
    ),
    (
        "price.amount > 100",
        "result > 100",
        "34:19: flows.order.steps[4].branch[1].when: There is no slot `result` (known here: item, count, price, "
        "note, street, tries)",
    ),
    (
        "price.amount > 100",
        "[price.amount > 100]",
        '34:19: flows.order.steps[4].branch[1].when: `["price.amount > 100"]` is no expression (text; a text '
        "within it is quoted: `\"'yes'\"`)",
    ),
    (
        '{count} {item}[, {note}]?", en',
        '{count} {itm}[, {note}?", en',
        "38:34: flows.order.steps[6].confirm.es: A `[` is not closed (`{slot}` is a slot's value; `{{` and `[[` "
        "are the signs themselves)",
    ),
    (
        '{count} {item}[, {note}]?", en',
        '{count} {itm}[, {note}]?", en',
        "38:34: flows.order.steps[6].confirm.es: There is no slot `itm` (did you mean `item`?)",
    ),
    (
        "¿Cuántos?",
        "¿Cuántos {item}?",
        "11:19: flows.order.slots.count.ask.es: A question has no places for values (a `say` before it tells values)",
    ),
    (
        "De {item}.",
        "De {items}.",
        "12:23: flows.order.slots.count.explain.es: There is no slot `items` (did you mean `item`?)",
    ),
    (
        "ttl: 1h",
        "ttl: 60",
        "38:103: flows.order.steps[6].ttl: The duration `60` needs a unit (`60s`, `60m`, …)",
    ),
    (
        "on_deny: what",
        "on_deny: wat",
        "38:116: flows.order.steps[6].on_deny: There is no step `wat` (did you mean `what`?)",
    ),
    (
        "on_deny: what",
        "on_deny: counted",
        "38:116: flows.order.steps[6].on_deny: The step is inside of another block.",
    ),
    (
        "on_deny: what",
        "on_deny: buy",
        "38:116: flows.order.steps[6].on_deny: `buy` is an effect: only the yes right before it leads there "
        "(name the `confirm`)",
    ),
    (
        "on_error: sorry",
        "on_error: buy",
        "50:19: flows.order.steps[7].on_error: `buy` is an effect: only the yes right before it leads there "
        "(name the `confirm`)",
    ),
    (
        "      - id: buy\n",
        "      - {id: pause, say: {es: a, en: a}}\n      - id: buy\n",
        "42:17: flows.order.steps[8].effect: No yes comes right before this effect (put a `confirm` before it)",
    ),
    (
        "effect: true\n",
        "effect: yes\n",
        "41:17: flows.order.steps[7].effect: Expected `true` or `false`, not the text `yes`.",
    ),
    (
        "total: {slot: price, part: amount}",
        "total: {slot: price, part: date}",
        "43:85: flows.order.steps[7].args.total.part: A slot of the type money has no date (leave `part` out)",
    ),
    (
        "total: {slot: price, part: amount}",
        "total: {expr: price.amount}",
        "43:66: flows.order.steps[7].args.total.expr: An effect is given slots, so that the yes before it can "
        "be to what it does (`set` a slot before the `confirm`, and name it here)",
    ),
    (
        "total: {slot: price, part: amount}",
        "total: {slt: price}",
        '43:65: flows.order.steps[7].args.total: `{"slt": "price"}` is no argument (text, a number, true, '
        "false, `{slot: …}`, `{work: …}` or `{expr: …}`)",
    ),
    (
        "total: {slot: price, part: amount}",
        'total: "{prce}"',
        "43:65: flows.order.steps[7].args.total: There is no slot `prce` (did you mean `price`?)",
    ),
    (
        "{expr: count * 1}",
        "{work: id}",
        "26:90: flows.order.steps[3].steps[1].args.count.work: Only an effect has a Work (`effect: true`, or "
        "leave it out)",
    ),
    (
        "{key: {key: buy}}",
        "{key: {key: sell}}",
        "47:57: flows.order.steps[7].compensate.args.key.key: `sell` is not this effect (`buy`)",
    ),
    (
        "result: {tries: result.number}",
        "result: {trie: result.number}",
        "44:18: flows.order.steps[7].result.trie: There is no slot `trie` (did you mean `tries`?)",
    ),
    (
        "tool: shop/undo",
        "tool: shop/undoo",
        "47:28: flows.order.steps[7].compensate.tool: There is no tool `shop/undoo` (did you mean `shop/undo`?)",
    ),
    (
        "action: shop/price",
        "action: shop_price",
        "26:37: flows.order.steps[3].steps[1].action: `shop_price` is no tool (`participant/name`, such as "
        "calendar/book_appointment)",
    ),
    (
        "call: address, with: {of: item}, take: {street: street}",
        "call: adress, with: {off: item}, take: {street: stret}",
        "37:27: flows.order.steps[5].call: There is no flow `adress` (did you mean `address`?)",
    ),
    (
        "call: address, with: {of: item}, take: {street: street}",
        "call: address, with: {off: item}, take: {street: stret}",
        "37:43: flows.order.steps[5].with.off: There is no slot `off` (did you mean `of`?)\n"
        "37:70: flows.order.steps[5].take.street: There is no slot `stret` (did you mean `street`?)",
    ),
    (
        "call: address, with: {of: item}, take: {street: street}",
        "call: order",
        "37:27: flows.order.steps[5].call: The flow calls itself: order → order (`link` goes on without return)",
    ),
    (
        "{id: street, collect: street}",
        "{id: street, call: order}",
        "37:27: flows.order.steps[5].call: The flow calls itself: order → address → order (`link` goes on "
        "without return)\n"
        "61:28: flows.address.steps[1].call: The flow calls itself: address → order → address (`link` goes on "
        "without return)",
    ),
    (
        "link: survey",
        "link: surveys",
        "51:28: flows.order.steps[8].link: There is no flow `surveys` (did you mean `survey`?)",
    ),
    (
        "on_error: counted_on",
        "on_error: ask_price",
        "26:144: flows.order.steps[3].steps[1].on_error: While it fails, the flow goes round for good (lead to a "
        "`confirm`, or `branch` to an end on the way)",
    ),
    (
        "on_error: counted_on",
        "on_error: counted",
        "26:144: flows.order.steps[3].steps[1].on_error: While it fails, the flow goes round for good (lead to a "
        "`confirm`, or `branch` to an end on the way)",
    ),
    (
        "on_error: counted_on",
        "on_error: begin",
        "26:144: flows.order.steps[3].steps[1].on_error: While it fails, the flow goes round for good (lead to a "
        "`confirm`, or `branch` to an end on the way)",
    ),
    (
        "{id: fine, collect: fine}",
        "{id: fine, link: survey}",
        "68:26: flows.survey.steps[0].link: The flows go on with each other for good, and ask nobody (`collect` or "
        "`confirm` something on the way)",
    ),
    (
        "{id: given_up, end: failed}",
        "{id: given_up, end: stopped}",
        "33:37: flows.order.steps[4].branch[0].steps[1].end: `stopped` is not one of completed, cancelled, failed.",
    ),
    (
        "          - else: []\n",
        "          - otherwise: []\n",
        "36:13: flows.order.steps[4].branch[2].when: The key is required.\n"
        "36:13: flows.order.steps[4].branch[2].steps: The key is required.\n"
        "36:13: flows.order.steps[4].branch[2].otherwise: Unknown key (known here: when, steps)",
    ),
    (
        "        max: 3\n",
        "        max: 0\n",
        "23:14: flows.order.steps[3].max: The number must be at least 1.",
    ),
]
WARNINGS = [
    (
        "{id: given_up, end: failed}\n",
        "{id: given_up, end: failed}\n              - {id: after, say: {es: a, en: a}}\n              - {id: "
        "later, say: {es: a, en: a}}\n",
        "34:17: flows.order.steps[4].branch[0].steps[2]: Nothing leads here: this step is never done (delete "
        "it, or let a jump name it)",
    ),
    (
        "{id: thanks, link: survey, with: {about: item}}",
        "{id: thanks, end: completed}\n      - {id: never, say: {es: a, en: a}}\n      - {id: gone, end: failed}",
        "52:9: flows.order.steps[9]: Nothing leads here: this step is never done (delete it, or let a jump name it)",
    ),
    (
        "triggers: {es: [hacer un pedido], en: [place an order]}",
        "triggers: {es: [hacer un pedido]}",
        "4:15: flows.order.triggers: Missing in en, which other texts of the flow have (people of that language "
        "get another one)",
    ),
    (
        "title: {es: encuesta, en: survey}",
        "title: {es: encuesta, en: survey}\n    triggers: {en: [Place an order]}",
        "4:44: flows.order.triggers.en[0]: It also asks for `survey`, so it is asked back.\n"
        "64:15: flows.survey.triggers: Missing in es, which other texts of the flow have (people of that "
        "language get another one)\n"
        "66:14: flows.survey.slots.about: Nothing asks for this slot or sets it, and it has no `cues`: it stays "
        "empty (`collect` it, or delete it)",
    ),
    (
        '¿Qué?", en: "What?"}',
        '¿Qué?"}',
        "7:31: flows.order.slots.item.ask: Missing in en, which other texts of the flow have (people of that "
        "language get another one)",
    ),
    (
        'ask: {es: "¿Qué?", en: "What?"}, ',
        "",
        "7:13: flows.order.slots.item: It is asked for as “item?”: it has no `ask` (write the question)",
    ),
    (
        "      tries: {type: int}\n",
        "      tries: {type: int}\n      spare: {type: date}\n",
        "17:14: flows.order.slots.spare: Nothing asks for this slot or sets it, and it has no `cues`: it stays "
        "empty (`collect` it, or delete it)",
    ),
    (
        "while: price is null and tries < 2",
        "while: count > 3",
        "22:16: flows.order.steps[3].while: Nothing inside changes what this asks: it is so never, or until "
        "`max` (`set` or `collect` a slot of it inside)",
    ),
    (
        "on_error: counted_on",
        "on_error: what",
        "26:144: flows.order.steps[3].steps[1].on_error: If it fails again and again, the flow goes round and "
        "asks nobody (lead to a `confirm`, or `set` what was collected to `null`)",
    ),
    (
        "        reconcile: shop/status\n",
        "",
        "45:22: flows.order.steps[7].idempotency: The tool cannot be asked what it did (add `reconcile`)",
    ),
    (
        "        idempotency: keyed\n        reconcile: shop/status\n",
        "",
        "39:9: flows.order.steps[7]: It may end in doubt: it has no key, and the tool cannot be asked (add "
        "`reconcile`)",
    ),
    (
        "on_error: counted_on",
        "on_error: counted_on, reconcile: shop/status",
        "26:156: flows.order.steps[3].steps[1].reconcile: Only an effect has this: the same call is made again "
        "after a crash (`effect: true`, or leave it out)",
    ),
    (
        "en: [tea]",
        "en: [mate]",
        "7:122: flows.order.slots.item.options.mate.en[0]: It also means `tea`, so it is asked back.",
    ),
    (
        "¿{count} {item}[, {note}]?",
        "¿{count} {item}, {note}?",
        "38:34: flows.order.steps[6].confirm.es: `note` may have no value here (put what depends on it in "
        "brackets: `[, {note}]`)",
    ),
    (
        'text: "[{note}]"',
        'text: "note: {note}", note: "{note}", both: "{count}[ {note}]"',
        "43:120: flows.order.steps[7].args.text: `note` may have no value here (put what depends on it in "
        "brackets: `[, {note}]`)",
    ),
    (
        "args: {key: {key: buy}}",
        'args: {key: {key: buy}, why: "not {note}"}',
        "47:68: flows.order.steps[7].compensate.args.why: `note` may have no value here (put what depends on it in "
        "brackets: `[, {note}]`)",
    ),
    (
        "Es caro[: {price}].",
        "Es caro: {price} {tries} {note}.",
        "35:45: flows.order.steps[4].branch[1].steps[0].say.es: `price` may have no value here (put what "
        "depends on it in brackets: `[, {price}]`)",
    ),
    (
        "{of: item}, take: {street: street}",
        "{street: item}, take: {street: of}",
        "37:43: flows.order.steps[5].with.street: People may correct this in `address`, and this flow would not know "
        "(`take` a slot from `street`)\n"
        "60:30: flows.address.steps[0].say.es: `of` may have no value here (put what depends on it in brackets: "
        "`[, {of}]`)\n"
        "60:48: flows.address.steps[0].say.en: `of` may have no value here (put what depends on it in brackets: "
        "`[, {of}]`)",
    ),
    (
        "with: {of: item}, take",
        "take",
        "60:30: flows.address.steps[0].say.es: `of` may have no value here (put what depends on it in brackets: "
        "`[, {of}]`)\n"
        "60:48: flows.address.steps[0].say.en: `of` may have no value here (put what depends on it in brackets: "
        "`[, {of}]`)",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), REFUSALS, ids=range(len(REFUSALS)))
def test_refusal(old: str, new: str, expected: str) -> None:
    found = checked((old, new), tools=TOOLS)
    assert found.flows is None
    assert told(found) == expected


@pytest.mark.parametrize(("old", "new", "expected"), WARNINGS, ids=range(len(WARNINGS)))
def test_warning(old: str, new: str, expected: str) -> None:
    found = checked((old, new), tools=TOOLS)
    assert told(found) == ""
    assert told(found, warnings=True) == expected


ROUND = """
flows:
  first:
    title: {en: first}
    triggers: {en: [begin]}
    steps: [{id: go, call: look}, {id: on, link: second}]
  look:
    title: {en: look}
    steps: [{id: say, say: {en: hm}}]
  second:
    title: {en: second}
    slots: {done: {type: bool}}
    steps: [{id: say, say: {en: hm}}, {id: back, link: first}]
"""
SILENT = "The flows go on with each other for good, and ask nobody."


def test_flows_that_go_on_with_each_other_ask_somebody_on_the_way() -> None:
    found = check(ROUND.encode())
    assert [(problem.line, problem.message) for problem in found.errors] == [(6, SILENT), (13, SILENT)]
    asked = ROUND.replace("{id: say, say: {en: hm}}]\n  second", "{id: sure, confirm: {en: So}}]\n  second")
    assert check(asked.encode()).errors == ()  # a flow that is called on the way asks
    chosen = ROUND.replace("{id: back, link: first}", "{id: or, branch: [{when: done, steps: [{id: b, link: first}]}]}")
    assert check(chosen.encode()).errors == ()
