"""A group of commands that are imported when they are typed: what some of them need takes a second to load.

A group's help lists them by what the group says of each, so that it imports none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from .examples import examples
from .option_groups import flattened


class Listed(NamedTuple):
    """A command as its group's help lists it. `panel` is the heading it stands under, `module` its module's name,
    where that is not the command's."""

    help: str
    panel: str | None = None
    module: str | None = None


class LazyGroup(TyperGroup):
    """A subclass gives the `package` of its commands, and their names with what the help says of each.

    A module has the command under its name (`list_` where Python has that name), and `EXAMPLES`; or it has a group of
    its own as `app`.
    """

    package: ClassVar[str]
    listed: ClassVar[Mapping[str, Listed]]
    _only_lists = False

    def list_commands(self, _: Any) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in self.listed:
            return super().get_command(ctx, cmd_name)
        if self._only_lists:
            return self._sketch(cmd_name)
        if cmd_name not in self.commands:
            self.add_command(_loaded(f"{self.package}.{self.listed[cmd_name].module or cmd_name}", cmd_name))
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.listed:  # what is like it, the error says
            self.commands.update({name: self._sketch(name) for name in self.listed})
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        with self._listing():
            super().format_help(ctx, formatter)

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        with self._listing():
            return super().shell_complete(ctx, incomplete)

    @contextlib.contextmanager
    def _listing(self) -> Iterator[None]:
        """Commands are only listed meanwhile, not run: their names and help texts are enough."""
        self._only_lists = True
        try:
            yield
        finally:
            self._only_lists = False

    def _sketch(self, name: str) -> TyperCommand:
        listed = self.listed[name]
        return TyperCommand(name, help=listed.help, rich_help_panel=listed.panel)


def _loaded(path: str, name: str) -> Any:
    module = import_module(path)
    if hasattr(module, "app"):
        loaded: Any = typer.main.get_group(module.app)
    else:
        app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
        command = getattr(module, name, None) or getattr(module, f"{name}_")
        app.command(name, epilog=examples(*module.EXAMPLES))(flattened(command))
        loaded = typer.main.get_command(app)
    loaded.name = name
    return loaded
