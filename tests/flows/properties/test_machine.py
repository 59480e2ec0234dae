"""Random commands, valid and not, to flows whose tools fail and whose process ends, in several conversations at once:
after every step the record is whole (tests/flows/record.py), and at the end nothing is left undone."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from mew_agents.durable import Crash, Failpoints
from mew_agents.durable.failpoints import Fault
from mew_agents.flows import Flows, effects, events
from mew_agents.flows.commands import (
    Affirm,
    AnyCommand,
    CancelFlow,
    ChitChat,
    Clarify,
    CorrectSlot,
    Deny,
    Handoff,
    SetSlot,
    StartFlow,
)
from mew_agents.flows.definitions.loader import load
from mew_agents.flows.effects import Act, Ask, Close, Finished, Open, Started
from mew_agents.flows.events import Commanded, EffectDone
from mew_agents.flows.points import POINTS
from mew_agents.flows.understanding.base import Standing, Understander, Understood
from mew_agents.fluxi import Conversation, Message, PolicyContext
from mew_agents.fluxi.refused import Refused

from ...fluxi.bookings import START, ZONE
from ...fluxi.outside import Outside, Post
from ...kit.stores import Fresh
from ...kit.torture import TIMES
from ..acceptance.dialogue_player import Answering
from ..record import Record, records, wrong

FLOWS = load(Path(__file__).parent / "machine.yaml")
NAMES = [flow.name for flow in FLOWS]
PLACES = ("c1", "c2", "c3")
PEOPLE = ("ana", "bob")
# Seconds: a moment, the end of a question, a lease, a day.
WAITS = (3, 700, 180, 90_000)
MOODS = ("applied", "applied", "late", "lost", "busy", "refused", "proposed")
EXAMPLES = {"sqlite": 9 * TIMES, "postgresql": 1 * TIMES}


# What the flows say of amounts.
OWN_WORDS = re.compile(r"(?:Pago|Pagado:|pagó|Mando|Mandado:|Entonces|veces|Tramitado:) \d+")


def number(place: str, sender: str, last: int) -> int:
    """An amount that only this person says in this conversation."""
    return 100 * (1 + 2 * PLACES.index(place) + PEOPLE.index(sender)) + last


class Scripted(Understander):
    """Understands what the test wants it to, by the id of the message, which is its first word."""

    def __init__(self, *, deterministic: bool) -> None:
        self.name = "scripted"
        self.deterministic = deterministic
        self.script: dict[str, tuple[tuple[AnyCommand, ...], tuple[Any, ...]]] = {}

    def commands(self, text: str, standing: Standing) -> tuple[AnyCommand, ...]:
        return self.script[text.split()[0]][0]

    def slots(self, text: str, standing: Standing) -> tuple[SetSlot | CorrectSlot, ...]:
        return self.script[text.split()[0]][1]

    async def understand(self, text: str, standing: Standing) -> Understood:
        await asyncio.sleep(0)
        return await super().understand(text, standing)


PATHS = st.sampled_from(("amount", "amount", "first", "second", "note", "receipt", "nobody"))
WRONG: tuple[Any, ...] = (0, -5, 666, 1_000, "x", "", None, 1.5, True, [], {"amount": "5"}, 10**30)
VALUES = st.one_of(st.integers(1, 99), st.integers(1, 99), st.sampled_from(WRONG).map(lambda one: ("wrong", one)))
DOUBTS = st.sampled_from(((), (), (), ("ambiguous",)))
VALUED = st.tuples(st.sampled_from((SetSlot, CorrectSlot)), PATHS, VALUES, DOUBTS, st.booleans(), st.booleans())
ENDS = (CancelFlow(), CancelFlow(scope="all"), Handoff())
PLAIN = st.sampled_from((Affirm(), Affirm(), Affirm(), Deny(), *ENDS, Clarify(), ChitChat()))
RIVALS = st.sampled_from(((), (), (), ("pay",), ("nobody",)))
STARTS = st.builds(StartFlow, flow=st.sampled_from((*NAMES, "nobody")), rivals=RIVALS)
SEVERAL = st.lists(st.one_of(PLAIN, STARTS, VALUED), max_size=3).map(tuple)
FIRST = st.one_of(st.tuples(PLAIN), st.tuples(STARTS), st.tuples(VALUED), SEVERAL)
SECOND = st.lists(VALUED, max_size=2).map(tuple)


# Most of it happens in one place.
WHO = st.sampled_from([("c1", "ana")] * 4 + [(place, person) for place in PLACES for person in PEOPLE])


class Machine(RuleBasedStateMachine):
    """One database and what happens to it; each rule may be the last thing that its process does."""

    def __init__(self, url: str, folder: Path, seen: Counter[str], *, deterministic: bool) -> None:
        super().__init__()
        self._runner = asyncio.Runner()
        self._url = url
        self._seen = seen
        self._now = START
        self._outside = Outside(folder)
        self._world = Answering(self._outside)
        self._world.answers = {"world/receipt": {"receipt": "r"}}
        self._points = Failpoints(POINTS)
        self._understander = Scripted(deterministic=deterministic)
        self._said: list[tuple[Message, Conversation]] = []
        self._flows: Flows | None = None
        self._do(self._open)

    def teardown(self) -> None:
        try:
            self._settle()
        finally:
            if self._flows is not None:
                self._flows.close()
            self._runner.close()

    # What happens

    @rule(who=WHO, turns=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 99)), min_size=2, max_size=5))
    def go_along(self, who: tuple[str, str], turns: list[tuple[int, int]]) -> None:
        """Somebody says what is expected, some turns long."""
        for at, word in turns:
            self._say(who, self._expected(who, at, word), ())

    @rule(who=WHO, at=st.integers(0, 9), word=st.integers(1, 99), second=SECOND)
    def go_along_and_more(self, who: tuple[str, str], at: int, word: int, second: Sequence[Any]) -> None:
        self._say(who, self._expected(who, at, word), second)

    @rule(who=WHO, first=FIRST, second=SECOND, answers=st.booleans())
    def say(self, who: tuple[str, str], first: Sequence[Any], second: Sequence[Any], answers: bool) -> None:
        self._say(who, first, second, answers=answers)

    def _expected(self, who: tuple[str, str], at: int, word: int) -> Sequence[Any]:
        places = ((one, one.dialogue.conversation_id, one.dialogue.participant) for one in self._records())
        found = next((one.dialogue for one, *place in places if tuple(place) == who), None)
        top = None if found is None else found.top
        if top is None or top.asked is None:
            return (StartFlow(flow=NAMES[at % len(NAMES)]),)
        if top.asked.wants != "value":
            return (Affirm() if at < 7 else Deny(),)
        return ((SetSlot, top.asked.path, word, ("ambiguous",) if at > 7 else (), True, False),)

    def _say(self, who: tuple[str, str], first: Sequence[Any], second: Sequence[Any], *, answers: bool = False) -> None:
        place, sender = who
        id = f"m{len(self._said)}"
        words = [id]

        def command(drawn: Any) -> AnyCommand:
            return _valued(drawn, place, sender, words) if isinstance(drawn, tuple) else drawn

        self._understander.script[id] = tuple(command(one) for one in first), tuple(command(one) for one in second)
        last = next((one for one in reversed(self._outside.replies.lines) if one["recipient"] == sender), None)
        answered = last["message_id"] if answers and last is not None else None
        message = Message(message_id=id, sender=sender, text=" ".join(words), answers=answered)
        self._said.append((message, Conversation("account", place)))
        self._handle(*self._said[-1])

    @precondition(lambda self: self._said)
    @rule(data=st.data())
    def say_again(self, data: st.DataObject) -> None:
        self._handle(*data.draw(st.sampled_from(self._said[-4:])))

    @rule(moods=st.lists(st.sampled_from(MOODS), min_size=1, max_size=3))
    def tools_will(self, moods: list[str]) -> None:
        self._world.moods = moods

    @rule(seconds=st.sampled_from(WAITS))
    def wait(self, seconds: int) -> None:
        self._now += timedelta(seconds=seconds)
        self._do(lambda: self.flows.fluxi.schedule.run_due())

    @rule(name=st.sampled_from((*POINTS, "now")), nth=st.integers(1, 2))
    def die_at(self, name: str, nth: int) -> None:
        """The process ends at once, or when it comes there next."""
        if name == "now":
            self._again()
        else:
            self._points.arm(Fault(name, nth, "raise"))

    @rule(halted=st.booleans())
    def halt(self, halted: bool) -> None:
        self._do(lambda: self.flows.operators.align(halted=halted, account_id="account", prefix="c3"))

    @rule(data=st.data(), act=st.sampled_from(("cancel", "release", "resolve", "cancel_work")))
    def operate(self, data: st.DataObject, act: str) -> None:
        found = self._records()
        flows = [frame.flow_id for one in found for frame in one.dialogue.stack]
        ledger = found[0].ledger if found else None
        doubts = [one for one in ledger.claims.values() if one.status == "in_doubt"] if ledger else []
        match act:
            case "cancel" | "release" if flows:
                flow_id = data.draw(st.sampled_from(flows))
                self._do(lambda: getattr(self.flows.operators, act)(flow_id, by="olga"))
            case "resolve" if doubts:
                claim, how = doubts[0], "applied" if self._happened(doubts[0].idempotency_key) else "not_applied"
                resolve = self.flows.fluxi.operators.resolve
                self._do(lambda: resolve(claim.work_id, claim.effect_id, how, evidence="I looked.", by="olga"))  # type: ignore[arg-type]
            case "cancel_work" if ledger and ledger.stored:
                work_id = data.draw(st.sampled_from(sorted(ledger.stored)))
                self._do(lambda: self.flows.fluxi.operators.cancel(work_id, by="olga"))
            case _:
                pass

    # What must hold

    @invariant()
    def whole(self) -> None:
        library = self.flows.dialogues.library
        problems = self._read(lambda connection: wrong(connection, library))
        assert not problems, "\n".join(problems)

    @invariant()
    def meant(self) -> None:
        for record in self._records():
            _nothing_without_a_yes(record)
            _nothing_of_others(record)
        for one in self._outside.effects.lines:
            assert 100 <= one["arguments"].get("amount", 100) <= 999
            assert one["arguments"].get("amount") != 666 or one["tool"] != "world/keyed"

    @invariant()
    def said_to_whom_it_is_for(self) -> None:
        for one in self._outside.replies.lines:
            mine = number(one["conversation_id"], one["recipient"], 0) // 100
            said = [int(word) for words in OWN_WORDS.findall(one["text"]) for word in re.findall(r"\d+", words)]
            assert {word // 100 for word in said if word != 666} <= {mine}, one["text"]

    # How

    @property
    def flows(self) -> Flows:
        assert self._flows is not None
        return self._flows

    async def _open(self) -> None:
        self._flows = await Flows.open(
            self._url,
            tools=self._world,
            flows=FLOWS,
            understander=self._understander,
            carrier=Post(self._outside),
            clock=lambda: self._now,
            failpoints=self._points,
        )

    def _again(self) -> None:
        """The next life."""
        self._points.arm(None)
        self.flows.close()
        self._runner.run(self._open())

    def _do(self, act: Callable[[], Any]) -> None:
        async def acting() -> None:
            try:
                await act()
            except Refused:
                pass  # operators are told what cannot be

        try:
            self._runner.run(acting())
        except Crash:
            self._again()

    def _handle(self, message: Message, conversation: Conversation) -> None:
        self._now += timedelta(seconds=1)
        policy = PolicyContext(now=self._now, timezone=ZONE)

        async def handle() -> None:
            await self.flows.handle(message, policy, conversation)
            await self.flows.fluxi.outbox.relay()

        self._do(handle)

    def _read(self, look: Callable[[Any], Any]) -> Any:
        return self._runner.run(self.flows.fluxi.database.read(look))

    def _records(self) -> list[Record]:
        found: list[Record] = self._read(records)
        return found

    def _happened(self, key: str) -> bool:
        return any(one["key"] == key for one in self._outside.effects.lines)

    def _settle(self) -> None:
        """Everything that is due, without faults: then nothing is under way that waits for nobody."""
        self._points.arm(None)
        self._world.moods = []
        self.halt(halted=False)
        for seconds in (180, 180, 180, 180, 180):
            self.wait(seconds)
            self._do(lambda: self.flows.fluxi.outbox.relay())
        self.whole()
        self.meant()
        done = [one["key"] for one in self._outside.effects.lines if one["tool"] != "world/receipt"]
        assert len(set(done)) == len(done)
        for record in self._records():
            self._seen.update(row.type for row in record.events)
            assert record.dialogue.turn is None, record.dialogue
            assert record.dialogue.calls == (), record.dialogue
            _settled(record, done)


def _settled(record: Record, done: Sequence[str]) -> None:
    assert [row.status for row in record.ledger.inbox] == ["done"] * len(record.ledger.inbox)
    for claim in record.ledger.claims.values():
        match claim.status:
            case "completed":
                assert claim.idempotency_key in done
            case "aborted":
                assert claim.idempotency_key not in done
            case _:
                assert claim.status in ("in_doubt", "proposed"), claim


def _valued(drawn: Any, place: str, sender: str, words: list[str]) -> SetSlot | CorrectSlot:
    """A command about the next word of the message; now and then the word is not there."""
    kind, path, told, doubts, checked, misquoted = drawn
    value = told[1] if isinstance(told, tuple) else number(place, sender, told)
    value = str(value) if path in ("note", "receipt") and isinstance(value, int) else value
    start, word = len(" ".join(words)) + 1, json.dumps(value)
    words.append(word)
    other = () if not doubts else (number(place, sender, 7),)
    command: SetSlot | CorrectSlot = kind(
        path=path,
        value=value,
        start=start,
        end=start + len(word),
        evidence="something else" if misquoted and not checked else word,
        doubts=doubts,
        checked=checked,
        alternatives=other,
    )
    return command


def _nothing_without_a_yes(record: Record) -> None:
    """Every effect follows a yes to the very question about these values; what has ended calls nothing any more."""
    asked: dict[str, Ask] = {}
    running: set[str] = set()
    for event, came in ((events.read(row.event), effects.read(row.effects)) for row in record.events):
        for effect in came:
            match effect:
                case Ask():
                    asked[effect.question_id] = effect
                case Close() if effect.status != "consumed":
                    del asked[effect.question_id]
                case Started():
                    running.add(effect.flow_id)
                case Finished():
                    running.discard(effect.flow_id)
                case Open():
                    question = asked.pop(effect.question_id)
                    assert isinstance(event, Commanded) and isinstance(event.command, Affirm), event
                    assert question.wants == "confirm" and question.flow_id == effect.flow_id in running
                    assert question.proposed == {path: slot.value for path, slot in effect.slots.items()}
                case Act():
                    assert effect.flow_id in running
                case _:
                    pass
        if isinstance(event, EffectDone):
            assert event.work_id in record.ledger.stored


def _nothing_of_others(record: Record) -> None:
    """All that a dialogue holds was said in it."""
    now = record.dialogue
    mine = (now.conversation_id, now.participant)
    heard = {one.message_id for one in record.ledger.inbox if (one.conversation_id, one.sender) == mine}
    heard |= {one.message_id for one in record.happened if isinstance(one, events.Heard)}
    for frame in now.stack:
        for slot in frame.slots.values():
            if slot.evidence is not None:
                assert slot.evidence["message_id"] in heard
            if isinstance(slot.value, int):
                assert slot.path == "rounds" or slot.value // 100 == number(*mine, 0) // 100 or slot.value in (666,)


@pytest.mark.parametrize("deterministic", [True, False], ids=["at once", "thought over"])
def test_no_commands_and_no_faults_break_anything(
    deterministic: bool,
    fresh: Fresh,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = "sqlite" if "sqlite" in fresh() else "postgresql"
    seen: Counter[str] = Counter()

    def machine() -> Machine:
        return Machine(fresh(), tmp_path_factory.mktemp("world"), seen, deterministic=deterministic)

    run_state_machine_as_test(
        machine,  # type: ignore[arg-type]  # whatever makes one will do
        settings=settings(
            max_examples=EXAMPLES[store],
            stateful_step_count=30,
            deadline=None,
            derandomize=TIMES == 1,
            database=None,
            print_blob=False,
        ),
    )
    assert store == "postgresql" or (seen["effect_done"] and seen["action_done"]), seen
