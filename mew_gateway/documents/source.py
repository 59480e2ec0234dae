"""Read a file as text: bounded size, UTF-8, no control characters."""

from __future__ import annotations

import re
from pathlib import Path

from .document import Mark

MAX_BYTES = 1_048_576

# YAML's own printable set (YAML 1.2.2 §5.1), without the line breaks that only YAML 1.1 knew.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class Unreadable(Exception):
    """The file cannot be read as text. `mark` is the position; None means the whole file."""

    def __init__(
        self, message: str, mark: Mark | None = None, suggestion: str | None = None, *, is_missing: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.mark = mark
        self.suggestion = suggestion
        self.is_missing = is_missing


def read(file: Path) -> str:
    """Return the text of a file. Raises `Unreadable`."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Unreadable("There is no such file.", is_missing=True) from None
    except IsADirectoryError:
        raise Unreadable("This is a directory.", suggestion="name the file in it") from None
    except OSError as error:
        raise Unreadable(f"The file cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise Unreadable("This cannot be the name of a file.") from None
    return decode(data)


def decode(data: bytes) -> str:
    """Return the text of bytes. Raises `Unreadable` with the position of the first invalid byte."""
    if len(data) > MAX_BYTES:
        raise Unreadable(f"The file is bigger than {MAX_BYTES} bytes.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8-sig")
        raise Unreadable("The file is not UTF-8.", place(before, len(before)), "save it as UTF-8") from None
    fault = _UNPRINTABLE.search(text)
    if fault is not None:
        message = f"The character U+{ord(fault[0]):04X} is not allowed in YAML."
        raise Unreadable(message, place(text, fault.start()), "delete it")
    return text


def place(text: str, index: int) -> Mark:
    """Return the line and column of a character."""
    lines = re.split(r"\r\n|\r|\n", text[:index])
    return Mark(len(lines), len(lines[-1]) + 1)
