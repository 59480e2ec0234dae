"""docs/classifier.md says how often the rule classifier is right: measured here over docs/corpus, both ways current.

`pytest tests/repository/test_classifier_page.py --rewrite-transcripts` writes what is measured now; the diff is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from mew_gateway.protocol.reasons import CLASSES
from mew_gateway.sdk.classifier.classifier import RULES, Classification, classify

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "classifier.md"
LANGUAGES = {"en": "English", "es": "Spanish", "pt": "Portuguese"}
PARTS = {"": "typed", ".spoken": "spoken", ".watching": "watching", ".held-out": "held out"}
ASKED = ("cancel", "override", "clarification", "queue")
FIRM = 0.75  # docs/interruption.md §2.5: below it the core queues


class Phrase(NamedTuple):
    """A line of the corpus."""

    language: str
    part: str
    class_: str
    text: str
    note: str


class Outcome(NamedTuple):
    """A phrase, and what was made of it."""

    phrase: Phrase
    found: Classification

    @property
    def right(self) -> bool:
        return self.found.class_ == self.phrase.class_

    @property
    def stopped_wrongly(self) -> bool:
        """A run would be ended by words that did not ask for it: the one mistake that costs work."""
        ends = self.found.class_ in ("cancel", "override") and self.found.confidence >= FIRM
        return ends and self.phrase.class_ in ("clarification", "queue")


def corpus() -> Iterator[Phrase]:
    for language in LANGUAGES:
        for part in PARTS:
            for line in (DOCS / "corpus" / f"{language}{part}.tsv").read_text(encoding="utf-8").splitlines():
                if not line.startswith("#"):
                    class_, text, note = line.split("\t")
                    yield Phrase(language, part, class_, text, note)


PHRASES = list(corpus())
OUTCOMES = [Outcome(phrase, classify(phrase.text)) for phrase in PHRASES]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "–"


def table(*rows: tuple[object, ...]) -> str:
    lines = ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def by_part() -> str:
    rows: list[tuple[object, ...]] = [("part", "language", "phrases", "hard", "right", "stopped wrongly")]
    for part, name in PARTS.items():
        for language, called in LANGUAGES.items():
            some = [one for one in OUTCOMES if (one.phrase.part, one.phrase.language) == (part, language)]
            hard = sum(bool(one.phrase.note) for one in some)
            right, wrong = sum(one.right for one in some), sum(one.stopped_wrongly for one in some)
            rows.append((name, called, len(some), hard, percent(right, len(some)), wrong))
    return table(*rows)


def by_class() -> str:
    rows: list[tuple[object, ...]] = [("language", "class", "phrases", "precision", "recall")]
    for language, called in LANGUAGES.items():
        some = [one for one in OUTCOMES if one.phrase.language == language]
        for class_ in ASKED:
            meant = [one for one in some if one.phrase.class_ == class_]
            said = [one for one in some if one.found.class_ == class_]
            right = sum(one.right for one in meant)
            rows.append((called, f"`{class_}`", len(meant), percent(right, len(said)), percent(right, len(meant))))
    return table(*rows)


def confusion() -> str:
    seen: Counter[tuple[str, str]] = Counter((one.phrase.class_, one.found.class_) for one in OUTCOMES)
    rows = [(f"meant `{meant}`", *(seen[meant, said] for said in ASKED)) for meant in ASKED]
    return table(("all languages", *(f"taken as `{said}`" for said in ASKED)), *rows)


def misses() -> str:
    rows = [
        (one.phrase.language, one.phrase.text, f"`{one.phrase.class_}`", f"`{one.found.class_}`", one.found.confidence)
        for one in OUTCOMES
        if not one.right
    ]
    return table(("", "text", "meant", "taken as", "confidence"), *rows)


def rules() -> str:
    rows = [(f"`{rule}`", f"`{class_}`", f"{confidence:.2f}") for rule, (class_, confidence) in RULES.items()]
    return table(("rule", "class", "confidence"), *rows)


MEASURED: dict[str, Callable[[], str]] = {
    "rules": rules,
    "parts": by_part,
    "classes": by_class,
    "confusion": confusion,
    "misses": misses,
}


@pytest.mark.parametrize("name", MEASURED)
def test_the_page_says_what_is_measured(name: str, request: pytest.FixtureRequest) -> None:
    page, now = PAGE.read_text(encoding="utf-8"), MEASURED[name]()
    block = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
    found = block.search(page)
    assert found is not None, f"docs/classifier.md has no block {name}"
    if request.config.getoption("--rewrite-transcripts"):
        PAGE.write_text(block.sub(lambda _: now, page), encoding="utf-8")
        return
    assert found[0] == now, "run pytest tests/repository/test_classifier_page.py --rewrite-transcripts, read the diff"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_classifier_is_as_good_as_asked(language: str) -> None:
    for parts, least in (((".held-out",), 0.85), (("", ".spoken", ".watching"), 0.95)):
        some = [one for one in OUTCOMES if one.phrase.language == language and one.phrase.part in parts]
        assert sum(one.right for one in some) / len(some) >= least, parts


def test_it_hardly_ever_stops_what_nobody_asked_to_stop() -> None:
    kept = [one for one in OUTCOMES if one.phrase.class_ in ("clarification", "queue")]
    assert sum(one.stopped_wrongly for one in kept) / len(kept) <= 0.01


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_corpus_is_big_hard_and_even(language: str) -> None:
    typed = [phrase for phrase in PHRASES if (phrase.language, phrase.part) == (language, "")]
    held_out = [phrase for phrase in PHRASES if (phrase.language, phrase.part) == (language, ".held-out")]
    assert len(typed) >= 170 and len(held_out) >= 60
    assert sum(bool(phrase.note) for phrase in typed) >= len(typed) / 3
    assert all(number >= 30 for number in Counter(phrase.class_ for phrase in typed).values())


def test_a_phrase_stands_in_the_corpus_once_and_has_a_class() -> None:
    assert {phrase.class_ for phrase in PHRASES} == set(ASKED) == set(CLASSES) - {"emergency"}
    twice = Counter((phrase.language, phrase.text) for phrase in PHRASES)
    assert not [text for text, number in twice.items() if number > 1]
