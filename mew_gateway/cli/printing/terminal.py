"""Output of commands: results to stdout, everything else to stderr.

Texts of other participants go through `clean` or `one_line` first. They contain no control characters then, and
cannot act on the terminal.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from rich.console import Console, RenderableType
from rich.text import Text

_PIPED_WIDTH = 200  # columns without a terminal: rows stay whole for grep
_JOINERS = "\u200d\ufe0f"  # join emoji; harmless
_CONTROLS = re.compile("[\x7f-\x9f]")  # JSON allows them raw, and a terminal may obey them


def out() -> Console:
    """Return the console for results: stdout."""
    return _console(stderr=False)


def err() -> Console:
    """Return the console for progress, notices and errors: stderr."""
    return _console(stderr=True)


def print_json(value: Any) -> None:
    """Print a JSON value on one line of stdout, and flush."""
    text = json.dumps(value, ensure_ascii=False)
    sys.stdout.write(_CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")
    sys.stdout.flush()


def say(message: str | Text, *, style: str = "") -> None:
    """Print a sentence about what goes on, on stderr."""
    err().print(Text(clean(message), style=style) if isinstance(message, str) else message, soft_wrap=True)


def show(renderable: RenderableType) -> None:
    """Print a result on stdout. Texts wrap only on a terminal; elsewhere nothing is cut off."""
    console = out()
    console.print(renderable, soft_wrap=isinstance(renderable, Text), crop=console.is_terminal)


def clean(text: object) -> str:
    """Return another participant's text, fit for a terminal: control characters and escapes are shown, not obeyed."""
    return "".join(
        char if char.isprintable() or char in "\n" or char in _JOINERS else _visible(char) for char in str(text)
    )


def one_line(text: object, *, longest: int = 160) -> str:
    """Return the same on one line, cut if it is too long."""
    line = " ".join(clean(text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def exact(text: str) -> str:
    """Return an id so that every character is seen, and two ids are never shown alike.

    What does not print is escaped, and so is the backslash.
    """
    return "".join(
        char if char.isprintable() and char != "\\" else char.encode("unicode_escape").decode() for char in text
    )


def tolerate_any_text() -> None:
    """Print a `?` for characters that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _visible(char: str) -> str:
    return " " if char == "\t" else "" if char == "\r" else char.encode("unicode_escape").decode()


def _console(*, stderr: bool) -> Console:
    stream = sys.stderr if stderr else sys.stdout
    known = stream.isatty() or "COLUMNS" in os.environ
    return Console(stderr=stderr, highlight=False, emoji=False, width=None if known else _PIPED_WIDTH)


def command_name() -> str:
    """Return how this command was called, as it can be typed again: `mew`, `.venv/bin/mew`."""
    called = Path(sys.argv[0])
    if called.name != "mew":
        return f"{os.path.basename(sys.executable)} -m mew_gateway.cli.main"
    found = shutil.which("mew")
    if found is not None and os.path.realpath(found) == os.path.realpath(called):
        return "mew"
    return str(called)
