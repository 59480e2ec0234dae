"""`mew fluxi chat`: talk to Fluxi in the terminal, without a gateway, a key or a network."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from rich.text import Text

from mew_agents.cli.fluxi.kinds import KindsOption, kinds
from mew_agents.cli.fluxi.manner import (
    BusinessOption,
    ConversationOption,
    EmojisOption,
    FormalityOption,
    LanguageOption,
    ModelOption,
    SpeakerOption,
    TimezoneOption,
    ToneOption,
    language_of,
    timezone_here,
)
from mew_agents.cli.fluxi.own_tools import ToolsOption, tools_named
from mew_agents.cli.fluxi.screen import Screen
from mew_agents.cli.fluxi.sitting import LANGUAGES, Sitting, folder_of_tools, sit
from mew_agents.cli.fluxi.store import DATABASE, DatabaseOption, person
from mew_agents.cli.fluxi.talk import FluxiTalk, Manner, Place
from mew_agents.cli.fluxi.work_sheet import sheet
from mew_agents.cli.fluxi.work_table import table
from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.interpreter.llm import Model, from_options
from mew_agents.fluxi.message import Conversation
from mew_gateway.cli.framework.failure import Failure, mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.ids import Candidate, choose, short
from mew_gateway.cli.printing.terminal import one_line

EXAMPLES = (
    "mew fluxi chat --language es",
    "echo 'Quiero agendar un turno con la Dra. Pérez para el viernes' | mew fluxi chat --language es",
    "mew fluxi chat --language pt --timezone America/Sao_Paulo --formality informal --emojis",
    "mew fluxi chat --definitions mine.yaml --tools answers.yaml --database sqlite:///mine.db",
    "mew fluxi chat --definitions mine.yaml --tools restaurant=tables.py:Tables  # a tool of your own",
    "Exit status: 0 the end was reached, 1 it failed, 2 a mistake in what was typed.",
)


def chat(
    *,
    language: LanguageOption = None,
    timezone: TimezoneOption = None,
    tone: ToneOption = "neutral",
    formality: FormalityOption = "formal",
    emojis: EmojisOption = False,
    definitions: KindsOption = None,
    tools: ToolsOption = None,
    llm: ModelOption = False,
    as_json: JsonOption = False,
    as_: SpeakerOption = None,
    account: BusinessOption = "local",
    conversation: ConversationOption = "terminal",
    database: DatabaseOption = DATABASE,
) -> None:
    """Talk to Fluxi: no gateway, no key, no network. Its tools keep their books in a folder beside the database.

    Everything is stored: a conversation goes on where it ended, and what comes later is shown when it comes.
    Without a terminal, each line of stdin is a message, and each reply is printed; --json prints it as an object.
    """
    manner = Manner(
        language=language or language_of(os.environ),
        timezone=timezone or timezone_here(),
        tone=tone,
        formality=formality,
        emojis=emojis,
    )
    own = tools_named(tools, language=manner.language, timezone=manner.timezone)
    found, screen = kinds(definitions, own=own), Screen(as_json=as_json)
    place = Place(
        url=database,
        folder=folder_of_tools(database, DATABASE),
        sender=person() if as_ is None else as_,
        conversation=Conversation(account, conversation),
        own=own,
    )
    model = _model() if llm else None
    sit(
        FluxiTalk.opened(place, manner, definitions=found, interpreter=model, tell=screen.reply),
        _Sitting,
        screen=screen,
        welcome=_welcome(place, manner, found),
        close=None if model is None else model.aclose,
    )


class _Sitting(Sitting[FluxiTalk]):
    told = "/works lists what was begun here, /work [ID] shows one (without an ID the newest)"

    @property
    def commands(self) -> Mapping[str, Callable[[str], None]]:
        return {"/works": self._show_works, "/work": self._show_work}

    def show_open(self) -> None:
        for one in self._portal.call(lambda: self._talk.works(live=True)):
            about = f"open: {short(one.work_id)}, {one_line(one.about)}"
            self._screen.notice(f"{about}; it waits for {one_line(one.waits_for)}" if one.waits_for else about)

    def _show_works(self, _: str) -> None:
        found = self._portal.call(lambda: self._talk.works(live=False))
        self._screen.show(table(found, now=_now()) if found else Text("Nothing was begun here yet."))

    def _show_work(self, typed: str) -> None:
        ids = [one.work_id for one in self._portal.call(lambda: self._talk.works(live=False))]
        if not ids:
            self._screen.show(Text("Nothing was begun here yet."))
            return
        try:
            work_id = choose(typed, map(Candidate, ids), what="Work").id if typed else ids[-1]
        except Failure as failure:
            self._screen.notice(failure.message)
            return
        work = self._portal.call(self._talk.work, work_id)
        if work is not None:
            self._screen.show(sheet(work, now=_now()))


def _welcome(place: Place, manner: Manner, definitions: tuple[Definition, ...]) -> str:
    """Who is here, and what can be said."""
    speaks = f"Fluxi speaks {LANGUAGES[manner.language]} here; hours are those of {manner.timezone}"
    told = [f"{speaks}; you are {one_line(place.sender)}.", "/help says what else can be typed, Ctrl-D ends."]
    for one in definitions:
        example = next(iter(one.examples.get(manner.language, ())), None)
        title = one.title.get(manner.language)
        if title is not None:
            told.append(f"  {title}" + (f": “{example}”" if example else ""))
    return "\n".join(told)


def _model() -> Model:
    try:
        return from_options({}, os.environ)
    except ModelError as error:
        raise mistake(str(error)) from None


def _now() -> int:
    return round(time.time() * 1000)
