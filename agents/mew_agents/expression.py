"""An arithmetic expression, evaluated so that no text can do harm or take long."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

from simpleeval import InvalidExpression, SimpleEval

MAX_LENGTH = 200  # characters of the text
MAX_BITS = 4_096  # of an integer, at every step: about 1,200 digits
_MAX_DECIMALS = 15


class Unevaluable(Exception):
    """The text is not an expression that this evaluator takes, or its value is no finite number."""


def evaluate(text: str) -> int | float:
    """The value of `text`: numbers, + - * / // % **, brackets, pi, e, tau and the functions below, nothing else.

    Raises `Unevaluable` with a sentence for a person.
    """
    if len(text) > MAX_LENGTH:
        raise Unevaluable(f"The expression is longer than {MAX_LENGTH} characters.")
    evaluator = SimpleEval(operators=_OPERATORS, functions=FUNCTIONS, names=NAMES)
    try:
        return finite(evaluator.eval(text, previously_parsed=_parse(text)))
    except ZeroDivisionError:
        raise Unevaluable("Division by zero.") from None
    except OverflowError:
        raise Unevaluable("A number on the way is too big.") from None
    except InvalidExpression as error:
        raise Unevaluable(f"{error}") from None
    except (ArithmeticError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise Unevaluable(f"It has no value: {error or type(error).__name__}.") from None


def finite(value: Any) -> int | float:
    """The value, if it is a finite real number of a bearable size. Raises `Unevaluable`."""
    if type(value) is int:
        if value.bit_length() > MAX_BITS:
            raise Unevaluable("A number on the way is too big.")
        return value
    if type(value) is not float:
        raise Unevaluable("Its value is not a real number.")
    if not math.isfinite(value):
        raise Unevaluable("Its value is not finite.")
    return value


def _parse(text: str) -> ast.expr:
    """The expression's tree, looked through before anything of it is evaluated."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser warns of odd numerals, on standard error
            tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unevaluable("It is not an arithmetic expression.") from None
    for node in ast.walk(tree):
        if not isinstance(node, _NODES) or (isinstance(node, ast.Call) and node.keywords):
            raise Unevaluable("Only numbers, + - * / // % **, brackets and functions such as sqrt(2) are taken.")
        if isinstance(node, ast.Constant) and type(node.value) not in (int, float):
            raise Unevaluable("Only numbers can be calculated with.")
    return tree


def _checked(operation: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*values: Any) -> int | float:
        return finite(operation(*map(finite, values)))

    return checked


def _power(base: Any, exponent: Any) -> Any:
    """Refused before it is computed: the result's size is known from its arguments'."""
    if type(base) is int and type(exponent) is int and base.bit_length() * exponent > MAX_BITS:
        raise OverflowError
    return base**exponent


def _round(value: Any, decimals: int = 0) -> Any:
    if type(decimals) is not int or abs(decimals) > _MAX_DECIMALS:
        raise Unevaluable(f"Rounding takes at most {_MAX_DECIMALS} decimals.")
    return round(value, decimals) if decimals else round(value)


NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}

_functions: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": min,
    "max": max,
    "round": _round,
    "floor": math.floor,
    "ceil": math.ceil,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "radians": math.radians,
    "degrees": math.degrees,
}
FUNCTIONS = {name: _checked(function) for name, function in _functions.items()}

_OPERATORS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: _checked(operator.add),
    ast.Sub: _checked(operator.sub),
    ast.Mult: _checked(operator.mul),
    ast.Div: _checked(operator.truediv),
    ast.FloorDiv: _checked(operator.floordiv),
    ast.Mod: _checked(operator.mod),
    ast.Pow: _checked(_power),
    ast.USub: _checked(operator.neg),
    ast.UAdd: _checked(operator.pos),
}

_NODES = (ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.BinOp, ast.Call, *_OPERATORS)
