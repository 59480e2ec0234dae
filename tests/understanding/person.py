"""The person after the message: plain answers to whatever is asked, and a yes to whatever is to be confirmed.

They say yes without reading, so that a value that was got wrong is confirmed, and done, and seen. Only when they are
told that they were not understood, they say it once more in plain words first, and give up if that is not understood.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mew_agents.language.found import Language

from .cases import WHOLE, Call, Case, Later
from .comparing import fold, unmatched
from .engines import Asked, CaseEngine, Turn

YES: Final[Mapping[Language, str]] = {"es": "sí", "pt": "sim", "en": "yes"}
CANCEL: Final[Mapping[Language, str]] = {"es": "cancelar", "pt": "cancelar", "en": "cancel"}
# Reason codes of a question about which of several things is wanted.
WHICH: Final = ("which_intent", "which_flow", "two_intents", "which_work")
# How often somebody tells which.
_TWICE: Final = 2


def done(turns: Sequence[Turn]) -> list[Call]:
    """Everything that was done, in order."""
    return [call for turn in turns for call in turn.calls]


def mentioned(turns: Sequence[Turn], later: Later) -> bool:
    """Whether a reply has spoken of the second wish."""
    return any(all(fold(word) in fold(turn.reply) for word in later.mentions) for turn in turns)


class Person:
    """What one person says after the message of one case."""

    def __init__(self, engine: CaseEngine, case: Case) -> None:
        self._engine = engine
        self._case = case
        self.answered: list[str] = []
        self.cancelled = False  # had to say once more that nothing is wanted
        self.reminded = False  # had to say the second wish once more
        self.chose = 0  # how often they had to say which of several things they want
        self._told: list[str] = []
        self._again: list[str] = []  # slots to be said once more

    def next(self, turns: Sequence[Turn]) -> str | None:
        """What is said next; None: nothing more. `turns` are those from the message on."""
        last, goal = turns[-1], self._case.goal
        if goal.nothing:
            return self._give_up(last)
        if len(turns) == 1 and last.not_understood and last.asked is not None:
            asked = last.asked.path if last.asked.wants == "value" else None
            self._again = [path for path in self._sayable if path != asked]
        elif last.not_understood and len(turns) > 1:
            return None  # not in plain words either: they give up
        if self._again:
            return self._engine.file.plain.told[self._again.pop(0)].format_map(self._case.answers)
        texts = self.whole(turns)
        first = unmatched(goal.calls, done(turns), texts)
        if not first and (goal.later is None or not unmatched(goal.later.calls, done(turns), texts)):
            return None
        if last.code in WHICH:
            return self._which()
        if last.asked is None:
            return None if first else self._remind(turns)
        answers = self._case.answers if first or goal.later is None else goal.later.answers
        return self._to(last.asked, {**(goal.later.answers if goal.later else {}), **self._case.answers, **answers})

    def whole(self, turns: Sequence[Turn]) -> tuple[str, ...]:
        """Texts that count as the whole message: itself, and what was answered when the same was asked for again."""
        again = (path for path in self.answered if self._case.says.get(path) == WHOLE)
        return (turns[0].text, *(self._case.answers[path] for path in again))

    def _to(self, asked: Asked, answers: Mapping[str, str]) -> str | None:
        doubted = asked.wants == "check" and asked.path in self._case.asks
        if asked.wants != "value" and not doubted:
            return YES[self._engine.file.language]
        if not asked.path:
            return self._change()
        self.answered.append(asked.path)
        return answers.get(f"{asked.path}.{asked.piece}", answers.get(asked.path))

    def _change(self) -> str | None:
        """Asked what is to be different, they tell one slot after the other that the message was about."""
        left = [path for path in self._sayable if path not in self._told]
        if not left:
            return None
        self._told.append(left[0])
        return self._engine.file.plain.told[left[0]].format_map(self._case.answers)

    @property
    def _sayable(self) -> list[str]:
        """The slots of the message that there are plain words for."""
        return [path for path in self._case.says if path in self._engine.file.plain.told]

    def _which(self) -> str | None:
        if self.chose == _TWICE:
            return None
        self.chose += 1
        return self._engine.product.title(self._case.wish, self._engine.file.language)

    def _remind(self, turns: Sequence[Turn]) -> str | None:
        """The first wish is done, and no slot is asked for: yes to going on with the second one, if that is asked;
        else it is said again, if it was spoken of at all."""
        later = self._case.goal.later
        if later is None or self.reminded or not mentioned(turns, later):
            return None
        if "?" in turns[-1].reply and "on" not in self._told and mentioned(turns[-1:], later):
            self._told.append("on")
            return YES[self._engine.file.language]
        self.reminded = True
        return later.plain

    def _give_up(self, last: Turn) -> str | None:
        """They want nothing, or nothing any more: said once more in plain words, and then nothing is read."""
        if last.asked is None or last.not_understood:
            return None
        if last.asked.wants != "value":
            return YES[self._engine.file.language]
        if not self.cancelled:
            self.cancelled = True
            return CANCEL[self._engine.file.language]
        return self._to(last.asked, self._case.answers)
