"""Names for shell completion: from the configuration, and the kinds. Without a configuration, none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import typer

from mew_gateway.config import ConfigError, Configuration, load
from mew_gateway.protocol.kinds import KINDS


def spaces(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the spaces of the configuration."""
    configuration = _configuration(ctx)
    names = configuration.spaces if configuration else ()
    return [name for name in names if name.startswith(incomplete)]


def participants(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the participants of the chosen space, or of all."""
    names = dict.fromkeys(_participants(ctx))
    return [name for name in names if name.startswith(incomplete)]


def kinds(incomplete: str) -> list[str]:
    """Return the kinds that the gateway knows."""
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def _participants(ctx: typer.Context) -> Iterator[str]:
    configuration = _configuration(ctx)
    if configuration is None:
        return
    chosen = ctx.params.get("space")
    for name, space in configuration.spaces.items():
        if chosen in (None, name):
            yield from space.settings.participants


def _configuration(ctx: typer.Context) -> Configuration | None:
    try:
        return load(Path(ctx.params.get("config") or "spaces.yaml"))
    except ConfigError:
        return None
