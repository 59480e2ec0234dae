"""One of several options, by the words that each is called in each language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mew_agents.language.clauses import CLAUSES
from mew_agents.language.folding import Folded
from mew_agents.language.found import LANGUAGES, Found, Language
from mew_agents.language.intents import merged
from mew_agents.language.phrase_table import PhraseTable
from mew_agents.language.sightings import BENT, SURE, Phrasing, Sighting, outermost
from mew_agents.language.spelling import spelled
from mew_agents.language.thesaurus import others

# What an option is called, by language.
Wordings = Mapping[Language, Sequence[str]]


def choices(text: str, options: Mapping[str, Wordings], language: Language) -> list[Found[str]]:
    """The keys of `options` that a text names. For many texts keep `Choices`."""
    return Choices(options, language).found(text)


class Choices:
    """Options with their words, for texts in a language. Words of the others count too, unless it uses them itself."""

    def __init__(self, options: Mapping[str, Wordings], language: Language) -> None:
        own = {word for wordings in options.values() for word in wordings.get(language, ())}
        abroad = [spoken for spoken in LANGUAGES if spoken != language]
        self._phrasing = Phrasing(
            {
                id_: [
                    *wordings.get(language, ()),
                    *(word for spoken in abroad for word in wordings.get(spoken, ()) if word not in own),
                ]
                for id_, wordings in options.items()
            },
            language,
        )
        self._language: Language = language
        self._clauses = CLAUSES[language]
        self._others = PhraseTable(
            (phrase, id_)
            for id_, wordings in options.items()
            for phrase in others(wordings.get(language, ()), "options", language)
            if phrase not in own
        )

    def found(self, text: str, *, sure: float = SURE) -> list[Found[str]]:
        """The options named, in the text's order; "no" right before one excludes it ("efectivo, no tarjeta").

        Doubts: "ambiguous" when the same words name several (`alternatives`), "approximate" when they are misspelt,
        which they are only if no option is named in its own words. `sure`: the likeness from which on they are not.
        """
        folded = spelled(text, self._language)
        own = self._phrasing.seen(folded)
        more = [
            one
            for one in self._seen_otherwise(folded)
            if not any(one.id == two.id and one.first <= two.last and two.first <= one.last for two in own)
        ]
        seen = [*outermost([*own, *more])]
        meant = [one for one in seen if not self._clauses.directly_denied(folded.tokens, one.first)]
        nobodys = {one.id for one in seen if _is_nobodys(folded, one)}
        if len({one.id for one in seen}) > 1:  # "nobody stole it, I lost it"; alone it may tell what is wrong
            meant = [one for one in meant if one.id not in nobodys]
        return merged(folded, [one for one in meant if one.likeness >= SURE] or meant, sure=sure)

    def _seen_otherwise(self, folded: Folded) -> Iterator[Sighting]:
        """Options by other words for the same, as they are written."""
        tokens = folded.tokens
        for at in range(len(tokens)):
            known = self._others.starting(tokens, at)
            if known is not None and folded.stands_alone(at, at + known[0] - 1):
                yield Sighting(known[1], at, at + known[0] - 1, BENT)


_NOBODY = frozenset(("nobody", "noone", "nadie", "ninguem"))
_NEAR = 3  # tokens between "nobody" and what nobody did
_STOPS = frozenset(".,;:!?")


def _is_nobodys(folded: Folded, one: Sighting) -> bool:
    """Whether a clause says that nobody did it: "nobody stole it", "no me la ha robado nadie"."""
    tokens = [token.text for token in folded.tokens]
    before = tokens[max(0, one.first - _NEAR) : one.first]
    after = tokens[one.last + 1 : one.last + 1 + _NEAR]
    for words in (before[::-1], after):
        for at, word in enumerate(words):
            if word in _STOPS:
                break
            if word in _NOBODY or (word == "one" and words is not after and words[at + 1 : at + 2] == ["no"]):
                return True
    return False
