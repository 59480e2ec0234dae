"""Whether what a definition names is there: slots, effects, tools."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import assert_never

from mew_gateway.documents.problems import Fault, KeyPath, did_you_mean, echo
from mew_gateway.documents.tool_names import unknown_tool_fault

from . import template
from .effects import Argument, Call, FromKey, FromSlot, FromWork
from .model import Definition
from .slots import RefSlot

_WHOLE = {"amount": "money", "currency": "money", "date": "datetime", "time": "datetime"}


def doubled(definition: Definition) -> Iterator[Fault]:
    """Paths, ids and effect types that stand twice."""
    effects = definition.effects
    yield from _doubled(definition.paths, "slots", "path", "Another slot has this path.")
    yield from _doubled([effect.id for effect in effects], "effects", "id", "Another effect has this id.")
    types = [effect.effect_type for effect in effects]
    yield from _doubled(types, "effects", "effectType", "Another effect has this type, and a yes is good for one.")


def _doubled(values: Collection[str], where: str, key: str, message: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for at, value in enumerate(values):
        if value in seen:
            yield Fault((where, at, key), message, "give it another")
        seen.add(value)


def bindings(definition: Definition) -> Iterator[Fault]:
    """Binding attributes are required slots."""
    for at, path in enumerate(definition.binding_attributes):
        if path not in definition.paths:
            yield unknown_slot(("bindingAttributes", at), path, definition)
        elif not definition.slot(path).required:
            yield Fault(("bindingAttributes", at), "A binding attribute is a required slot.", "`required: true` there")


def aggregate_key(definition: Definition) -> Iterator[Fault]:
    """The key is made of required slots alone, so that it is there before anything is done."""
    if definition.aggregate_key is None:
        return
    parsed = template.parse(definition.aggregate_key)
    for name in parsed.names:
        if name not in definition.paths:
            yield unknown_slot(("aggregateKey",), name, definition)
        elif not definition.slot(name).required:
            yield Fault(("aggregateKey",), f"`{name}` is not required, so the key may lack it.", "required slots only")
    if parsed.names != parsed.required:
        yield Fault(("aggregateKey",), "A key has no parts that may be left out.", "without `[ ]`")


def arguments(definition: Definition) -> Iterator[Fault]:
    """The arguments of every call: their slots, their parts, their keys, the places in their texts."""
    for path, call, keys in _calls(definition):
        for name, argument in call.args.items():
            yield from _argument(definition, argument, (*path, "args", name), keys)


def _argument(definition: Definition, argument: Argument, path: KeyPath, keys: Collection[str]) -> Iterator[Fault]:
    match argument:
        case FromSlot():
            yield from _from_slot(definition, argument, path)
        case FromKey():
            if argument.key not in keys:
                suggestion = did_you_mean(argument.key, keys)
                yield Fault((*path, "key"), f"{echo(argument.key)} is no effect up to here.", suggestion)
        case str():
            yield from places(definition, argument, path)
        case FromWork() | int() | float():
            pass
        case _:
            assert_never(argument)


def _from_slot(definition: Definition, argument: FromSlot, path: KeyPath) -> Iterator[Fault]:
    if argument.slot not in definition.paths:
        yield unknown_slot((*path, "slot"), argument.slot, definition)
        return
    kind = definition.slot(argument.slot).type
    if argument.part is not None and _WHOLE[argument.part] != kind:
        yield Fault((*path, "part"), f"A slot of the type {kind} has no {argument.part}.", "leave `part` out")


def _calls(definition: Definition) -> Iterator[tuple[KeyPath, Call, tuple[str, ...]]]:
    """Every call: where it stands, and the effects that have a key by then."""
    keys: tuple[str, ...] = ()
    for at, effect in enumerate(definition.effects):
        keys = (*keys, effect.id)
        yield ("effects", at), effect, keys
        if effect.compensate is not None:
            yield ("effects", at, "compensate"), effect.compensate, keys


def unknown_tools(definition: Definition, tools: Collection[str]) -> Iterator[Fault]:
    """Tools that are not among those there are."""
    for path, tool in _tools(definition):
        fault = unknown_tool_fault(path, tool, tools)
        if fault is not None:
            yield fault


def tools_of(definition: Definition) -> tuple[str, ...]:
    """Every tool that a definition names, once."""
    return tuple(dict.fromkeys(tool for _, tool in _tools(definition)))


def _tools(definition: Definition) -> Iterator[tuple[KeyPath, str]]:
    for at, slot in enumerate(definition.slots):
        if isinstance(slot, RefSlot) and slot.tool is not None:
            yield ("slots", at, "tool"), slot.tool
    for path, call, _ in _calls(definition):
        yield (*path, "tool"), call.tool
    for at, effect in enumerate(definition.effects):
        if effect.reconcile is not None:
            yield ("effects", at, "reconcile"), effect.reconcile


def places(definition: Definition, text: str, path: KeyPath) -> Iterator[Fault]:
    """The places in a text are known slots, and outside of brackets such as always have a value."""
    parsed = template.parse(text)
    always = {slot.path for slot in definition.slots if slot.required or slot.default is not None}
    for name in parsed.names:
        if name not in definition.paths:
            yield unknown_slot(path, name, definition)
        elif name in parsed.required and name not in always:
            yield Fault(path, f"`{name}` may have no value.", f"put what depends on it in brackets: `[, {{{name}}}]`")


def unknown_slot(path: KeyPath, name: str, definition: Definition) -> Fault:
    """A name that is no slot's."""
    return Fault(path, f"There is no slot {echo(name)}.", did_you_mean(name, dict.fromkeys(definition.paths)))
