"""Shell completion of names. `known_names`, which reads configurations, is imported only then."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import typer


def complete_spaces(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the spaces of the configuration."""
    return list(_known().spaces(ctx, incomplete))


def complete_participants(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the participants of the chosen space, or of all."""
    return list(_known().participants(ctx, incomplete))


def complete_kinds(incomplete: str) -> list[str]:
    """Return the kinds that the gateway knows."""
    return list(_known().kinds(incomplete))


def _known() -> Any:
    return import_module(".known_names", __package__)
