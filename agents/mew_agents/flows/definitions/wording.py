"""Whether a flow can speak each of its languages: those of any of its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from mew_agents.language.found import LANGUAGES
from mew_gateway.documents.problems import Fault, KeyPath

from . import uses
from .model import Flow
from .slot_types import EnumSlot
from .steps import Action


def missing(flow: Flow) -> Iterator[Fault]:
    """Texts that lack a language that others have."""
    every = [(path, told) for path, told in _texts(flow) if told]
    spoken = [language for language in LANGUAGES if any(language in told for _, told in every)]
    for path, told in every:
        lacking = [language for language in spoken if language not in told]
        if lacking:
            message = f"Missing in {', '.join(lacking)}, which other texts of the flow have."
            yield Fault(path, message, "people of that language get another one")


def questions(flow: Flow) -> Iterator[Fault]:
    """Slots that are asked for without a question."""
    for name, section in flow.body.slots.items():
        if flow.slots[name].slot.required and not section.ask:
            asked = next(iter(section.label.values()), name)
            yield Fault(("slots", name), f"It is asked for as “{asked}?”: it has no `ask`.", "write the question")


def _texts(flow: Flow) -> Iterator[tuple[KeyPath, Collection[str]]]:
    body = flow.body
    yield ("title",), body.title
    yield ("description",), body.description
    yield ("triggers",), body.triggers
    yield ("examples",), body.examples
    for name, section in body.slots.items():
        path = ("slots", name)
        yield (*path, "label"), section.label
        yield (*path, "ask"), section.ask
        yield (*path, "cues"), section.cues
        if isinstance(section, EnumSlot):
            yield from (((*path, "options", option), words) for option, words in section.options.items())
    yield from uses.phrases(flow)
    for at, step, _ in uses.placed(flow):
        if isinstance(step, Action):
            yield (*at, "label"), step.label
