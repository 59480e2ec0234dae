"""Whatever comes in, a result says what came of it, the Works are safe, and nothing is lost (docs/fluxi.md §1, §4)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from mew_agents.durable import DatabaseError
from mew_agents.fluxi import Conversation, Fluxi, LocalPort, Message, PolicyContext, Result
from mew_agents.fluxi.canonical import read
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.definitions.loader import DefinitionError, load, parse
from mew_agents.fluxi.definitions.version import canonical
from mew_agents.fluxi.interpreter.base import Candidate, Interpreter, ProposedWork, Understanding
from mew_agents.tools.local import LocalTools, ToolRefused

from ..bookings import KEYED, PLAIN, START, ZONE, booking, listed
from ..ledger import Ledger, broken
from ..outside import Outside
from .world import World

HERE = Conversation("clinic", "c")
BOOK = "Quiero un turno con la Dra. Ana Pérez el viernes a las 17"


class Talk:
    """A conversation with Fluxi on one database."""

    def __init__(self, fluxi: Fluxi) -> None:
        self.fluxi = fluxi
        self._said = 0

    async def say(self, text: str, *, place: Conversation = HERE, **fields: Any) -> Result:
        self._said += 1
        message = Message(**{"message_id": f"m{self._said}", "sender": "ana", "text": text, **fields})
        result = await self.fluxi.handle(message, PolicyContext(now=START, timezone=ZONE), place)
        assert await self.fluxi.database.read(broken) == []
        assert result.text
        return result

    async def ledger(self) -> Ledger:
        return await self.fluxi.database.read(Ledger.of)


Begin: TypeAlias = Callable[..., Awaitable[Talk]]


@pytest.fixture
async def begin(database_url: str, tmp_path: Path) -> AsyncIterator[Begin]:
    """Opens Fluxi, with the doubles and a booking with one keyed effect unless told otherwise."""
    talks: list[Talk] = []

    async def opened(*definitions: Definition, tools: Any = None, **options: Any) -> Talk:
        port = tools or World(Outside(tmp_path / "world"))
        chosen = definitions or (booking(KEYED),)
        fluxi = await Fluxi.open(database_url, tools=port, definitions=chosen, clock=lambda: START, **options)
        talks.append(Talk(fluxi))
        return talks[-1]

    yield opened
    for talk in talks:
        talk.fluxi.close()


# Messages

UNREADABLE = {"too long": "a" * 10_001, "half a character": "a \ud83d b", "the other half": "\udc4d"}
ODD = {
    "nothing": "",
    "blanks": " \n\t ",
    "nul": "\0",
    "nul within": "bar\0co",
    "controls": "\x01\x02\x1b[31m\x7f",
    "long": "a" * 10_000,
    "long words": "palabra " * 1_250,
    "emoji": "🙂🙃🐢",
    "joined emoji": "👩‍👩‍👧‍👦" * 50,
    "right to left": "أريد موعدا مع الطبيب",
    "combining": "a" + "\u0301" * 500,
    "brackets": "{title} [x] <a|b> %s {{ }}",
    "quotes": "'; drop table fluxcore_works; --",
    "digits": "9" * 5_000,
}


async def test_what_is_no_message_is_told_so_and_changes_nothing(begin: Begin) -> None:
    talk = await begin()
    await talk.say(BOOK)
    before = await talk.ledger()
    for text in UNREADABLE.values():
        assert (await talk.say(text)).reason_code == "unreadable"
    for name in ("", "x" * 257, "a\0b", "a\nb", "\ud83d"):
        assert (await talk.say("sí", message_id=name)).reason_code == "unreadable"
        assert (await talk.say("sí", sender=name)).reason_code == "unreadable"
        assert (await talk.say("sí", answers=name)).reason_code == "unreadable"
        assert (await talk.say("sí", place=Conversation(name, "c"))).reason_code == "unreadable"
        assert (await talk.say("sí", place=Conversation("clinic", name))).reason_code == "unreadable"
    assert await talk.ledger() == before
    assert (await talk.say("sí")).kind == "completed"


async def test_what_means_nothing_is_answered_and_kept(begin: Begin) -> None:
    talk = await begin()
    for text in ODD.values():
        assert (await talk.say(text)).reason_code == "no_intent"
    ledger = await talk.ledger()
    assert [read(row.message)["text"] for row in ledger.inbox if row.message_id == "m3"] == ["\0"]
    assert (len(ledger.inbox), len(ledger.decisions), ledger.stored) == (len(ODD), len(ODD), {})


@pytest.mark.parametrize("first", [BOOK, "Quiero un turno con la Dra. Ana Pérez"])
async def test_what_means_nothing_to_a_work_leaves_its_slots_alone(begin: Begin, first: str) -> None:
    talk = await begin()
    for number, text in enumerate(ODD.values()):
        place = Conversation("clinic", f"c{number}")
        asked = await talk.say(first.replace("17", f"{8 + number}"), place=place)
        before = (await talk.ledger()).stored[str(asked.work_id)]
        again = await talk.say(text, place=place)
        after = (await talk.ledger()).stored[str(asked.work_id)]
        assert (again.kind, again.reason_code, again.work_id) == (asked.kind, asked.reason_code, asked.work_id)
        assert (after.slots, after.state, after.unresolved) == (before.slots, before.state, 1)


async def test_the_longest_message_that_says_something_is_understood(begin: Begin) -> None:
    talk = await begin()
    padded = f"{BOOK}{' ' * (10_000 - len(BOOK))}"
    assert (await talk.say(padded)).reason_code == "confirm_execution"
    assert (await talk.say(" " * 9_998 + "sí")).kind == "completed"


# Definitions


class Dreamer(Interpreter):
    """Proposes what there is not: another type, slots of its own, words that nobody said."""

    name = "dreamer"
    deterministic = True

    def __init__(self, proposal: ProposedWork | None = None) -> None:
        self.proposal = proposal

    def propose(
        self, text: str, definitions: Sequence[Definition], understanding: Understanding
    ) -> ProposedWork | None:
        return self.proposal


def dreamt(path: str, value: Any, evidence: str, start: int = 0) -> Candidate:
    return Candidate(path=path, value=value, start=start, end=start + len(evidence), evidence=evidence)


async def test_an_unknown_definition_is_turned_away(begin: Begin) -> None:
    talk = await begin(interpreter=Dreamer(ProposedWork(type_id="world_domination", confidence=1.0)))
    result = await talk.say(BOOK)
    assert (result.kind, result.reason_code) == ("failed", "not_allowed")
    (proposal,) = (await talk.ledger()).proposals.values()
    assert (proposal.type_id, proposal.status, proposal.reason) == ("world_domination", "discarded", "not_allowed")


DREAMT: tuple[tuple[Candidate, ...], ...] = (
    (),
    (dreamt("doctor", "emily-clark", "Dra. Emily Clark"),),
    (dreamt("doctor", "ana-perez", "Ana Pérez", start=9_000),),
    (dreamt("doctor", "ana-perez", "Ana Pérez", start=-5),),
    (dreamt("spaceship", "x", "Quiero"),),
    (dreamt("start", "yesterday", "Quiero"),),
    (dreamt("doctor", {"id": 1}, "Quiero"), dreamt("start", ["x"], "Quiero")),
)


async def test_what_is_not_in_the_text_opens_nothing(begin: Begin) -> None:
    """Case 4: a binding value that nobody said."""
    dreamer = Dreamer()
    talk = await begin(interpreter=dreamer)
    for candidates in DREAMT:
        dreamer.proposal = ProposedWork(type_id="appointment_booking", confidence=1.0, slots=candidates)
        assert (await talk.say(BOOK)).reason_code in ("no_binding", "invalid_value"), candidates
    ledger = await talk.ledger()
    assert ([row.reason for row in ledger.proposals.values()], ledger.stored) == (["no_binding"] * len(DREAMT), {})


def test_a_broken_definition_says_where(tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("typeId: x\nversion: one\n", encoding="utf-8")
    with pytest.raises(DefinitionError) as refused:
        load(file)
    assert f"{file}:2:10: version: " in str(refused.value)


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("nonsense", "bad_url"),
        ("mysql://localhost/x", "bad_url"),
        ("sqlite:////nowhere/at/all/fluxi.db", "not_found"),
        ("postgresql://postgres@127.0.0.1:1/fluxi", "unreachable"),
    ],
)
async def test_a_wrong_database_url_says_what_to_do(url: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DatabaseError) as refused:
        await Fluxi.open(url, tools=World(Outside(tmp_path / "world")))
    assert refused.value.code == code
    assert str(refused.value).endswith(".")


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all, " * 1_000, encoding="utf-8")
    with pytest.raises(DatabaseError) as refused:
        await Fluxi.open(f"sqlite:///{file}", tools=World(Outside(tmp_path / "world")))
    assert refused.value.code == "not_a_database"
    assert file.read_text(encoding="utf-8") == "Dear all, " * 1_000


# Tools


class Answers(LocalTools):
    """Tools of a process that answer every call with the same, whatever it is; without an answer, never."""

    def __init__(self, *answer: Any) -> None:
        self.answer = answer
        self.calls = 0

    async def call(self, *_: Any, **__: Any) -> Any:
        self.calls += 1
        if not self.answer:
            await asyncio.Event().wait()
        if isinstance(self.answer[0], Exception):
            raise self.answer[0]
        return self.answer[0]


def hasty(definition: Definition) -> Definition:
    """The same, with the shortest time limit."""
    plain = json.loads(canonical(definition))
    plain["effects"] = [{**effect, "timeout": "1ms"} for effect in plain["effects"]]
    return parse(json.dumps(plain).encode())


ANSWERS: tuple[tuple[Any, str, str | None], ...] = (
    ({"structuredContent": {"status": "applied"}}, "completed", "applied"),
    ({"structuredContent": {"appointment": 7}}, "completed", "applied"),
    ({}, "completed", "applied"),
    ({"structuredContent": {"status": "not_applied"}, "isError": True}, "failed", "not_applied"),
    ({"content": [{"type": "text", "text": "no"}], "isError": True}, "in_doubt", None),
    ({"structuredContent": {"status": "perhaps"}}, "in_doubt", None),
    ({"structuredContent": {"status": ["applied"]}}, "in_doubt", None),
    (None, "in_doubt", None),
    ("<html>502</html>", "in_doubt", None),
    ([1, 2], "in_doubt", None),
    (RuntimeError("it broke"), "in_doubt", None),
    (ToolRefused(-32602, "no such argument"), "failed", "not_applied"),
    (ToolRefused(-32603, "internal error"), "in_doubt", None),
    (ToolRefused("participant_not_found", "nobody is called world"), "failed", "not_applied"),
)


async def test_whatever_a_tool_answers_is_done_not_done_or_in_doubt(begin: Begin) -> None:
    tools = Answers({})
    talk = await begin(booking({**PLAIN, "retry": {"attempts": 1}}), tools=LocalPort(tools))
    for number, (answer, kind, outcome) in enumerate(ANSWERS):
        place = Conversation(f"clinic{number}", "c")
        asked = await talk.say(BOOK, place=place)
        tools.answer, tools.calls = (answer,), 0
        result = await talk.say("sí", place=place)
        recorded = [row.outcome for row in (await talk.ledger()).effects if row.work_id == asked.work_id]
        assert (result.kind, recorded) == (kind, [] if outcome is None else [outcome]), answer
        assert (await talk.say("sí", place=place)).reason_code == "nothing_to_confirm"
        assert tools.calls == 1


async def test_a_tool_that_hangs_is_in_doubt_after_its_time(begin: Begin) -> None:
    talk = await begin(hasty(booking(PLAIN, KEYED)), tools=LocalPort(Answers()))
    await talk.say(BOOK)
    assert (await talk.say("sí")).kind == "in_doubt"
    (work,) = (await talk.ledger()).stored.values()
    assert work.suspended_reason == "in_doubt"


async def test_a_tool_that_is_not_there_is_tried_again_later(begin: Begin, tmp_path: Path) -> None:
    with LocalTools.shipped(tmp_path) as tools:
        talk = await begin(booking(PLAIN), tools=LocalPort(tools))
        await talk.say(BOOK)
        result = await talk.say("sí")
    assert result.reason_code == "retrying"
    assert await talk.fluxi.schedule.next_due() == round(START.timestamp() * 1000) + 2_000


LISTS: tuple[Any, ...] = (
    None,
    {},
    {"structuredContent": None},
    {"structuredContent": {"list": ["Ana"]}},
    {"structuredContent": {"list": {"ana-perez": "Ana Pérez"}}},
    {"structuredContent": {"list": {"ana-perez": []}}},
    {"structuredContent": {"list": {"ana-perez": [{"name": "Ana"}]}}},
    RuntimeError("it broke"),
    ToolRefused("participant_not_found", "nobody is called world"),
)


async def test_a_list_that_is_none_is_no_list(begin: Begin, caplog: pytest.LogCaptureFixture) -> None:
    tools = Answers({})
    talk = await begin(listed(booking(KEYED)), tools=LocalPort(tools))
    for number, answer in enumerate(LISTS):
        tools.answer = (answer,)
        await talk.fluxi.learn_lists()
        assert talk.fluxi.catalogue.lists == {}, answer
        told = [one for one in caplog.messages if "world/doctors" in one]
        assert len(told) == 1 and "{list: {id: [names]}}" in told[0], "somebody is told, once"
        assert (await talk.say(BOOK, place=Conversation("clinic", f"c{number}"))).kind == "request_slot"
