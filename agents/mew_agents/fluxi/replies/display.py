"""A slot's value, and the bounds it missed, in words: from JSON, as slots hold them, to what people call them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any, TypeAlias, assert_never

from mew_agents.fluxi.definitions.slots import (
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
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import written
from mew_agents.fluxi.replies.spoken import Sayable, spoken

# Of a ref whose list a tool has: names by id.
Names: TypeAlias = Mapping[str, Sequence[str]]
NO_NAMES: Names = MappingProxyType({})


def display(slot: Slot, value: Any, policy: PolicyContext, *, names: Names = NO_NAMES) -> str:
    """What people call a value. One that has not the form of its type is shown as it is."""
    try:
        return _displayed(slot, value, policy, names)
    except (ValueError, TypeError, KeyError, InvalidOperation, OverflowError):
        return str(value)


def bounds(
    slot: Slot, told: Mapping[str, Any], policy: PolicyContext, *, names: Names = NO_NAMES
) -> dict[str, Sayable]:
    """What a refusal tells of the slot's bounds, as JSON, for the sentence about it."""
    return {name: _bound(slot, name, value, policy, names) for name, value in told.items()}


def _displayed(slot: Slot, value: Any, policy: PolicyContext, names: Names) -> str:
    match slot:
        case StringSlot() | EmailSlot() | PhoneSlot():
            return str(value)
        case NumberSlot():
            return written.number(Decimal(str(value)), policy.language)
        case MoneySlot():
            return written.money(Decimal(value["amount"]), value["currency"], policy.language)
        case BoolSlot():
            return spoken(bool(value), policy)
        case EnumSlot():
            return str(slot.display(value, policy.language))
        case RefSlot():
            return names[value][0] if value in names else str(slot.display(value))
        case DateSlot():
            return written.day(date.fromisoformat(value), policy.language)
        case TimeSlot():
            return written.hour(time.fromisoformat(value), policy.language)
        case DatetimeSlot():
            return _moment(value, policy)
        case DurationSlot():
            return written.length(timedelta(milliseconds=int(value)), policy.language)
        case _:
            assert_never(slot)


def _moment(value: Any, policy: PolicyContext) -> str:
    """A moment, or a piece of one: a day or an hour alone."""
    if not isinstance(value, dict):
        return written.moment(datetime.fromisoformat(value), policy.language, policy.zone)
    if "date" in value:
        return written.day(date.fromisoformat(value["date"]), policy.language)
    return written.hour(time.fromisoformat(value["time"]), policy.language)


def _bound(slot: Slot, name: str, value: Any, policy: PolicyContext, names: Names) -> Sayable:
    match name:
        case "days":
            return [written.weekday(day, policy.language) for day in value]
        case "earliest" | "latest":
            return time.fromisoformat(value)
        case "options":
            return [display(slot, option, policy, names=names) for option in value]
        case "limit":
            return _limit(slot, value, policy)
        case _:
            return [str(item) for item in value] if isinstance(value, list) else str(value)


def _limit(slot: Slot, value: Any, policy: PolicyContext) -> Sayable:
    """Of moments a day, of money an amount in the slot's currency, of texts a count of characters."""
    match slot:
        case DateSlot() | DatetimeSlot():
            return date.fromisoformat(value)
        case MoneySlot():
            return written.money(Decimal(value), slot.currency, policy.language)
        case NumberSlot() | DurationSlot():
            return display(slot, value, policy)
        case _:
            return str(value)
