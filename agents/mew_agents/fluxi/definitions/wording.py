"""Whether a definition can speak each of its languages, which are those of its title."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from mew_gateway.documents.problems import Fault, KeyPath

from .model import Definition
from .references import places
from .slots import EnumSlot, Slot


def words(definition: Definition) -> Iterator[Fault]:
    """The words that ask for it, in each language."""
    yield from _each(definition, definition.intents, ("intents",), "the words that ask for it")
    yield from _foreign(definition, definition.examples, ("examples",))


def summary(definition: Definition) -> Iterator[Fault]:
    """What a yes to the whole is asked for with, and its places."""
    path: KeyPath = ("confirmation", "summary")
    told = definition.confirmation.summary
    if definition.effects:
        yield from _each(definition, told, path, "what will be done, which is said before and after")
    else:
        yield from _foreign(definition, told, path)
    yield from chain.from_iterable(places(definition, text, (*path, language)) for language, text in told.items())


def texts(definition: Definition) -> Iterator[Fault]:
    """Labels, questions and the words for options."""
    for at, slot in enumerate(definition.slots):
        yield from _slot(definition, slot, ("slots", at))


def effects(definition: Definition) -> Iterator[Fault]:
    """What effects are called."""
    for at, effect in enumerate(definition.effects):
        if effect.label:
            yield from _each(definition, effect.label, ("effects", at, "label"), "the label")
        yield from _foreign(definition, effect.told, ("effects", at, "told"))


def _slot(definition: Definition, slot: Slot, path: KeyPath) -> Iterator[Fault]:
    yield from _each(definition, slot.label, (*path, "label"), "the label")
    if slot.required:
        yield from _each(definition, slot.prompt, (*path, "prompt"), "the question")
    else:
        yield from _foreign(definition, slot.prompt, (*path, "prompt"))
    yield from _foreign(definition, slot.cues, (*path, "cues"))
    yield from _foreign(definition, slot.explain, (*path, "explain"))
    if isinstance(slot, EnumSlot):
        for option, meant in slot.options.items():
            yield from _each(definition, meant, (*path, "options", option), "the words for this option")


def _each(definition: Definition, told: Collection[str], path: KeyPath, what: str) -> Iterator[Fault]:
    missing = [language for language in definition.languages if language not in told]
    if missing:
        yield Fault(path, f"Missing in {', '.join(missing)}: {what}.", "every language of `title`")
    yield from _foreign(definition, told, path)


def _foreign(definition: Definition, told: Collection[str], path: KeyPath) -> Iterator[Fault]:
    for language in told:
        if language not in definition.languages:
            yield Fault((*path, language), "The title is not in this language.", "add it to `title`", at_key=True)
