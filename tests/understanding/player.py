"""Plays a case on the real engine and judges what came of it (README.md, "Verdicts")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import msgspec

from mew_agents.fluxi.definitions.slots import StringSlot

from .cases import WHOLE, Call, Case, Goal
from .comparing import ABOUT, fold, same, unmatched, unwanted
from .engines import Asked, CaseEngine, Turn
from .person import Person, done, mentioned

Verdict: TypeAlias = Literal["understood", "asked_back", "not_understood", "wrong_and_confirmed"]
VERDICTS: Final[tuple[Verdict, ...]] = ("understood", "asked_back", "not_understood", "wrong_and_confirmed")

# A conversation that has not ended after so many messages goes round in circles.
MOST: Final = 16
# The reason code of a question that is asked as if nothing had been said; any other tells why it is asked.
_PLAINLY: Final = "ask_slot"
# What stands for words of a message when a case is rehearsed without it.
_SOME_WORDS: Final = "Rosa Ibarra"


class NotReached(Exception):
    """The plain turns of a case do not lead to the question that its message answers."""


@dataclass(frozen=True, slots=True)
class Played:
    """A case that was played. `at`: which turn is the message's; `why`: what decided."""

    case: Case
    verdict: Verdict
    why: str
    turns: tuple[Turn, ...]
    at: int

    @property
    def transcript(self) -> Iterator[str]:
        """What was said, line by line; the message is marked."""
        for number, turn in enumerate(self.turns):
            yield f"{'>>' if number == self.at else ' >'} {turn.text}"
            yield from (f"   {line}" for line in turn.reply.splitlines())
            yield from (f"   ! {call.tool} {call.arguments}" for call in turn.calls)


async def play(engine: CaseEngine, case: Case) -> Played:
    """Plays a case whose message is written. Raises NotReached."""
    assert case.message is not None, f"{case.id} has no message yet"
    turns = await reach(engine, case)
    at = len(turns)
    turns.append(await engine.say(case.message))
    person = Person(engine, case)
    while len(turns) < at + MOST and (text := person.next(turns[at:])) is not None:
        turns.append(await engine.say(text))
    judged = _Judge(engine, case, person, turns, at).judge()
    return Played(case, judged.verdict, judged.why, tuple(turns), at)


async def reach(engine: CaseEngine, case: Case) -> list[Turn]:
    """Plays what comes before the message. Raises NotReached."""
    engine.begin(case.id)
    turns = [await engine.say(text) for text in case.before]
    asked = str(turns[-1].asked or "none") if turns else "none"
    if asked != case.open or done(turns):
        said = "\n".join(f"  > {turn.text}\n    {turn.reply}" for turn in turns)
        raise NotReached(f"{case.id}: {case.open} is to be open, and {asked} is\n{said}")
    return turns


async def rehearse(engine: CaseEngine, case: Case) -> str | None:
    """Plays the goal of a case in plain words, without its message. What is wrong, if that does not lead there."""
    if case.goal.nothing:
        return None
    plain = _plainly(engine, case)
    engine.begin(f"{case.id}-plain")
    others = [
        call.tool for call in case.goal.calls if call.tool in engine.file.plain.openings and call.tool != case.wish
    ]
    turns = [await engine.say(engine.file.plain.openings[wish].format_map(plain.answers)) for wish in others]
    turns.append(await engine.say(engine.file.plain.openings[case.wish].format_map(plain.answers)))
    person = Person(engine, plain)
    more = list(_never_asked(engine, plain))
    later = [] if plain.goal.later is None else [plain.goal.later.plain]
    while len(turns) < 2 * MOST:
        said = person.next(turns)
        more = [path for path in more if not _holds(plain, turns[-1], path)]
        if more and turns[-1].asked is not None and turns[-1].asked.wants == "confirm":
            said = engine.file.plain.told[more.pop()].format_map(plain.answers)
        elif said is None and turns[-1].asked is None and later:
            said = later.pop()
        if said is None:
            break
        turns.append(await engine.say(said))
    wanted = _wanted(plain.goal)
    if unmatched(wanted, done(turns)) or unwanted(wanted, done(turns)) or not _is_held(plain, turns):
        said = "\n".join(f"  > {turn.text}\n    {turn.reply}" for turn in turns)
        return f"{case.id}: plain words lead to {done(turns)}, and the goal is {wanted}\n{said}"
    return None


def _plainly(engine: CaseEngine, case: Case) -> Case:
    """The case with plain words where its goal has the message's own: what is rehearsed is everything else."""
    slots = engine.product.slots_of(case.wish)
    told: dict[str, str] = {}
    for path, said in case.says.items():
        slot = slots[path]
        if said == WHOLE:
            told[path] = case.answers[path]
        elif case.phenomenon == "free_text" and isinstance(slot, StringSlot) and slot.pattern is None:
            told[path] = _SOME_WORDS

    def plain(value: Any) -> Any:
        return next(
            (words for path, words in told.items() if value in (case.says[path], {ABOUT: case.says[path]})), value
        )

    goal = case.goal
    calls = tuple(
        Call(tool=call.tool, arguments={name: plain(value) for name, value in call.arguments.items()})
        for call in goal.calls
    )
    goal = msgspec.structs.replace(goal, calls=calls, held={path: plain(value) for path, value in goal.held.items()})
    return msgspec.structs.replace(case, says={}, goal=goal, answers=case.answers | told)


def _never_asked(engine: CaseEngine, case: Case) -> Iterator[str]:
    """Slots of the goal that no question asks for."""
    slots = engine.product.slots_of(case.wish)
    yield from (path for path in case.answers if path in slots and not slots[path].required)


def _holds(case: Case, turn: Turn, path: str) -> bool:
    """Whether a slot holds the goal's value before it is said, as one does that begins with the sender's name."""
    held = turn.looked.held
    return path in held and any(
        path in call.arguments and same(call.arguments[path], held[path]) for call in case.goal.calls
    )


def _wanted(goal: Goal) -> tuple[Call, ...]:
    return (*goal.calls, *(goal.later.calls if goal.later is not None else ()))


def _is_held(case: Case, turns: Sequence[Turn]) -> bool:
    """Whether what no tool is told is held by a Work or flow that was completed."""
    ended = [one for turn in turns for one in turn.looked.ended]
    return not case.goal.held or any(
        all(path in held and same(value, held[path]) for path, value in case.goal.held.items()) for held in ended
    )


class _Judged(NamedTuple):
    verdict: Verdict
    why: str


class _Judge:
    """What came of one case; the first of its rules that applies decides."""

    def __init__(self, engine: CaseEngine, case: Case, person: Person, turns: Sequence[Turn], at: int) -> None:
        self._engine = engine
        self._case = case
        self._person = person
        self._turns = turns[at:]
        self._before = turns[at - 1] if at else None
        self._whole = person.whole(self._turns)

    def judge(self) -> _Judged:
        wanted, made = _wanted(self._case.goal), done(self._turns)
        wrong = unwanted(wanted, made, self._whole)
        if wrong:
            return _Judged("wrong_and_confirmed", f"{wrong[0].tool} was called with {dict(wrong[0].arguments)}")
        missing = unmatched(wanted, made, self._whole)
        if missing and self._forgotten():
            return _Judged("wrong_and_confirmed", f"{missing[0].tool} was forgotten in silence")
        if missing:
            return _Judged("not_understood", f"{missing[0].tool} was not called")
        if not _is_held(self._case, self._turns):
            return _Judged("wrong_and_confirmed", f"{self._case.goal.held} is not held")
        return self._not_understood() or self._asked_back() or _Judged("understood", "")

    def _forgotten(self) -> bool:
        """Whether one of two wishes was done, and the other never spoken of."""
        later = self._case.goal.later
        return later is not None and bool(done(self._turns)) and not mentioned(self._turns, later)

    def _not_understood(self) -> _Judged | None:
        first = self._turns[0]
        for turn in self._turns:
            if turn.not_understood:
                return _Judged("not_understood", f"said so: {turn.reply}")
        if any(fold(word) not in fold(first.reply) for word in self._case.tells):
            return _Judged("not_understood", f"did not tell {', '.join(self._case.tells)}: {first.reply}")
        repeated = self._before is not None and fold(self._before.reply) == fold(first.reply)
        if repeated and self._case.phenomenon == "question":
            return _Judged("not_understood", "the question was passed over")
        if self._person.cancelled and all(str(turn.asked) != "anything" for turn in self._turns):
            return _Judged("not_understood", f"went on: {first.reply}")
        for turn in self._turns:
            if self._asked_anew(turn) == "as if new":
                return _Judged("not_understood", f"asked for {turn.asked} as if new: {turn.reply}")
        return None

    def _asked_back(self) -> _Judged | None:
        if self._person.cancelled or self._person.reminded:
            return _Judged("asked_back", "it had to be said again")
        if self._person.chose:
            return _Judged("asked_back", f"asked which: {self._turns[0].reply}")
        if self._case.goal.nothing and len(self._turns) > 1:
            return _Judged("asked_back", f"asked whether it is so: {self._turns[0].reply}")
        for turn in self._turns:
            if self._asked_anew(turn) is not None:
                return _Judged("asked_back", f"asked for {turn.asked}: {turn.reply}")
        return None

    def _asked_anew(self, turn: Turn) -> Literal["as if new", "again"] | None:
        """Whether a question is about something that was said, and whether it shows that it was heard."""
        asked, case = turn.asked, self._case
        if asked is None or asked.wants == "confirm" or asked.path in case.asks or case.goal.nothing:
            return None
        known = () if self._before is None else tuple(self._before.looked.held)
        if asked.wants == "check":
            said = asked.path in (*case.says, *known) and asked.path not in self._engine.product.confirmed
            return "again" if said else None
        if not asked.path:
            return "as if new" if case.says else None
        if asked.path not in case.says or _other_piece(case.says[asked.path], asked):
            return "again" if asked.path in known else None
        return "as if new" if turn.code == _PLAINLY else "again"


def _other_piece(said: Any, asked: Asked) -> bool:
    """Whether only a piece of a moment was said, and a question is for another one."""
    if not isinstance(said, dict):
        return False
    return asked.piece not in said if asked.piece else said.keys() == {"part"}
