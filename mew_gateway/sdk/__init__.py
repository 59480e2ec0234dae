"""For agent developers: write an agent in Python, or talk to a space as a client. Runs on asyncio."""

from .agent import Agent
from .chat import Chat
from .client import Client, Reconnected
from .execution.interrupt import Interrupt
from .link import Disconnected, Stopped
from .options import Misconfigured, Options
from .rpc import ToolError
from .run import Interrupted, Lost, Run
from .welcome import Welcome

__all__ = [
    "Agent",
    "Chat",
    "Client",
    "Disconnected",
    "Interrupt",
    "Interrupted",
    "Lost",
    "Misconfigured",
    "Options",
    "Reconnected",
    "Run",
    "Stopped",
    "ToolError",
    "Welcome",
]
