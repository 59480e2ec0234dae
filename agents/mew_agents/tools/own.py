"""Tools of somebody's own, from files: agents in Python, or answers that are written down in YAML."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from mew_gateway.sdk import Agent, Misconfigured
from mew_gateway.sdk.options import options_from
from mew_gateway.sdk.tools import tools_of

from .fixed_answers import AnswersError, FixedAnswer, load

_NAMED = re.compile(r"(?:(?P<name>[^=/\s]+)=)?(?P<file>.+?\.py)(?::(?P<kind>\w+))?")
_ANSWERS = (".yaml", ".yml")
_FORMS = "FILE.py, NAME=FILE.py:CLASS or FILE.yaml"


class OwnTools(NamedTuple):
    """Participants by name, and answers by tool (`participant/name`)."""

    agents: dict[str, Agent]
    answers: dict[str, FixedAnswer]


def own_tools(sources: Sequence[str], **given: Any) -> OwnTools:
    """The tools in files: `FILE.py` (each agent in it, under its class's name in small letters), `NAME=FILE.py:CLASS`,
    `FILE.yaml` (answers).

    `given` are options (`language`, `timezone`) for the agents that have them. Raises `Misconfigured`.
    """
    agents: dict[str, Agent] = {}
    answers: dict[str, FixedAnswer] = {}
    for source in sources:
        if source.endswith(_ANSWERS):
            try:
                answers |= load(Path(source))
            except AnswersError as error:
                raise Misconfigured(str(error)) from None
            continue
        for name, kind in _kinds(source):
            if name in agents:
                raise Misconfigured(f"{source}: There are tools of {name} already: say NAME=FILE.py:CLASS.")
            agents[name] = _made(kind, given, source)
    return OwnTools(agents, answers)


def _kinds(source: str) -> Iterator[tuple[str, type[Agent]]]:
    """The agents that a source means, each with its name."""
    matched = _NAMED.fullmatch(source)
    if matched is None:
        raise Misconfigured(f"{source!r} names no tools: write {_FORMS}.")
    name, file, wanted = matched["name"], Path(matched["file"]), matched["kind"]
    module = _imported(file)
    found = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, Agent)
        and value.__module__ == module.__name__
        and tools_of(value)
    }
    if wanted is not None and wanted not in found:
        there = f"there are {', '.join(found)}" if found else "there is none"
        raise Misconfigured(f"{file} has no agent {wanted} with tools ({there}).")
    if not found:
        raise Misconfigured(f"{file} has no agent with tools: a class of Agent or Desk whose methods are marked @tool.")
    chosen = list(found) if wanted is None else [wanted]
    if name is not None and len(chosen) > 1:
        raise Misconfigured(f"{file} has several agents with tools: say {name}={file}:{chosen[0]}, or another of them.")
    for each in chosen:
        yield name or each.lower(), found[each]


def _imported(file: Path) -> ModuleType:
    if not file.is_file():
        raise Misconfigured(f"{file}: There is no such file.")
    name = f"mew_own_tools_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Misconfigured(f"{file} cannot be imported.")
    module = importlib.util.module_from_spec(spec)
    folder = str(file.resolve().parent)  # what stands beside it can be imported, as by an agent that is hosted there
    if folder not in sys.path:
        sys.path.insert(0, folder)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise Misconfigured(f"{file} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def _made(kind: type[Agent], given: dict[str, Any], source: str) -> Agent:
    known = {field.encode_name for field in msgspec.structs.fields(kind.Options)}
    try:
        return kind(options_from({name: value for name, value in given.items() if name in known}, kind.Options))
    except Exception as error:
        raise Misconfigured(f"{source}: {kind.__name__} cannot be made: {error}") from error
