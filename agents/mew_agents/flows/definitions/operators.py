"""What an expression can do with values: its operators and its functions, each bounded in size and time."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from datetime import date, timedelta
from decimal import ROUND_FLOOR, ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

_LONGEST = 10_000  # characters of a text, elements of a list
_BITS = 256  # of a whole number, at every step
_EXPONENT = 100  # of a decimal
_DECIMALS = 12


class Unevaluable(Exception):
    """A text that is no expression, or one that has no value: the sentence says why."""


def bounded(value: Any) -> Any:
    """The value, if it is of a bearable size. Raises `Unevaluable`."""
    if type(value) is int and value.bit_length() > _BITS:
        raise Unevaluable("A number on the way is too big.")
    if type(value) is Decimal and (not value.is_finite() or abs(value.adjusted()) > _EXPONENT):
        raise Unevaluable("A number on the way is too big, or too small.")
    if type(value) is str and len(value) > _LONGEST:
        raise Unevaluable("A text on the way is too long.")
    return value


def shown(value: Any) -> str:
    """What a complaint calls a value."""
    if value is None:
        return "nothing"
    text = written(value) if isinstance(value, str | int | Decimal | date) else type(value).__name__
    return f"`{text[:40]}`"


def written(value: Any) -> str:
    """A value as machines write it. Raises `Unevaluable` for one that has no such text."""
    match value:
        case bool():
            return "true" if value else "false"
        case Decimal():
            return format(value.normalize() + 0, "f")
        case date():
            return value.isoformat()
        case str() | int():
            return str(value)
        case _ if hasattr(value, "isoformat"):
            return str(value.isoformat("minutes"))
    raise Unevaluable(f"There is no text for {shown(value)}.")


def _is_number(value: Any) -> bool:
    return type(value) in (int, Decimal)


def _numeric(sign: str, operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def calculated(one: Any, other: Any) -> Any:
        if not (_is_number(one) and _is_number(other)):
            raise Unevaluable(f"It cannot calculate {shown(one)} {sign} {shown(other)}.")
        return bounded(operation(one, other))

    return calculated


def _add(one: Any, other: Any) -> Any:
    if isinstance(one, str) and isinstance(other, str):
        return bounded(one + other)
    if isinstance(one, date | timedelta) and isinstance(other, timedelta):
        return one + other
    return _SUM(one, other)


def _subtract(one: Any, other: Any) -> Any:
    days = type(one) is type(other) and isinstance(one, date)
    if days or (isinstance(one, date | timedelta) and isinstance(other, timedelta)):
        return one - other
    return _DIFFERENCE(one, other)


def _divide(one: Any, other: Any) -> Any:
    return Decimal(one) / Decimal(other)


def _floor(one: Any, other: Any) -> Any:
    """Towards less, also of decimals, which by themselves are cut towards zero."""
    if type(one) is int and type(other) is int:
        return one // other
    return (Decimal(one) / Decimal(other)).to_integral_value(ROUND_FLOOR)


def _rest(one: Any, other: Any) -> Any:
    return one - other * _floor(one, other)


def _negate(value: Any) -> Any:
    return _DIFFERENCE(0, value)


def _same(value: Any) -> Any:
    return _SUM(0, value)


def _ordered(sign: str, operation: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Numbers, texts and moments are ordered, each among themselves."""

    def compared(one: Any, other: Any) -> bool:
        alike = (_is_number(one) and _is_number(other)) or (type(one) is type(other) and not isinstance(one, dict))
        if one is None or not alike:
            raise Unevaluable(f"It cannot compare {shown(one)} {sign} {shown(other)}.")
        return operation(one, other)

    return compared


def _contained(one: Any, other: Any) -> bool:
    if isinstance(other, str) and not isinstance(one, str):
        raise Unevaluable(f"In a text it cannot look for {shown(one)}.")
    if not isinstance(other, str | list | dict):
        raise Unevaluable(f"It cannot look into {shown(other)}.")
    return one in other


def _item(holder: Any, key: Any) -> Any:
    """A part of a mapping or an element of a list. What is not there is None, as in JSON."""
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.get(key)
    if isinstance(holder, list) and type(key) is int:
        return holder[key] if -len(holder) <= key < len(holder) else None
    raise Unevaluable(f"There is no {shown(key)} of {shown(holder)}.")


def _listed(*items: Any) -> list[Any]:
    return list(items)


def _length(value: Any) -> int:
    if not isinstance(value, str | list | dict):
        raise Unevaluable(f"There is no length of {shown(value)}.")
    return len(value)


def _cased(operation: Callable[[str], str]) -> Callable[[Any], str]:
    def cased(value: Any) -> str:
        if not isinstance(value, str):
            raise Unevaluable(f"It takes a text, not {shown(value)}.")
        return str(bounded(operation(value)))

    return cased


def number(value: Any) -> Any:
    """A number, or one in a text. Raises `Unevaluable`."""
    if _is_number(value):
        return value
    try:
        return bounded(Decimal(value.strip())) if isinstance(value, str) and len(value) < 100 else _none(value)
    except InvalidOperation:
        return _none(value)


def _none(value: Any) -> Any:
    raise Unevaluable(f"It takes a number, not {shown(value)}.")


def _whole(value: Any) -> int:
    return int(bounded(int(number(value))))


def _absolute(value: Any) -> Any:
    return abs(number(value))


def _round(value: Any, decimals: int = 0) -> Any:
    """Halves away from zero, as people round amounts."""
    if type(decimals) is not int or not 0 <= decimals <= _DECIMALS:
        raise Unevaluable(f"Rounding takes 0 to {_DECIMALS} decimals.")
    rounded = Decimal(number(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return rounded if decimals else int(rounded)


def _extreme(further: Callable[[Any, Any], bool]) -> Callable[..., Any]:
    def extreme(*values: Any) -> Any:
        told = values[0] if len(values) == 1 and isinstance(values[0], list) else list(values)
        if not told:
            raise Unevaluable("Of nothing there is no least and no most.")
        best = told[0]
        for value in told[1:]:
            best = value if further(value, best) else best
        return best

    return extreme


_SUM, _DIFFERENCE = _numeric("+", operator.add), _numeric("-", operator.sub)
_LESS, _MORE = _ordered("<", operator.lt), _ordered(">", operator.gt)

OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _numeric("*", operator.mul),
    ast.Div: _numeric("/", _divide),
    ast.FloorDiv: _numeric("//", _floor),
    ast.Mod: _numeric("%", _rest),
    ast.USub: _negate,
    ast.UAdd: _same,
    ast.Not: operator.not_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: _LESS,
    ast.LtE: _ordered("<=", operator.le),
    ast.Gt: _MORE,
    ast.GtE: _ordered(">=", operator.ge),
    ast.In: _contained,
    ast.NotIn: lambda one, other: not _contained(one, other),
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": _absolute,
    "int": _whole,
    "len": _length,
    "lower": _cased(str.lower),
    "max": _extreme(_MORE),
    "min": _extreme(_LESS),
    "number": number,
    "round": _round,
    "text": written,
    "upper": _cased(str.upper),
}


def named(function: str) -> str:
    """A function as the evaluator knows it, which no text can name: a slot may be called like a function."""
    return f"{function}()"


ITEM, LISTED = named("item of"), named("list of")
CALLED: dict[str, Callable[..., Any]] = {
    **{named(name): function for name, function in FUNCTIONS.items()},
    ITEM: _item,
    LISTED: _listed,
}
