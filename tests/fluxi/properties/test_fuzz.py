"""Thousands of messages out of the definitions' own words, damaged, in three languages, to tools that fail at random:
never an exception, never a broken invariant (docs/fluxi.md §9)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import get_args

from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Formality, Message, Mode, PolicyContext, Tone
from mew_agents.fluxi.ports import Answer, Carried, Carrier, Prepared, Reply
from mew_agents.language.found import LANGUAGES, Language
from mew_agents.tools.local import LocalTools

from ...kit.stores import Fresh
from ...kit.torture import SEED, TIMES
from ..bookings import SHIPPED, START, ZONE
from ..ledger import broken
from ..utterances import utterances

# As many as take some seconds; `make torture` says ten thousand and more.
MESSAGES = {"sqlite": 2_000 * TIMES, "postgresql": 500 * TIMES}
CONVERSATIONS = 20 * TIMES
YES: dict[Language, str] = {"es": "sí", "pt": "sim", "en": "yes"}
EACH = 500  # messages between two audits


class Unsteady(LocalPort):
    """Tools whose answers get lost, now and then before anything was done."""

    def __init__(self, tools: LocalTools, random: Random) -> None:
        super().__init__(tools)
        self._random = random

    async def send(self, prepared: Prepared, *, timeout: float) -> Answer:
        lost = Answer(outcome="unknown", code="timeout", message="no answer")
        fate = self._random.random()
        if fate < 0.1:
            return lost
        answer = await super().send(prepared, timeout=timeout)
        return lost if fate < 0.2 else answer

    async def ask(self, tool: str, key: str, *, fence: int, timeout: float) -> Answer:
        if self._random.random() < 0.2:
            return Answer(outcome="unknown", code="timeout", message="no answer")
        return await super().ask(tool, key, fence=fence, timeout=timeout)


class Letters(Carrier):
    """Replies in memory; now and then they have to wait, or nobody takes them."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.carried: list[str] = []

    def compose(self, reply: Reply) -> str:
        self.carried.append(reply.message_id)
        return f'{{"message_id":"{reply.message_id}"}}'

    async def carry(self, body: str) -> Carried:
        fate = self._random.random()
        if fate < 0.05:
            return Carried(status="wait", reason="paused")
        return Carried(status="refused", reason="too_large") if fate > 0.999 else Carried(status="done")


class Crowd:
    """People who say things at random, each in a language and a manner of their own, with all the time they need."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._now = START
        self.policies = [self._manner() for _ in range(CONVERSATIONS)]
        self._words = [self._vocabulary(policy) for policy in self.policies]
        self._last: dict[int, Message] = {}

    def clock(self) -> datetime:
        return self._now

    def milliseconds(self) -> int:
        return round(self._now.timestamp() * 1000)

    def _manner(self) -> PolicyContext:
        choose = self._random.choice
        return PolicyContext(
            now=START,
            timezone=choose([ZONE, "America/Sao_Paulo", "Europe/London", "UTC"]),
            language=choose(LANGUAGES),
            tone=choose(get_args(Tone)),
            formality=choose(get_args(Formality)),
            emojis=choose([True, False]),
        )

    def _vocabulary(self, policy: PolicyContext) -> Iterator[str]:
        """Half of it as it comes; the rest makes that something opens, and is confirmed."""
        several = [utterances(self._random, one, policy.language) for one in SHIPPED.values()]
        asked = [text for one in SHIPPED.values() for text in one.examples[policy.language]]
        while True:
            yield next(self._random.choice(several))
            yield self._random.choice([*asked, YES[policy.language], YES[policy.language]])

    def speak(self, number: int) -> tuple[Message, PolicyContext, Conversation]:
        random = self._random
        self._now += timedelta(seconds=random.choice((1, 1, 5, 60, 600, 3 * 3600)))
        place = random.randrange(CONVERSATIONS)
        text = next(self._words[place])
        message = Message(message_id=f"m{number}", sender=random.choice(("ana", "ana", "ana", "bob")), text=text)
        if random.random() < 0.05:
            message = self._last.get(place, message)
        elif random.random() < 0.02:
            message = replace(message, answers=random.choice(("m1", "nothing", "x" * 300, "")))
        self._last[place] = message
        mode: Mode = "suggest" if random.random() < 0.03 else "auto"
        return message, replace(self.policies[place], now=self._now, mode=mode), Conversation("account", f"c{place}")


async def test_nothing_that_is_said_breaks_anything(fresh: Fresh) -> None:
    random = Random(SEED)
    crowd, letters = Crowd(random), Letters(random)
    url, seen = fresh(), set()
    messages = MESSAGES["sqlite" if "sqlite" in url else "postgresql"]
    with LocalTools.shipped(None, language="es", timezone=ZONE, clock=crowd.milliseconds) as tools:
        fluxi = await Fluxi.open(
            url, tools=Unsteady(tools, random), definitions=SHIPPED.values(), carrier=letters, clock=crowd.clock
        )
        try:
            for number in range(messages):
                result = await fluxi.handle(*crowd.speak(number))
                seen.add(result.reason_code)
                if random.random() < 0.9:
                    await fluxi.outbox.relay()
                if random.random() < 0.1:
                    await fluxi.schedule.run_due()
                if number % EACH == EACH - 1:
                    assert await fluxi.database.read(broken) == [], (SEED, number)
        finally:
            fluxi.close()
    assert seen >= {"no_intent", "ask_slot", "confirm_execution", "completed", "suggestion", "unreadable"}, SEED
