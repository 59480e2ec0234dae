"""What the agent is told from outside."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from mew_agents.fluxi.participant.host_options import HostOptions


class GraphOptions(HostOptions, frozen=True):
    """`graph` is the name of one, `module:attribute`: compiled, a builder, or a function that returns one. `input` and
    `output` are the keys of its state that a person's words go into and the reply comes from; None: its messages.
    `step_limit` in seconds: a graph whose nodes take longer at a step has failed.
    """

    graph: str | None = None
    input: str | None = None
    output: str | None = None
    step_limit: Annotated[float, Meta(gt=0, le=86_400)] = 600.0
