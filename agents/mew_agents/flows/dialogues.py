"""The dialogues of a database: taken out, changed in a transaction each, put back, and shown to whoever watches."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqlalchemy import Connection

from mew_agents.flows import state
from mew_agents.flows.chapter import Chapter
from mew_agents.flows.definitions.library import Library
from mew_agents.flows.derived import derived
from mew_agents.flows.events import Suspended
from mew_agents.flows.state import Dialogue
from mew_agents.fluxi.desk import Desk
from mew_agents.fluxi.message import Result
from mew_agents.fluxi.ports import UNSEEN, Carried, Witness
from mew_agents.fluxi.records import Records
from mew_agents.fluxi.scene import Scene
from mew_agents.fluxi.work import Work


class Dialogues:
    """Makes things happen to dialogues. `library`: the flows that they are in."""

    def __init__(self, desk: Desk, library: Library) -> None:
        self.desk = desk
        self.library = library

    def chapter(
        self,
        records: Records,
        dialogue: Dialogue,
        *,
        at: int,
        by: str,
        cause_id: str | None = None,
        heard: bool = False,
        new: bool = False,
    ) -> Chapter:
        """A dialogue in a transaction. `heard`: somebody waits for what is said."""
        return Chapter(
            desk=self.desk,
            library=self.library,
            records=records,
            dialogue=dialogue,
            at=at,
            by=by,
            cause_id=cause_id,
            direct=heard and self.desk.carrier is None,
            new=new,
        )

    def of(
        self, records: Records, *place: str, at: int, by: str, cause_id: str | None = None, heard: bool = False
    ) -> Chapter:
        """The dialogue of (account, conversation, participant); it begins with the first thing that happens to it."""
        account_id, conversation_id, participant = place
        row = records.dialogue(account_id, conversation_id, participant)
        if row is not None:
            found = state.read(row.state)
        else:
            found = Dialogue(
                dialogue_id=derived("dialogue", *place),
                account_id=account_id,
                conversation_id=conversation_id,
                participant=participant,
            )
        return self.chapter(records, found, at=at, by=by, cause_id=cause_id, heard=heard, new=row is None)

    async def read(self, dialogue_id: str) -> Dialogue | None:
        """A dialogue as it stands."""

        def find(connection: Connection) -> Dialogue | None:
            row = self.desk.records(connection).dialogue_by_id(dialogue_id)
            return None if row is None else state.read(row.state)

        return await self.desk.database.read(find)

    async def change(
        self,
        dialogue_id: str,
        do: Callable[[Chapter], None],
        *,
        point: str,
        by: str,
        witness: Witness = UNSEEN,
        heard: bool = False,
    ) -> Result | None:
        """Something happens to a dialogue, in one transaction; what was said, if anything was."""
        shown: list[Chapter] = []

        def act(connection: Connection) -> Result | None:
            shown.clear()
            records = self.desk.records(connection)
            row = records.take_dialogue(dialogue_id)
            if row is None:
                return None
            chapter = self.chapter(records, state.read(row.state), at=self.desk.now, by=by, heard=heard)
            do(chapter)
            chapter.write()
            records.flush()
            shown.append(chapter)
            return chapter.told

        result = await self.desk.write(act, point=point)
        await self.show(shown, witness)
        return result

    def part(self, scene: Scene, work: Work) -> Result | None:
        """Something has happened to a Work: in the same transaction, to the flow that it is an effect of."""
        row = scene.records.take_dialogue(str(work.part_of))
        if row is None:
            raise LookupError(f"the dialogue {work.part_of} of the Work {work.work_id} is gone")
        dialogue = state.read(row.state)
        chapter = self.chapter(scene.records, dialogue, at=scene.at, by=scene.by, cause_id=scene.cause_id)
        chapter.direct, chapter.behind = scene.direct, True
        chapter.part(scene, work)
        chapter.write()
        scene.thoughts += chapter.thoughts()
        return chapter.told

    def unsaid(self, connection: Connection, dialogue_id: str, carried: Carried) -> None:
        """A question will never be seen: nobody waits for its answer, and a person is to look at it."""
        records = self.desk.records(connection)
        row = records.take_dialogue(dialogue_id)
        if row is None or row.suspended is not None:
            return
        chapter = self.chapter(records, state.read(row.state), at=self.desk.now, by="outbox")
        chapter.happen(Suspended(at=chapter.at, reason="needs_human", by="outbox", why=carried.reason))
        chapter.write()
        records.flush()

    async def show(self, chapters: Iterable[Chapter], witness: Witness) -> None:
        """Shows a witness what was committed; nobody needs words for one that looks away."""
        for chapter in chapters if witness is not UNSEEN else ():
            noted = chapter.thoughts()
            if noted:
                await witness.noted(noted)
