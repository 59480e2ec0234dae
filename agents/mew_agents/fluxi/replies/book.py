"""All that is said, by key: each reply in the language and the manner of the account (docs/fluxi.md §1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from mew_agents.fluxi.definitions import template
from mew_agents.fluxi.definitions.template import Template
from mew_agents.fluxi.message import Formality, PolicyContext
from mew_agents.fluxi.replies.keys import MANNERS, Key, Manner
from mew_agents.fluxi.replies.rules import additions
from mew_agents.fluxi.replies.sentence import capital, either, filled
from mew_agents.fluxi.replies.sentences import TONGUES
from mew_agents.fluxi.replies.sentences.phrasing import Phrasing, Tongue
from mew_agents.fluxi.replies.spoken import Sayable, spoken
from mew_agents.language.found import Language


@dataclass(frozen=True, eq=False)
class Book:
    """Sentences by language and key, and the manner of each key."""

    manners: Mapping[Key, Manner]
    tongues: Mapping[Language, Tongue]

    def with_more(self, manners: Mapping[Key, Manner], sentences: Mapping[Language, Mapping[Key, Phrasing]]) -> Book:
        """This book with further keys, which have sentences in each language."""
        tongues = {
            language: tongue._replace(sentences={**tongue.sentences, **sentences[language]})
            for language, tongue in self.tongues.items()
        }
        return Book({**self.manners, **manners}, tongues)

    def say(self, key: Key, policy: PolicyContext, **values: Sayable) -> str:
        """The reply of a key. Values that its sentence has no place for are not said; None and "" are no values.

        Times are written in the time zone of the policy. `warm` opens with a friendly word, `brief` says only what
        must be said. Raises `KeyError` for an unknown key, or a value that its sentence cannot do without.
        """
        parsed = self.sentence(key, policy.language, policy.formality, brief=policy.tone == "brief")
        told = {name: spoken(value, policy) for name, value in values.items() if value not in (None, "", [], ())}
        if self.manners[key].repeats:
            told = {name: self.undressed(text, policy) for name, text in told.items()}
        return self.dressed(capital(filled(parsed, told)), key, policy)

    def sentence(self, key: Key, language: Language, formality: Formality, *, brief: bool) -> Template:
        """The template of a key. Raises `KeyError` for a key that there is none of."""
        phrasing = self.tongues[language].sentences[key]
        return _parsed(phrasing.brief if brief else phrasing.full, formality)

    def dressed(self, reply: str, key: Key, policy: PolicyContext) -> str:
        """A reply in the manner of the account: its own sentences, a friendly word, a sign."""
        manner, added = self.manners[key], additions(tuple(policy.rules), key)
        if policy.tone == "warm":
            reply = f"{either(self.tongues[policy.language].openings[manner.mood], policy.formality)} {reply}"
        reply = " ".join((*added.before, reply, *added.after))
        return f"{reply} {manner.emoji}" if policy.emojis else reply

    def undressed(self, text: str, policy: PolicyContext) -> str:
        """What was dressed without it, so that it can be said within another reply. Any other text stays as it is."""
        most, bare = 0, text
        for key in self.manners:
            before, _, after = self.dressed("\0", key, policy).partition("\0")
            worn = len(before) + len(after)
            if most < worn < len(text) and text.startswith(before) and text.endswith(after):
                most, bare = worn, text[len(before) : len(text) - len(after)]
        return bare


@cache
def _parsed(text: str, formality: Formality) -> Template:
    return template.parse(either(text, formality))


FLUXI = Book(MANNERS, TONGUES)
