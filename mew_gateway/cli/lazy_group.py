"""A group of commands that are imported when they are typed: what they need takes a second to load."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from .option_groups import flattened
from .options import examples


class LazyGroup(TyperGroup):
    """A subclass names the `package` of its commands, and their `names`, which are also their modules'.

    A module has the command under its name (`list_` where Python has that name), and `EXAMPLES`; or it has a group of
    its own as `app`.
    """

    package: ClassVar[str]
    names: ClassVar[tuple[str, ...]]

    def list_commands(self, _: Any) -> list[str]:
        return list(self.names)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.names and cmd_name not in self.commands:
            self.add_command(_loaded(self.package, cmd_name))
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.names:  # what is like it, the error says
            for name in self.names:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)


def _loaded(package: str, name: str) -> Any:
    module = import_module(f"{package}.{name}")
    app: typer.Typer | None = getattr(module, "app", None)
    if app is None:
        app = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
        command = getattr(module, name, None) or getattr(module, f"{name}_")
        app.command(name, epilog=examples(*module.EXAMPLES))(flattened(command))
    loaded = typer.main.get_command(app)
    loaded.name = name
    return loaded
