"""Words that are spelt nearly alike: how many slips are forgiven, and which differences are no slips."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

_SHORT, _LONG = 4, 8  # letters: below the first nothing is forgiven, from the second on two slips are
_TWO = 2
_GENDERS = {("a", "o"), ("o", "a")}


def slips_forgiven(word: str) -> int:
    """How many letters may be wrong, missing, too many or swapped in a word of this length."""
    return 0 if len(word) < _SHORT else 1 if len(word) < _LONG else 2


class Nearby:
    """A set of folded words that finds those nearly spelt as another."""

    def __init__(self, words: Iterable[str]) -> None:
        by_length: dict[int, list[str]] = {}
        for word in dict.fromkeys(words):
            by_length.setdefault(len(word), []).append(word)
        longest = max(by_length, default=0)
        self._reachable = {
            length: [word for near in range(length - 2, length + 3) for word in by_length.get(near, ())]
            for length in range(_SHORT, longest + 3)
        }

    def near(self, word: str) -> list[tuple[str, float]]:
        """The words nearest to `word`, which is none of them, each with its likeness from 0 to 1; mostly none.

        A word that the other merely begins with is not near ("Martín", "Martina"), nor is the other gender ("Paulo"),
        nor one with two slips of which one is at its beginning ("escrever", "inscrever").
        """
        slips = slips_forgiven(word)
        reachable = self._reachable.get(len(word))
        if not slips or not reachable:
            return []
        found = [
            (other, int(distance))
            for other, distance, _ in process.extract(word, reachable, scorer=OSA.distance, score_cutoff=slips, limit=8)
            if distance <= slips_forgiven(other)
            and (distance < _TWO or word[0] == other[0])
            and not _differ_on_purpose(word, other)
        ]
        nearest = min((distance for _, distance in found), default=0)
        return [(other, 1 - distance / max(len(word), len(other))) for other, distance in found if distance == nearest]


def _differ_on_purpose(word: str, other: str) -> bool:
    return (
        word.startswith(other)
        or other.startswith(word)
        or (word[:-1] == other[:-1] and (word[-1], other[-1]) in _GENDERS)
    )
