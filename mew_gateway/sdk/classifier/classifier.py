"""Rule classifier: what a chat asks of a run (docs/classifier.md), in English, Spanish and Portuguese, also mixed.

`normalise` folds the text to words; `signs` reads the signs at its front ("no", "wait", "stop it"); `tail` answers
questions about the words after them. Here the rules decide: a stop first, then the last sign, then the first entry of
`_ORDINARY` that holds. `lexicon` has the phrases of each language.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from mew_gateway.protocol.reasons import Class
from mew_gateway.sdk.classifier.signs import Found, Mark, Reading, read
from mew_gateway.sdk.classifier.tail import Tail

# By rule: the class, and how sure it is. Below 0.75 the core queues, so a weak hint never stops anything.
RULES: dict[str, tuple[Class, float]] = {
    "stop": ("cancel", 0.95),
    "enough": ("cancel", 0.85),
    "drop": ("cancel", 0.9),
    "all": ("cancel", 0.6),
    "drop-perhaps": ("cancel", 0.6),
    "stop-and-perhaps": ("override", 0.6),
    "stop-at-end": ("cancel", 0.85),
    "no-more": ("cancel", 0.85),
    "stop-asked": ("clarification", 0.6),
    "no": ("cancel", 0.6),
    "turn": ("override", 0.9),
    "no-but": ("override", 0.9),
    "change": ("override", 0.9),
    "forbid": ("override", 0.8),
    "contrast": ("override", 0.8),
    "change-at-end": ("override", 0.8),
    "slip": ("override", 0.9),
    "stop-and": ("override", 0.9),
    "instead": ("override", 0.9),
    "wait-and": ("override", 0.85),
    "sorry": ("override", 0.85),
    "turn-alone": ("override", 0.6),
    "sorry-perhaps": ("override", 0.6),
    "later-perhaps": ("override", 0.6),
    "question-mark": ("clarification", 0.9),
    "question": ("clarification", 0.85),
    "question-perhaps": ("clarification", 0.6),
    "unclear": ("clarification", 0.9),
    "wait": ("clarification", 0.85),
    "tag": ("clarification", 0.75),
    "not-stop": ("queue", 0.95),
    "go-on": ("queue", 0.95),
    "later": ("queue", 0.9),
    "remark": ("queue", 0.9),
    "agreement": ("queue", 0.9),
    "request": ("queue", 0.8),
    "otherwise": ("queue", 0.75),
}

_FIRM = 0.75  # docs/interruption.md §2.5
_STOPS = ("stop", "drop", "enough", "all", "drop-perhaps")  # the surest first


class Classification(msgspec.Struct, frozen=True, rename={"class_": "class"}):
    """The class of interrupt that a text asks for: `class_` is one of `protocol.reasons.CLASSES`, never `emergency`.

    `confidence` is from 0 to 1 (docs/interruption.md §2.5). `rule` names the deciding rule, after the language of the
    phrase if one decided ("es:turn").
    """

    class_: Class
    confidence: float
    rule: str


def classify(text: str) -> Classification:
    """Classify a chat by rules (docs/interruption.md §2.6). The language is not given; the time is linear in
    `LONGEST`."""
    reading = read(text)
    rule, mark = _decide(reading)
    class_, confidence = RULES[rule]
    return Classification(class_, confidence, f"{mark.language}:{rule}" if mark else rule)


def _decide(reading: Reading) -> tuple[str, Mark | None]:
    """Return the deciding rule, and the mark in the text that made it."""
    marks, rest = reading.marks, Tail(reading)
    stops = [index for index, mark in enumerate(marks) if mark.sign in _STOPS]
    if stops:
        surest = min(stops, key=lambda index: _STOPS.index(marks[index].sign))
        return _decide_stop(reading, surest, rest), marks[surest]
    last = marks[-1] if marks else None
    if last is not None and (rule := _decide_by_mark(reading, last, rest)) is not None:
        return rule, last
    rule = _decide_by_rest(rest)
    return rule, next((mark for mark in marks if mark.sign == rule), None)


def _decide_stop(reading: Reading, index: int, rest: Tail) -> str:
    """Decide a stop, alone or followed by a reason, or by what to do now."""
    rule = reading.marks[index].sign
    before = [mark.sign for mark in reading.marks[:index]]
    after = [mark.sign for mark in reading.marks[index + 1 :] if mark.sign not in _STOPS]
    if any(sign in ("change", "turn", "slip", "said") for sign in after) or rest.orders or rest.says_instead:
        return "stop-and" if RULES[rule][1] >= _FIRM else "stop-and-perhaps"
    if reading.text.asked and "ask" not in before and not after:
        return "stop-asked"
    if after or rest.empty or rest.gives_reason or rest.praises:
        return rule
    return "stop-and" if RULES[rule][1] >= _FIRM else "otherwise"


def _decide_by_mark(reading: Reading, last: Mark, rest: Tail) -> str | None:
    """Decide by the signs at the front: the last one governs the words after it."""
    signs = [mark.sign for mark in reading.marks]
    turned = any(sign in ("no", "turn", "slip") for sign in signs)
    if last.sign in ("later", "remark") or "go-on" in signs or "not-stop" in signs:
        return _decide_calm(reading, last, rest, turned=turned)
    if last.sign == "unclear":
        return "instead" if rest.says_instead else "unclear"
    if last.sign == "forbid":
        return "no-more" if rest.wants_no_more else "forbid"
    if last.sign == "question-perhaps":
        return "question" if reading.text.asked else last.sign
    if last.sign in ("question", "change"):
        return last.sign
    if rest.empty:
        return _decide_bare(reading, signs)
    return None


def _decide_calm(reading: Reading, last: Mark, rest: Tail, *, turned: bool) -> str:
    """Decide an encouragement, something for later, or an exclamation, unless a question or a wish follows."""
    if last.sign == "change" or (rest.says_instead and last.sign != "later"):
        return "change"
    if last.sign == "unclear" or (last.sign.startswith("question") and reading.text.asked):
        return last.sign
    if last.sign == "later":
        return "later-perhaps" if turned else "later"
    if reading.text.asked:
        return "question-mark"
    if last.sign == "remark":
        return "remark"
    return "not-stop" if any(mark.sign == "not-stop" for mark in reading.marks) else "go-on"


def _decide_bare(reading: Reading, signs: list[Found]) -> str:
    """Decide a text of signs only: "wait", "no", "sorry?"."""
    if "wait" in signs:
        return "wait"
    if reading.text.asked:
        return "question-mark"
    if "turn" in signs and "no" in signs:
        return "enough"
    if "yes" in signs or signs == ["sorry"]:
        return "otherwise"
    if "turn" in signs or "slip" in signs:
        return "turn-alone"
    return "no" if "no" in signs else "otherwise"


def _decide_by_rest(rest: Tail) -> str:
    """Decide by the ordinary words after the signs."""
    return next((rule for rule, holds in _ORDINARY if holds(rest)), "otherwise")


# The first that holds decides.
_ORDINARY: tuple[tuple[str, Callable[[Tail], bool]], ...] = (
    ("instead", lambda rest: rest.says_instead),
    ("instead", lambda rest: rest.orders and (rest.turns if rest.after("ask") else rest.ends_with_turn)),
    ("stop-at-end", lambda rest: _only_stops(rest.second)),
    ("unclear", lambda rest: rest.after("ask") and rest.says_again),
    ("later", lambda rest: rest.after("ask") and rest.says_also),
    ("turn", lambda rest: rest.after("ask") and rest.after("turn") and rest.orders),
    ("request", lambda rest: rest.after("ask") and rest.orders),
    ("question-mark", lambda rest: rest.asked),
    ("agreement", lambda rest: rest.right_after("yes")),
    ("agreement", lambda rest: rest.behind_signs and rest.praises and not (rest.after("no") and rest.turns)),
    ("tag", lambda rest: rest.tagged),
    ("turn", lambda rest: rest.after("turn")),
    ("slip", lambda rest: rest.after("slip")),
    ("change", lambda rest: rest.after("said")),
    ("no-but", lambda rest: rest.after("no") and rest.could_replace),
    ("contrast", lambda rest: rest.corrects),
    ("change-at-end", lambda rest: any(mark.sign in ("change", "slip", "forbid") for mark in rest.second.marks)),
    ("wait", lambda rest: rest.after("wait") and rest.gives_reason),
    ("wait-and", lambda rest: rest.after("wait")),
    ("sorry", lambda rest: rest.after("sorry") and rest.points),
    ("sorry-perhaps", lambda rest: rest.after("sorry")),
)


def _only_stops(reading: Reading) -> bool:
    """Return true if a text is only a stop, apart from politeness: "you can stop", "forget it, please"."""
    signs = [mark.sign for mark in reading.marks]
    return (
        "stop" in signs and all(sign in (*_STOPS, "ask") for sign in signs) and reading.rest == len(reading.text.words)
    )


def is_stop_word(text: str) -> bool:
    """Return true if a text is only a stop word, apart from politeness and emphasis: "¡para ya, por favor!"."""
    reading = read(text)
    said = bool(reading.marks) and all(mark.sign == "stop" for mark in reading.marks)
    return said and reading.rest == len(reading.text.words) and not reading.text.asked
