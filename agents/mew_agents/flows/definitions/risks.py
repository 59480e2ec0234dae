"""What a flow may do, and will, that its author may not have meant: warnings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mew_agents.fluxi.definitions import bounds as fluxi_bounds
from mew_agents.fluxi.definitions import risks as fluxi_risks
from mew_gateway.documents.problems import Fault, KeyPath

from . import uses
from .model import Flow
from .references import Known
from .steps import Action, Block, Call, Collect, Placed, While, walk

_ONLY_EFFECTS = ("retry", "idempotency", "reconcile", "compensate")


def bounds(flow: Flow, known: Known) -> Iterator[Fault]:  # noqa: ARG001 - all errors are called alike
    """Slots that no value fits. Fluxi finds them; they are told at the flow's own keys."""
    for fault in fluxi_bounds.slots(flow.full_definition):
        told = re.sub("`[^`]*`", lambda key: _snake(key[0]), fault.message)
        yield fault._replace(path=_own_path(flow, fault.path, "validators"), message=told)


def shared_words(flow: Flow) -> Iterator[Fault]:
    """Words that mean two options, and so none."""
    for fault in fluxi_risks.risks(flow.full_definition):
        if fault.path[0] == "slots" and "options" in fault.path:
            yield fault._replace(path=_own_path(flow, fault.path[:3]) + fault.path[3:])  # behind are people's words


def unfilled(flow: Flow) -> Iterator[Fault]:
    """Slots that are never asked for, never set, and told by no words of their own."""
    filled = uses.written(flow)
    for name, section in flow.body.slots.items():
        if name not in filled and not section.cues and flow.triggers:
            message = "Nothing asks for this slot or sets it, and it has no `cues`: it stays empty."
            yield Fault(("slots", name), message, "`collect` it, or delete it")


def loops(flow: Flow) -> Iterator[Fault]:
    """Loops whose condition nothing inside changes."""
    for path, step, _ in uses.placed(flow):
        if isinstance(step, While):
            inside = {name for one in _within(path, step) for name in uses.written_by(one)}
            if inside.isdisjoint(step.condition.names) and not {"now", "today"} & set(step.condition.names):
                message = "Nothing inside changes what this asks: it is so never, or until `max`."
                yield Fault((*path, "while"), message, "`set` or `collect` a slot of it inside")


def kept(flow: Flow, known: Known) -> Iterator[Fault]:
    """Values that a called flow may have corrected, while this one keeps what it gave."""
    for path, step, _ in uses.placed(flow):
        if isinstance(step, Call):
            collected = {one.step.collect for one in uses.placed(known[step.call]) if isinstance(one.step, Collect)}
            taken = {name for expression in step.take.values() for name in expression.names}
            for name in step.given:
                if name in collected - taken:
                    message = f"People may correct this in `{step.call}`, and this flow would not know."
                    yield Fault((*path, "with", name), message, f"`take` a slot from `{name}`", at_key=True)


def effects(flow: Flow) -> Iterator[Fault]:
    """Effects that may end in doubt, and what means nothing where there is no effect."""
    for path, step, _ in uses.placed(flow):
        if not isinstance(step, Action):
            continue
        if not step.effect:
            for name in _ONLY_EFFECTS:
                if name in step.model_fields_set:
                    message = "Only an effect has this: the same call is made again after a crash."
                    yield Fault((*path, name), message, "`effect: true`, or leave it out", at_key=True)
        elif step.reconcile is None and step.idempotency == "keyed":
            yield Fault((*path, "idempotency"), "The tool cannot be asked what it did.", "add `reconcile`")
        elif step.reconcile is None:
            message = "It may end in doubt: it has no key, and the tool cannot be asked."
            yield Fault(path, message, "add `reconcile`")


def _within(path: KeyPath, loop: While) -> Iterator[Placed]:
    return walk(Block((*path, "steps"), loop.steps))


def _own_path(flow: Flow, path: KeyPath, *between: str) -> KeyPath:
    """A path of the derived definition as one of the flow: slots by name, keys in snake case."""
    _, at, *rest = path
    name = flow.full_definition.paths[int(at)]
    return ("slots", name, *between, *(_snake(key) if isinstance(key, str) else key for key in rest))


def _snake(text: str) -> str:
    return re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", text)
