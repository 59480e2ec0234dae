"""For agent developers: write an agent in Python, or talk to a space as a participant. Runs on asyncio."""

from mew_gateway.protocol.envelope import Envelope

from .agent import Agent
from .catalogue import Catalogue
from .chat import Chat
from .client import Client, Reconnected
from .execution.interrupt import Interrupt
from .link import Disconnected, Stopped
from .mailbox import TooSlow
from .mcp import Content, Resource, Tool, ToolFailed, ToolResult
from .offers import resource, tool
from .options import Misconfigured, Options
from .participant import Participant
from .requests import ProposalRejected, Refused, TimedOut
from .rpc import ToolError
from .run import Interrupted, Lost, Run
from .streams import Stream
from .welcome import Present, Welcome

__all__ = [
    "Agent",
    "Catalogue",
    "Chat",
    "Client",
    "Content",
    "Disconnected",
    "Envelope",
    "Interrupt",
    "Interrupted",
    "Lost",
    "Misconfigured",
    "Options",
    "Participant",
    "Present",
    "ProposalRejected",
    "Reconnected",
    "Refused",
    "Resource",
    "Run",
    "Stopped",
    "Stream",
    "TimedOut",
    "TooSlow",
    "Tool",
    "ToolError",
    "ToolFailed",
    "ToolResult",
    "Welcome",
    "resource",
    "tool",
]
