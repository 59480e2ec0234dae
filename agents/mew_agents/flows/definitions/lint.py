"""What flows that have the right form may still get wrong: errors, and warnings about what may surprise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from mew_agents.fluxi.definitions.lint import Finding
from mew_gateway.documents.problems import Fault

from . import certainty, endless, jumps, references, risks, wording
from .model import Flow
from .references import Known

_ERRORS: tuple[Callable[[Flow, Known], Iterator[Fault]], ...] = (
    references.doubled,
    references.slots,
    references.expressions,
    references.texts,
    references.arguments,
    references.flows,
    references.calls,
    jumps.targets,
    jumps.effects,
    endless.rounds,
    risks.bounds,
)
_WARNINGS: tuple[Callable[[Flow], Iterator[Fault]], ...] = (
    jumps.unreachable,
    jumps.circles,
    wording.missing,
    wording.questions,
    risks.shared_words,
    risks.unfilled,
    risks.loops,
    risks.effects,
)


def lint(flow: Flow, known: Known, *, tools: Collection[str] | None = None) -> Iterator[Finding]:
    """Everything to be said of a flow. `known`: every flow by name; `tools`: `participant/name`, None for any.

    Only a flow without errors is looked at for what may surprise.
    """
    errors = [fault for rule in _ERRORS for fault in rule(flow, known)]
    if tools is not None:
        errors += references.unknown_tools(flow, tools)
    yield from (Finding(True, fault) for fault in errors)
    if not errors:
        for rule in _WARNINGS:
            yield from (Finding(False, fault) for fault in rule(flow))
        yield from (Finding(False, fault) for fault in certainty.texts(flow, known))
        yield from (Finding(False, fault) for fault in risks.kept(flow, known))
        yield from (Finding(False, fault) for fault in rivals(flow, known))


def rivals(flow: Flow, known: Known) -> Iterator[Fault]:
    """Words that ask for another flow as well: then somebody has to choose."""
    for language, words in flow.triggers.items():
        for at, word in enumerate(words):
            for other in known.values():
                theirs = {one.casefold() for one in other.triggers.get(language, ())}
                if other is not flow and word.casefold() in theirs:
                    yield Fault(("triggers", language, at), f"It also asks for `{other.name}`, so it is asked back.")
