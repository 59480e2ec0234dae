"""Whether what a flow names is there: slots and their parts, flows, tools; and nothing twice."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.effects import FromKey, FromWork
from mew_gateway.documents.problems import Fault, KeyPath, did_you_mean, echo
from mew_gateway.documents.tool_names import unknown_tool_fault

from . import uses
from .arguments import FromExpression
from .model import Flow
from .steps import Action, Call, Link

Known = Mapping[str, Flow]
_WHOLE = {"amount": "money", "currency": "money", "date": "datetime", "time": "datetime"}
_PARTS = ("amount", "currency")


def doubled(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001 - all rules are called alike
    """Ids that stand twice."""
    seen: set[str] = set()
    for path, step, _ in uses.placed(flow):
        if step.id in seen:
            yield Fault((*path, "id"), "Another step has this id.", "give it another")
        seen.add(step.id)


def slots(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001
    """The slots that steps ask for and fill."""
    for path, name, at_key in uses.slots(flow):
        if name not in flow.slots:
            yield unknown_slot(path, name, flow.slots, at_key=at_key)
    for path, one in uses.parts(flow):
        kind = flow.slots[one.slot].slot.type if one.slot in flow.slots else None
        if kind is not None and one.part is not None and _WHOLE[one.part] != kind:
            yield Fault((*path, "part"), f"A slot of the type {kind} has no {one.part}.", "leave `part` out")


def expressions(flow: Flow, known: Known) -> Iterator[Fault]:
    """The names in expressions, and the parts of slots."""
    for path, expression, owner, given in uses.formulas(flow):
        of = known.get(owner)
        if of is None:
            continue  # told where the flow is named
        for name in expression.names:
            if name not in of.slots and name not in given:
                yield unknown_slot(path, name, of.slots)
        for name, part in expression.parts:
            yield from _part(flow, of, path, name, part)


def _part(flow: Flow, of: Flow, path: KeyPath, name: str, part: str) -> Iterator[Fault]:
    """Only money has parts. The `value` of a check is of the type of its slot."""
    slot = flow.slots[str(path[1])] if name == "value" and path[0] == "slots" else of.slots.get(name)
    if slot is None:
        return
    if slot.slot.type != "money":
        yield Fault(path, f"A slot of the type {slot.slot.type} has no parts, and so no {echo(part)}.")
    elif part not in _PARTS:
        yield Fault(path, f"Money has no {echo(part)}.", did_you_mean(part, _PARTS))


def texts(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001
    """The places in texts. A question is said as it stands."""
    for path, told in uses.phrases(flow):
        for language, phrase in told.items():
            names = (*template.parse(phrase.formal).names, *template.parse(phrase.informal).names)
            for name in dict.fromkeys(names):
                if name not in flow.slots:
                    yield unknown_slot((*path, language), name, flow.slots)
    for name, section in flow.body.slots.items():
        for language, phrase in section.ask.items():
            if template.parse(phrase.formal).names or template.parse(phrase.informal).names:
                suggestion = "a `say` before it tells values"
                yield Fault(("slots", name, "ask", language), "A question has no places for values.", suggestion)


def arguments(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001
    """What tools are given, but for slots."""
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Action):
            compensated = {} if step.compensate is None else step.compensate.args
            for name, one in step.args.items():
                yield from _argument(flow, step, one, (*path, "args", name))
            for name, other in compensated.items():
                yield from _argument(flow, step, other, (*path, "compensate", "args", name))


def _argument(flow: Flow, step: Action, given: object, path: KeyPath) -> Iterator[Fault]:
    match given:
        case str():
            for name in template.parse(given).names:
                if name not in flow.slots:
                    yield unknown_slot(path, name, flow.slots)
        case FromExpression() if step.effect:
            message = "An effect is given slots, so that the yes before it can be to what it does."
            yield Fault((*path, "expr"), message, "`set` a slot before the `confirm`, and name it here", at_key=True)
        case FromWork(work="id") if not step.effect:
            yield Fault((*path, "work"), "Only an effect has a Work.", "`effect: true`, or leave it out")
        case FromKey() if given.key != step.id:
            yield Fault((*path, "key"), f"{echo(given.key)} is not this effect.", f"`{step.id}`")


def flows(flow: Flow, known: Known) -> Iterator[Fault]:
    """The flows that it begins, and the slots of theirs that it fills."""
    for path, name, _ in uses.others(flow):
        if name not in known:
            yield Fault(path, f"There is no flow {echo(name)}.", did_you_mean(name, known))
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Call | Link):
            of = known.get(step.call if isinstance(step, Call) else step.link)
            for name in step.given if of is not None else ():
                if of is not None and name not in of.slots:
                    yield unknown_slot((*path, "with", name), name, of.slots, at_key=True)


def calls(flow: Flow, known: Known) -> Iterator[Fault]:
    """A flow that calls itself, by itself or by others, would never end."""
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Call):
            way = _way(step.call, flow.name, known)
            if way is not None:
                told = " → ".join((flow.name, *way))
                yield Fault((*path, "call"), f"The flow calls itself: {told}.", "`link` goes on without return")


def _way(start: str, goal: str, known: Known) -> Sequence[str] | None:
    """The calls that lead from one flow to another."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    ahead = [start]
    while ahead:
        name = ahead.pop(0)
        if name == goal:
            return ways[name]
        steps = (one.step for one in uses.placed(known[name])) if name in known else ()
        for called in (step.call for step in steps if isinstance(step, Call)):
            if called not in ways:
                ways[called] = (*ways[name], called)
                ahead.append(called)
    return None


def unknown_tools(flow: Flow, tools: Collection[str]) -> Iterator[Fault]:
    """Tools that are not among those there are."""
    for path, name, _ in uses.tools(flow):
        fault = unknown_tool_fault(path, name, tools)
        if fault is not None:
            yield fault


def unknown_slot(path: KeyPath, name: str, slots: Collection[str], *, at_key: bool = False) -> Fault:
    """A name that is no slot's."""
    return Fault(path, f"There is no slot {echo(name)}.", did_you_mean(name, slots), at_key)
