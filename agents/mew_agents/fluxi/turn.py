"""A turn: one message, one transaction (docs/fluxi.md §2). What it decides is committed whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mew_agents.fluxi import gate, unclear
from mew_agents.fluxi.answering import answer_question, can_tell, named_to_change, options_of
from mew_agents.fluxi.asking import (
    ANYTHING,
    ask_again,
    ask_for,
    go_on,
    is_asked_to_cancel,
    keyed,
    void,
    whether_to_cancel,
    which_slot,
)
from mew_agents.fluxi.canonical import written
from mew_agents.fluxi.confirming import Confirming
from mew_agents.fluxi.context import SemanticContext
from mew_agents.fluxi.decisions import Thinking
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.definitions.slots import Slot
from mew_agents.fluxi.filling import Filler, Filling
from mew_agents.fluxi.fsm import EXPIRING, Event, State
from mew_agents.fluxi.interpreter.base import Candidate, ProposedWork, Understanding
from mew_agents.fluxi.interpreter.cancelling import Cancelling, asks_about_cancelling, cancelling
from mew_agents.fluxi.interpreter.dropping import drops_all
from mew_agents.fluxi.interpreter.intentions import intentions
from mew_agents.fluxi.interpreter.remainder import Unclear, remainder
from mew_agents.fluxi.interpreter.second_wish import without_second
from mew_agents.fluxi.interpreter.somebody_else import added
from mew_agents.fluxi.interpreter.topics import topic
from mew_agents.fluxi.interpreter.unusable import Unusable
from mew_agents.fluxi.last_work import LastWork, cancel_for_owner
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.opening import Opening
from mew_agents.fluxi.refusing import say_invalid, say_refused, say_suspended, say_unplaced, say_unused
from mew_agents.fluxi.replies import every
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.statements import INSERT_PROPOSAL
from mew_agents.fluxi.status import say_status
from mew_agents.fluxi.values.addresses import is_address
from mew_agents.fluxi.values.answer import core, is_bare_number
from mew_agents.fluxi.waiting import WAITS, begin_what_waits
from mew_agents.fluxi.wording import label, shown, title
from mew_agents.fluxi.work import Work, plain_slot
from mew_agents.language.answers import Answer, answer, asks_status, only_polite, opens_with_no, wants_to_cancel
from mew_agents.language.asking import may_ask
from mew_agents.language.changes_of_mind import changes_of_mind
from mew_agents.language.requests import (
    gives_up,
    giving_up,
    is_question,
    says_little_but_giving_up,
    wants_a_person,
    wants_another,
)


class Turn:
    """One message in one conversation. It says what is to be said to the scene."""

    def __init__(
        self, scene: Scene, message: Message, conversation: Conversation, policy: PolicyContext, thinking: Thinking
    ) -> None:
        self._scene = scene
        self._records = scene.records
        self._message = message
        self._conversation = conversation
        self._policy = policy
        self._thinking = thinking

    def take(self) -> None:
        """Seed 002 §3: an open question first, then the active Work, then a new intent.

        A wish that waits comes after all that the message asks for.
        """
        self._answer()
        begin_what_waits(self._scene)

    def _answer(self) -> None:
        expired = expire_due(self._scene, self._conversation, self._message.sender)
        answered = answer(self._message.text, self._policy.language)
        if self._confirm(answered):
            return
        active = self._active()
        if len(active) > 1:
            self._scene.say("reply", "which_work", options=self._summaries(active))
        elif active:
            self._continue(active[0])
        elif not LastWork(self._scene, self._message, self._conversation, self._thinking).take(expired):
            self._open(expired)

    # An open question

    def _confirm(self, answered: Answer) -> bool:
        pending = self._records.pending(*self._place, self._message.sender)
        confirming = Confirming(self._scene, self._conversation)
        asked = self._correlated()
        if asked is not None and asked.status != "pending":
            self._scene.say("reply", "question_closed", code="question_closed")
            return True
        if answered.kind not in ("yes", "no") or wants_to_cancel(self._message.text, self._policy.language):
            return False
        if asked is None and not pending:
            return self._nothing_pending()
        if asked is None and self._answers_somebody_else():
            self._scene.say("reply", "nothing_to_confirm", code="not_yours")
            return True
        if asked is None and len(pending) > 1:
            self._scene.say("reply", "which_question", options=self._summaries(map(self._records.asker, pending)))
            return True
        question = asked or pending[0]
        if asked is None and not self._came_after(question):
            self._scene.say("reply", "nothing_to_confirm", code="question_not_out")
            return True
        confirming.resolve(question, yes=answered.kind == "yes")
        return True

    def _correlated(self) -> SemanticContext | None:
        reference = self._message.answers
        if reference is None:
            return None
        return self._records.question(*self._place, self._message.sender, reference)

    def _answers_somebody_else(self) -> bool:
        """It names what was said to another person here: then it is no answer to a question of its sender's."""
        reference = self._message.answers
        return reference is not None and self._records.said_to_another(*self._place, self._message.sender, reference)

    def _came_after(self, question: SemanticContext) -> bool:
        """A yes that was on its way before the question went out is no answer to it."""
        if question.sent_at is None:
            return False
        if self._message.arrived is None:
            return self._policy.at >= question.sent_at
        return self._message.arrived > question.sent_at

    def _nothing_pending(self) -> bool:
        """A yes out of nowhere changes nothing; while a slot is asked for, it may be its value."""
        if self._active():
            return False
        self._scene.say("reply", "nothing_to_confirm")
        return True

    # The active Work

    def _active(self) -> list[Work]:
        """The live Works of the sender here that are not in doubt; the one the message correlates to, if it does."""
        live = self._records.live_in(*self._place)
        active = [work for work in live if work.owner == self._message.sender and work.suspended_reason != "in_doubt"]
        if len(active) > 1 and self._message.answers is not None:
            question = self._correlated()
            about = question.work_id if question else self._records.said_about(*self._place, self._message.answers)
            return [work for work in active if work.work_id == about] or active
        return active

    def _continue(self, work: Work) -> None:
        scene, text, language = self._scene, self._message.text, self._policy.language
        self._records.set_manner(work.work_id, scene.catalogue.manner(self._policy))
        if wants_to_cancel(text, language) or any(one.alone for one in self._cancelling(work)):
            cancel_for_owner(scene, work)
        elif asks_status(text, language):
            say_status(scene, work)
        elif work.suspended_reason is not None:
            say_suspended(scene, work)
        elif work.state is State.EXECUTING:
            scene.say("reply", "frozen_executing", work=work, summary=scene.summary(work))
        else:
            self._ingest(work)

    def _ingest(self, work: Work) -> None:
        """Its slots only; no new intent is looked for (docs/fluxi.md §2.1)."""
        if is_asked_to_cancel(self._scene, work) and self._settles_cancelling(work):
            return
        definition = self._scene.definition(work)
        values = {path: slot.value for path, slot in work.slots.items()}
        understanding = self._understanding(definition, values=values, asked=self._asked(work))
        proposal = self._thinking.think(
            self._scene, self._message, self._conversation, [definition], understanding, work
        )
        second = added(definition, self._message.text, understanding)
        if second is not None and self._may_wait(second):
            self._queue(second, first="")
            self._message = replace(self._message, text=without_second(self._message.text, second))
            if self._says_no_more():
                ask_again(self._scene, work)
                return
            proposal = _without_words_of(proposal, second)
        confirming = work.state is State.WAITING_CONFIRMATION
        said = self._without_giving_up(proposal, understanding) if proposal else ()
        certain, left = remainder(definition, self._message.text, understanding, said)
        certain = self._doubted(work, certain)
        read = None if left.unclear or left.choices or left.cleared else (*certain, *left.guesses)
        cancelled = self._cancelling(work)
        spans = [(one.start, one.end) for one in cancelled if one.certain]
        drops = read is not None and drops_all(definition, self._message.text, understanding.language, read, spans)
        if drops and self._leaves(work, cancelled=bool(spans)):
            return
        if read and self._may_cancel(work, read):
            self._unresolved(work, cancelling=True)
            return
        filler = self._filler(definition, understanding, confirming=confirming)
        if (named := unclear.answered(self._scene, work, filler)) is not None:
            self._commit(work, named, ())
            return
        filling = filler.fill(dict(work.slots), (*certain, *left.guesses))
        filler.clear(dict(work.slots), left.cleared, filling)
        filler.refuse(self._said_back(work, left.unusable, filling), filling)
        filler.leave(left, filling)
        if not (filling.changes or filling.refused or left.unclear) and self._leaves(work):
            return
        self._explain(work, filling)
        if self._may_give_up(work):
            self._scene.say("reply", "maybe_unwanted", work=work, title=self._scene.title(work))
        put_off = self._put_off(work)
        if filling.changes or left.unclear:
            self._commit(work, filling, left.unclear)
        elif filling.immutable:
            self._refuse(work, filling)
        elif filling.unplaced or filling.choices or (filling.repeated and not (filling.refused or filling.unused)):
            self._unresolved(work, known=True)
        elif confirming and self._declined(work):
            return
        elif filling.refused or filling.unused or put_off:
            self._refuse(work, filling)
        elif (to_change := self._named(work)) is not None:
            self._ask_anew(work, to_change)
        elif cancelled and not asks_about_cancelling(self._message.text, understanding.language):
            self._unresolved(work, cancelling=True)
        elif self._asks():
            self._answer_question(work)
        else:
            self._unresolved(work)

    def _answer_question(self, work: Work) -> None:
        """Tells what the definition knows, or that it does not know it, and asks again."""
        path = can_tell(self._scene, work, self._message.text)
        work = self._answered_with(work, ["cannot tell" if path is None else f"told {path}"])
        if not self._hands_over(work):
            answer_question(self._scene, work, self._message.text)

    def _refuse(self, work: Work, filling: Filling) -> None:
        """Asks again where what was said cannot be taken, for which the reason is told."""
        told = [f"{slot.path} {refusal.code}" for slot, _, refusal in filling.refused]
        told += [f"{slot.path} immutable" for slot in filling.immutable]
        work = self._answered_with(work, told or ["elsewhere"])
        if not self._hands_over(work):
            ask_again(self._scene, work)

    def _answered_with(self, work: Work, told: list[str]) -> Work:
        """A message that leads nowhere was answered with what is told. The same once more is no answer: it counts as a
        message that was not understood.
        """
        before: set[str] = set()
        for event in reversed(self._scene.records.history(work.work_id)):
            if event.type is not Event.INPUT_UNRESOLVED:
                break
            before.update((event.delta.get("note") or {}).get("told") or ())
        return self._happen_unresolved(work, work.unresolved + (before >= set(told)), told)

    def _happen_unresolved(self, work: Work, count: int, told: Sequence[str] = ()) -> Work:
        if not told:
            return self._scene.happen(work, Event.INPUT_UNRESOLVED, unresolved=count)
        return self._scene.happen(work, Event.INPUT_UNRESOLVED, unresolved=count, note={"told": list(told)})

    def _hands_over(self, work: Work) -> bool:
        """Whether too many messages in a row have answered nothing: a person goes on with it then."""
        if work.unresolved <= self._scene.definition(work).policies.max_unresolved:
            return False
        work = self._scene.happen(work, Event.WORK_SUSPENDED, suspended_reason="needs_human")
        say_suspended(self._scene, work)
        return True

    def _says_no_more(self) -> bool:
        """Whether nothing but a yes is left of the message: it is asked for again, beside what is added."""
        text, language = self._message.text, self._policy.language
        return core(text, language) is None or answer(text, language).kind == "yes"

    def _asks(self) -> bool:
        text, language = self._message.text, self._policy.language
        return is_question(text, language) or may_ask(text, language)

    def _said_back(self, work: Work, unusable: Sequence[Unusable], filling: Filling) -> Sequence[Unusable]:
        """What the message says and no slot can take; not a name alone that is asked for: the question then has the
        list.
        """
        if filling.changes or len(unusable) != 1 or unusable[0].path != work.asked or not work.asked:
            return unusable
        return [] if self._scene.definition(work).slot(work.asked).type == "ref" else unusable

    def _without_giving_up(self, proposal: ProposedWork, understanding: Understanding) -> tuple[Candidate, ...]:
        """The values of a message, but for those in words that give up: "I changed my mind" may be one's reason, and
        is one only if that was asked for.
        """
        spans = giving_up(self._message.text, self._policy.language)
        return tuple(
            one
            for one in proposal.slots
            if one.path == understanding.asked or not any(one.start < end and start < one.end for start, end in spans)
        )

    def _doubted(self, work: Work, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """The values, those words to be confirmed that were asked for and may say that nothing is wanted any more."""
        if not self._may_give_up(work):
            return candidates
        return tuple(replace(one, guessed=True) if one.path == work.asked else one for one in candidates)

    def _may_give_up(self, work: Work) -> bool:
        """Whether words that were asked for say little else than that nothing is wanted any more."""
        return self._asks_for_words(work) and says_little_but_giving_up(self._message.text, self._policy.language)

    def _named(self, work: Work) -> Slot | None:
        """The slot that the message says is to be different, without its new value."""
        if work.state is not State.WAITING_CONFIRMATION and work.asked != ANYTHING:
            return None
        return named_to_change(self._scene.definition(work), self._message.text, self._policy.language)

    def _ask_anew(self, work: Work, slot: Slot) -> None:
        """Asks for another value of a slot; the one it holds stays until then."""
        scene = self._scene
        if slot.immutable:
            ask_again(scene, work)
            return
        if work.state is State.WAITING_CONFIRMATION:
            void(scene, work, "superseded")
            work = scene.happen(work, Event.SEMANTIC_SUPERSEDED, State.ACTIVE, asked=None)
        else:
            work = scene.happen(work, Event.DELTA_COMMITTED, State.ACTIVE, slots={}, asked=None, unresolved=0)
        ask_for(scene, work, slot)

    def _leaves(self, work: Work, *, cancelled: bool = False) -> bool:
        """Nobody wants this any more, or wants to be served by a person; another wish of the message is taken up.

        `cancelled`: a clause of the message certainly cancels.
        """
        scene, text, language = self._scene, self._message.text, self._policy.language
        if self._asks_for_words(work):
            return False
        if wants_a_person(text, language):
            work = scene.happen(work, Event.WORK_SUSPENDED, suspended_reason="needs_human")
            scene.say("reply", "person_called", code="needs_human", work=work, title=scene.title(work))
            return True
        if not (cancelled or gives_up(text, language) or self._wants_nothing(work)):
            return False
        others = self._others(work)
        cancel_for_owner(scene, work)
        if others and scene.definition(work).cancel.allowed:
            self._open(None, others)
        return True

    def _cancelling(self, work: Work) -> list[Cancelling]:
        """The clauses of the message that cancel the Work."""
        held = [slot.evidence["text"] for slot in work.slots.values() if slot.evidence and "text" in slot.evidence]
        return cancelling(self._scene.definition(work), self._message.text, self._policy.language, held)

    def _may_cancel(self, work: Work, read: Sequence[Candidate]) -> bool:
        """Whether all values of the message stand in a clause that seems to cancel: "cancel the one on Friday"."""
        spans = [(one.start, one.end) for one in self._cancelling(work) if not one.drops]
        if asks_about_cancelling(self._message.text, self._policy.language):
            return False
        types = {one.path: self._scene.definition(work).slot(one.path).type for one in read}
        return bool(spans) and all(
            types[one.path] != "text" and any(start < one.end and one.start < end for start, end in spans)
            for one in read
        )

    def _settles_cancelling(self, work: Work) -> bool:
        """Whether the message is the yes or the no to whether the Work shall be cancelled."""
        said = answer(self._message.text, self._policy.language)
        if said.kind == "yes":
            cancel_for_owner(self._scene, work)
        elif said.kind == "no":
            go_on(self._scene, self._scene.happen(work, Event.DELTA_COMMITTED, State.ACTIVE, slots={}, asked=None))
        return said.kind in ("yes", "no")

    def _wants_nothing(self, work: Work) -> bool:
        """Return true if a clause drops it, or says that the reason is gone. "Another day" moves what has a day."""
        found = {one.kind for one in changes_of_mind(self._message.text, self._policy.language)}
        has_day = any(slot.type in ("date", "datetime", "time") for slot in self._scene.definition(work).slots)
        return bool(found & {"drops", "settled"}) or ("later" in found and not has_day)

    def _asks_for_words(self, work: Work) -> bool:
        """Whether any sentence may be the answer: words about giving up may be part of it."""
        if not work.asked:
            return False
        slot = self._scene.definition(work).slot(work.asked)
        if slot.type != "text" or work.state is not State.WAITING_USER:
            return False
        return not is_address(slot, self._policy.language) or any(map(str.isdigit, self._message.text))

    def _others(self, work: Work) -> list[Definition]:
        """The account's other operations that the message has words for."""
        definitions = self._scene.catalogue.of_account(self._conversation.account_id)
        own = self._scene.definition(work).type_id
        others = [one for one in definitions if one.type_id != own]
        understanding = self._understanding(None)
        meant = intentions(self._message.text, others, understanding.language)
        meant = meant or topic(self._message.text, others, understanding)
        return [] if meant is None else [one for one in others if one.type_id == meant.type_ids[0]]

    def _put_off(self, work: Work) -> bool:
        """Says which other wish of the message is not done yet, if there is one."""
        scene, text, language = self._scene, self._message.text, self._policy.language
        if self._asks_for_words(work) or gives_up(text, language):
            return False
        own = scene.definition(work).type_id
        definitions = scene.catalogue.of_account(self._conversation.account_id)
        others = [one for one in definitions if one.type_id != own]
        meant = intentions(text, others, language)
        if meant is None:
            return False
        self._say_later(work, [one for one in others if one.type_id in meant.type_ids])
        return True

    def _say_later(self, work: Work | None, later: Sequence[Definition]) -> None:
        if later:
            titles = [title(one, self._policy) for one in later]
            self._scene.say("reply", "put_off", work=work, titles=titles)

    def _asked(self, work: Work) -> str:
        """The slot that is asked for. A figure alone is no yes and no no, but may be what a check asks about."""
        if work.state is State.WAITING_CONFIRMATION and is_bare_number(self._message.text, self._policy.language):
            return work.asked if work.asked and self._takes_figures(work, work.asked) else ANYTHING
        return work.asked or ANYTHING

    def _takes_figures(self, work: Work, path: str) -> bool:
        """Whether a figure alone may be the value of a slot."""
        return self._scene.definition(work).slot(path).type in ("int", "number", "money", "date", "time", "datetime")

    def _declined(self, work: Work) -> bool:
        """Nothing but the no that the message begins with can be used: it is the no to the open question."""
        question = self._records.pending_of(work.work_id)[0]
        refers = self._correlated() is not None
        text, language = self._message.text, self._policy.language
        if answer(text, language).leading != "no" or not opens_with_no(text, language):
            return False
        if self._answers_somebody_else() or not (refers or self._came_after(question)):
            return False
        Confirming(self._scene, self._conversation).resolve(question, yes=False)
        return True

    def _explain(self, work: Work, filling: Filling) -> None:
        for slot in filling.immutable:
            value = shown(slot, work.slots[slot.path].value, self._policy)
            self._scene.say("reply", "immutable_slot", work=work, label=label(slot, self._policy), value=value)
        say_invalid(self._scene, filling.refused, work)
        say_unused(self._scene, filling.unused, work)
        say_unplaced(self._scene, filling, work)

    def _commit(self, work: Work, filling: Filling, several: Sequence[Unclear]) -> None:
        scene, corrected = self._scene, self._corrected(work, filling)
        unresolved = 0 if filling.changes else work.unresolved + 1
        if unresolved > scene.definition(work).policies.max_unresolved:
            self._unresolved(work)
            return
        if work.state is State.WAITING_CONFIRMATION:
            before = {path: plain_slot(work.slots[path]) for path in filling.changes if path in work.slots}
            void(scene, work, "superseded")
            note = {"before": before, "after": filling.delta()}
            work = scene.happen(work, Event.SEMANTIC_SUPERSEDED, State.ACTIVE, asked=None, note=note)
        delta = {"slots": filling.delta(), "asked": None, "unresolved": unresolved}
        delta |= keyed(scene, work, filling.changes)
        work = scene.happen(work, Event.DELTA_COMMITTED, State.ACTIVE, **delta)
        if several:
            which_slot(scene, work, several[0], note=unclear.noted(several[0], self._message))
            return
        said = len(scene.said)
        go_on(scene, work, unsure=filling.unsure)
        if corrected and scene.said[said:] and scene.said[said].kind == "request_slot":
            scene.say("reply", "noted", work=work, values=every(corrected, self._policy))
            scene.said.insert(said, scene.said.pop())

    def _corrected(self, work: Work, filling: Filling) -> list[str]:
        """What is different now from what was settled, as people call it: they hear that they were heard."""
        definition = self._scene.definition(work)
        settled = {path for path, slot in work.slots.items() if slot.status == "committed"}
        taken = {path: slot for path, slot in filling.slots.items() if slot.status == "committed"}
        if not settled & taken.keys():
            return []
        changed = ((definition.slot(path), slot) for path, slot in taken.items())
        return [f"{label(one, self._policy)}: {shown(one, slot.value, self._policy)}" for one, slot in changed]

    def _unresolved(self, work: Work, *, known: bool = False, cancelling: bool = False) -> None:
        """The message answers nothing. `known`: it was understood, and says what the Work holds already; `cancelling`:
        it may cancel the Work.
        """
        scene = self._scene
        work = self._happen_unresolved(work, work.unresolved + 1)
        if self._hands_over(work):
            return
        if cancelling and scene.definition(work).cancel.allowed:
            whether_to_cancel(scene, work)
            return
        if known:
            ask_again(scene, work)
            return
        slot = scene.definition(work).slot(work.asked) if work.asked else None
        options = options_of(slot, scene) if slot is not None and slot.type == "ref" else {}
        ask_again(scene, work, politely=not options)
        if slot is not None and options:
            scene.reword("ask_among", label=label(slot, self._policy), **options)

    # A new intent

    def _open(self, expired: Work | None, among: Sequence[Definition] | None = None) -> None:
        """`among`: the only operations that may be meant, if not all of the account."""
        scene = self._scene
        definitions = scene.catalogue.of_account(self._conversation.account_id) if among is None else among
        understanding = self._understanding(None)
        proposal = self._think(definitions, understanding, None)
        if proposal is None:
            self._nothing_recognised(definitions, expired)
            return
        definition = scene.catalogue.current(proposal.type_id)
        if proposal.rivals:
            self._propose(proposal, "discarded", "two_intents")
            either = (proposal.type_id, *proposal.rivals)
            known = [one for type_id in either if (one := scene.catalogue.current(type_id)) is not None]
            scene.say("reply", "which_intent", options=[title(one, self._policy) for one in known])
        elif definition is None or not gate.allowed(definition, self._conversation.account_id):
            self._propose(proposal, "discarded", "not_allowed")
            named = proposal.type_id if definition is None else title(definition, self._policy)
            scene.say("failed", "not_allowed", title=named)
        else:
            self._pass_gate(proposal, definition)

    def _nothing_recognised(self, definitions: Sequence[Definition], expired: Work | None) -> None:
        """An own reply, and never an assistant (invariant 1)."""
        if expired is not None:
            # They said something else than yes: a yes that comes next does not mean what was asked before.
            void(self._scene, expired)
            self._scene.say("reply", "expired", work=expired, title=self._scene.title(expired))
            return
        operations = [title(one, self._policy) for one in definitions]
        if only_polite(self._message.text, self._policy.language):
            self._scene.say("reply", "courtesy", code="no_intent", operations=operations)
        elif operations:
            self._scene.say("reply", "no_intent", operations=operations)
        else:
            self._scene.say("reply", "no_operations", code="no_intent")

    def _pass_gate(self, proposal: ProposedWork, definition: Definition) -> None:
        scene = self._scene
        second = proposal.second if proposal.second is not None and self._may_wait(proposal.second) else None
        message = self._message
        if second is not None:
            message = replace(message, text=without_second(message.text, second))
        opening = Opening(scene, self._conversation, message, definition)
        refused, filling = opening.examine(
            proposal.slots, source=self._thinking.decided_by, wish=self._wish(proposal, definition)
        )
        if refused is not None:
            self._propose(proposal, "discarded", refused)
            say_invalid(scene, filling.refused)
            say_refused(scene, definition, refused)
        elif definition.policies.open == "review":
            self._propose(proposal, "pending", None)
            scene.say("reply", "in_review", title=title(definition, self._policy))
        else:
            say_invalid(scene, filling.refused)
            say_unused(scene, filling.unused)
            say_unplaced(scene, filling)
            self._say_later(None, self._later(proposal, definition, second))
            proposal_id = self._propose(proposal, "opened", None)
            if second is not None:
                first = title(definition, self._policy) if second.type_id != definition.type_id else ""
                self._queue(second, first=first)
            opening.open(proposal_id, filling)

    def _queue(self, second: ProposedWork, *, first: str) -> None:
        """Keeps a second wish until the first is done, and says so."""
        self._propose(second, "pending", WAITS)
        self._scene.say("reply", "queued", first=first, titles=[title(self._current(second), self._policy)])

    def _may_wait(self, second: ProposedWork) -> bool:
        """Whether a second wish can begin by itself: of an operation that is there, and that nobody has to look at."""
        definition = self._scene.catalogue.current(second.type_id)
        if definition is None or not gate.allowed(definition, self._conversation.account_id):
            return False
        return definition.policies.open != "review"

    def _current(self, proposal: ProposedWork) -> Definition:
        definition = self._scene.catalogue.current(proposal.type_id)
        if definition is None:
            raise LookupError(f"there is no definition {proposal.type_id}")
        return definition

    def _later(self, proposal: ProposedWork, definition: Definition, second: ProposedWork | None) -> list[Definition]:
        """What else the message wishes for, besides the second wish that is kept: other operations, or another one of
        the same.
        """
        left = [type_id for type_id in proposal.later if second is None or type_id != second.type_id]
        known = [one for type_id in left if (one := self._scene.catalogue.current(type_id)) is not None]
        if known or second is not None:
            return known
        return [definition] * wants_another(self._message.text, self._policy.language)

    def _wish(self, proposal: ProposedWork, definition: Definition) -> tuple[int, int] | None:
        """Where the message asks for the operation by its words; a person who reviews needs a value to look at."""
        if proposal.wish is None or definition.policies.open == "review":
            return None
        start, end = proposal.wish
        return proposal.wish if self._message.text[start:end].strip() else None

    def _propose(self, proposal: ProposedWork, status: str, reason: str | None) -> str:
        scene = self._scene
        proposal_id = self._records.new_id()
        self._records.write(
            INSERT_PROPOSAL,
            {
                "proposal_id": proposal_id,
                "decision_id": self._thinking.decision_id,
                "account_id": self._conversation.account_id,
                "conversation_id": self._conversation.conversation_id,
                "sender": self._message.sender,
                "type_id": proposal.type_id,
                "version_id": scene.catalogue.current_id(proposal.type_id),
                "candidate_slots": written(proposal.slots),
                "status": status,
                "reason": reason,
                "proposed_at": scene.at,
                "settled_at": None if status == "pending" else scene.at,
            },
        )
        return proposal_id

    # Words

    def _think(
        self, definitions: Sequence[Definition], understanding: Understanding, work: Work | None
    ) -> ProposedWork | None:
        return self._thinking.think(self._scene, self._message, self._conversation, definitions, understanding, work)

    @property
    def _place(self) -> tuple[str, str]:
        return self._conversation.account_id, self._conversation.conversation_id

    def _understanding(
        self, definition: Definition | None, *, values: dict[str, object] | None = None, asked: str | None = None
    ) -> Understanding:
        return Understanding(
            language=self._policy.language,
            now=self._policy.now.astimezone(self._policy.zone),
            within=None if definition is None or asked is None else definition.type_id,
            asked=asked,
            values=values or {},
            lists=self._scene.catalogue.lists,
        )

    def _filler(self, definition: Definition, understanding: Understanding, *, confirming: bool) -> Filler:
        return Filler(
            definition=definition,
            message=self._message,
            understanding=understanding,
            source=self._thinking.decided_by,
            at=self._scene.at,
            confirming=confirming,
        )

    def _summaries(self, works: Iterable[Work | None]) -> list[str]:
        return [self._scene.summary(work) for work in works if work is not None]


def _without_words_of(proposal: ProposedWork | None, second: ProposedWork) -> ProposedWork | None:
    """A proposal without the values that stand in the words of a second wish."""
    if proposal is None or second.wish is None:
        return proposal
    start, end = second.wish
    return replace(proposal, slots=tuple(one for one in proposal.slots if one.end <= start or end <= one.start))


def expire_due(scene: Scene, conversation: Conversation, sender: str) -> Work | None:
    """Works of the conversation whose time is over expire before anything else is looked at; the sender's last."""
    last = None
    for work in scene.records.live_in(conversation.account_id, conversation.conversation_id):
        if work.state in EXPIRING and work.expires_at is not None and work.expires_at <= scene.at:
            # Their questions stay: a late yes may reopen them (docs/fluxi.md §3).
            over = scene.happen(work, Event.EXPIRED, State.EXPIRED)
            last = over if work.owner == sender else last
    return last
