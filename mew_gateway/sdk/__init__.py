"""For agent developers: write an agent in Python, or talk to a space as a participant. Runs on asyncio."""

from mew_gateway.protocol.envelope import Envelope

from .agent import Agent
from .attention import Classifier
from .capability import capability
from .catalogue import Catalogue
from .chat import Chat
from .client import Client, Reconnected
from .execution.classifier import Classification
from .execution.interrupt import Interrupt
from .execution.runs import Halted
from .execution.spans import Misdeclared
from .link import Disconnected, Stopped
from .mailbox import TooSlow
from .mcp import Content, Resource, Tool, ToolFailed, ToolResult
from .offers import resource, tool
from .options import Misconfigured, Options
from .participant import Participant
from .requests import ProposalRejected, Refused, TimedOut
from .rpc import ToolError
from .run import Run
from .span import Interrupted, Lost, Span
from .streams import Stream
from .welcome import Present, Welcome

__all__ = [
    "Agent",
    "Catalogue",
    "Chat",
    "Classification",
    "Classifier",
    "Client",
    "Content",
    "Disconnected",
    "Envelope",
    "Halted",
    "Interrupt",
    "Interrupted",
    "Lost",
    "Misconfigured",
    "Misdeclared",
    "Options",
    "Participant",
    "Present",
    "ProposalRejected",
    "Reconnected",
    "Refused",
    "Resource",
    "Run",
    "Span",
    "Stopped",
    "Stream",
    "TimedOut",
    "TooSlow",
    "Tool",
    "ToolError",
    "ToolFailed",
    "ToolResult",
    "Welcome",
    "capability",
    "resource",
    "tool",
]
