"""Arguments of a tool, from a function's signature: their JSON Schema and their validation."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, get_type_hints
from weakref import WeakKeyDictionary

import msgspec

from mew_gateway.protocol.allowed_values import with_choices
from mew_gateway.protocol.envelope import Envelope

_TYPE = "_Arguments"
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class Arguments:
    """Arguments that a function takes by name. A parameter of type `Envelope` gets the request, and is no argument.

    `schema` is the JSON Schema of the object with the arguments. `name` is used in messages. Raises `TypeError` for a
    signature that no JSON object fits.
    """

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        try:
            hints = get_type_hints(_annotated(function), include_extras=True)
        except NameError as error:
            raise TypeError(f"The type hints of {name} cannot be read: {error}.") from None
        fields: list[tuple[str, Any, Any]] = []
        self._request: str | None = None
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind not in _NAMED:
                raise TypeError(f"{name} cannot be a tool: {parameter} cannot be given by name.")
            hint = hints.get(parameter.name, Any)
            if hint is Envelope:
                self._request = parameter.name
            else:
                fields.append((parameter.name, hint, _default(parameter)))
        self._names = [field[0] for field in fields]
        self._type = msgspec.defstruct(_TYPE, fields, kw_only=True, forbid_unknown_fields=True)
        try:
            self.schema = _schema(self._type)
        except TypeError as error:
            raise TypeError(f"{name} cannot be a tool: no JSON Schema can be made of its type hints. {error}") from None

    def bind(self, given: Any, request: Envelope) -> dict[str, Any]:
        """Return the keyword arguments of a call. Raises `msgspec.ValidationError` with the path of the fault."""
        checked = msgspec.convert(given, self._type)
        bound = {name: getattr(checked, name) for name in self._names}
        return bound if self._request is None else {**bound, self._request: request}

    def fault(self, error: msgspec.ValidationError) -> str:
        """Return the fault in words, with the allowed values if there are several."""
        return with_choices(error, self.schema)


def arguments_of(function: Callable[..., Any], *, name: str) -> Arguments:
    """Return the arguments of a function. A method's are read once for all objects of its class."""
    method = getattr(function, "__func__", None)
    if method is None:
        return Arguments(function, name=name)
    known = _OF_METHODS.setdefault(method, {})
    if name not in known:
        known[name] = Arguments(function, name=name)
    return known[name]


_OF_METHODS: WeakKeyDictionary[Callable[..., Any], dict[str, Arguments]] = WeakKeyDictionary()


def _annotated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that has the type hints: of a partial its function, of an object its `__call__`."""
    while isinstance(function, partial):
        function = function.func
    plain = inspect.isroutine(function) or inspect.isclass(function)
    return function if plain else type(function).__call__


def _schema(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    (reference,), components = msgspec.json.schema_components([arguments], ref_template="#/$defs/{name}")
    own: dict[str, Any] = components.pop(reference["$ref"].removeprefix("#/$defs/"))
    own.pop("title", None)
    return own if not components else {**own, "$defs": components}


def _default(parameter: inspect.Parameter) -> Any:
    if parameter.default is inspect.Parameter.empty:
        return msgspec.NODEFAULT
    if isinstance(parameter.default, list | dict | set | bytearray):
        return msgspec.field(default_factory=lambda: copy(parameter.default))
    return parameter.default
