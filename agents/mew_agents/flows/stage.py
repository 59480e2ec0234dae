"""The dialogue while something happens to it: what `advance` changes, and what it wants done (seed 003: FlowManager).

It lives as long as one event. Outside of it nothing of a dialogue ever changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import msgspec

from mew_agents.flows.definitions.library import Library
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.derived import derived
from mew_agents.flows.effects import AnyEffect, Ask, Close, Finished, Page, Reply, Started, Stepped
from mew_agents.flows.replies import say
from mew_agents.flows.state import (
    REMEMBERED,
    Asked,
    Dialogue,
    Done,
    Ended,
    Frame,
    Line,
    Outcome,
    Proposed,
    Said,
    Turn,
    Wanted,
)
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.message import PolicyContext
from mew_agents.fluxi.replies import Sayable
from mew_agents.fluxi.work import Slot

# Flows that may wait for one another in one dialogue.
DEEPEST = 10
# Flows that may be asked for besides the one at hand, and begin after it.
MOST_QUEUED = 10
# Things that may be said in one turn.
_MOST_SAID = 200
# What the result of a message is in which a flow has ended so, and nothing is asked.
_KINDS: Mapping[Outcome | None, str] = {"completed": "completed", "failed": "failed"}
replaced = msgspec.structs.replace


class Stage:
    """One event's working copy of a dialogue. `lists`: of tools' lists, what the event brings along."""

    def __init__(
        self, library: Library, dialogue: Dialogue, *, at: int, lists: Mapping[str, Mapping[str, Sequence[str]]]
    ) -> None:
        self.library = library
        self.before = dialogue
        self.at = at
        self.manner = dialogue.manner
        self.stack = list(dialogue.stack)
        self.queue = list(dialogue.queue)
        self.turn = dialogue.turn
        self.asking = dialogue.asking
        self.suspended = dialogue.suspended
        self.beneath = dialogue.beneath
        self.last = dialogue.last
        self.unresolved = dialogue.unresolved
        self.effects: list[AnyEffect] = []
        self.lists = lists
        self._history = list(dialogue.history)
        self._said: list[Said] = list(dialogue.turn.said) if dialogue.turn else []
        self._ids = 0
        self._ended: Outcome | None = None

    # Reading

    @cached_property
    def policy(self) -> PolicyContext:
        """How the person is spoken to, now."""
        plain = read(self.manner)
        now = datetime.fromtimestamp(self.at / 1000, UTC)
        return PolicyContext(**{**plain, "rules": tuple(plain.get("rules", ()))}, now=now)

    @property
    def understanding(self) -> Understanding:
        """What values are checked with."""
        now = self.policy.now.astimezone(self.policy.zone)
        return Understanding(language=self.policy.language, now=now, lists=self.lists)

    def flow(self, frame: Frame) -> Flow:
        """The flow of a frame, in the version that it was begun with."""
        return self.library.flow(frame.version)

    def title(self, frame: Frame) -> str:
        """What people call the flow of a frame."""
        title = self.flow(frame).title
        return title.get(self.policy.language) or next(iter(title.values()))

    def called(self, name: str) -> str:
        """What people call a flow, by its name."""
        return self.library.title(name, self.policy.language)

    @property
    def top(self) -> Frame | None:
        """The flow at hand."""
        return self.stack[-1] if self.stack else None

    def frame(self, flow_id: str) -> Frame | None:
        """The frame of a flow."""
        return next((one for one in self.stack if one.flow_id == flow_id), None)

    def waiting_for(self, key: str) -> Frame | None:
        """The frame that waits for this call: the key of an action, or the Work of an effect."""
        return next(
            (one for one in self.stack if one.acting is not None and key in (one.acting.key, one.acting.work_id)), None
        )

    def root(self, frame: Frame) -> Frame:
        """The frame whose call led to this one, through however many calls."""
        while frame.caller is not None:
            caller = self.frame(frame.caller)
            if caller is None:
                raise LookupError(f"the caller {frame.caller} of {frame.flow_id} is gone")
            frame = caller
        return frame

    def chain(self, root: str) -> list[Frame]:
        """A flow and what it has called, the innermost call last."""
        return [one for one in self.stack if self.root(one).flow_id == root]

    # The stack

    def change(self, frame: Frame, **changes: Any) -> Frame:
        """The frame with other fields, in its place."""
        changed: Frame = replaced(frame, **changes)
        at = next(at for at, one in enumerate(self.stack) if one.flow_id == frame.flow_id)
        self.stack[at] = changed
        return changed

    def push(
        self, flow: Flow, decision_id: str, *, caller: Frame | None = None, slots: Mapping[str, Slot] | None = None
    ) -> Frame:
        """A flow begins: on top of the stack, or of the flow that calls it."""
        self._ids += 1
        frame = Frame(
            # Whoever has the id of a flow can find its dialogue.
            flow_id=f"{self.before.dialogue_id}.{self.before.revision + 1}.{self._ids}",
            name=flow.name,
            version=flow.version,
            step=flow.program.first,
            proposed=self._proposed(flow, decision_id),
            caller=None if caller is None else caller.flow_id,
            slots=slots or {},
        )
        at = len(self.stack) if caller is None else self.stack.index(caller) + 1
        self.stack.insert(at, frame)
        self._started(frame)
        return frame

    def become(self, frame: Frame, flow: Flow, slots: Mapping[str, Slot]) -> Frame:
        """A flow ends where another begins in its place."""
        self._finished(frame, "completed", "linked")
        changed = Frame(
            flow_id=frame.flow_id,
            name=flow.name,
            version=flow.version,
            step=flow.program.first,
            proposed=self._proposed(flow, frame.proposed.decision_id),
            caller=frame.caller,
            slots=slots,
            waited=frame.waited,
            taken=frame.taken,
            done=frame.done,
        )
        self.stack[self.stack.index(frame)] = changed
        self._started(changed)
        return changed

    def _proposed(self, flow: Flow, decision_id: str) -> Proposed:
        return Proposed(decision_id=decision_id, proposal_id=self.new_id("proposal") if flow.effects else None)

    def _started(self, frame: Frame) -> None:
        self.effects.append(
            Started(
                flow_id=frame.flow_id,
                name=frame.name,
                version=frame.version,
                decision_id=frame.proposed.decision_id,
                proposal_id=frame.proposed.proposal_id,
            )
        )

    def _finished(self, frame: Frame, outcome: Outcome, code: str, why: str | None = None) -> None:
        self.effects.append(
            Finished(
                flow_id=frame.flow_id,
                name=frame.name,
                outcome=outcome,
                code=code,
                why=why,
                proposal_id=frame.proposed.proposal_id,
            )
        )

    def pop(
        self,
        frame: Frame,
        outcome: Outcome,
        code: str,
        *,
        by: str | None = None,
        reason: str | None = None,
        why: str | None = None,
    ) -> None:
        """A flow has ended; its question is open no longer."""
        asked = frame.asked is not None
        frame = self.close(frame, "void")
        self.stack.remove(frame)
        self._finished(frame, outcome, code, why)
        if frame.caller is None:
            self._ended = outcome
            broken = f"{code} ({why})" if outcome == "failed" and why is not None else None
            self.last = Ended(
                name=frame.name, outcome=outcome, asked=asked, by=by, reason=reason or broken, done=bool(frame.done)
            )

    def did(self, frame: Frame) -> Frame:
        """The effect that a flow waits for has happened."""
        return self.change(frame, done=(*frame.done, Done(frame.version, str(frame.step))))

    # Questions

    def ask(
        self, frame: Frame, wants: Wanted, *, path: str | None = None, proposed: Any = None, lasts: int | None = None
    ) -> str:
        """Opens a question about the step where the frame stands; its id. `lasts` in ms."""
        root, step = self.root(frame), frame.step
        if step is None:
            raise ValueError("a flow at its end asks nothing")
        if root.waited and self.asking not in (None, root.flow_id):
            self.say("back_to", frame=root, title=self.title(root))
        self.asking = root.flow_id
        self.change(root, waited=True, taken=0)
        question_id = self.new_id("question")
        expires_at = None if lasts is None else self.at + lasts
        asked = Asked(question_id=question_id, wants=wants, step=step, path=path, expires_at=expires_at)
        self.change(self.frame(frame.flow_id) or frame, asked=asked)
        self.effects.append(
            Ask(
                question_id=question_id,
                flow_id=frame.flow_id,
                wants=wants,
                step=step,
                path=path,
                proposed=proposed,
                expires_at=expires_at,
            )
        )
        return question_id

    def close(self, frame: Frame, status: Any) -> Frame:
        """Closes the frame's question, if one is open."""
        if frame.asked is None:
            return frame
        self.effects.append(Close(question_id=frame.asked.question_id, status=status))
        return self.change(frame, asked=None)

    # Speaking

    def say(
        self,
        key: str,
        *,
        kind: str = "reply",
        code: str | None = None,
        frame: Frame | None = None,
        question_id: str | None = None,
        data: Mapping[str, Any] | None = None,
        **values: Sayable,
    ) -> None:
        """Says a sentence in the manner of the account; `code`: what programs read, by default the key."""
        self.tell(
            say(key, self.policy, **values),
            kind=kind,
            code=code or key,
            frame=frame,
            question_id=question_id,
            data=data,
        )

    def tell(
        self,
        text: str,
        *,
        kind: str = "reply",
        code: str = "said",
        frame: Frame | None = None,
        question_id: str | None = None,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        """Says a text as it is; beyond what a message can hold, only what a person has to answer or to know."""
        if kind == "reply" and len(self._said) >= _MOST_SAID:
            return
        flow_id = None if frame is None else frame.flow_id
        self._said.append(
            Said(kind=kind, text=text, code=code, flow_id=flow_id, question_id=question_id, data=data or {})
        )

    def unsay(self, code: str, text: str) -> None:
        """Takes back what was said under a code of values that a text has anyway."""
        self._said = [one for one in self._said if one.code != code or str(one.data.get("value")) not in text]

    def take_said(self, code: str) -> Said | None:
        """Takes back what was said last under a code, to be said as something else."""
        found = next((one for one in reversed(self._said) if one.code == code), None)
        self._said = [one for one in self._said if one is not found]
        return found

    @property
    def said(self) -> bool:
        """Whether there is something to say."""
        return bool(self._said)

    def page(self, text: str) -> None:
        """A person is to take over."""
        self.effects.append(Page(text=text))

    def stepped(self, frame: Frame, step: str, *, at: int | None = None) -> None:
        """A flow has done a step. `at`: where its effects begin, which come of it."""
        self.effects.insert(len(self.effects) if at is None else at, Stepped(flow_id=frame.flow_id, step=step))

    # Turns

    def begin(self, message_id: str, text: str) -> None:
        """A message is dealt with from now on."""
        self.turn, self._said = Turn(message_id=message_id, text=text), []
        self._history.append(Line("person", text))

    def go(self) -> None:
        """Everything that the message says is known."""
        if self.turn is not None:
            self.turn = replaced(self.turn, going=True)

    def end(self) -> None:
        """The turn is over: everything that was said goes out as one message."""
        reply = self._reply()
        if reply is not None:
            self._history.append(Line("agent", reply.text))
            self.effects.append(reply)
        self.turn = None
        self._said = []

    def end_unless_acting(self) -> None:
        """The turn is over, unless a flow waits for a call that nobody has been told to be patient about."""
        if not any(one.acting is not None and not one.acting.known for one in self.stack):
            self.end()

    def drop(self) -> None:
        """The turn is over, and nothing is said."""
        self.turn, self._said = None, []

    def _reply(self) -> Reply | None:
        if not self._said:
            return None
        last = self._said[-1]
        refused = next((one.code for one in self._said if one.code == "invalid_value"), last.code)
        ended = _KINDS.get(self._ended) if last.kind == "reply" else None
        return Reply(
            kind=ended or last.kind,
            text="\n".join(one.text for one in self._said),
            code=refused if last.kind == "reply" else last.code,
            answers=None if self.turn is None else self.turn.message_id,
            flow_id=next((one.flow_id for one in reversed(self._said) if one.flow_id), None),
            question_id=last.question_id,
            data=last.data,
        )

    # Coming out

    def new_id(self, purpose: str) -> str:
        """An id that follows from the dialogue and its revision."""
        self._ids += 1
        return derived(self.before.dialogue_id, self.before.revision + 1, purpose, self._ids)

    def after(self) -> Dialogue:
        """The dialogue as it is now; what is said outside of a turn goes out at once."""
        if self.turn is None:
            self.end()
        else:
            self.turn = replaced(self.turn, said=tuple(self._said))
        return replaced(
            self.before,
            revision=self.before.revision + 1,
            manner=self.manner,
            stack=tuple(self.stack),
            queue=tuple(self.queue),
            turn=self.turn,
            asking=self.asking,
            # Whoever has taken over has nothing left to release.
            suspended=None if self.suspended == "needs_human" and not self.stack else self.suspended,
            beneath=self.beneath if self.stack else None,
            last=self.last,
            unresolved=self.unresolved if self.stack and self.suspended is None else 0,
            history=tuple(self._history[-REMEMBERED:]),
        )

    def frames(self) -> Iterator[Frame]:
        """All frames, the flow at hand first."""
        return reversed(list(self.stack))
