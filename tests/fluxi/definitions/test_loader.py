"""Bytes to a definition: YAML, JSON, files, and whatever else somebody may hand in."""

from __future__ import annotations

import json
from datetime import time
from decimal import Decimal
from pathlib import Path

import pytest

from mew_agents.fluxi.definitions import (
    DatetimeSlot,
    DefinitionError,
    FromKey,
    FromSlot,
    FromWork,
    MoneySlot,
    RefSlot,
    StringSlot,
    canonical,
    check,
    check_file,
    load,
    parse,
    shipped,
)
from mew_gateway.documents.composer import compose

VISIT = (Path(__file__).parent / "visit.yaml").read_text(encoding="utf-8")


def test_defaults_are_the_safe_ones() -> None:
    visit = parse(VISIT.encode())
    assert visit.confirmation.execute
    assert visit.confirmation.slots == "critical"
    assert visit.policies.concurrency == "one"
    assert visit.policies.expiration < visit.confirmation.ttl
    assert visit.cancel.allowed
    assert not visit.cancel.compensate
    assert parse(VISIT.replace("policies: {grants: [acme]}\n", "").encode()).policies.grants == ()


def test_durations_are_milliseconds_however_they_are_written() -> None:
    written = ("90s", "PT90S", "PT1M30S", "90000ms")
    texts = [VISIT.replace("grants: [acme]", f"grants: [acme], expiration: {one}") for one in written]
    assert {parse(text.encode()).policies.expiration for text in texts} == {90_000}


@pytest.mark.parametrize("written", ["1", "3.5", "-2"])
def test_a_default_is_a_number_or_its_text(written: str) -> None:
    people = (
        "slots:\n  - path: people\n    type: number\n    label: {es: personas, en: people}\n    default: {value: %s}"
    )
    texts = [VISIT.replace("slots:", people % one, 1) for one in (written, f'"{written}"')]
    bare, quoted = (parse(text.encode()) for text in texts)
    assert bare.slot("people").default == quoted.slot("people").default
    assert canonical(bare) == canonical(quoted)


def test_slots_have_the_shape_of_their_type() -> None:
    text = VISIT.replace("type: datetime", 'type: datetime\n    earliest: "08:30"\n    weekdays: [friday, monday]')
    text = text.replace(
        "currency: USD", 'currency: USD\n    currencies: [EUR]\n    min: 0.10\n    max: "9999999999.99"'
    )
    day, price, _ = parse(text.encode()).slots
    assert isinstance(day, DatetimeSlot)
    assert (day.earliest, day.weekdays) == (time(8, 30), (0, 4))
    assert isinstance(price, MoneySlot)
    assert price.accepted == ("USD", "EUR")
    assert (price.min, price.max) == (Decimal("0.1"), Decimal("9999999999.99"))


def test_questions_know_formality_and_fall_back() -> None:
    visit = parse(VISIT.encode())
    day, price, _ = visit.slots
    assert (day.question("en", "formal"), day.question("en", "informal")) == ("Which day, please?", "Which day?")
    assert day.question("es", "formal") == day.question("es", "informal") == "¿Qué día?"
    assert day.question("pt", "formal") == "¿Qué día?"  # a language that it has not
    assert price.question("en", "formal") == "price?"


def test_arguments_have_four_forms() -> None:
    text = VISIT.replace('note: "size[ {size}]"', 'note: "size[ {size}]", minutes: 30, firm: true, by: {work: sender}')
    args = parse(text.encode()).effect("book").args
    assert args["day"] == FromSlot.model_validate({"slot": "day", "part": "date"})
    assert args["key"] == FromKey.model_validate({"key": "book"})
    assert args["by"] == FromWork.model_validate({"work": "sender"})
    assert (args["note"], args["minutes"], args["firm"]) == ("size[ {size}]", 30, True)


def test_json_is_taken_as_well() -> None:
    visit = parse(VISIT.encode())
    for text in (json.dumps(compose(VISIT).root, indent="\t"), canonical(visit)):
        assert parse(text.encode()) == visit


def test_a_file_is_named_in_what_is_said_about_it(tmp_path: Path) -> None:
    file = tmp_path / "visit.yaml"
    with pytest.raises(DefinitionError) as caught:
        load(file)
    assert str(caught.value) == f"{file}: There is no such file."
    file.write_text(VISIT.replace("version: 1", "version: one"), encoding="utf-8")
    with pytest.raises(DefinitionError) as caught:
        load(file)
    assert str(caught.value) == f"{file}:2:10: version: Expected a whole number, not the text `one`."
    file.write_text(VISIT, encoding="utf-8")
    assert load(file).type_id == "visit"
    assert check_file(tmp_path).definition is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "1:1: The file is empty (docs/definitions.md shows one)"),
        (b"5", "1:1: Expected a mapping (`key: value`), not `5`."),
        (b"\xff", "1:1: The file is not UTF-8 (save it as UTF-8)"),
        (b"a: 1\na: 2", "2:1: a: Duplicate key, first on line 1 (delete one)"),
        (b"version: 1e999", "1:10: version: The number does not fit a double."),
        (b"a: &a [1]\nb: *a", "1:4: a: `&` starts an anchor in YAML"),
        (b"[" * 3_000, "Nested deeper than 64 levels"),
        (b"x" * 1_100_000, "definition.yaml: The file is bigger than 1048576 bytes."),
    ],
)
def test_what_is_no_definition(data: bytes, expected: str) -> None:
    found = check(data)
    assert found.definition is None
    assert expected in "\n".join(map(str, found.errors))


def test_the_shipped_ones_are_complete() -> None:
    booking, refund = shipped()
    assert (booking.type_id, refund.type_id) == ("appointment_booking", "refund_request")
    for definition in (booking, refund):
        assert definition.languages == ("es", "pt", "en")
        assert all(definition.examples[language] for language in definition.languages)
        for slot in definition.slots:
            assert set(slot.label) == set(slot.prompt) == set(definition.languages)
        for effect in definition.effects:
            assert effect.idempotency == "keyed"
            assert effect.reconcile
            assert effect.compensate
            assert effect.id not in {effect.name(language) for language in definition.languages}
    doctor, order = booking.slot("doctor"), refund.slot("order")
    assert isinstance(doctor, RefSlot)
    assert set(doctor.known) == {"ana-perez", "juan-perez", "joao-souza", "emily-clark"}
    assert isinstance(order, StringSlot)
    assert order.pattern == "A-[0-9]{4}"
    assert refund.slot("amount").critical
    with pytest.raises(KeyError):
        refund.slot("doctor")
    with pytest.raises(KeyError):
        refund.effect("book")


@pytest.mark.parametrize("name", ["appointment_booking", "refund_request"])
def test_the_shipped_ones_call_the_tools_that_there_are(name: str) -> None:
    tools = {
        *("calendar/book_appointment", "calendar/booking_status", "calendar/cancel_appointment"),
        *("ledger/refund", "ledger/refund_status", "ledger/reverse"),
    }
    definition = next(one for one in shipped() if one.type_id == name)
    found = check(canonical(definition).encode(), tools=tools)
    assert (found.errors, found.warnings) == ((), ())
