"""Names of a list that a text mentions: titles ignored, slips forgiven, namesakes told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mew_agents.language.folding import Folded, Token, fold
from mew_agents.language.found import Doubt, Found, Language
from mew_agents.language.naming import NAMINGS, UNNAMED, Gender, Naming, before_the_point
from mew_agents.language.nearness import Nearby
from mew_agents.language.numbers import confidence

SURE = 0.85  # likeness from which on a name that is spelt otherwise is not doubted


def names(text: str, known: Mapping[str, Sequence[str]], language: Language) -> list[Found[str]]:
    """The ids of `known` (id: names and aliases) that a text mentions. For many texts keep a `Names`."""
    return Names(known).found(text, language)


class Names:
    """A list of names by id, indexed by their words, so that a text is looked up in it quickly."""

    def __init__(self, known: Mapping[str, Sequence[str]]) -> None:
        """`known`: id to names and aliases ("Dra. Ana Pérez", "la Pérez")."""
        self._with_word: dict[str, list[_Variant]] = {}
        self._genders = {id_: _genders(written) for id_, written in known.items()}
        for id_, written in known.items():
            for words in dict.fromkeys(map(_name_words, written)):
                for word in dict.fromkeys(words):
                    self._with_word.setdefault(word, []).append(_Variant(id_, words))
        self._nearby = Nearby(self._with_word)

    def found(self, text: str, language: Language) -> list[Found[str]]:
        """The ids mentioned, in the text's order. The evidence is the name's words, and a title only where it makes an
        everyday word a name ("Dr. Domingo") or tells one namesake from another ("la Dra. Pérez").

        Doubts: "ambiguous" when several ids match equally well (`alternatives` has the others), "approximate" when it
        is spelt too differently, "partial" when a word beside it seems to belong to the name and is not in it.
        """
        folded = fold(text)
        naming = NAMINGS[language]
        found: list[Found[str]] = []
        for cluster in self._clusters(folded, naming):
            at = 0
            while at < len(cluster):
                mentions, gender = self._meant(folded.tokens, cluster, at, naming)
                words = cluster[at : at + mentions[0].matched]
                first = _first(folded.tokens, words, mentions[0], naming)
                if first is not None and gender is not None:
                    first = before_the_point(folded.tokens, words[0].at)
                if first is not None:
                    split = len(words) < len(cluster) and not mentions[0].whole
                    partial = split or self._is_partial(folded, words, mentions[0], naming)
                    span = folded.span(first, words[-1].at)
                    found.append(_found(span, mentions, partial=partial))
                at += mentions[0].matched
        return found

    def _clusters(self, folded: Folded, naming: Naming) -> Iterator[list[_Word]]:
        """Runs of words of names; what may stand inside a name does not end a run."""
        cluster: list[_Word] = []
        for at, token in enumerate(folded.tokens):
            matches = self._matches(token, naming) if folded.stands_alone(at, at) else ()
            if matches:
                cluster.append(_Word(at, matches))
            elif cluster and token.text not in naming.particles:
                yield cluster
                cluster = []
        if cluster:
            yield cluster

    def _matches(self, token: Token, naming: Naming) -> tuple[tuple[str, float], ...]:
        if token.text in self._with_word:
            return ((token.text, 1.0),)
        if token.kind != "word" or token.text in naming.common or token.text in UNNAMED:
            return ()
        return tuple(self._nearby.near(token.text))

    def _meant(
        self, tokens: Sequence[Token], cluster: Sequence[_Word], at: int, naming: Naming
    ) -> tuple[list[_Mention], Gender | None]:
        """The mentions at that index, and the gender of the title if it was needed to tell namesakes apart."""
        mentions = self._mentions(cluster, at)
        gender = naming.gender(tokens, cluster[at].at)
        named_so = [one for one in mentions if gender in self._genders[one.variant.id]]
        if gender is None or not 0 < len(named_so) < len(mentions):
            return mentions, None
        return named_so, gender

    def _mentions(self, cluster: Sequence[_Word], at: int) -> list[_Mention]:
        """What the cluster mentions from index `at` on, in the order of the list: one id, or several equally well."""
        best: dict[str, _Mention] = {}
        for word, _ in cluster[at].matches:
            for variant in self._with_word[word]:
                mention = _mention(variant, cluster, at)
                if variant.id not in best or mention.rank > best[variant.id].rank:
                    best[variant.id] = mention
        rank = max(mention.rank for mention in best.values())
        return [mention for mention in best.values() if mention.rank == rank]

    def _is_partial(self, folded: Folded, words: Sequence[_Word], mention: _Mention, naming: Naming) -> bool:
        """Whether an unknown word beside the mention looks like a part of the name: "Laura Pérez", for "Ana Pérez"."""
        tokens = folded.tokens
        before, after = words[0].at - 1, words[-1].at + 1
        strange = before >= 0 and self._is_stranger(tokens[before], naming)
        if strange and (naming.introduced(tokens, before) or _is_capital(folded, before)):
            return True
        if after >= len(tokens):
            return False
        if tokens[after].kind == "digits":
            return any(word.isdigit() for word in mention.variant.words)
        return self._is_stranger(tokens[after], naming) and (not mention.whole or _is_capital(folded, after))

    def _is_stranger(self, token: Token, naming: Naming) -> bool:
        """A word that is neither of the list nor an everyday one."""
        known = token.text in self._with_word or token.text in UNNAMED or token.text in naming.common
        return token.kind == "word" and not known


class _Variant(NamedTuple):
    """One way to write the name of an id: its folded words, in order."""

    id: str
    words: tuple[str, ...]


class _Word(NamedTuple):
    """A token of the text, and the words of names that it is, or nearly is, each with its likeness."""

    at: int
    matches: tuple[tuple[str, float], ...]


class _Mention(NamedTuple):
    """A variant of which `matched` words stand one after the other in the text; the better one has the greater rank."""

    variant: _Variant
    matched: int
    likeness: float  # the sum over its words

    @property
    def whole(self) -> bool:
        return self.matched == len(self.variant.words)

    @property
    def rank(self) -> tuple[int, float, bool]:
        return self.matched, self.likeness, self.whole


def _mention(variant: _Variant, cluster: Sequence[_Word], at: int) -> _Mention:
    """How many words from index `at` of the cluster on are words of the variant, in any order."""
    left = list(variant.words)
    likeness = 0.0
    for word in cluster[at : at + len(variant.words)]:
        match = next(((near, like) for near, like in word.matches if near in left), None)
        if match is None:
            break
        left.remove(match[0])
        likeness += match[1]
    return _Mention(variant, len(variant.words) - len(left), likeness)


def _found(span: tuple[int, int], mentions: Sequence[_Mention], *, partial: bool) -> Found[str]:
    likeness = mentions[0].likeness / mentions[0].matched
    doubts: list[Doubt] = []
    if len(mentions) > 1:
        doubts.append("ambiguous")
    if likeness < SURE:
        doubts.append("approximate")
    if partial:
        doubts.append("partial")
    others = tuple(mention.variant.id for mention in mentions[1:])
    return Found(mentions[0].variant.id, *span, min(likeness, confidence(doubts)), others, tuple(doubts))


def _genders(written: Sequence[str]) -> frozenset[Gender]:
    """What the titles in the names of one id say, in any language."""
    tokens = [token.text for name in written for token in fold(name).tokens]
    said = (naming.genders.get(text) for naming in NAMINGS.values() for text in tokens)
    return frozenset(gender for gender in said if gender is not None)


def _name_words(name: str) -> tuple[str, ...]:
    """The words of a name without titles and particles, unless it has no others."""
    words = tuple(token.text for token in fold(name).tokens if token.kind != "symbol")
    return tuple(word for word in words if word not in UNNAMED) or words


def _first(tokens: Sequence[Token], words: Sequence[_Word], mention: _Mention, naming: Naming) -> int | None:
    """The token that a mention begins with. Everyday words are a name only after a title, which is the first then, or
    as a whole name of several words; else None."""
    if any(tokens[word.at].text not in naming.common for word in words) or (mention.whole and mention.matched > 1):
        return words[0].at
    return before_the_point(tokens, words[0].at) if naming.titled(tokens, words[0].at) else None


def _is_capital(folded: Folded, at: int) -> bool:
    """A token written with a capital in a text that is not all capitals."""
    start, _ = folded.span(at, at)
    return folded.original[start].isupper() and not folded.original.isupper()
