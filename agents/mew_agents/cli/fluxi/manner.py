"""How somebody at this machine is spoken to: the language and the time zone that it is set to."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from babel.localtime import get_localzone

from mew_agents.fluxi.message import LONGEST_ID, is_name
from mew_agents.language.found import Language
from mew_gateway.cli.printing.terminal import one_line

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_UTC = "UTC"
# Windows names languages in full.
_BEGINNINGS: Mapping[str, Language] = {
    "es": "es",
    "pt": "pt",
    "en": "en",
    "spanish": "es",
    "portuguese": "pt",
    "english": "en",
}


def language_of(environ: Mapping[str, str]) -> Language:
    """The language of the machine's locale, Spanish where it says none of ours."""
    found = next((environ[name] for name in _VARIABLES if environ.get(name)), None) or _of_the_system()
    return _BEGINNINGS.get(found.partition(".")[0].partition("_")[0].lower(), "es")


def _of_the_system() -> str:
    # Elsewhere it follows the variables, and for want of any calls the plainest one "en_US".
    return (locale.getlocale()[0] or "") if os.name == "nt" else ""


def timezone_here() -> str:
    """The IANA name of the machine's time zone, `UTC` where it cannot be told."""
    try:
        zone = get_localzone()
    except (LookupError, OSError, ValueError):
        return _UTC
    return str(getattr(zone, "key", None) or _UTC)


def timezone_named(name: str) -> str:
    """The name of a time zone that exists. Raises what typer explains."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError):
        what = f"{name!r} is no time zone; they are called like America/Argentina/Buenos_Aires"
        raise typer.BadParameter(what) from None


def named(name: str | None) -> str | None:
    """A name that everything can be stored under. Raises what typer explains."""
    if name is None or is_name(name):
        return name
    raise typer.BadParameter(f"a name is 1 to {LONGEST_ID} bytes of printable characters, not {one_line(repr(name))}")


_HOW = "How it speaks"

LanguageOption: TypeAlias = Annotated[
    Language | None,
    typer.Option("--language", help="Else your locale's, else es.", show_default=False, rich_help_panel=_HOW),
]
TimezoneOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--timezone",
        metavar="ZONE",
        help="What hours are meant in; else this machine's.",
        callback=lambda name: None if name is None else timezone_named(name),
        show_default=False,
        rich_help_panel=_HOW,
    ),
]
ToneOption: TypeAlias = Annotated[
    Literal["neutral", "warm", "brief"], typer.Option("--tone", help="The tone.", rich_help_panel=_HOW)
]
FormalityOption: TypeAlias = Annotated[
    Literal["formal", "informal"], typer.Option("--formality", help="usted or tú.", rich_help_panel=_HOW)
]
EmojisOption: TypeAlias = Annotated[bool, typer.Option("--emojis", help="With emojis.", rich_help_panel=_HOW)]
SpeakerOption: TypeAlias = Annotated[
    str | None, typer.Option("--as", metavar="NAME", help="Who you are; else your name here.", callback=named)
]
BusinessOption: TypeAlias = Annotated[
    str, typer.Option("--account", metavar="ACCOUNT", help="Whose business it is.", callback=named)
]
ConversationOption: TypeAlias = Annotated[
    str, typer.Option("--conversation", metavar="NAME", help="Which conversation goes on.", callback=named)
]
ModelOption: TypeAlias = Annotated[
    bool, typer.Option("--llm", help="Ask the model of MEW_LLM_URL, MEW_LLM_MODEL and MEW_LLM_KEY what is meant.")
]
