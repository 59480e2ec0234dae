"""What a message says about the sender's last Work here, when none is active: cancelling it, how it stands, changing
what it did, and asking again for what a tool refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from mew_agents.fluxi.asking import void
from mew_agents.fluxi.decisions import Thinking
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.ending import cancel
from mew_agents.fluxi.fsm import State
from mew_agents.fluxi.interpreter.base import Understanding
from mew_agents.fluxi.interpreter.intentions import intentions
from mew_agents.fluxi.interpreter.topics import recalled, subjects, topic
from mew_agents.fluxi.message import Conversation, Message
from mew_agents.fluxi.refusing import say_invalid
from mew_agents.fluxi.renewal import Renewal, open_renewal, read_renewal
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.status import is_undone, say_status
from mew_agents.fluxi.undoing import UNDOABLE, ask_to_change, ask_to_undo, undoable, undoing_told, wants_undone
from mew_agents.fluxi.waiting import WAITS
from mew_agents.fluxi.wording import title
from mew_agents.fluxi.work import Slot, Work
from mew_agents.language.answers import asks_status, wants_to_cancel
from mew_agents.language.requests import adds, gives_up, is_question, moves, will_not_come
from mew_agents.language.retractions import is_correction


class LastWork:
    """The last Work of a message's sender in a conversation that has no active one."""

    def __init__(self, scene: Scene, message: Message, conversation: Conversation, thinking: Thinking) -> None:
        self._scene = scene
        self._message = message
        self._conversation = conversation
        self._thinking = thinking
        self._place = (conversation.account_id, conversation.conversation_id)
        self._last = scene.records.last_of(*self._place, message.sender)

    def take(self, expired: Work | None) -> bool:
        """Whether the message is about the last Work; then all of it is done and said."""
        last = self._last = self._named(self._last)
        text, language = self._message.text, self._scene.policy.language
        if self._tells_what_stands():
            return True
        if last is not None and (self._asks_again(last) or self._takes_back(last) or self._tells_of_a_part(last)):
            return True
        cancelling = wants_to_cancel(text, language)
        if not cancelling and not asks_status(text, language):
            return False
        self._cancel_or_tell(expired, cancelling=cancelling)
        return True

    def _named(self, last: Work | None) -> Work | None:
        """The newest Work of the operations whose subject the message names; the last one if it names none of these."""
        scene = self._scene
        types = subjects(self._message.text, self._definitions, self._understanding)
        if last is None or not types or scene.definition(last).type_id in types:
            return last
        recent = scene.records.recent_of(*self._place, self._message.sender)
        return next((work for work in recent if scene.definition(work).type_id in types), last)

    # Cancelling, and how it stands

    def _cancel_or_tell(self, expired: Work | None, *, cancelling: bool) -> None:
        scene, last = self._scene, self._last
        waiting = scene.records.proposed(*self._place, self._message.sender)
        proposed = [one for one in waiting if one.reason != WAITS]
        if cancelling and last is not None and last.live:
            cancel_for_owner(scene, last)  # in doubt: as soon as its outcome is known, nothing further begins
        elif cancelling and last is not None and last.state is State.EXPIRED:
            void(scene, last)
            scene.say("reply", "cancelled", work=last, title=scene.title(last))
        elif proposed and (last is None or not last.live):
            self._about_proposal(proposed[-1], cancelling=cancelling)
        elif last is None or (cancelling and not last.live and expired is None):
            scene.say("reply", "nothing_to_cancel" if cancelling else "status_none")
        else:
            say_status(scene, last)

    def _about_proposal(self, proposal: Row[Any], *, cancelling: bool) -> None:
        """What a person still has to look at: that it waits; cancelled, it never opens."""
        scene = self._scene
        named = title(scene.records.definition(scene.catalogue, proposal.version_id), scene.policy)
        if cancelling:
            reason = f"withdrawn by {self._message.sender}"
            scene.records.settle_proposal(proposal.proposal_id, "discarded", reason, at=scene.at)
        scene.say("reply", "cancelled" if cancelling else "in_review", title=named)

    # What is there

    def _tells_what_stands(self) -> bool:
        """Says what was done for the sender and stands, if the message asks for that, or that nothing was."""
        scene = self._scene
        types = recalled(self._message.text, self._definitions, self._understanding)
        if not types or moves(self._message.text, scene.policy.language):
            return False
        recent = scene.records.recent_of(*self._place, self._message.sender)
        own = [work for work in recent if scene.definition(work).type_id in types]
        standing = [work for work in own if work.state is State.COMPLETED and not is_undone(scene, work)]
        if standing:
            summaries = "; ".join(scene.summary(work) for work in reversed(standing))
            scene.say("reply", "stands", code="status", work=standing[0], summaries=summaries)
        elif own:
            say_status(scene, own[0])
        else:
            titles = [title(one, scene.policy) for one in self._definitions if one.type_id in types]
            scene.say("reply", "none_stands", code="status_none", titles=titles)
        return True

    def _tells_of_a_part(self, last: Work) -> bool:
        """Says how a Work stands that was done in part, or was to be undone, if the message asks whether it is undone,
        or wants it to be: nothing more can be.
        """
        scene = self._scene
        if last.state not in UNDOABLE or self._is_another_wish(last):
            return False
        claims = scene.records.claims(last.work_id)
        partly = last.state is not State.COMPLETED and any(one.status == "completed" for one in claims)
        if not partly and undoing_told(scene, last, claims) is None:
            return False
        text, language = self._message.text, scene.policy.language
        asked = is_question(text, language) and moves(text, language)
        if asked or wants_to_cancel(text, language) or wants_undone(text, language):
            say_status(scene, last)
            return True
        return False

    # What a tool refused

    def _asks_again(self, last: Work) -> bool:
        """Takes the values of a Work that failed, and of which nothing was done, with those of the message."""
        scene = self._scene
        if last.state is not State.FAILED or self._is_another_wish(last):
            return False
        if scene.at - last.changed_at > scene.definition(last).policies.expiration:
            return False
        if any(claim.status == "completed" for claim in scene.records.claims(last.work_id)):
            return False
        read = read_renewal(scene, self._message, self._conversation, self._thinking, last)
        if read is None:
            return False
        renewal, filling = read
        say_invalid(scene, filling.refused)
        if renewal.changed:
            open_renewal(scene, self._conversation, last.owner, renewal)
        return bool(renewal.changed or filling.refused)

    def _is_another_wish(self, last: Work) -> bool:
        """Whether the message asks for an operation by its words, or is about another one."""
        meant = intentions(self._message.text, self._definitions, self._scene.policy.language)
        return meant is not None or self._is_about_another(last)

    def _is_about_another(self, last: Work) -> bool:
        about = topic(self._message.text, self._definitions, self._understanding)
        return about is not None and self._scene.definition(last).type_id not in about.type_ids

    # What is done

    def _takes_back(self, last: Work) -> bool:
        """Asks whether what was done shall be undone, or replaced, if the message wants that and it can be."""
        effects = undoable(self._scene, last)
        if not effects:
            return False
        text, language = self._message.text, self._scene.policy.language
        if wants_to_cancel(text, language):
            self._ask_to_undo(last, effects)
            return True
        own = self._scene.definition(last)
        meant = intentions(text, self._definitions, language)
        moving, adding = moves(text, language), adds(text, language)
        if meant is not None and (own.type_id not in meant.type_ids or not (moving or adding)):
            return False
        read = read_renewal(self._scene, self._message, self._conversation, self._thinking, last)
        added = read is not None and adding and not read[0].changed.keys() & last.slots.keys()
        if read is not None and (moving or added or self._replaces(last, read[0])):
            renewal, filling = read
            say_invalid(self._scene, filling.refused, last)
            if renewal.changed:
                void(self._scene, last, "superseded")
                ask_to_change(self._scene, last, effects, renewal)
            if renewal.changed or filling.refused:
                return True
        if meant is None and (self._gives_up() or self._asks_to_take_back(own)):
            self._ask_to_undo(last, effects)
            return True
        return False

    def _ask_to_undo(self, last: Work, effects: list[str]) -> None:
        void(self._scene, last, "superseded")
        ask_to_undo(self._scene, last, effects)

    def _replaces(self, last: Work, renewal: Renewal) -> bool:
        """Whether the message has words of a correction before a value, or says that the sender will not come."""
        if self._is_about_another(last):
            return False
        text, language = self._message.text, self._scene.policy.language
        spans = [span for slot in renewal.changed.values() if (span := _said_at(slot)) is not None]
        return self._gives_up() or any(is_correction(text, start, end, language) for start, end in spans)

    def _gives_up(self) -> bool:
        text, language = self._message.text, self._scene.policy.language
        return gives_up(text, language) or will_not_come(text, language)

    def _asks_to_take_back(self, own: Definition) -> bool:
        """Whether it says to take back; a question does if it names what was done: "can I cancel my appointment?"."""
        text, language = self._message.text, self._scene.policy.language
        if is_question(text, language):
            return moves(text, language) and own.type_id in subjects(text, self._definitions, self._understanding)
        return wants_undone(text, language)

    @property
    def _definitions(self) -> Sequence[Definition]:
        return self._scene.catalogue.of_account(self._conversation.account_id)

    @property
    def _understanding(self) -> Understanding:
        policy = self._scene.policy
        return Understanding(
            language=policy.language, now=policy.now.astimezone(policy.zone), lists=self._scene.catalogue.lists
        )


def _said_at(slot: Slot | None) -> tuple[int, int] | None:
    """Where the value of a slot stands in the message it was taken from."""
    evidence = None if slot is None else slot.evidence
    return None if evidence is None else (evidence["start"], evidence["end"])


def cancel_for_owner(scene: Scene, work: Work) -> None:
    """Cancels a Work for its owner, if its definition allows it."""
    if scene.definition(work).cancel.allowed:
        cancel(scene, work)
    else:
        scene.say("reply", "cancel_not_allowed", work=work, title=scene.title(work))
