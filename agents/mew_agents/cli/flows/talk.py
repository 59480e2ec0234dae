"""A conversation in flows in this process: its tools, its database, and what it thinks aloud."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

from mew_agents.cli.fluxi.talk import Aloud, Manner, Place, Talk
from mew_agents.flows import lookup
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.engine import Flows
from mew_agents.flows.lookup import DialogueSheet, ListedDialogue
from mew_agents.flows.understanding.base import Understander
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.ports import Reply, Thought, Witness
from mew_agents.fluxi.work import WorkEvent


class Aside(Witness):
    """Tells what is thought, as it is committed."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell

    async def saw(self, _: Sequence[WorkEvent], thoughts: Sequence[Thought] = ()) -> None:
        await self.noted(thoughts)

    async def noted(self, thoughts: Sequence[Thought]) -> None:
        for thought in thoughts:
            self._tell(thought.text)


class FlowTalk(Talk):
    """A conversation in flows."""

    @classmethod
    @contextlib.asynccontextmanager
    async def opened(
        cls,
        place: Place,
        manner: Manner,
        *,
        flows: tuple[Flow, ...],
        understander: Understander | None,
        tell: Callable[[Reply], None],
        witness: Witness,
    ) -> AsyncIterator[FlowTalk]:
        """A conversation. Raises `DatabaseError`."""
        aloud = Aloud(tell)
        with place.tools(manner) as tools:
            engine = await Flows.open(
                place.url, tools=LocalPort(tools), flows=flows, understander=understander, carrier=aloud
            )
            try:
                yield cls(engine.fluxi, partial(engine.handle, witness=witness), aloud, place, manner)
            finally:
                engine.close()

    async def dialogue(self) -> ListedDialogue | None:
        """Where it stands; None: nothing was said yet."""
        here = self._place.conversation
        look = partial(
            lookup.dialogues,
            under_way=False,
            account_id=here.account_id,
            conversation_id=here.conversation_id,
            participant=self._place.sender,
        )
        return next(iter(await self._fluxi.database.read(look)), None)

    async def sheet(self, dialogue_id: str) -> DialogueSheet | None:
        """Everything about a dialogue."""
        return await self._fluxi.database.read(partial(lookup.dialogue, id=dialogue_id))
