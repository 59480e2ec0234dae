"""What a definition that has the right form may still get wrong: errors, and warnings about what may surprise."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from mew_gateway.documents.problems import Fault

from . import bounds, references, risks, wording
from .model import Definition


class Finding(NamedTuple):
    """Something wrong, or with `is_error` false only doubtful."""

    is_error: bool
    fault: Fault


_ERRORS: tuple[Callable[[Definition], Iterator[Fault]], ...] = (
    references.doubled,
    references.bindings,
    references.aggregate_key,
    references.arguments,
    wording.words,
    wording.summary,
    wording.texts,
    wording.effects,
    bounds.slots,
    bounds.times,
)


def lint(definition: Definition, *, tools: Collection[str] | None = None) -> Iterator[Finding]:
    """Everything to be said of a definition. `tools` are those there are, `participant/name`; None: any."""
    for rule in _ERRORS:
        yield from (Finding(True, fault) for fault in rule(definition))
    if tools is not None:
        yield from (Finding(True, fault) for fault in references.unknown_tools(definition, tools))
    yield from (Finding(False, fault) for fault in risks.risks(definition))
