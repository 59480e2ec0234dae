"""Figures of played cases: by language, definition and phenomenon, and the cases that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from mew_agents.language.found import LANGUAGES, Language

from .cases import DEFINITIONS, PHENOMENA, CaseFile
from .player import VERDICTS, Played, Verdict

# What is promised of every language, in per cent: at least so many understood, at most so many of the others.
LEAST_UNDERSTOOD: Final = 85.0
MOST_OTHERS: Final[dict[Verdict, float]] = {"asked_back": 12.0, "not_understood": 3.0, "wrong_and_confirmed": 0.0}


class Result(NamedTuple):
    """A case that was played, and the file that it stands in."""

    file: CaseFile
    played: Played


class Figures(NamedTuple):
    """How many cases came out how."""

    cases: int
    counts: Counter[Verdict]

    @classmethod
    def of(cls, results: Iterable[Result]) -> Figures:
        """The figures of some cases."""
        counts = Counter(result.played.verdict for result in results)
        return cls(sum(counts.values()), counts)

    def share(self, verdict: Verdict) -> float:
        """Per cent of the cases; of no cases 0."""
        return 100 * self.counts[verdict] / self.cases if self.cases else 0.0

    @property
    def kept(self) -> bool:
        """Whether they are as promised."""
        enough = self.share("understood") >= LEAST_UNDERSTOOD
        return enough and all(self.share(verdict) <= most for verdict, most in MOST_OTHERS.items())


def by_language(results: Sequence[Result]) -> dict[Language, Figures]:
    """The figures of each language."""
    return {one: Figures.of(result for result in results if result.file.language == one) for one in LANGUAGES}


def lines(results: Sequence[Result]) -> Iterator[str]:
    """Three tables, each row with the cases and the four shares."""
    yield _row("language", "cases", *(verdict.replace("_", " ") for verdict in VERDICTS), "")
    for language, figures in by_language(results).items():
        yield _figures(language, figures, "" if figures.kept else "  below the promise")
    yield ""
    yield from _table("definition", DEFINITIONS, results, lambda one: one.file.definition)
    yield ""
    yield from _table("phenomenon", PHENOMENA, results, lambda one: one.played.case.phenomenon)


def failing(results: Iterable[Result], *, transcripts: bool) -> Iterator[str]:
    """Every case that was not understood at once, the worst first."""
    found = [one for one in results if one.played.verdict != "understood"]
    for result in sorted(found, key=lambda one: -VERDICTS.index(one.played.verdict)):
        played = result.played
        yield f"{played.verdict:<20}{played.case.id:<30}{played.case.phenomenon:<14}{' '.join(played.why.split())}"
        if transcripts:
            yield from (f"    {line}" for line in played.transcript)
            yield ""


def _table(name: str, keys: Iterable[str], results: Sequence[Result], key: Callable[[Result], str]) -> Iterator[str]:
    yield _row(name, "cases", *(f"{language} {verdict[:5]}" for language in LANGUAGES for verdict in ("und", "wrong")))
    for one in keys:
        mine = [result for result in results if key(result) == one]
        if mine:
            figures = by_language(mine).values()
            shares = (
                f"{each.share(verdict):.0f} %" for each in figures for verdict in ("understood", "wrong_and_confirmed")
            )
            yield _row(one, str(len(mine)), *shares)


def _figures(name: str, figures: Figures, note: str) -> str:
    return _row(name, str(figures.cases), *(f"{figures.share(verdict):.1f} %" for verdict in VERDICTS), note)


def _row(name: str, *cells: str) -> str:
    return f"{name:<22}{''.join(f'{cell:>21}' for cell in cells)}".rstrip()
