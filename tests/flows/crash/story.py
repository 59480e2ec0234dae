"""Stories of flows, told to processes that may die at any point of them (tests/fluxi/crash/story.py)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mew_agents.flows.definitions.library import Library
from mew_agents.flows.events import Sending
from mew_agents.fluxi.canonical import read

from ...fluxi.crash.story import Ending, Step, Telling
from ...fluxi.outside import Outside
from ...kit.workers import Worker
from ..record import Record, records_at
from ..worker import flows

ACTION = "world/weather"


@dataclass
class FlowTelling(Telling):
    """One time a story of flows is told. `cancelled`: the flow that somebody ends where the story waits for 0 ms."""

    cancelled: str | None = None
    records: list[Record] = field(default_factory=list)

    async def tell(self) -> Ending:
        ending = await super().tell()
        self.records = await records_at(self.url, Library(flows()))
        for record in self.records:
            assert record.dialogue.turn is None
            assert record.dialogue.calls == ()
        # A call that may be made again is made with the same bytes.
        sending = [one for record in self.records for one in record.happened if isinstance(one, Sending)]
        calls = [one for one in Outside(self.folder).calls.lines if one["key"] in {sent.key for sent in sending}]
        assert {one["request"] for one in calls} == {read(sent.request)["request_id"] for sent in sending}
        return ending

    async def _open(self, worker: Worker) -> None:
        story = self.story
        other = self.interpreters[self.deaths - 1] if self.deaths and self.interpreters else story.interpreter
        await worker.do(
            "open",
            url=self.url,
            folder=str(self.folder),
            moods=story.moods,
            interpreter=other,
            fault=self.faults[self.deaths] if self.deaths < len(self.faults) else "",
            ahead=self._ahead,
        )

    async def _take(self, worker: Worker, step: Step, number: int) -> Any:
        if step.what == "wait" and step.how == 0:
            return await worker.do("cancel_flow", name=self.cancelled)
        if step.what == "resolve":
            work = (await worker.do("works"))[0]["work_id"]
            settled = await worker.do("resolve", work=work, effect="send", outcome=step.how)
            assert settled in ("COMPLETED", {"refused": "not_in_doubt"})
            return None
        return await super()._take(worker, step, number)

    def _effects(self) -> list[Any]:
        return [(one["tool"], one["arguments"]) for one in Outside(self.folder).effects.lines if one["tool"] != ACTION]
