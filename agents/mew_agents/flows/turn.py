"""A transaction of a turn: pass 1 and what it decides is committed before pass 2 (docs/flows.md §2).

Exact yes and no, and values that leave no word over, need no second pass, and the turn has one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mew_agents.flows.answering import closed, refusal
from mew_agents.flows.chapter import Chapter
from mew_agents.flows.commands import Affirm, AnyCommand, CorrectSlot, QueueFlow, SetSlot, StartFlow, Wait
from mew_agents.flows.deciding import FIRST_PASS, Deciding, Decision
from mew_agents.flows.events import Commanded, Declined, Heard, NotUnderstood, WentOn
from mew_agents.flows.standing import Lists, lists_for, may_hold_more, standing_of
from mew_agents.flows.understanding.base import Standing
from mew_agents.flows.understanding.coverage import left_out
from mew_agents.fluxi.intake import Intake
from mew_agents.fluxi.message import Message, PolicyContext, Result


@dataclass(frozen=True, slots=True)
class Taken:
    """How far a transaction has come with a message: to its `result`, to another transaction (`again`), or to where
    the dialogue goes on by itself (`goes_on`), be it with the turn of another message.
    """

    result: Result | None = None
    again: bool = False
    goes_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of one participant in one conversation, within a transaction. `manner`: its policy as JSON.

    `whole`: both passes in this transaction, because none of it is to be committed.
    """

    chapter: Chapter
    intake: Intake
    deciding: Deciding
    message: Message
    policy: PolicyContext
    manner: str
    lists: Lists
    whole: bool

    def take(self) -> Taken:
        """As much as one transaction may do of it."""
        turn = self.chapter.dialogue.turn
        if turn is None:
            return self._first()
        if turn.message_id != self.message.message_id:
            return Taken(goes_on=True)
        # What pass 1 decided is on record: standing where it stands by now, it might decide otherwise.
        return Taken(goes_on=True) if turn.going else self._second(self.deciding.decide(FIRST_PASS, self._standing()))

    def _first(self) -> Taken:
        chapter, at = self.chapter, self.chapter.at
        chapter.happen(Heard(at=at, message_id=self.message.message_id, text=self.message.text, manner=self.manner))
        if chapter.dialogue.suspended is not None:
            return self._decline("handed_off_waiting" if chapter.dialogue.suspended == "needs_human" else "suspended")
        if closed(chapter.records, chapter.dialogue, self.message):
            return self._decline("question_closed")
        decision = self.deciding.decide(FIRST_PASS, self._standing())
        if (
            decision.commands == (Wait(),)
            and chapter.dialogue.top is not None
            and chapter.dialogue.top.asked is not None
        ):
            return self._decline("waiting")
        refused = refusal(chapter.records, chapter.dialogue, self.message, decision.commands, at=at)
        if refused is not None:
            return self._decline(refused)
        standing = self._standing()
        self._command(decision)
        if chapter.dialogue.turn is None:  # a flow has failed at what was said
            return self._end()
        if self._needs_slots(decision.commands) and chapter.dialogue.top is not None:
            return self._second(decision) if self.whole else self._leave()
        if not decision.commands:
            chapter.happen(NotUnderstood(at=at))
        self._say_left_out(decision, standing, decision.commands)
        return self._went_on()

    def _leave(self) -> Taken:
        """What pass 1 has decided stands from here on, whatever happens before pass 2."""
        self.intake.receive()
        self.chapter.write()
        return Taken(again=True)

    def _second(self, before: Decision) -> Taken:
        """Pass 2: the slots of the flow at hand."""
        chapter, top = self.chapter, self.chapter.dialogue.top
        if top is not None:
            standing = self._standing()
            decision = self.deciding.decide(top.flow_id, standing)
            self._command(decision, but=before)
            taken = [one for one in decision.commands if not _uses(one, before.commands)]
            if not before.commands and not decision.commands:
                chapter.happen(NotUnderstood(at=chapter.at))
            self._say_left_out(decision, standing, (*before.commands, *taken))
        return self._went_on()

    def _needs_slots(self, commands: Sequence[AnyCommand]) -> bool:
        started = any(isinstance(one, StartFlow) and not one.rivals for one in commands)
        return started or may_hold_more(commands, self.message.text, self.policy.language)

    def _command(self, decision: Decision, *, but: Decision | None = None) -> None:
        """Each command happens, once in a turn: words that pass 1 has used (`but`) pass 2 does not use again."""
        chapter = self.chapter
        used = () if but is None else but.commands
        for command in decision.commands:
            beside = [one for one in decision.commands if not isinstance(one, Affirm | QueueFlow)]
            if _uses(command, used) or (isinstance(command, Affirm) and beside):
                continue  # a yes is a yes, and changes nothing (docs/flows.md §2)
            top = chapter.dialogue.top
            flow = None if top is None else chapter.library.flow(top.version)
            if isinstance(command, QueueFlow):
                flow = next((one for one in chapter.library.startable if one.name == command.flow), None)
            lists = lists_for(flow, command, self.lists)
            chapter.happen(Commanded(at=chapter.at, command=command, decision_id=decision.decision_id, lists=lists))

    def _say_left_out(self, decision: Decision, standing: Standing, commands: Sequence[AnyCommand]) -> None:
        """What could be a value, and no command has used, is said back."""
        chapter = self.chapter
        for one in left_out(self.message.text, standing, commands):
            if chapter.dialogue.turn is not None:
                chapter.happen(Commanded(at=chapter.at, command=one, decision_id=decision.decision_id, lists={}))

    def _decline(self, code: str) -> Taken:
        self.chapter.happen(Declined(at=self.chapter.at, code=code))
        return self._end()

    def _went_on(self) -> Taken:
        if self.chapter.dialogue.turn is not None:
            self.chapter.happen(WentOn(at=self.chapter.at))
        return self._end()

    def _end(self) -> Taken:
        """The turn is over, or waits for a call."""
        result = self.chapter.results.get(self.message.message_id)
        if result is None:
            self.intake.receive()
        else:
            self.intake.file(result, at=self.chapter.at)
        self.chapter.write()
        return Taken(result, goes_on=result is None)

    def _standing(self) -> Standing:
        return standing_of(self.chapter.library, self.chapter.dialogue, self.policy, self.lists)


def _uses(command: AnyCommand, used: Sequence[AnyCommand]) -> bool:
    """Whether it takes its value from words that have given one to a slot, or is for a slot that has got its value:
    they say nothing about another one.
    """
    if not isinstance(command, SetSlot | CorrectSlot):
        return command in used
    valued = (one for one in used if isinstance(one, SetSlot | CorrectSlot))
    return any(one.path == command.path or (one.start < command.end and command.start < one.end) for one in valued)
