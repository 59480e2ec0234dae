"""The transactional runtime: from what a person says to a real effect, once (docs/fluxi.md; seed 002)."""

from __future__ import annotations

from mew_agents.fluxi.engine import Fluxi
from mew_agents.fluxi.local_port import LocalPort
from mew_agents.fluxi.message import Conversation, Message, PolicyContext, Result
from mew_agents.fluxi.ports import Answer, Call, Carried, Carrier, Prepared, Reply, ToolPort, Witness

__all__ = [
    "Answer",
    "Call",
    "Carried",
    "Carrier",
    "Conversation",
    "Fluxi",
    "LocalPort",
    "Message",
    "PolicyContext",
    "Prepared",
    "Reply",
    "Result",
    "ToolPort",
    "Witness",
]
