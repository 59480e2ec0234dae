"""Which slots surely have a value when a step is reached."""

from __future__ import annotations

from collections.abc import Iterator

from mew_agents.fluxi.definitions import template
from mew_gateway.documents.problems import Fault, KeyPath

from . import uses
from .model import Flow
from .references import Known
from .steps import Action, Call, Collect, Confirm, Link, Say, Set, Step

Sure = frozenset[str]


def texts(flow: Flow, known: Known) -> Iterator[Fault]:
    """Texts with a place, outside of brackets, for what may have no value then."""
    sure = certain(flow, begins_with=_given(flow, known))
    for path, step, _ in uses.placed(flow):
        for key, told in _texts(step):
            for name in dict.fromkeys(place for text in told for place in template.parse(text).required):
                if step.id in sure and name in flow.slots and name not in sure[step.id]:
                    remedy = f"put what depends on it in brackets: `[, {{{name}}}]`"
                    yield Fault((*path, *key), f"`{name}` may have no value here.", remedy)


def _texts(step: Step) -> Iterator[tuple[KeyPath, tuple[str, ...]]]:
    """The texts of a step with their keys. An argument that is one place is left out where that has no value."""
    match step:
        case Say():
            yield from ((("say", language), (one.formal, one.informal)) for language, one in step.say.items())
        case Confirm():
            yield from ((("confirm", language), (one.formal, one.informal)) for language, one in step.confirm.items())
        case Action():
            for key, text in uses.argument_texts(step):
                if template.parse(text).place is None:
                    yield key, (text,)


def certain(flow: Flow, *, begins_with: Sure = frozenset()) -> dict[str, Sure]:
    """By step that can be reached, the slots that have a value whatever the way there."""
    program = flow.program
    found: dict[str, Sure] = {}
    ahead = [(program.first, begins_with)]
    while ahead:
        step_id, known = ahead.pop()
        if step_id is None or step_id not in program.steps:
            continue
        before = found.get(step_id)
        now = known if before is None else before & known
        if now == before:
            continue
        found[step_id] = now
        step = program.steps[step_id]
        done = _done(step, now)
        failed = step.on_error if isinstance(step, Action) else None
        ahead += [
            (one, done if one == program.after[step_id] and one != failed else now) for one in program.targets(step_id)
        ]
    return found


def _done(step: Step, before: Sure) -> Sure:
    """What has a value when a step is done, failed ones aside."""
    match step:
        case Collect():
            return before | {step.collect}
        case Set():
            emptied = {name for name, expression in step.set.items() if expression.text in ("null", "None")}
            return (before | step.set.keys()) - emptied
        case Action():
            return before | step.result.keys()
        case Call():
            return before | step.take.keys()
        case _:
            return before


def _given(flow: Flow, known: Known) -> Sure:
    """What every flow that begins it gives it. What people begin begins with nothing."""
    if flow.triggers:
        return frozenset()
    begun = [
        frozenset(step.given)
        for other in known.values()
        for _, step, _ in uses.placed(other)
        if (isinstance(step, Call) and step.call == flow.name) or (isinstance(step, Link) and step.link == flow.name)
    ]
    return frozenset.intersection(*begun) if begun else frozenset(flow.slots)
