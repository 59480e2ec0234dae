"""A work definition: what a kind of Work needs to know, asks, confirms and does (docs/fluxi.md §6)."""

from __future__ import annotations

from typing import Literal

from mew_agents.language.found import LANGUAGES, Language

from . import fields
from .effects import Effect
from .section import Section, duration, key
from .slots import AnySlot, Slot

EVERYBODY = "*"


class Policies(Section):
    """How long a Work lives, and who may open how many."""

    expiration: fields.Duration = duration("A Work that nothing happens to for so long expires.", 1_800_000, "30m")
    concurrency: Literal["one", "many"] = key("many: a conversation may hold several live Works of it.", "one")
    open: Literal["auto", "review"] = key("review: a person accepts every proposal before a Work opens.", "auto")
    grants: fields.Sequence[fields.Sentence] = key('The accounts that may use it; `["*"]` is everybody.', ())
    max_unresolved: int = key("Answers not understood in a row, before a person must help.", 3, ge=1, le=100)

    def allows(self, account_id: str) -> bool:
        """Whether an account may open a Work of it."""
        return account_id in self.grants or EVERYBODY in self.grants


class Confirmation(Section):
    """What a person must say yes to. `ttl`, in milliseconds, is how long that yes may take."""

    slots: Literal["never", "ambiguous", "critical", "always"] = key(
        "Slots asked back: none, those of several readings, these and the critical ones, all.", "critical"
    )
    execute: bool = key("The effects need a yes. false: they happen as soon as everything is known.", True)
    ttl: fields.Duration = duration("How long an answer is taken; longer than `expiration`.", 86_400_000, "1d")
    summary: fields.Templates = key("What will be done, by language, as a phrase.", {})


class Cancel(Section):
    """What a person may take back."""

    allowed: bool = key("Whoever speaks may cancel the Work while nothing is being done.", True)
    compensate: bool = key("Cancelling undoes the effects that were done.", False)


class Definition(Section):
    """A work definition. It never changes: `version_id` names this very content."""

    type_id: fields.Id = key("What kind of Work it is.")
    version: int = key("Counts up with every change of meaning.", ge=1)
    title: fields.Text = key("What people call it, by language: these are the definition's languages.", min_length=1)
    intents: fields.Words = key("Words that ask for it, by language.", min_length=1)
    examples: fields.Words = key("Whole sentences that ask for it, by language.", {})
    binding_attributes: fields.Some[fields.Path] = key("Slots of which one must be named for a Work to open.")
    slots: fields.Some[AnySlot] = key("What a Work must know.")
    aggregate_key: fields.TemplateText | None = key("What only one live Work of an account may be about.", None)
    policies: Policies = key("Its rules.", Policies())
    confirmation: Confirmation = key("What is asked before it is done.", Confirmation())
    effects: fields.Sequence[Effect] = key("What it does, in this order.", ())
    cancel: Cancel = key("What can be taken back.", Cancel())

    @property
    def languages(self) -> tuple[Language, ...]:
        """The languages it speaks."""
        return tuple(language for language in LANGUAGES if language in self.title)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of its slots, in its order."""
        return tuple(slot.path for slot in self.slots)

    @property
    def required(self) -> tuple[Slot, ...]:
        """The slots it asks for, in its order."""
        return tuple(slot for slot in self.slots if slot.required)

    def slot(self, path: str) -> Slot:
        """The slot of a path. Raises `KeyError`."""
        for slot in self.slots:
            if slot.path == path:
                return slot
        raise KeyError(path)

    def effect(self, effect_id: str) -> Effect:
        """The effect of an id. Raises `KeyError`."""
        for effect in self.effects:
            if effect.id == effect_id:
                return effect
        raise KeyError(effect_id)
