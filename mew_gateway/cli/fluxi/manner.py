"""How somebody at this machine is spoken to: the language and the time zone that it is set to."""

from __future__ import annotations

import locale
import os
from collections.abc import Mapping
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import typer
from babel.localtime import get_localzone

from mew_agents.language.found import Language

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
