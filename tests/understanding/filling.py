"""Writes messages into case files, and changes nothing else in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from .cases import FOLDER

_ID = re.compile(r"  - id: (\S+)$")
_MESSAGE = re.compile(r"    message: ")


class NoSuchCase(LookupError):
    """A message is for a case that there is not."""


def fill(messages: Mapping[str, str], folder: Path = FOLDER) -> None:
    """Writes each message into the case of its id. Raises NoSuchCase, before anything is written."""
    changed: dict[Path, str] = {}
    left = dict(messages)
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        filled = _filled(text, left)
        if filled != text:
            changed[path] = filled
    if left:
        raise NoSuchCase(f"there is no case {', '.join(left)}")
    for path, text in changed.items():
        path.write_text(text, encoding="utf-8")


def _filled(text: str, left: dict[str, str]) -> str:
    """The text of a file with its messages, which are taken out of those that are left."""
    lines = text.splitlines(keepends=True)
    message: str | None = None
    for number, line in enumerate(lines):
        begun = _ID.match(line)
        if begun is not None:
            message = left.pop(begun[1], None)
        elif message is not None and _MESSAGE.match(line):
            # A JSON string is a YAML string in double quotes.
            lines[number] = f"    message: {json.dumps(message, ensure_ascii=False)}\n"
            message = None
    return "".join(lines)
