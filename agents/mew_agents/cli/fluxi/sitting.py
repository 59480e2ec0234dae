"""A sitting: somebody types, what is said to them is shown when it comes, and their leaving cancels nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Generic, TypeVar

import typer
from anyio.from_thread import BlockingPortal, start_blocking_portal

from mew_gateway.cli.framework.failure import INTERRUPTED, Failure
from mew_gateway.cli.printing.terminal import one_line

from .screen import Screen
from .store import checked
from .talk import Talk

T = TypeVar("T", bound=Talk)

LANGUAGES: Mapping[str, str] = {"es": "Spanish", "pt": "Portuguese", "en": "English"}
_PARTINGS = ("/quit", "/exit", "quit", "exit", "salir", "sair", "adiós", "adios")


class Sitting(ABC, Generic[T]):
    """Somebody at a screen. This thread types, the portal's talks."""

    # What people are told about the commands below.
    told: str = ""

    def __init__(self, portal: BlockingPortal, talk: T, screen: Screen) -> None:
        self._portal = portal
        self._talk = talk
        self._screen = screen

    @property
    @abstractmethod
    def commands(self) -> Mapping[str, Callable[[str], None]]:
        """What is asked of the terminal and goes no further, by its name; each is given what stands behind that."""

    @abstractmethod
    def show_open(self) -> None:
        """Shows what is open from before."""

    def last(self) -> None:
        """To the end of what is typed."""
        self._portal.call(self._talk.catch_up)
        self.show_open()
        keeper = self._portal.start_task_soon(self._talk.keep)
        try:
            for text in self._screen.lines():
                if keeper.done():
                    keeper.result()  # it only ends by an error
                if text.casefold() in _PARTINGS:
                    break
                if text.startswith("/"):
                    self._command(text)
                else:
                    self._portal.call(self._talk.say, text)
            self._portal.call(self._talk.catch_up)
        finally:
            keeper.cancel()

    def _command(self, typed: str) -> None:
        name, _, rest = typed.partition(" ")
        if name in self.commands:
            self.commands[name](rest.strip())
            return
        unknown = "" if name == "/help" else f"There is no {one_line(name)}. "
        self._screen.notice(
            f"{unknown}Type a message a line. {self.told}, /quit, salir, sair, exit, adiós or Ctrl-D ends. "
            "That cancels nothing: what is open stays open, come back any time."
        )


def sit(
    opened: AbstractAsyncContextManager[T],
    sitting: Callable[[BlockingPortal, T, Screen], Sitting[T]],
    *,
    screen: Screen,
    welcome: str,
    close: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """A sitting from its welcome to its end; `close` is done behind it. Raises what its talk raises."""
    try:
        with start_blocking_portal() as portal:
            if screen.interactive:
                screen.notice(welcome)
            with portal.wrap_async_context_manager(opened) as talk:
                sitting(portal, talk, screen).last()
            if close is not None:
                portal.call(close)
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None


def folder_of_tools(url: str, otherwise: str) -> Path:
    """The folder of the tools' books, beside the database, which is made with its own folder where it is missing.

    Of a server, they are beside the file that `otherwise` names.
    """
    file = checked(url) or checked(otherwise) or Path()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"The folder {file.parent} cannot be made: {error.strerror or error}.") from None
    return file.with_name(f"{file.stem}-tools")
