"""What is wrong with the cases of a file, as far as that can be seen without playing them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, time
from string import Formatter
from typing import Any, Final

from mew_agents.fluxi import values
from mew_agents.fluxi.definitions.slots import Slot, StringSlot
from mew_agents.fluxi.interpreter.base import Understanding

from .cases import WHOLE, Case, CaseFile
from .comparing import fold
from .world import EFFECTS, Product, product

LEAST: Final = 21
_PIECES: Final = ("date", "time", "part")
# Flows that call no tool for an effect: their completion counts as one.
_FLOWS: Final = {"onboarding", "balance"}
_PARTS: Final = ("morning", "noon", "afternoon", "evening", "night")


def problems(file: CaseFile) -> Iterator[str]:
    """Everything that is wrong with a file, in sentences."""
    whole = product(file.definition)
    ids = Counter(one.id for one in file.cases)
    yield from (f"two cases are called {id}" for id, times in ids.items() if times > 1)
    if len(file.cases) < LEAST:
        yield f"there are {len(file.cases)} cases, and at least {LEAST} are needed"
    yield from (f"a plain opening is for {wish}, which is no wish" for wish in {*file.plain.openings} - {*whole.wishes})
    yield from (f"plain words are for {path}, which is no slot" for path in file.plain.told if path not in whole.slots)
    for case in file.cases:
        yield from (f"{case.id}: {problem}" for problem in _of_case(file, case, whole))


def _of_case(file: CaseFile, case: Case, whole: Product) -> Iterator[str]:
    if case.wish not in file.plain.openings:
        yield f"there is no plain opening for its wish {case.wish}"
        return
    if not case.id.startswith(f"{file.definition}-{file.language}-"):
        yield f"its id does not begin with {file.definition}-{file.language}-"
    if case.before and case.open == "none":
        yield "something was said before, and nothing is open"
    if not case.before and case.open != "none":
        yield f"nothing was said before, and {case.open} is open"
    if case.message is not None and not case.message.strip():
        yield "its message is empty"
    slots = whole.slots_of(case.wish)
    for path, value in case.says.items():
        yield from _of_value(file, case, slots, path, value)
    yield from (f"asks for {path}, which is no slot" for path in case.asks if path not in slots)
    yield from _of_goal(file, case, slots)


def _of_value(file: CaseFile, case: Case, slots: Mapping[str, Slot], path: str, value: Any) -> Iterator[str]:
    slot = slots.get(path)
    if slot is None:
        yield f"says {path}, which is no slot"
    elif isinstance(value, dict):
        yield from _of_pieces(slot, value)
    elif value == WHOLE:
        if not isinstance(slot, StringSlot) or path not in case.answers:
            yield f"says the whole message for {path}: that wants a slot of words, and a plain answer"
    elif value is not None and path not in case.asks:  # what is to be asked about may be refused
        understanding = Understanding(language=file.language, now=file.moment)
        refused = values.refusal(slot, values.normal(slot, value, understanding), understanding)
        if refused is not None:
            yield f"says {path} {value!r}, which is refused: {refused.code}"
        if isinstance(slot, StringSlot):
            yield from _of_words(case, path, value)


def _of_words(case: Case, path: str, value: Any) -> Iterator[str]:
    """Words that a message is said to hold stand in it."""
    for message in (case.message, *case.others):
        if message is not None and case.phenomenon != "typos" and fold(str(value)) not in fold(message):
            yield f"says {path} {value!r}, which is not in its message"


def _of_pieces(slot: Slot, value: Mapping[str, Any]) -> Iterator[str]:
    if slot.type not in ("datetime", "time") or not value or any(piece not in _PIECES for piece in value):
        yield f"says {slot.path} {value!r}: pieces are {', '.join(_PIECES)}, of a moment or an hour"
        return
    if value.get("part", "noon") not in _PARTS:
        yield f"says the part of the day {value['part']!r}, which is none of {', '.join(_PARTS)}"
    for piece, read in (("date", date.fromisoformat), ("time", time.fromisoformat)):
        try:
            read(str(value.get(piece, "2000-01-01" if piece == "date" else "00:00")))
        except ValueError:
            yield f"says {slot.path} {value!r}: {piece} is none"


def _of_goal(file: CaseFile, case: Case, slots: Mapping[str, Slot]) -> Iterator[str]:
    goal = case.goal
    for call in (*goal.calls, *(goal.later.calls if goal.later else ())):
        if call.tool not in EFFECTS | _FLOWS:
            yield f"its goal calls {call.tool}, which is no effect"
    for path in case.answers:
        name, _, piece = path.partition(".")
        if name not in slots or piece not in ("", "date", "time"):
            yield f"an answer is for {path}, which is no slot"
        elif not case.answers[path].strip():
            yield f"the answer for {path} is empty"
    if goal.nothing:
        return
    opening = file.plain.openings[case.wish]
    yield from (f"has no answer for {path}" for path in _places(opening) if path not in case.answers)
    for path in case.says:
        if path in slots and path not in case.answers:
            yield f"says {path}, and has no plain answer for it"


def _places(text: str) -> list[str]:
    return [name for _, name, _, _ in Formatter().parse(text) if name]
