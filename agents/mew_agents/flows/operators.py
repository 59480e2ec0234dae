"""What people may do to flows from outside of the conversation, on record with who did it (docs/flows.md §7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from sqlalchemy import Connection, select

from mew_agents.flows import state
from mew_agents.flows.chapter import Chapter
from mew_agents.flows.dialogues import Dialogues
from mew_agents.flows.events import CalledOff, Dropped, Released, Suspended
from mew_agents.flows.state import Frame
from mew_agents.fluxi.message import Conversation, Result
from mew_agents.fluxi.ports import REMOVED, UNSEEN, Witness
from mew_agents.fluxi.refused import Refused
from mew_agents.fluxi.tables import flow_dialogues as table

# Dialogues that an emergency takes hold of at a time: in between others have their turn.
_AT_ONCE: Final = 200
_EMERGENCY: Final = "emergency"


class FlowOperators:
    """Acts of operators on flows, by their ids. `account_id` narrows to an account: what belongs to another one is not
    found. `by` names who acts. Raises Refused.
    """

    def __init__(self, dialogues: Dialogues) -> None:
        self._dialogues = dialogues
        self._desk = dialogues.desk

    async def cancel(
        self,
        flow_id: str,
        *,
        by: str,
        reason: str | None = None,
        account_id: str | None = None,
        witness: Witness = UNSEEN,
    ) -> None:
        """Cancels a flow with whatever has called it, and voids its question; while an effect of it is under way, as
        soon as the outcome is known."""

        def do(chapter: Chapter) -> None:
            chapter.happen(CalledOff(at=chapter.at, by=by, flow_id=flow_id, reason=reason))

        await self._act(flow_id, do, by=by, account_id=account_id, witness=witness)

    async def release(self, flow_id: str, *, by: str, account_id: str | None = None, witness: Witness = UNSEEN) -> None:
        """Lets a dialogue go on that a person has taken over, with what its flow at hand asks."""

        def do(chapter: Chapter) -> None:
            if chapter.dialogue.suspended == "halted":
                raise Refused("halted", f"The flow {flow_id} stands still until an emergency is over.")
            if chapter.dialogue.suspended is None:
                raise Refused("not_suspended", f"The flow {flow_id} waits for no person to let it go on.")
            chapter.happen(Released(at=chapter.at, by=by))

        await self._act(flow_id, do, by=by, account_id=account_id, witness=witness)

    async def part(self, conversation: Conversation) -> None:
        """Whoever talks there was removed: its message is dropped and its flows end; one whose effect is under way, as
        soon as the outcome is known."""

        def find(connection: Connection) -> Sequence[str]:
            here = table.c.conversation_id == conversation.conversation_id
            query = select(table.c.dialogue_id).where(here, table.c.account_id == conversation.account_id)
            return connection.execute(query).scalars().all()

        def do(chapter: Chapter) -> None:
            turn = chapter.dialogue.turn
            if turn is not None:
                chapter.results[turn.message_id] = Result(kind="no_action", text="", reason_code=REMOVED)
                chapter.happen(Dropped(at=chapter.at, reason=REMOVED))
            if any(not _is_called_off(chapter, frame) for frame in chapter.dialogue.stack) or chapter.dialogue.queue:
                chapter.behind = True
                chapter.happen(CalledOff(at=chapter.at, by=REMOVED, reason=REMOVED))

        for dialogue_id in await self._desk.database.read(find):
            await self._dialogues.change(dialogue_id, do, point="operator", by=REMOVED)

    async def align(self, *, halted: bool, account_id: str, prefix: str) -> None:
        """All flows of conversations whose ids begin so stand still while an emergency does, and no longer."""

        def find(connection: Connection) -> Sequence[str]:
            mine = (table.c.account_id == account_id) & table.c.conversation_id.startswith(prefix, autoescape=True)
            still = table.c.suspended.is_not_distinct_from("halted")
            as_it_was = ~still & table.c.top.is_not(None) if halted else still
            query = select(table.c.dialogue_id).where(mine, as_it_was).limit(_AT_ONCE)
            return connection.execute(query).scalars().all()

        while ids := await self._desk.database.read(find):
            await self._desk.write(partial(self._align, ids=ids, halted=halted), point="operator")

    def _align(self, connection: Connection, *, ids: Sequence[str], halted: bool) -> None:
        records = self._desk.records(connection)
        for dialogue_id in ids:
            row = records.take_dialogue(dialogue_id)
            if row is None or (row.suspended == "halted") == halted:
                continue
            chapter = self._dialogues.chapter(records, state.read(row.state), at=self._desk.now, by=_EMERGENCY)
            if halted:
                chapter.happen(Suspended(at=chapter.at, reason="halted", by=_EMERGENCY))
            else:
                chapter.behind = True
                chapter.happen(Released(at=chapter.at, by=_EMERGENCY))
            chapter.write()
        records.flush()

    async def _act(
        self, flow_id: str, do: Callable[[Chapter], None], *, by: str, account_id: str | None, witness: Witness
    ) -> None:
        found = False

        def act(chapter: Chapter) -> None:
            nonlocal found
            dialogue = chapter.dialogue
            if dialogue.frame(flow_id) is None or account_id not in (None, dialogue.account_id):
                raise Refused("not_found", f"There is no flow {flow_id} under way.")
            found = True
            chapter.behind = True
            do(chapter)

        await self._dialogues.change(dialogue_of(flow_id), act, point="operator", by=by, witness=witness)
        if not found:
            raise Refused("not_found", f"There is no flow {flow_id} under way.")


def _is_called_off(chapter: Chapter, frame: Frame) -> bool:
    """Whether a flow waits for an effect that is to be called off, and for nothing else."""
    id = None if frame.acting is None else frame.acting.work_id
    work = None if id is None else chapter.records.work(id)
    return work is not None and work.cancel_requested is not None


def dialogue_of(flow_id: str) -> str:
    """The dialogue of a flow."""
    return flow_id.partition(".")[0]
