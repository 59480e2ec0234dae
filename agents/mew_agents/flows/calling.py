"""Calls that may be made again: the same bytes, whoever makes them, until there is a result (docs/flows.md §6)."""

from __future__ import annotations

import msgspec

from mew_agents.durable.failpoints import Reaching
from mew_agents.flows.chapter import Chapter
from mew_agents.flows.dialogues import Dialogues
from mew_agents.flows.events import ActionDone, ActionFailed
from mew_agents.flows.state import Acting, Dialogue
from mew_agents.fluxi.canonical import read, written
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.ports import Answer, Prepared, Witness


class Calling:
    """Makes the calls of actions that are no effects. What is not done is a failure, and the flow says what follows."""

    def __init__(self, dialogues: Dialogues, failpoints: Reaching) -> None:
        self._dialogues = dialogues
        self._tools = dialogues.desk.tools
        self._failpoints = failpoints

    async def call(self, dialogue: Dialogue, acting: Acting, witness: Witness, *, heard: bool) -> Result | None:
        """One call; what was said then, if anything was."""
        prepared = Prepared(request=acting.request or "", cursor=acting.cursor)
        self._failpoints.reach("action.send.before")
        answer = await self._tools.send(prepared, timeout=acting.timeout / 1000)
        self._failpoints.reach("action.send.after")

        def record(chapter: Chapter) -> None:
            if any(one.key == acting.key for one in chapter.dialogue.calls):
                chapter.happen(_event(answer, acting.key, at=chapter.at))

        return await self._dialogues.change(
            dialogue.dialogue_id, record, point="action.record", by="engine", witness=witness, heard=heard
        )


def _event(answer: Answer, key: str, *, at: int) -> ActionDone | ActionFailed:
    if answer.outcome == "applied":
        try:
            # As it will be read back: a replay must see what was seen now.
            return ActionDone(at=at, key=key, content=read(written(dict(answer.content))))
        except (ValueError, TypeError, RecursionError, msgspec.MsgspecError):
            return ActionFailed(at=at, key=key, code="bad_result")
    return ActionFailed(at=at, key=key, code=answer.code or answer.outcome, message=answer.message)
