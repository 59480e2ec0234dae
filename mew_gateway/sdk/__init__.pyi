"""For type checkers: what `mew_gateway.sdk` has. At run time `__init__.py` imports each name when it is used."""

from mew_gateway.protocol.envelope import Envelope as Envelope

from .agent import Agent as Agent
from .attention import Classifier as Classifier
from .capability import capability as capability
from .catalogue import Catalogue as Catalogue
from .chat import Chat as Chat
from .client import Client as Client
from .client import Reconnected as Reconnected
from .execution.classifier import Classification as Classification
from .execution.interrupt import Interrupt as Interrupt
from .execution.runs import Halted as Halted
from .execution.spans import Misdeclared as Misdeclared
from .link import Disconnected as Disconnected
from .link import Stopped as Stopped
from .mailbox import TooSlow as TooSlow
from .mcp import Content as Content
from .mcp import Resource as Resource
from .mcp import Tool as Tool
from .mcp import ToolFailed as ToolFailed
from .mcp import ToolResult as ToolResult
from .offers import resource as resource
from .offers import tool as tool
from .options import Misconfigured as Misconfigured
from .options import Options as Options
from .participant import Participant as Participant
from .requests import ProposalRejected as ProposalRejected
from .requests import Refused as Refused
from .requests import TimedOut as TimedOut
from .rpc import ToolError as ToolError
from .run import Run as Run
from .span import Interrupted as Interrupted
from .span import Lost as Lost
from .span import Span as Span
from .streams import Stream as Stream
from .welcome import Present as Present
from .welcome import Welcome as Welcome

__all__: list[str]
