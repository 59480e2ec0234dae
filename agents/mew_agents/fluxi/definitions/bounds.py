"""Whether a definition's bounds and defaults can be met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from mew_gateway.documents.problems import Fault, KeyPath, did_you_mean, echo

from .model import Definition
from .slots import (
    BoolSlot,
    DateSlot,
    DatetimeSlot,
    DurationSlot,
    EmailSlot,
    EnumSlot,
    MoneySlot,
    NumberSlot,
    PhoneSlot,
    RefSlot,
    Slot,
    StringSlot,
    TimeSlot,
)


def slots(definition: Definition) -> Iterator[Fault]:
    """Every slot takes some value, its default if it has one."""
    for at, slot in enumerate(definition.slots):
        yield from _bounds(slot, ("slots", at))
        yield from _default(slot, ("slots", at, "default"))


def times(definition: Definition) -> Iterator[Fault]:
    """What must be longer than something else is."""
    if definition.confirmation.ttl <= definition.policies.expiration:
        message = "A question must live longer than the Work, or a late yes finds nothing to answer."
        yield Fault(("confirmation", "ttl"), message, "more than `policies.expiration`")
    for at, effect in enumerate(definition.effects):
        if effect.retry.max_backoff < effect.retry.backoff:
            yield Fault(("effects", at, "retry", "maxBackoff"), "The longest wait is shorter than the first.")


def _bounds(slot: Slot, path: KeyPath) -> Iterator[Fault]:
    match slot:
        case StringSlot():
            if slot.min_length > slot.max_length:
                yield Fault((*path, "minLength"), "More than `maxLength`: nothing is both.")
        case NumberSlot() | MoneySlot() | DurationSlot():
            if slot.min is not None and slot.max is not None and slot.min > slot.max:
                yield Fault((*path, "min"), "More than `max`: nothing is both.")
        case DateSlot():
            yield from _tense(slot, path)
        case TimeSlot() | DatetimeSlot():
            if isinstance(slot, DatetimeSlot):
                yield from _tense(slot, path)
            if slot.earliest is not None and slot.latest is not None and slot.earliest > slot.latest:
                yield Fault((*path, "earliest"), "Later than `latest`: nothing is both.")
        case BoolSlot() | EnumSlot() | PhoneSlot() | EmailSlot() | RefSlot():
            pass
        case _:
            assert_never(slot)


def _tense(slot: DateSlot | DatetimeSlot, path: KeyPath) -> Iterator[Fault]:
    """What is over is neither to come nor so far ahead."""
    if slot.past and slot.future_only:
        yield Fault((*path, "past"), "With `futureOnly` only today is left.", "one of the two")
    if slot.past and slot.within is not None:
        yield Fault((*path, "within"), "Of past days none is later than now.", "leave out `within`, or `past`")


def _default(slot: Slot, path: KeyPath) -> Iterator[Fault]:
    if slot.default is None:
        return
    value = slot.default.value
    if slot.default.sender:
        if not isinstance(slot, StringSlot):
            yield Fault((*path, "sender"), f"A slot of the type {slot.type} holds no sender.", "a string does")
    elif isinstance(value, bool) != isinstance(slot, BoolSlot):
        yield Fault((*path, "value"), f"{echo(value)} is no value of the type {slot.type}.")
    elif isinstance(slot, EnumSlot) and value not in slot.options:
        yield Fault((*path, "value"), f"{echo(value)} is no option.", did_you_mean(str(value), slot.options))
    elif isinstance(slot, RefSlot) and slot.names and value not in slot.names:
        yield Fault((*path, "value"), f"{echo(value)} is not in the list.", did_you_mean(str(value), slot.names))
