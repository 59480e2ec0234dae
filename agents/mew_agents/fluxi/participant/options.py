"""What the agent is told from outside, and what it makes of that before it joins: definitions, interpreter, manner."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import Meta

from mew_agents.durable.address import read as read_address
from mew_agents.durable.errors import DatabaseError
from mew_agents.fluxi.definitions.loader import DefinitionError, load, shipped
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Interpreter
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.interpreter.llm import from_options
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.message import Formality, Mode, PolicyContext, Tone
from mew_agents.language.found import Language
from mew_gateway.sdk import Misconfigured, Options

_FORMS = (".yaml", ".yml", ".json")


class FluxiOptions(Options, frozen=True):
    """`database` is a URL, None: a file in the agent's state folder. `definitions` are files, folders, or names of
    those that come with it; None: all of those. `account` None: the space's id. `speaks_for`: who may name the
    conversation of what they say, for people of their own. `approval` in seconds: how long a call may be carried out
    that had to be proposed. The model's key is in MEW_LLM_KEY, never here.
    """

    database: str | None = None
    definitions: tuple[str, ...] | None = None
    account: Annotated[str, Meta(min_length=1, max_length=100)] | None = None
    speaks_for: tuple[str, ...] = ()
    language: Language = "es"
    timezone: str = "UTC"
    tone: Tone = "neutral"
    formality: Formality = "formal"
    emojis: bool = False
    rules: tuple[str, ...] = ()
    mode: Mode = "auto"
    interpreter: Literal["rules", "model"] = "rules"
    model_url: str | None = None
    model: str | None = None
    approval: Annotated[float, Meta(gt=0, le=365 * 86_400)] = 86_400.0


def definitions_of(options: FluxiOptions) -> tuple[Definition, ...]:
    """The definitions to work with. Raises `Misconfigured`."""
    if options.definitions is None:
        return shipped()
    known = {one.type_id: one for one in shipped()}
    found = [one for name in options.definitions for one in _named(name, known)]
    types = [one.type_id for one in found]
    for type_id in types:
        if types.count(type_id) > 1:
            raise Misconfigured(f"definition_twice: {type_id} is defined twice in {', '.join(options.definitions)}.")
    return tuple(found)


def interpreter_of(options: FluxiOptions, environ: Mapping[str, str] = os.environ) -> Interpreter:
    """Who understands what is said. Raises `Misconfigured`."""
    if options.interpreter == "rules":
        return Rules()
    try:
        return from_options({"url": options.model_url, "model": options.model}, environ)
    except ModelError as error:
        raise Misconfigured(f"{error.code}: {error}") from None


def check_database(options: FluxiOptions) -> None:
    """Raises `Misconfigured` for a URL that can be none."""
    if options.database is None:
        return
    try:
        read_address(options.database)
    except DatabaseError as error:
        raise Misconfigured(f"{error.code}: {error}") from None


def check_timezone(options: FluxiOptions) -> None:
    """Raises `Misconfigured` for a zone that there is not."""
    try:
        ZoneInfo(options.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Misconfigured(
            f"unknown_timezone: There is no time zone {options.timezone!r}; one is America/Argentina/Buenos_Aires."
        ) from None


def policy_of(options: FluxiOptions, now: datetime) -> PolicyContext:
    """How the account wants its people served: from the options alone, never from a payload (docs/fluxi.md §1)."""
    return PolicyContext(
        now=now,
        language=options.language,
        timezone=options.timezone,
        tone=options.tone,
        formality=options.formality,
        emojis=options.emojis,
        rules=options.rules,
        mode=options.mode,
    )


def _named(name: str, known: Mapping[str, Definition]) -> list[Definition]:
    if name in known:
        return [known[name]]
    path = Path(name)
    if not path.exists():
        close = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {close[0]}?" if close else f"With it come: {', '.join(known)}."
        raise Misconfigured(f"unknown_definition: {name} is neither a file, a folder nor a definition. {hint}")
    files = sorted(one for one in path.iterdir() if one.suffix in _FORMS) if path.is_dir() else [path]
    if not files:
        raise Misconfigured(f"no_definitions: There is no {' or '.join(_FORMS)} file in {name}.")
    try:
        return [load(file) for file in files]
    except DefinitionError as error:
        raise Misconfigured(f"invalid_definition: {error}") from None
