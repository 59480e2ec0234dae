"""Values that are missing, given up or not understood: what a tool is given, what is told, and who is called."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mew_agents.flows import Flows, lookup
from mew_agents.flows.definitions.loader import parse
from mew_agents.flows.effects import Page
from mew_agents.fluxi import Conversation, Message, PolicyContext, Result
from mew_agents.language.found import Language

from ..fluxi.bookings import START, ZONE
from ..fluxi.outside import Outside
from .acceptance.dialogue_player import FILES, Answering
from .record import records, wrong

FOOD = (FILES / "pet_food.yaml").read_text(encoding="utf-8")


class Talk:
    """Somebody who orders food, in one language."""

    def __init__(self, flows: Flows, outside: Outside, language: Language) -> None:
        self.flows = flows
        self._outside = outside
        self._language = language
        self._number = 0

    async def say(self, *texts: str) -> Result:
        """Returns what is answered to the last one."""
        for text in texts:
            self._number += 1
            now = START + timedelta(seconds=self._number)
            policy = PolicyContext(now=now, timezone=ZONE, language=self._language)
            message = Message(message_id=f"m{self._number}", sender="ana", text=text)
            result = await self.flows.handle(message, policy, Conversation("account", "c"))
        library = self.flows.dialogues.library
        assert await self.flows.fluxi.database.read(lambda connection: wrong(connection, library)) == []
        return result

    @property
    def told(self) -> list[dict[str, object]]:
        """What the tool was given."""
        return [one["arguments"] for one in self._outside.effects.lines]

    async def calls_a_person(self) -> int:
        (record,) = await self.flows.fluxi.database.read(records)
        return sum(isinstance(one, Page) for one in record.effects)

    async def reason(self) -> str | None:
        """Why the last flow ended, as operators read it."""
        (one,) = await self.flows.fluxi.database.read(lambda db: lookup.dialogues(db, under_way=False))
        assert one.last is not None
        return one.last.reason


Begin = Callable[..., Awaitable[Talk]]


@pytest.fixture
async def begin(tmp_path: Path) -> AsyncIterator[Begin]:
    opened: list[Flows] = []

    async def make(language: Language = "en", *changes: tuple[str, str]) -> Talk:
        text, outside = FOOD, Outside(tmp_path / "world")
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        url = f"sqlite:///{tmp_path / 'flows.db'}"
        opened.append(await Flows.open(url, tools=Answering(outside), flows=parse(text.encode())))
        return Talk(opened[-1], outside, language)

    yield make
    for one in opened:
        one.close()


ORDERS: dict[Language, tuple[str, ...]] = {
    "es": ("quiero alimento", "adulto", "2", "Mitre 55", "el jueves"),
    "pt": ("quero ração", "adulto", "2", "Rua das Flores 12", "na quinta"),
    "en": ("order food", "adult", "2", "12 Main Street", "thursday"),
}


async def test_an_argument_that_is_only_an_empty_slot_is_left_out(begin: Begin) -> None:
    talk = await begin()
    await talk.say(*ORDERS["en"])
    assert (await talk.say("yes")).text == "Done."
    assert [sorted(one) for one in talk.told] == [["address", "bags", "day", "food"]]


async def test_what_a_yes_needs_is_worked_out_before_it_is_asked_for(begin: Begin) -> None:
    talk = await begin("en", ('tip: "{tip}"', 'tip: "tip {tip}"'))
    failed = await talk.say(*ORDERS["en"])
    assert (failed.kind, failed.reason_code) == ("failed", "unevaluable")
    assert await talk.reason() == "unevaluable (food, at do: args.tip: the slot `tip` has no value.)"
    assert talk.told == []


async def test_what_is_written_in_brackets_may_have_no_value(begin: Begin) -> None:
    talk = await begin("en", ('tip: "{tip}"', 'tip: "[tip {tip}]"'))
    await talk.say(*ORDERS["en"], "yes")
    assert [one["tip"] for one in talk.told] == [""]


WITHOUT: list[tuple[Language, str, str]] = [
    ("es", "propina: 5", "sí pero sin propina"),
    ("es", "propina: 5", "no, sacá la propina"),
    ("pt", "gorjeta: 5", "sim, mas sem gorjeta"),
    ("en", "tip: 5", "yes, but no tip"),
    ("en", "tip: 5", "take off the tip please"),
]


@pytest.mark.parametrize(("language", "tip", "without"), WITHOUT)
async def test_an_optional_value_is_given_up_by_its_name(
    begin: Begin, language: Language, tip: str, without: str
) -> None:
    talk = await begin(language)
    asked = await talk.say(*ORDERS[language], tip)
    assert asked.data["values"]["tip"]["amount"] == "5.00"
    again = await talk.say(without)
    assert again.reason_code == "confirm_execution" and "tip" not in again.data["values"]
    yes: dict[Language, str] = {"es": "sí", "pt": "sim", "en": "yes"}
    await talk.say(yes[language])
    assert [("tip" in one, one["address"]) for one in talk.told] == [(False, ORDERS[language][3])]


NOTHING: list[tuple[Language, str]] = [("es", "el de gatito"), ("pt", "o do bichinho"), ("en", "the kitty one")]


@pytest.mark.parametrize(("language", "words"), NOTHING)
async def test_after_three_answers_that_are_none_a_person_must_help(
    begin: Begin, language: Language, words: str
) -> None:
    talk = await begin(language)
    asked = await talk.say(ORDERS[language][0], words, words, words)
    assert (asked.kind, await talk.calls_a_person()) == ("request_slot", 0)
    assert (await talk.say(words)).reason_code == "handoff"
    assert await talk.calls_a_person() == 1


async def test_an_answer_in_between_begins_the_count_anew(begin: Begin) -> None:
    talk = await begin()
    await talk.say("order food", *["the kitty one"] * 3, "adult", *["as always"] * 3)
    assert await talk.calls_a_person() == 0


AFTERWARDS: list[tuple[Language, str, str]] = [
    ("es", "sí", "¿podés cancelar el pedido que hice?"),
    ("pt", "sim", "pode cancelar o pedido que fiz?"),
    ("en", "yes", "cancel"),
]


@pytest.mark.parametrize(("language", "yes", "wish"), AFTERWARDS)
async def test_what_is_done_is_said_to_be_done(begin: Begin, language: Language, yes: str, wish: str) -> None:
    talk = await begin(language)
    told = await talk.say(*ORDERS[language], yes, wish)
    assert any(word in told.text for word in ("ya está hecho", "já está feito", "done already")), told.text
    assert len(talk.told) == 1
