"""`mew fluxi chat`: talk to Fluxi in the terminal, without a gateway, a key or a network."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated, Literal

import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal
from rich.text import Text

from mew_agents.fluxi.definitions import Definition
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.interpreter.llm import Model, from_options
from mew_agents.fluxi.message import LONGEST_ID, Conversation, is_name
from mew_agents.language.found import Language

from ...failure import INTERRUPTED, Failure, mistake
from ...fluxi.kinds import KindsOption, kinds
from ...fluxi.manner import language_of, timezone_here, timezone_named
from ...fluxi.screen import Screen
from ...fluxi.store import DATABASE, DatabaseOption, checked, person
from ...fluxi.talk import Manner, Place, Talk
from ...fluxi.work_sheet import sheet
from ...fluxi.work_table import table
from ...ids import choose, short
from ...options import JsonOption
from ...terminal import one_line

EXAMPLES = (
    "mew fluxi chat --language es",
    "echo 'Quiero agendar un turno con la Dra. Pérez para el viernes' | mew fluxi chat --language es",
    "mew fluxi chat --language pt --timezone America/Sao_Paulo --formality informal --emojis",
    "mew fluxi chat --definitions mine.yaml --database sqlite:///mine.db",
    "Exit status: 0 the end was reached, 1 it failed, 2 a mistake in what was typed.",
)

_HOW = "How it speaks"
_LANGUAGES = {"es": "Spanish", "pt": "Portuguese", "en": "English"}
_PARTINGS = ("/quit", "/exit", "quit", "exit", "salir", "sair", "adiós", "adios")
_HELP = (
    "Type a message a line. /works lists what was begun here, /work [ID] shows one (without an ID the newest), "
    "/quit, salir, sair, exit, adiós or Ctrl-D ends. That cancels nothing: what is open stays open, come back any time."
)


def _named(name: str | None) -> str | None:
    """A name that everything can be stored under. Raises what typer explains."""
    if name is None or is_name(name):
        return name
    raise typer.BadParameter(f"a name is 1 to {LONGEST_ID} bytes of printable characters, not {one_line(repr(name))}")


def chat(
    *,
    language: Annotated[
        Language | None,
        typer.Option("--language", help="Else your locale's, else es.", show_default=False, rich_help_panel=_HOW),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone",
            metavar="ZONE",
            help="What hours are meant in; else this machine's.",
            callback=lambda name: None if name is None else timezone_named(name),
            show_default=False,
            rich_help_panel=_HOW,
        ),
    ] = None,
    tone: Annotated[
        Literal["neutral", "warm", "brief"], typer.Option("--tone", help="The tone.", rich_help_panel=_HOW)
    ] = "neutral",
    formality: Annotated[
        Literal["formal", "informal"], typer.Option("--formality", help="usted or tú.", rich_help_panel=_HOW)
    ] = "formal",
    emojis: Annotated[bool, typer.Option("--emojis", help="With emojis.", rich_help_panel=_HOW)] = False,
    definitions: KindsOption = None,
    llm: Annotated[
        bool,
        typer.Option("--llm", help="Ask the model of MEW_LLM_URL, MEW_LLM_MODEL and MEW_LLM_KEY what is meant."),
    ] = False,
    as_json: JsonOption = False,
    as_: Annotated[
        str | None,
        typer.Option("--as", metavar="NAME", help="Who you are; else your name here.", callback=_named),
    ] = None,
    account: Annotated[
        str, typer.Option("--account", metavar="ACCOUNT", help="Whose business it is.", callback=_named)
    ] = "local",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="NAME", help="Which conversation goes on.", callback=_named)
    ] = "terminal",
    database: DatabaseOption = DATABASE,
) -> None:
    """Talk to Fluxi: no gateway, no key, no network. Its tools keep their books in a folder beside the database.

    Everything is stored: a conversation goes on where it ended, and what comes later is shown when it comes.
    Without a terminal, each line of stdin is a message, and each reply is printed; --json prints it as an object.
    """
    place = Place(
        url=database,
        folder=_folder(database),
        sender=person() if as_ is None else as_,
        conversation=Conversation(account, conversation),
    )
    manner = Manner(
        language=language or language_of(os.environ),
        timezone=timezone or timezone_here(),
        tone=tone,
        formality=formality,
        emojis=emojis,
    )
    found = kinds(definitions)
    try:
        with start_blocking_portal() as portal:
            _talk(portal, place, manner, found, _model() if llm else None, Screen(as_json=as_json))
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def _talk(
    portal: BlockingPortal,
    place: Place,
    manner: Manner,
    definitions: tuple[Definition, ...],
    model: Model | None,
    screen: Screen,
) -> None:
    """To the end of what is typed. This thread types, the portal's talks."""
    if screen.interactive:
        screen.notice(_welcome(place, manner, definitions))
    opened = Talk.opened(place, manner, definitions=definitions, interpreter=model, tell=screen.reply)
    with portal.wrap_async_context_manager(opened) as talk:
        portal.call(talk.catch_up)
        _show_open(portal, talk, screen)
        keeper = portal.start_task_soon(talk.keep)
        try:
            for text in screen.lines():
                if keeper.done():
                    keeper.result()  # it only ends by an error
                if text.casefold() in _PARTINGS:
                    break
                if text.startswith("/"):
                    _command(portal, talk, screen, text)
                else:
                    portal.call(talk.say, text)
            portal.call(talk.catch_up)
        finally:
            keeper.cancel()
    if model is not None:
        portal.call(model.aclose)


def _command(portal: BlockingPortal, talk: Talk, screen: Screen, typed: str) -> None:
    """What is asked of the terminal, and never goes to Fluxi."""
    command, _, rest = typed.partition(" ")
    match command:
        case "/works":
            found = portal.call(lambda: talk.works(live=False))
            screen.show(table(found, now=_now()) if found else Text("Nothing was begun here yet."))
        case "/work":
            _show_work(portal, talk, screen, rest.strip())
        case "/help":
            screen.notice(_HELP)
        case _:
            screen.notice(f"There is no {one_line(command)}. {_HELP}")


def _show_work(portal: BlockingPortal, talk: Talk, screen: Screen, typed: str) -> None:
    ids = [one.work_id for one in portal.call(lambda: talk.works(live=False))]
    if not ids:
        screen.show(Text("Nothing was begun here yet."))
        return
    try:
        work_id = choose(typed, ids, what="Work") if typed else ids[-1]
    except Failure as failure:
        screen.notice(failure.message)
        return
    work = portal.call(talk.work, work_id)
    if work is not None:
        screen.show(sheet(work, now=_now()))


def _show_open(portal: BlockingPortal, talk: Talk, screen: Screen) -> None:
    for one in portal.call(lambda: talk.works(live=True)):
        about = f"open: {short(one.work_id)}, {one_line(one.about)}"
        screen.notice(f"{about}; it waits for {one_line(one.waits_for)}" if one.waits_for else about)


def _welcome(place: Place, manner: Manner, definitions: tuple[Definition, ...]) -> str:
    """Who is here, and what can be said."""
    speaks = f"Fluxi speaks {_LANGUAGES[manner.language]} here; hours are those of {manner.timezone}"
    told = [f"{speaks}; you are {one_line(place.sender)}.", "/help says what else can be typed, Ctrl-D ends."]
    for one in definitions:
        example = next(iter(one.examples.get(manner.language, ())), None)
        title = one.title.get(manner.language)
        if title is not None:
            told.append(f"  {title}" + (f": “{example}”" if example else ""))
    return "\n".join(told)


def _folder(url: str) -> Path:
    """The folder of the tools' books, beside the database, which is made with its own folder where it is missing."""
    file = checked(url) or checked(DATABASE) or Path()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"The folder {file.parent} cannot be made: {error.strerror or error}.") from None
    return file.with_name(f"{file.stem}-tools")


def _model() -> Model:
    try:
        return from_options({}, os.environ)
    except ModelError as error:
        raise mistake(str(error)) from None


def _now() -> int:
    return round(time.time() * 1000)
