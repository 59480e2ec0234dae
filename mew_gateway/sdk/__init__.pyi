"""For type checkers: what `mew_gateway.sdk` has. At run time `__init__.py` imports each name when it is used."""

from mew_gateway.errors import Misconfigured as Misconfigured
from mew_gateway.protocol.envelope import Envelope as Envelope

from ._dispatcher import Classifier as Classifier
from ._tasks.tasks import Tasks as Tasks
from ._transport.io_thread.io_thread import IoThread as IoThread
from ._transport.join_and_read import is_recorded as is_recorded
from ._transport.join_and_read import sent_at as sent_at
from ._transport.link import open_link as open_link
from ._transport.mailbox import Mailbox as Mailbox
from ._transport.mailbox import TooSlow as TooSlow
from ._transport.reconnect import Disconnected as Disconnected
from ._transport.reconnect import Stopped as Stopped
from ._transport.welcome import Present as Present
from ._transport.welcome import Welcome as Welcome
from .agent import Agent as Agent
from .capability import capability as capability
from .classifier.classifier import Classification as Classification
from .client import Client as Client
from .client import Reconnected as Reconnected
from .exchange.catalogue import Catalogue as Catalogue
from .exchange.chat import Chat as Chat
from .exchange.mcp import Content as Content
from .exchange.mcp import Resource as Resource
from .exchange.mcp import Tool as Tool
from .exchange.mcp import ToolFailed as ToolFailed
from .exchange.mcp import ToolResult as ToolResult
from .exchange.requests import ProposalRejected as ProposalRejected
from .exchange.requests import Refused as Refused
from .exchange.requests import TimedOut as TimedOut
from .exchange.rpc import ToolError as ToolError
from .execution.interrupt import Interrupt as Interrupt
from .execution.runs import Halted as Halted
from .execution.spans import Misdeclared as Misdeclared
from .options import Options as Options
from .participant import Participant as Participant
from .run import Run as Run
from .span import Interrupted as Interrupted
from .span import Lost as Lost
from .span import Span as Span
from .streams import Stream as Stream
from .tools import resource as resource
from .tools import tool as tool

__all__: list[str]
