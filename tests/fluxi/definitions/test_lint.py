"""What a definition gets wrong, word for word and with its place; and what it is only warned about."""

from __future__ import annotations

from pathlib import Path

import pytest

from mew_agents.fluxi.definitions import Checked, check

VISIT = (Path(__file__).parent / "visit.yaml").read_text(encoding="utf-8")
TOOLS = {"calendar/book", "calendar/status", "calendar/cancel"}


def checked(*changes: tuple[str, str], tools: set[str] | None = None) -> Checked:
    text = VISIT
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return check(text.encode(), tools=tools)


def told(found: Checked, *, warnings: bool = False) -> str:
    lines = found.warnings if warnings else found.errors
    return "\n".join(str(line).removeprefix("definition.yaml:") for line in lines)


def test_the_example_is_right() -> None:
    found = checked(tools=TOOLS)
    assert (found.errors, found.warnings) == ((), ())
    assert found.require().languages == ("es", "en")


# What is written instead of what, and what is said about it.
REFUSALS = [
    (
        "version: 1",
        "version: 0",
        "2:10: version: The number must be at least 1.",
    ),
    (
        "version: 1",
        "verison: 1",
        "1:1: version: The key is required.\n2:1: verison: Unknown key (did you mean `version`?)",
    ),
    (
        "typeId: visit",
        "typeId: a visit",
        "1:9: typeId: `a visit` is no id (1 to 64 of A-Z a-z 0-9 . _ -, beginning with a letter or digit)",
    ),
    (
        "title: {es: visita, en: visit}",
        "title: {es: visita, fr: visite, en: visit}",
        "3:21: title.fr: `fr` is not one of es, pt, en.",
    ),
    (
        "title: {es: visita, en: visit}",
        "title: {es: visita, pt: visita, en: visit}",
        "4:10: intents: Missing in pt: the words that ask for it (every language of `title`)\n"
        "10:12: slots[0].label: Missing in pt: the label (every language of `title`)\n"
        "11:13: slots[0].prompt: Missing in pt: the question (every language of `title`)\n"
        "15:12: slots[1].label: Missing in pt: the label (every language of `title`)\n"
        "18:12: slots[2].label: Missing in pt: the label (every language of `title`)\n"
        "20:12: slots[2].options.big: Missing in pt: the words for this option (every language of `title`)\n"
        "21:14: slots[2].options.small: Missing in pt: the words for this option (every language of `title`)\n"
        "25:12: confirmation.summary: Missing in pt: what will be done, which is said before and after (every language "
        "of `title`)",
    ),
    (
        "intents: {es: [pedir visita], en: [book a visit]}",
        "intents: {es: [pedir visita], en: [book a visit], pt: [visita]}",
        "4:51: intents.pt: The title is not in this language (add it to `title`)",
    ),
    (
        "    type: datetime",
        "    type: datetime\n    past: true\n    futureOnly: true\n    within: 3d",
        "9:11: slots[0].past: With `futureOnly` only today is left (one of the two)\n"
        "11:13: slots[0].within: Of past days none is later than now (leave out `within`, or `past`)",
    ),
    (
        "bindingAttributes: [day]",
        "bindingAttributes: [dya, price]",
        "5:21: bindingAttributes[0]: There is no slot `dya` (did you mean `day`?)\n"
        "5:26: bindingAttributes[1]: A binding attribute is a required slot (`required: true` there)",
    ),
    (
        "path: price",
        "path: day",
        "12:11: slots[1].path: Another slot has this path (give it another)\n"
        "30:56: effects[0].args.price.slot: There is no slot `price` (known here: day, size)",
    ),
    (
        "type: datetime",
        "type: datetme",
        "8:11: slots[0].type: `datetme` is not one of string, text, int, number, money, bool, enum, date, time, "
        "datetime, duration, phone, email, ref (did you mean `datetime`?)",
    ),
    (
        "    type: datetime\n",
        "",
        "7:5: slots[0].type: The key is required.",
    ),
    (
        "currency: USD",
        "currency: USDD\n    curency: EUR\n    min: ten",
        "14:15: slots[1].currency: `USDD` is no currency (three capitals of ISO 4217, such as ARS, BRL or USD)\n"
        "15:5: slots[1].curency: Unknown key (did you mean `currency`?)\n"
        "16:10: slots[1].min: `ten` is no number (digits, with a `.` before decimals)",
    ),
    (
        "currency: USD",
        'currency: USD\n    min: 5\n    max: "4.99"',
        "15:10: slots[1].min: More than `max`: nothing is both.",
    ),
    (
        "label: {es: precio, en: price}",
        "label: {es: precio, en: price}\n    default: {sender: true}",
        "16:23: slots[1].default.sender: A slot of the type money holds no sender (a string does)",
    ),
    (
        "label: {es: tamaño, en: size}",
        "label: {es: tamaño, en: size}\n    default: {value: huge}",
        "19:22: slots[2].default.value: `huge` is no option (known here: big, small)",
    ),
    (
        'aggregateKey: "visit:{day}"',
        'aggregateKey: "visit:{day}{price}[{when}]"',
        "22:15: aggregateKey: `price` is not required, so the key may lack it (required slots only)",
    ),
    (
        'aggregateKey: "visit:{day}"',
        'aggregateKey: "visit:{day"',
        "22:15: aggregateKey: A `{` has no other half (`{path}` is a slot's value; `{{` and `[[` are the signs "
        "themselves)",
    ),
    (
        'en: "visit on {day}[, {size}]"',
        'en: "visit on {day}, {size}"',
        "25:50: confirmation.summary.en: `size` may have no value (put what depends on it in brackets: `[, {size}]`)",
    ),
    (
        "confirmation:\n",
        "confirmation:\n  ttl: PT30M\n",
        "25:8: confirmation.ttl: A question must live longer than the Work, or a late yes finds nothing to answer "
        "(more than `policies.expiration`)",
    ),
    (
        "confirmation:\n",
        "confirmation:\n  ttl: 3600\n",
        "25:8: confirmation.ttl: The duration `3600` needs a unit (`3600s`, `3600m`, …)",
    ),
    (
        "effectType: book_visit",
        "effectType: book_visit\n    label: {es: la visita}",
        "29:12: effects[0].label: Missing in en: the label (every language of `title`)",
    ),
    (
        "effectType: book_visit",
        "effectType: book_visit\n    retry: {attempts: 0, backoff: 2m}",
        "29:23: effects[0].retry.attempts: The number must be at least 1.",
    ),
    (
        "effectType: book_visit",
        "effectType: book_visit\n    retry: {backoff: 2m}",
        "29:5: effects[0].retry.maxBackoff: The longest wait is shorter than the first.",
    ),
    (
        "tool: calendar/book\n",
        "tool: book\n",
        "29:11: effects[0].tool: `book` is no tool (`participant/name`, such as calendar/book_appointment)",
    ),
    (
        "part: date}",
        "part: amount}",
        "30:35: effects[0].args.day.part: A slot of the type datetime has no amount (leave `part` out)",
    ),
    (
        "key: {key: book}}\n    idem",
        "key: {key: pay}}\n    idem",
        "30:112: effects[0].args.key.key: `pay` is no effect up to here (known here: book)",
    ),
    (
        "key: {key: book}}\n    idem",
        "key: {kee: book}}\n    idem",
        '30:106: effects[0].args.key: `{"kee": "book"}` is no argument (text, a number, true, false, `{slot: …}`,'
        " `{key: …}` or `{work: …}`)",
    ),
    (
        "key: {key: book}}\n    idem",
        "key: [book]}\n    idem",
        '30:106: effects[0].args.key: `["book"]` is no argument (text, a number, true, false, `{slot: …}`, `{key:'
        " …}` or `{work: …}`)",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), REFUSALS, ids=range(len(REFUSALS)))
def test_refusal(old: str, new: str, expected: str) -> None:
    found = checked((old, new))
    assert found.definition is None
    assert told(found) == expected


def test_tools_must_be_there_when_they_are_known() -> None:
    assert told(checked(tools={"calendar/book", "calendar/cancel", "calendar/state"})) == (
        "32:16: effects[0].reconcile: There is no tool `calendar/status` (did you mean `calendar/state`?)"
    )
    assert told(checked(tools={"ledger/refund"})).count("There is no tool `calendar/") == 3


WARNINGS = [
    ("grants: [acme]", "grants: []", '23:20: policies.grants: No account may use it (`grants: ["*"]` is everybody)'),
    (
        "    reconcile: calendar/status\n",
        "",
        "31:18: effects[0].idempotency: The tool cannot be asked what it did (add `reconcile`)",
    ),
    (
        "    idempotency: keyed\n    reconcile: calendar/status\n",
        "",
        "27:5: effects[0]: It may end in doubt: it has no key, and the tool cannot be asked (add `reconcile`)",
    ),
    (
        "    compensate: {tool: calendar/cancel, args: {key: {key: book}}}\n",
        "cancel: {compensate: true}\n",
        "27:5: effects[0]: Cancelling does not undo it (add `compensate`)",
    ),
    (
        "small: {es: [chico], en: [small]}",
        "small: {es: [chico], en: [small, Large]}",
        "21:40: slots[2].options.small.en[1]: It also means `big`, so it is asked back.",
    ),
    (
        "confirmation:\n",
        "confirmation:\n  slots: never\n",
        "",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), WARNINGS, ids=range(len(WARNINGS)))
def test_warning(old: str, new: str, expected: str) -> None:
    found = checked((old, new))
    assert found.errors == ()
    assert told(found, warnings=True) == expected


def test_what_is_irreversible_and_not_asked_about_is_warned_of() -> None:
    found = checked(
        ("    compensate: {tool: calendar/cancel, args: {key: {key: book}}}\n", ""),
        ("confirmation:\n", "confirmation:\n  execute: false\n"),
    )
    assert "It cannot be undone, and nobody is asked before it" in told(found, warnings=True)


def test_critical_slots_that_nobody_is_asked_about_are_warned_of() -> None:
    found = checked(
        ("    currency: USD\n", "    currency: USD\n    critical: true\n"),
        ("confirmation:\n", "confirmation:\n  slots: ambiguous\n"),
    )
    assert "slots[1].critical: Nobody is asked about it: `confirmation.slots` is ambiguous" in told(
        found, warnings=True
    )


def test_a_definition_may_do_nothing() -> None:
    text = VISIT[: VISIT.index("effects:")].replace("confirmation:\n  summary: {es", "confirmation:\n  summary: {es")
    assert check(text.encode()).errors == ()
