"""What FluxiAgent is told from outside, and what it makes of that before it joins: definitions, interpreter."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from mew_agents.fluxi.definitions.loader import DefinitionError, load, shipped
from mew_agents.fluxi.definitions.model import Definition
from mew_agents.fluxi.interpreter.base import Interpreter
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.interpreter.llm import from_options
from mew_agents.fluxi.interpreter.rules import Rules
from mew_agents.fluxi.participant.host_options import HostOptions
from mew_gateway.sdk import Misconfigured

_FORMS = (".yaml", ".yml", ".json")


class FluxiOptions(HostOptions, frozen=True):
    """`definitions` are files, folders, or names of those that come with it; None: all of those. The model's key is in
    MEW_LLM_KEY, never here. `follow_language`: whoever writes in another language is answered in it.
    The others are as for every host.
    """

    definitions: tuple[str, ...] | None = None
    interpreter: Literal["rules", "model"] = "rules"
    model_url: str | None = None
    model: str | None = None
    follow_language: bool = True

    @property
    def follows(self) -> bool:
        return self.follow_language


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
