"""What FlowAgent is told from outside, and what it makes of that before it joins: flows, understanding."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from mew_agents.flows.definitions import loader
from mew_agents.flows.definitions.loader import FlowError, load, shipped
from mew_agents.flows.definitions.model import Flow
from mew_agents.flows.understanding.base import Understander
from mew_agents.flows.understanding.model import from_options
from mew_agents.flows.understanding.rules import Rules
from mew_agents.fluxi.interpreter.completion import ModelError
from mew_agents.fluxi.participant.host_options import HostOptions
from mew_gateway.sdk import Misconfigured

_SHIPPED = Path(loader.__file__).parent / "shipped"


class FlowOptions(HostOptions, frozen=True):
    """`flows` are files, folders, or names of files that come with it (`onboarding`, `banking`); None: all of those.

    The model's key is in MEW_LLM_KEY, never here. `follow_language`: whoever writes in another language is answered in
    it, as long as all flows have it. The others are as for every host.
    """

    flows: tuple[str, ...] | None = None
    understanding: Literal["rules", "model"] = "rules"
    model_url: str | None = None
    model: str | None = None
    follow_language: bool = True

    @property
    def follows(self) -> bool:
        return self.follow_language


def flows_of(options: FlowOptions) -> tuple[Flow, ...]:
    """The flows to talk in. Raises `Misconfigured`."""
    if options.flows is None:
        return shipped()
    try:
        found = load(*(file_of(name) for name in options.flows))
    except FlowError as error:
        raise Misconfigured(f"invalid_flow: {error}") from None
    if not found:
        raise Misconfigured(f"no_flows: There is no flow in {', '.join(options.flows)}.")
    return found


def file_of(name: str) -> Path:
    """A file or folder, or a file that comes with the package. Raises `Misconfigured` for what is neither."""
    path = Path(name)
    if path.exists():
        return path
    known = sorted(file.stem for file in _SHIPPED.glob("*.yaml"))
    if name in known:
        return _SHIPPED / f"{name}.yaml"
    close = difflib.get_close_matches(name, known, 1)
    hint = f"Did you mean {close[0]}?" if close else f"With it come: {', '.join(known)}."
    raise Misconfigured(f"unknown_flows: {name} is neither a file, a folder nor a file of flows. {hint}")


def understander_of(options: FlowOptions, environ: Mapping[str, str] = os.environ) -> Understander:
    """Who understands what is said. Raises `Misconfigured`."""
    if options.understanding == "rules":
        return Rules()
    try:
        return from_options({"url": options.model_url, "model": options.model}, environ)
    except ModelError as error:
        raise Misconfigured(f"{error.code}: {error}") from None
