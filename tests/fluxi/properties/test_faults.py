"""A process that ends at any commit or await, at any time of any story: whoever follows finds everything whole."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mew_agents.durable import Crash, Failpoints
from mew_agents.durable.failpoints import Fault
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.message import Conversation, Message, PolicyContext
from mew_agents.fluxi.points import POINTS

from ...kit.stores import Fresh
from ...kit.torture import TIMES
from ..bookings import ASKED, KEYED, PLAIN, START, ZONE, Slow, booking
from ..ledger import Ledger, broken
from ..outside import Doubles, Mood, Outside, Post

TOOLS: dict[str, Definition] = {
    "keyed": booking(KEYED, ASKED),
    "plain": booking(PLAIN, KEYED),
    "unasked": booking(ASKED, PLAIN, confirmation={"execute": False}),
}
TEXTS = (
    "Quiero un turno con la Dra. Ana Pérez el viernes a las 17",
    "Quiero un turno con el Dr. Souza",
    "Quiero un turno con Pérez",
    "el lunes a las 10",
    "mejor a las 18",
    "sí",
    "dale",
    "no",
    "cancelar",
    "¿cómo va?",
    "hola",
)
WAITS = {"a moment": 3_000, "a lease": 180_000, "too long": 3_600_000, "for ever": 100_000_000}
MOODS: tuple[Mood, ...] = ("applied", "late", "lost", "busy", "refused")

# A new database each, which one store makes more quickly than the other.
EXAMPLES = {"sqlite": 12, "postgresql": 6}

Act: TypeAlias = tuple[Literal["say", "again", "wait", "relay"], str]
ACTS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(TEXTS)),
    st.tuples(st.just("say"), st.sampled_from(("sí", TEXTS[0]))),
    st.tuples(st.just("again"), st.just("")),
    st.tuples(st.just("wait"), st.sampled_from(sorted(WAITS))),
    st.tuples(st.just("relay"), st.just("")),
)
FAULTS = st.builds(Fault, st.sampled_from(POINTS), st.integers(1, 2), st.just("raise"))


@dataclass
class Story:
    """What happens to one database; each act may be the last of its process."""

    url: str
    outside: Outside
    definition: Definition
    moods: Sequence[Mood]
    slow: bool
    now: datetime = START
    points: Failpoints = field(default_factory=lambda: Failpoints(POINTS))
    said: list[Message] = field(default_factory=list)
    deaths: int = 0

    async def tell(self, acts: Sequence[tuple[Act, Fault | None]]) -> Ledger:
        """Everything, and then all the time that is needed, without faults."""
        fluxi = await self._open()
        for act, fault in acts:
            self.points.arm(fault)
            try:
                await self._take(fluxi, act)
            except Crash:
                self.deaths += 1
                fluxi.close()
                fluxi = await self._open()
            assert await fluxi.database.read(broken) == []
        self.points.arm(None)
        for wait in ("a lease", "a lease", "a lease", "too long", "too long", "a lease"):
            await self._take(fluxi, ("wait", wait))
            await self._take(fluxi, ("relay", ""))
        with closing(fluxi):
            assert await fluxi.database.read(broken) == []
            return await fluxi.database.read(Ledger.of)

    async def _open(self) -> Fluxi:
        """The next life."""
        self.points.arm(None)
        return await Fluxi.open(
            self.url,
            tools=Doubles(self.outside, self.moods),
            definitions=[self.definition],
            interpreter=Slow(self.outside) if self.slow else None,
            carrier=Post(self.outside),
            clock=lambda: self.now,
            failpoints=self.points,
        )

    async def _take(self, fluxi: Fluxi, act: Act) -> None:
        what, how = act
        match what:
            case "say":
                self.said.append(Message(message_id=f"m{len(self.said)}", sender="ana", text=how))
                await self._handle(fluxi, self.said[-1])
            case "again":
                for message in self.said[-2:]:
                    await self._handle(fluxi, message)
            case "wait":
                self.now += timedelta(milliseconds=WAITS[how])
                await fluxi.schedule.run_due()
            case "relay":
                await fluxi.outbox.relay()

    async def _handle(self, fluxi: Fluxi, message: Message) -> None:
        policy = PolicyContext(now=self.now, timezone=ZONE)
        await fluxi.handle(message, policy, Conversation("account", "c"))
        await fluxi.outbox.relay()


@pytest.mark.parametrize("tool", TOOLS)
def test_whatever_ends_a_process_nothing_is_lost_and_nothing_happens_twice(
    tool: str, fresh: Fresh, tmp_path_factory: pytest.TempPathFactory
) -> None:
    deaths = 0
    examples = EXAMPLES["sqlite" if "sqlite" in fresh() else "postgresql"]

    @settings(max_examples=examples * TIMES, deadline=None, derandomize=TIMES == 1, database=None)
    @given(st.lists(st.tuples(ACTS, FAULTS), min_size=2, max_size=12), st.lists(st.sampled_from(MOODS)), st.booleans())
    def tell(acts: list[tuple[Act, Fault | None]], moods: list[Mood], slow: bool) -> None:
        nonlocal deaths
        outside = Outside(tmp_path_factory.mktemp("world"))
        story = Story(fresh(), outside, TOOLS[tool], moods, slow)
        # Most stories begin with somebody who wants something.
        told = asyncio.run(story.tell([(("say", TEXTS[0]), None), *acts]))
        check(told, outside)
        deaths += story.deaths

    tell()
    assert deaths, "nobody died"


def check(told: Ledger, outside: Outside) -> None:
    """What must be so when everything that was due has been done."""
    done = [one["key"] for one in outside.effects.lines]
    assert len(set(done)) == len(done)
    for claim in told.claims.values():
        match claim.status:
            case "completed":
                assert claim.idempotency_key in done
            case "aborted":
                assert claim.idempotency_key not in done
            case "in_doubt":
                assert "world/plain" in claim.call
                assert [one["key"] for one in outside.calls.lines].count(claim.idempotency_key) <= claim.attempts
            case _:
                # It waits for another that is in doubt.
                assert claim.status == "claimed"
                assert told.stored[claim.work_id].suspended_reason == "in_doubt"
    assert all(row.status == "done" for row in told.inbox)
    assert all(row.status == "done" for row in told.outbox)
    assert [one["message_id"] for one in outside.replies.lines] == [row.message_id for row in told.outbox]
