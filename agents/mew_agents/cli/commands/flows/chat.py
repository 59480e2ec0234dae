"""`mew flows chat`: talk in flows in the terminal, without a gateway, a key or a network."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import Annotated

import typer
from rich.text import Text

from mew_agents.cli.flows.files import FlowsArgument, flows_named
from mew_agents.cli.flows.sheet import sheet
from mew_agents.cli.flows.store import DATABASE, DatabaseOption
from mew_agents.cli.flows.talk import Aside, FlowTalk
from mew_agents.cli.flows.waiting import table
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
from mew_agents.cli.fluxi.store import person
from mew_agents.cli.fluxi.talk import Manner, Place
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.understanding.model import Model, from_options
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.message import Conversation
from mew_agents.fluxi.ports import UNSEEN
from mew_gateway.cli.framework.failure import mistake
from mew_gateway.cli.framework.options import JsonOption
from mew_gateway.cli.printing.terminal import one_line

EXAMPLES = (
    "mew flows chat --language es",
    "printf 'transferir 50 a Ana\\nsí\\n' | mew flows chat --language es",
    "mew flows chat mine.yaml --verbose --tools answers.yaml --database sqlite:///mine.db",
    "mew flows chat onboarding --language pt --formality informal",
    "Exit status: 0 the end was reached, 1 it failed, 2 a mistake in what was typed.",
)


def chat(
    flows: FlowsArgument = None,
    *,
    language: LanguageOption = None,
    timezone: TimezoneOption = None,
    tone: ToneOption = "neutral",
    formality: FormalityOption = "formal",
    emojis: EmojisOption = False,
    tools: ToolsOption = None,
    llm: ModelOption = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what it thinks, step by step.")] = False,
    as_json: JsonOption = False,
    as_: SpeakerOption = None,
    account: BusinessOption = "local",
    conversation: ConversationOption = "terminal",
    database: DatabaseOption = DATABASE,
) -> None:
    """Talk in flows: no gateway, no key, no network. Their tools keep their books in a folder beside the database.

    Everything is stored: what was asked is still asked when you come back, and goes on exactly there.
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
    known, screen = flows_named(flows, own=own), Screen(as_json=as_json)
    place = Place(
        url=database,
        folder=folder_of_tools(database, DATABASE),
        sender=person() if as_ is None else as_,
        conversation=Conversation(account, conversation),
        own=own,
    )
    model = _model() if llm else None
    witness = Aside(lambda text: screen.notice(f"  ~ {one_line(text)}")) if verbose else UNSEEN
    sit(
        FlowTalk.opened(place, manner, flows=known, understander=model, tell=screen.reply, witness=witness),
        _Sitting,
        screen=screen,
        welcome=_welcome(place, manner, known),
        close=None if model is None else model.aclose,
    )


class _Sitting(Sitting[FlowTalk]):
    told = "/flows says which flow is under way here, /events all that happened"

    @property
    def commands(self) -> Mapping[str, Callable[[str], None]]:
        return {"/flows": self._show_flows, "/events": self._show_events}

    def show_open(self) -> None:
        found = self._portal.call(self._talk.dialogue)
        if found is not None and found.flows:
            open_now = f"open: {', '.join(line.name for line in found.flows)}"
            asked = f"; it waits for an answer to: {one_line(found.question)}" if found.question else ""
            self._screen.notice(open_now + asked)

    def _show_flows(self, _: str) -> None:
        found = self._portal.call(self._talk.dialogue)
        self._screen.show(table([found], now=_now()) if found else Text("Nothing was said here yet."))

    def _show_events(self, _: str) -> None:
        found = self._portal.call(self._talk.dialogue)
        whole = None if found is None else self._portal.call(self._talk.sheet, found.dialogue_id)
        self._screen.show(sheet(whole, now=_now()) if whole else Text("Nothing was said here yet."))


def _welcome(place: Place, manner: Manner, flows: tuple[Flow, ...]) -> str:
    """Who is here, and what can be said."""
    speaks = f"It speaks {LANGUAGES[manner.language]} here; hours are those of {manner.timezone}"
    told = [f"{speaks}; you are {one_line(place.sender)}.", "/help says what else can be typed, Ctrl-D ends."]
    for flow in flows:
        title, words = flow.title.get(manner.language), flow.triggers.get(manner.language, ())
        example = next(iter(flow.examples.get(manner.language, words)), None)
        if title is not None and words:
            told.append(f"  {title}" + (f": “{example}”" if example else ""))
    return "\n".join(told)


def _model() -> Model:
    try:
        return from_options({}, os.environ)
    except ModelError as error:
        raise mistake(str(error)) from None


def _now() -> int:
    return round(time.time() * 1000)
