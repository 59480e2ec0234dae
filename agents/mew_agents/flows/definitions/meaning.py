"""What a slot's stored value is in an expression, and the other way round; numbers stay exact.

| type | in an expression |
|---|---|
| int; number | a whole number; a decimal |
| money | `amount`, a decimal, and `currency`, a text |
| bool | true or false |
| date, time, datetime, duration | a day, a time of day, a moment, a length of time |
| others | a text: of an enum or a ref, its id |
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Context, Decimal, InvalidOperation
from typing import Any

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import (
    DateSlot,
    DatetimeSlot,
    DurationSlot,
    MoneySlot,
    NumberSlot,
    Slot,
    TimeSlot,
)
from mew_agents.fluxi.interpreter.base import Understanding

from .operators import Unevaluable, shown

_MILLISECOND = timedelta(milliseconds=1)
_FINEST = Decimal(1).scaleb(-12)  # of a stored number
_CONTEXT = Context(prec=60)
_DEEPEST = 64  # lists and mappings within each other


def meant(slot: Slot, stored: Any) -> Any:
    """A stored value, as expressions take it. None: nothing is stored, or only a piece of a datetime.

    Raises `Unevaluable` for what is no value of the type.
    """
    if stored is None:
        return None
    try:
        return _meant(slot, stored)
    except (ValueError, TypeError, KeyError, InvalidOperation, OverflowError):
        raise _misfit(slot, stored) from None


def _meant(slot: Slot, stored: Any) -> Any:
    match slot:
        case NumberSlot():
            return int(stored) if slot.type == "int" else Decimal(str(stored))
        case MoneySlot():
            return {"amount": Decimal(stored["amount"]), "currency": stored["currency"]}
        case DateSlot():
            return date.fromisoformat(stored)
        case TimeSlot():
            return time.fromisoformat(stored)
        case DatetimeSlot():
            return None if isinstance(stored, dict) else datetime.fromisoformat(stored)
        case DurationSlot():
            return timedelta(milliseconds=stored)
        case _:
            return stored


def plain(slot: Slot, value: Any, *, zone: tzinfo = UTC) -> Any:
    """A value of an expression, as the slot stores it; `zone` is that of a moment which names none.

    Also what files and tools write: `"25 USD"`, 3.0 for an int. Raises `Unevaluable` for what has not the slot's type;
    whether its bounds allow it is another question (`fluxi.values.refusal`).
    """
    if value is None:
        return None
    if isinstance(value, Decimal) and not isinstance(slot, NumberSlot | MoneySlot):
        raise _misfit(slot, value)
    understanding = Understanding(language="en", now=datetime(2000, 1, 1, tzinfo=zone))
    try:
        storable = _storable(slot, value)
    except InvalidOperation:  # no number, or longer than any that is stored
        raise _misfit(slot, value) from None
    stored = values.normal(slot, _plain(storable), understanding)
    refused = values.refusal(slot, stored, understanding)
    if refused is not None and refused.code in ("form", "no_such", "pattern"):
        raise _misfit(slot, value)
    return stored


def _storable(slot: Slot, value: Any) -> Any:
    """A third has as many decimals as a stored number may have. Amounts of money are rounded by the flow itself."""
    if not isinstance(slot, NumberSlot) or not isinstance(value, Decimal):
        return value
    rounded = value.quantize(_FINEST, context=_CONTEXT)
    return value if rounded == value else rounded


def _plain(value: Any, depth: int = 1) -> Any:
    """As JSON."""
    _bound(depth)
    match value:
        case Decimal():
            return format(value, "f")
        case timedelta():
            return value // _MILLISECOND
        case datetime():
            return value.isoformat(timespec="seconds")
        case date():
            return value.isoformat()
        case time():
            return value.isoformat("minutes")
        case dict():
            return {name: _plain(part, depth + 1) for name, part in value.items()}
        case list():
            return [_plain(one, depth + 1) for one in value]
        case _:
            return value


def told(content: Any, depth: int = 1) -> Any:
    """What a tool answered, as expressions take it: JSON whose fractions are the decimals that they are written as.

    Raises `Unevaluable` for what is nested deeper than 64; `depth` is where `content` stands in it.
    """
    _bound(depth)
    match content:
        case float():
            return Decimal(str(content))
        case dict():
            return {name: told(part, depth + 1) for name, part in content.items()}
        case list():
            return [told(one, depth + 1) for one in content]
        case _:
            return content


def _bound(depth: int) -> None:
    if depth > _DEEPEST:
        raise Unevaluable(f"It is nested deeper than {_DEEPEST}.")


def _misfit(slot: Slot, value: Any) -> Unevaluable:
    return Unevaluable(f"The slot `{slot.path}`, of the type {slot.type}, does not take {shown(value)}.")
