"""The person's side of a conversation: what they type, and what is shown to them, also while they type."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from dataclasses import asdict
from importlib import import_module
from types import ModuleType

from rich.console import RenderableType
from rich.text import Text

from mew_agents.fluxi.ports import Reply
from mew_gateway.cli.printing.terminal import clean, print_json, say, show

_PROMPT, _MARK = "› ", "‹ "
_TO_LINE_START = "\r\x1b[K"


class Screen:
    """A terminal, or a pipe: then each line of stdin is a message, and only replies are printed."""

    def __init__(self, *, as_json: bool) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty() and not as_json
        self._as_json = as_json
        self._typing = False
        self._one = threading.Lock()  # who types and who replies are different threads
        self._readline = _readline() if self.interactive else None

    def lines(self) -> Iterator[str]:
        """What is typed, a message a line, until there is no more; empty lines are nothing."""
        while (line := self._line()) is not None:
            text = line.encode(errors="surrogateescape").decode(errors="replace").strip()
            if text:
                yield text

    def reply(self, reply: Reply) -> None:
        """Something is said to the person."""
        if self._as_json:
            print_json(asdict(reply))
        elif self.interactive:
            with self._above():
                show(Text.assemble((_MARK, "cyan"), clean(reply.text).replace("\n", f"\n{' ' * len(_MARK)}")))
        else:
            show(Text(clean(reply.text)))

    def show(self, renderable: RenderableType) -> None:
        """Something that was asked of the terminal itself."""
        show(renderable)

    def notice(self, message: str | Text) -> None:
        """Something about the conversation."""
        with self._above():
            say(message, style="dim")

    def _line(self) -> str | None:
        if not self.interactive:
            return sys.stdin.readline() or None
        self._typing = True
        try:
            return input(_PROMPT)
        except EOFError:
            sys.stdout.write("\n")
            return None
        finally:
            self._typing = False

    @contextlib.contextmanager
    def _above(self) -> Iterator[None]:
        """Printing above the line that is being typed, if one is."""
        with self._one:
            typed = self._typing
            if typed:
                sys.stdout.write(_TO_LINE_START)
                sys.stdout.flush()
            yield
            if typed:
                sys.stdout.write(_PROMPT + (self._readline.get_line_buffer() if self._readline else ""))
                sys.stdout.flush()


def _readline() -> ModuleType | None:
    """The module that lets people edit their line, where there is one; importing it is enough for `input`."""
    try:
        return import_module("readline")
    except ImportError:
        return None
