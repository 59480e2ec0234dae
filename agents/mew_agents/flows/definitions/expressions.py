"""An expression of a flow: parsed once, at load; evaluated so that no text can do harm or take long.

Names are slots (None while one is empty), and besides, where they mean something, `today`, `now`, `result` and
`value`. Numbers are exact: a fraction in the text is a decimal, and so is every quotient.
"""

from __future__ import annotations

import ast
import decimal
import warnings
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from simpleeval import InvalidExpression, NameNotDefined, SimpleEval

from .operators import CALLED, FUNCTIONS, ITEM, LISTED, OPERATORS, Unevaluable, bounded, named

__all__ = ["Expression", "Part", "Unevaluable"]

MAX_LENGTH = 500  # characters of the text
MAX_DEPTH = 30
_LITERALS = {"true": True, "false": False, "null": None}
_CONTEXT = decimal.Context(prec=50, rounding=decimal.ROUND_HALF_EVEN, Emax=999, Emin=-999)
_TAKEN = (
    "values, slots, + - * / // %, comparisons, `and`, `or`, `not`, `in`, `a if b else c`, `[…]` and "
    f"{', '.join(sorted(FUNCTIONS))}"
)
_NODES = (
    *(ast.Constant, ast.Name, ast.Load, ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.IfExp),
    *(ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Tuple, ast.Is, ast.IsNot),
    *OPERATORS,
)


class Part(NamedTuple):
    """A part of a name's value that the text asks for: `amount.currency`."""

    name: str
    part: str


class Expression:
    """An expression, equal to any other of the same text. Raises `Unevaluable`, with a sentence, for what is none.

    `names`: what it names, once each, in the order of the text; `parts`: what it asks of those by a dot.
    """

    __slots__ = ("_tree", "names", "parts", "text")

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        tree = _parsed(self.text)
        read = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        read = sorted(
            (node for node in read if id(node) not in called), key=lambda node: (node.lineno, node.col_offset)
        )
        self.names = tuple(dict.fromkeys(node.id for node in read if node.id not in _LITERALS))
        self.parts = tuple(_parts(tree))
        self._tree = _Plain(self.text).visit(tree)

    def value(self, names: Mapping[str, Any]) -> Any:
        """What it comes to. Raises `Unevaluable` with a sentence."""
        evaluator = SimpleEval(operators=OPERATORS, functions=CALLED, names=names)
        try:
            with decimal.localcontext(_CONTEXT):
                return evaluator.eval(self.text, previously_parsed=self._tree)
        except ZeroDivisionError:
            raise Unevaluable("Division by zero.") from None
        except NameNotDefined as error:
            raise Unevaluable(f"There is nothing called `{error.name}` here.") from None
        except InvalidExpression:
            raise Unevaluable("It has no value.") from None
        except (ArithmeticError, LookupError, ValueError, TypeError, RecursionError, MemoryError) as error:
            raise Unevaluable(f"It has no value: {type(error).__name__}.") from None

    def holds(self, names: Mapping[str, Any]) -> bool:
        """Whether it is so: nothing, zero and what is empty are not."""
        return bool(self.value(names))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"


def _parsed(text: str) -> ast.expr:
    """The tree of a text, looked through before anything of it is evaluated."""
    if not text:
        raise Unevaluable("The expression is empty.")
    if len(text) > MAX_LENGTH:
        raise Unevaluable(f"The expression is longer than {MAX_LENGTH} characters.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser warns of odd literals, on standard error
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unevaluable("This is no expression.") from None
    _examine(tree, 1)
    return tree


def _examine(node: ast.AST, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise Unevaluable("The expression is nested too deeply.")
    if not isinstance(node, _NODES):
        raise Unevaluable(f"Only {_TAKEN} are taken.")
    if isinstance(node, ast.Call):
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            raise Unevaluable(f"The functions are {', '.join(sorted(FUNCTIONS))}; their arguments have no names.")
    elif isinstance(node, ast.Constant) and type(node.value) not in (bool, int, float, str, type(None)):
        raise Unevaluable(f"Only {_TAKEN} are taken.")
    for child in ast.iter_child_nodes(node):
        _examine(child, depth + 1)


def _names(tree: ast.AST) -> tuple[str, ...]:
    nodes = list(ast.walk(tree))
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    read = [node for node in nodes if isinstance(node, ast.Name) and id(node) not in called]
    read.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in read if node.id not in _LITERALS))


def _parts(tree: ast.AST) -> Iterator[Part]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield Part(node.value.id, node.attr)


class _Plain(ast.NodeTransformer):
    """The tree with nothing in it but what the evaluator does safely.

    Parts and lists become calls of functions that no text can name; fractions become the decimals that they are
    written as; `is` becomes `==`.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is float:
            written = ast.get_source_segment(self._text, node) or repr(node.value)
            return _constant(Decimal(written.replace("_", "")), node)
        return _constant(node.value, node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return _constant(_LITERALS[node.id], node) if node.id in _LITERALS else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return _call(ITEM, [self.visit(node.value), _constant(node.attr, node)], node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return _call(ITEM, [self.visit(node.value), self.visit(node.slice)], node)

    def visit_List(self, node: ast.List) -> ast.AST:
        return _call(LISTED, [self.visit(one) for one in node.elts], node)

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return _call(LISTED, [self.visit(one) for one in node.elts], node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        return _call(named(name), [self.visit(one) for one in node.args], node)

    def visit_Is(self, node: ast.Is) -> ast.AST:  # noqa: ARG002
        return ast.Eq()

    def visit_IsNot(self, node: ast.IsNot) -> ast.AST:  # noqa: ARG002
        return ast.NotEq()


def _constant(value: Any, node: ast.expr) -> ast.AST:
    return ast.copy_location(ast.Constant(bounded(value)), node)


def _call(name: str, arguments: list[Any], node: ast.expr) -> ast.AST:
    function = ast.Name(id=name, ctx=ast.Load())
    return ast.copy_location(ast.Call(func=function, args=arguments, keywords=[]), node)
