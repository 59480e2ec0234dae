"""What the steps and slots of a flow name: its expressions, templates, tools and other flows, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.effects import FromSlot
from mew_gateway.documents.problems import KeyPath

from .arguments import FromExpression
from .expressions import Expression
from .model import Flow
from .names import GIVEN
from .phrases import Phrases
from .slot_types import AnyType, RefSlot
from .steps import Action, Branch, Call, Collect, Confirm, Link, Placed, Say, Set, Step, When, While, walk

_ALWAYS = GIVEN[:2]  # today, now


class Formula(NamedTuple):
    """An expression and the names that mean something in it: the slots of `flow`, and `given`."""

    path: KeyPath
    expression: Expression
    flow: str
    given: tuple[str, ...] = _ALWAYS


class Told(NamedTuple):
    """A text, by language."""

    path: KeyPath
    phrases: Phrases


class Named(NamedTuple):
    """A name of something, and where it stands."""

    path: KeyPath
    name: str
    at_key: bool = False


def placed(flow: Flow) -> tuple[Placed, ...]:
    """Every step of a flow, in the order of the file."""
    return tuple(walk(flow.block))


def formulas(flow: Flow) -> Iterator[Formula]:
    """Every expression of a flow."""
    for name, section in flow.body.slots.items():
        if section.validators.check is not None:
            at: KeyPath = ("slots", name, "validators", "check")
            yield Formula(at, section.validators.check, flow.name, (*_ALWAYS, "value"))
    for path, step, _ in placed(flow):
        match step:
            case Set():
                yield from _of(step.set, (*path, "set"), flow.name)
            case While():
                yield Formula((*path, "while"), step.condition, flow.name)
            case Branch():
                for number, arm in enumerate(step.branch):
                    if isinstance(arm, When):
                        yield Formula((*path, "branch", number, "when"), arm.when, flow.name)
            case Action():
                computed = ((name, one) for name, one in step.args.items() if isinstance(one, FromExpression))
                yield from (Formula((*path, "args", name, "expr"), one.expr, flow.name) for name, one in computed)
                yield from _of(step.result, (*path, "result"), flow.name, (*_ALWAYS, "result"))
            case Call():
                yield from _of(step.given, (*path, "with"), flow.name)
                yield from _of(step.take, (*path, "take"), step.call)
            case Link():
                yield from _of(step.given, (*path, "with"), flow.name)


def _of(
    assigned: Mapping[str, Expression], path: KeyPath, flow: str, given: tuple[str, ...] = _ALWAYS
) -> Iterator[Formula]:
    return (Formula((*path, name), expression, flow, given) for name, expression in assigned.items())


def phrases(flow: Flow) -> Iterator[Told]:
    """Every text of a flow that may have places for values in it."""
    for name, section in flow.body.slots.items():
        yield Told(("slots", name, "explain"), section.explain)
        yield Told(("slots", name, "validators", "message"), section.validators.message)
    for path, step, _ in placed(flow):
        match step:
            case Say():
                yield Told((*path, "say"), step.say)
            case Confirm():
                yield Told((*path, "confirm"), step.confirm)


def slots(flow: Flow) -> Iterator[Named]:
    """Every slot of its own that a step names, but for those in expressions and texts."""
    for path, step, _ in placed(flow):
        match step:
            case Collect():
                yield Named((*path, "collect"), step.collect)
            case Set():
                yield from (Named((*path, "set", name), name, True) for name in step.set)
            case Action():
                yield from (Named((*path, "result", name), name, True) for name in step.result)
                for at, one in _arguments(step):
                    yield Named((*path, *at, "slot"), one.slot)
            case Call():
                yield from (Named((*path, "take", name), name, True) for name in step.take)


def _arguments(step: Action) -> Iterator[tuple[KeyPath, FromSlot]]:
    yield from ((path, one) for path, one in _all_arguments(step) if isinstance(one, FromSlot))


def argument_texts(step: Action) -> Iterator[tuple[KeyPath, str]]:
    """Every argument that is a text with places."""
    yield from ((path, one) for path, one in _all_arguments(step) if isinstance(one, str))


def _all_arguments(step: Action) -> Iterator[tuple[KeyPath, object]]:
    compensated = {} if step.compensate is None else step.compensate.args
    yield from ((("args", name), one) for name, one in step.args.items())
    yield from ((("compensate", "args", name), one) for name, one in compensated.items())


def parts(flow: Flow) -> Iterator[tuple[KeyPath, FromSlot]]:
    """Every argument that is a slot or a part of one."""
    for path, step, _ in placed(flow):
        if isinstance(step, Action):
            yield from (((*path, *at), one) for at, one in _arguments(step))


def tools(flow: Flow) -> Iterator[Named]:
    """Every tool."""
    for name, section in flow.body.slots.items():
        told: AnyType = section
        if isinstance(told, RefSlot) and told.tool is not None:
            yield Named(("slots", name, "tool"), told.tool)
    for path, step, _ in placed(flow):
        if isinstance(step, Action):
            yield Named((*path, "action"), step.action)
            if step.reconcile is not None:
                yield Named((*path, "reconcile"), step.reconcile)
            if step.compensate is not None:
                yield Named((*path, "compensate", "tool"), step.compensate.tool)


def others(flow: Flow) -> Iterator[Named]:
    """Every flow that it begins."""
    for path, step, _ in placed(flow):
        match step:
            case Call():
                yield Named((*path, "call"), step.call)
            case Link():
                yield Named((*path, "link"), step.link)


def deciding(flow: Flow, slot: str) -> frozenset[str]:
    """The steps that work something out with a slot, or choose the way by it: by id."""
    return frozenset(one.step.id for one in placed(flow) if slot in _read_by(one.step))


def _read_by(step: Step) -> Iterator[str]:
    match step:
        case Set():
            yield from _names(step.set.values())
        case While():
            yield from step.condition.names
        case Branch():
            yield from _names(arm.when for arm in step.branch if isinstance(arm, When))
        case Action() if step.result:
            yield from _names(step.result.values())
            yield from _names(one.expr for one in step.args.values() if isinstance(one, FromExpression))
            yield from (one.slot for one in step.args.values() if isinstance(one, FromSlot))
            for text in (one for one in step.args.values() if isinstance(one, str)):
                yield from template.parse(text).names
        case Call():
            yield from _names(step.given.values())


def _names(expressions: Iterable[Expression]) -> Iterator[str]:
    return (name for expression in expressions for name in expression.names)


def computed(flow: Flow) -> frozenset[str]:
    """The slots that its steps set without asking."""
    return frozenset(name for one in placed(flow) if not isinstance(one.step, Collect) for name in written_by(one))


def written(flow: Flow) -> frozenset[str]:
    """The slots that its steps give values to, by asking or by themselves."""
    return frozenset(name for one in placed(flow) for name in written_by(one))


def written_by(one: Placed) -> tuple[str, ...]:
    """The slots that a step gives values to."""
    match one.step:
        case Collect():
            return (one.step.collect,)
        case Set():
            return tuple(one.step.set)
        case Action():
            return tuple(one.step.result)
        case Call():
            return tuple(one.step.take)
        case _:
            return ()
