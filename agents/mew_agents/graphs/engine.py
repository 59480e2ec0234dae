"""Graphs behind a host: a person's words are a graph's input, or the answer to what one of its nodes has asked.

Two stores have to agree, and neither can commit with the other: LangGraph's checkpoints, and our rows. So the words are
put on record first, with what they are to the graph; then the graph runs; then what came of it is put on record. After
a crash the checkpoints say how far the graph has come with them (docs/langgraph.md §4).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Any

from sqlalchemy import Connection, Select, func, select

from mew_agents.durable import NONE
from mew_agents.durable.failpoints import Reaching, around
from mew_agents.fluxi.duty import Around, Duty, Key
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result, readable
from mew_agents.fluxi.participant.engine import Engine, UnderWay
from mew_agents.fluxi.participant.runs import RunWitness
from mew_agents.fluxi.participant.subject import Subject
from mew_agents.fluxi.participant.thoughts import OCCASIONS
from mew_agents.fluxi.ports import RunOutcome, Thought, Witness
from mew_agents.fluxi.tables import flow_dialogues
from mew_agents.graphs.phrases import EVENTS, REPLIES
from mew_agents.graphs.speech import Speech
from mew_agents.graphs.standing import Standing, standing
from mew_agents.graphs.state import Dialogue, Turn, asks_of
from mew_agents.graphs.steps import Step
from mew_agents.graphs.threads import GraphFailed, Threads, Waiting
from mew_agents.graphs.turns import Committed, Ending, Turns
from mew_agents.language.found import Language

log = logging.getLogger(__name__)

POINTS = (*around("thread.begin", "thread.settle", "thread.cancel", "thread.discard"), "graph.before", "graph.after")

_D = flow_dialogues.c


class GraphEngine(Engine, Duty):
    """One graph, in the conversations whose ids begin with `prefix`; as a duty, it finishes what an earlier life has
    left. `within` makes a run for that, in the line of a conversation.
    """

    def __init__(
        self,
        fluxi: Fluxi,
        threads: Threads,
        speech: Speech,
        *,
        within: Callable[[str, Subject], AbstractAsyncContextManager[Witness]],
        key: str,
        language: Language = "es",
        prefix: str = "",
        failpoints: Reaching = NONE,
    ) -> None:
        self._threads = threads
        self._speech = speech
        self._within = within
        self._key = key
        self._language = language
        self._mine = _D.due_at.is_not(None) & _D.conversation_id.startswith(prefix, autoescape=True)
        self._failpoints = failpoints
        self._database = fluxi.database
        self._removal = fluxi.removal
        self._prefix = prefix
        self._turns = Turns(fluxi.desk, prefix=prefix)
        self._at_work: set[str] = set()  # dialogues

    # A turn

    async def handle(
        self, message: Message, policy: PolicyContext, conversation: Conversation, witness: Witness
    ) -> Result:
        if policy.mode == "off":
            return Result(kind="no_action", text=REPLIES.say("off", policy.language), reason_code="off")
        if not readable(message, conversation):
            text = REPLIES.say("unreadable", policy.language)
            return Result(kind="failed", text=text, reason_code="unreadable")
        while True:  # what was left there, if anything, comes first
            begun = await self._turns.begin(message, policy, conversation)
            if begun.result is not None:
                await self._tell(begun, witness, policy)
                return begun.result
            result = await self._finish(begun.dialogue, witness)
            if begun.dialogue.turn is not None and begun.dialogue.turn.message_id == message.message_id:
                return result

    async def discard(
        self, message: Message, policy: PolicyContext, conversation: Conversation, *, reason_code: str
    ) -> None:
        """Its input never was; where it was an answer, what the thread waits for now is asked again."""
        dialogue = await self._turns.of(conversation, message.sender)
        asks = (await self._threads.standing(dialogue.thread_id)).asks
        if dialogue.turn is not None and any(_is_kept(one, dialogue.turn) for one in asks):
            asks = ()  # it cannot be told anything else any more
        await self._turns.discard(message, policy, conversation, reason_code=reason_code, asks=asks_of(asks))

    async def under_way(self, message: Message, conversation: Conversation) -> UnderWay:
        return await self._turns.under_way(message, conversation)

    async def cancel(self, subject: Subject, *, by: str) -> RunOutcome | None:
        """What the thread has been through stays in its checkpoints; what comes next begins before all that."""
        ended = [await self._turns.cancel(one, by=by, language=self._language) for one in subject.subjects]
        return "cancelled" if any(ended) else None

    async def cancel_thread(self, thread_id: str, *, by: str, witness: Witness) -> bool:
        """Somebody cancels what a thread does, or waits for. Whether there was anything."""
        cancelled = await self._turns.cancel(thread_id, by=by, language=self._language)
        if cancelled:
            text = EVENTS.say("cancelled", self._language)
            seen = {"event": "cancelled"}
            await witness.noted([Thought(text=text, subject=thread_id, payload=seen, outcome="cancelled")])
        return cancelled

    async def threads(self, *, account_id: str, limit: int) -> list[Standing]:
        """Those of an account that are at work, or wait, the newest first."""
        return await self._database.read(
            lambda connection: standing(connection, account_id=account_id, prefix=self._prefix, limit=limit)
        )

    async def align(self, *, halted: bool) -> None:
        """Nothing of a graph happens by itself, and its questions have no end: it stands still when its host does."""

    async def part(self, conversation: Conversation) -> None:
        await self._turns.part(conversation, language=self._language)
        await self._removal.part(conversation)

    # What was left

    def due(self, connection: Connection, *, at: int, limit: int) -> Sequence[Key]:
        """Whatever is at work and not with us: nobody else has the checkpoints."""
        query = self._left(select(_D.dialogue_id)).order_by(_D.due_at).limit(limit)
        return [tuple(row) for row in connection.execute(query)]

    def next_due(self, connection: Connection) -> int | None:
        at: int | None = connection.execute(self._left(select(func.min(_D.due_at)))).scalar()
        return at

    async def do(self, key: Key, around: Around, /) -> None:
        """In a run of its own, which begins when there is something to see."""
        left = await self._turns.left(key[0])
        if left is None:
            return
        words = OCCASIONS.say("resumed", self._language)
        subject = Subject(words, (), {left.dialogue.thread_id: self._key})
        async with self._within(left.conversation.conversation_id, subject) as witness:
            left = await self._turns.left(key[0])
            if left is not None and left.dialogue.turn is not None:
                await self._finish(left.dialogue, witness)
                return
        if left is not None and left.message is not None and isinstance(witness, RunWitness) and witness.stopped:
            policy = self._turns.policy(_at(left.dialogue))  # by the watchdog: what a person cancels is cancelled
            await self.discard(left.message, policy, left.conversation, reason_code="interrupted")

    def _left(self, query: Select[Any]) -> Select[Any]:
        return query.where(self._mine, _D.dialogue_id.not_in(sorted(self._at_work)))

    # Inside

    async def _finish(self, dialogue: Dialogue, witness: Witness) -> Result:
        """Takes the words that a dialogue is at through the graph; what came of them."""
        turn = _at(dialogue)
        with self._working(dialogue.dialogue_id):
            try:
                await self._run(dialogue, turn, witness)
                ending = await self._ending(dialogue)
            except GraphFailed:
                log.exception("the graph failed in %s", dialogue.thread_id)
                ending = Ending(failed=True)
            self._failpoints.reach("graph.after")
            settled = await self._turns.settle(dialogue, ending)
        await self._tell(settled, witness, self._turns.policy(turn))
        assert settled.result is not None
        return settled.result

    async def _run(self, dialogue: Dialogue, turn: Turn, witness: Witness) -> None:
        """From where the thread stands: it may have had these words before, or some of the answers."""
        thread_id, id = dialogue.thread_id, turn.message_id

        async def watch(step: Step) -> None:
            seen = {"node": step.node, "changed": list(step.changed)}
            await witness.noted([Thought(text=step.words, subject=thread_id, payload=seen, outcome="waiting")])

        standing = await self._threads.standing(thread_id)
        wanted = {(one.id, one.had) for one in standing.asks}
        told = turn.answers or ()
        answers = {one.interrupt_id: one.answer or "" for one in told if (one.interrupt_id, one.had) in wanted}
        cut = any(_is_kept(one, turn) for one in standing.asks)
        self._failpoints.reach("graph.before")
        if answers:
            await self._threads.answer(thread_id, answers, message_id=id, watching=watch)
        elif turn.answers is None and standing.message_id != id:
            words = self._speech.into(turn.text, id)
            await self._threads.begin(thread_id, words, at=dialogue.begins_at, message_id=id, watching=watch)
        elif standing.unfinished and (cut or not standing.asks):
            await self._threads.go_on(thread_id, message_id=id, watching=watch)

    async def _ending(self, dialogue: Dialogue) -> Ending:
        """Raises `GraphFailed` for what cannot be put into words."""
        standing = await self._threads.standing(dialogue.thread_id)
        try:
            if standing.asks:
                return Ending(asks=asks_of(standing.asks))
            text, told = self._speech.out_of(standing.values, told=dialogue.told)
        except Exception as error:
            raise GraphFailed(f"{type(error).__name__}: {error}") from error
        return Ending(text=text, told=told, checkpoint_id=standing.checkpoint_id)

    async def _tell(self, committed: Committed, witness: Witness, policy: PolicyContext) -> None:
        if not committed.event:
            return
        text = EVENTS.say(committed.event, policy.language)
        seen = {"event": committed.event}
        thread_id = committed.dialogue.thread_id
        await witness.noted([Thought(text=text, subject=thread_id, payload=seen, outcome=committed.outcome)])

    @contextmanager
    def _working(self, dialogue_id: str) -> Iterator[None]:
        self._at_work.add(dialogue_id)
        try:
            yield
        finally:
            self._at_work.discard(dialogue_id)


def _is_kept(waiting: Waiting, turn: Turn) -> bool:
    """Whether LangGraph has the turn's answer already: its node was cut short with it, and will be given it again."""
    return any(one.interrupt_id == waiting.id and one.had < waiting.had for one in turn.answers or ())


def _at(dialogue: Dialogue) -> Turn:
    if dialogue.turn is None:
        raise LookupError(f"the dialogue {dialogue.dialogue_id} has no turn")
    return dialogue.turn
