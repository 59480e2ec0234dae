"""What a definition may do, and will, that its author may not have meant: warnings."""

from __future__ import annotations

from collections.abc import Iterator

from mew_gateway.documents.problems import Fault, KeyPath

from .effects import Effect
from .model import Definition
from .slots import EnumSlot


def risks(definition: Definition) -> Iterator[Fault]:
    """Everything of that kind, in no particular order."""
    if not definition.policies.grants:
        yield Fault(("policies", "grants"), "No account may use it.", '`grants: ["*"]` is everybody')
    for at, effect in enumerate(definition.effects):
        yield from _effect(definition, effect, ("effects", at))
    if definition.confirmation.slots in ("never", "ambiguous"):
        for at, slot in enumerate(definition.slots):
            if slot.critical:
                message = f"Nobody is asked about it: `confirmation.slots` is {definition.confirmation.slots}."
                yield Fault(("slots", at, "critical"), message, "`confirmation.slots: critical`")
    for at, slot in enumerate(definition.slots):
        if isinstance(slot, EnumSlot):
            yield from _shared_words(slot, ("slots", at, "options"))


def _effect(definition: Definition, effect: Effect, path: KeyPath) -> Iterator[Fault]:
    if effect.reconcile is None:
        if effect.idempotency == "keyed":
            yield Fault((*path, "idempotency"), "The tool cannot be asked what it did.", "add `reconcile`")
        else:
            yield Fault(path, "It may end in doubt: it has no key, and the tool cannot be asked.", "add `reconcile`")
    if effect.compensate is None and not definition.confirmation.execute:
        message = "It cannot be undone, and nobody is asked before it."
        yield Fault(path, message, "`confirmation.execute: true`, or add `compensate`")
    if effect.compensate is None and definition.cancel.compensate:
        yield Fault(path, "Cancelling does not undo it.", "add `compensate`")


def _shared_words(slot: EnumSlot, path: KeyPath) -> Iterator[Fault]:
    """Words that mean two options, and so none."""
    first: dict[tuple[str, str], str] = {}
    for option, by_language in slot.options.items():
        for language, words in by_language.items():
            for at, word in enumerate(words):
                other = first.setdefault((language, word.casefold()), option)
                if other != option:
                    yield Fault((*path, option, language, at), f"It also means `{other}`, so it is asked back.")
