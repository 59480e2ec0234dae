"""For agent developers: write an agent in Python, or talk to a space as a participant. Runs on asyncio.

A name is imported when it is used: a command that only connects does not load what an agent needs (`__init__.pyi`
lists the names for type checkers).
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

_MODULES = {
    "Agent": ".agent",
    "Catalogue": ".exchange.catalogue",
    "Chat": ".exchange.chat",
    "Classification": ".classifier.classifier",
    "Classifier": "._dispatcher",
    "Client": ".client",
    "Content": ".exchange.mcp",
    "Disconnected": "._transport.reconnect",
    "Envelope": "mew_gateway.protocol.envelope",
    "Halted": ".execution.runs",
    "Interrupt": ".execution.interrupt",
    "Interrupted": ".span",
    "IoThread": "._transport.io_thread.io_thread",
    "Lost": ".span",
    "Mailbox": "._transport.mailbox",
    "Misconfigured": "mew_gateway.errors",
    "Misdeclared": ".execution.spans",
    "Options": ".options",
    "Participant": ".participant",
    "Present": "._transport.welcome",
    "ProposalRejected": ".exchange.requests",
    "Reconnected": ".client",
    "Refused": ".exchange.requests",
    "Resource": ".exchange.mcp",
    "Run": ".run",
    "Span": ".span",
    "Stopped": "._transport.reconnect",
    "Stream": ".streams",
    "Tasks": "._tasks.tasks",
    "TimedOut": ".exchange.requests",
    "TooSlow": "._transport.mailbox",
    "Tool": ".exchange.mcp",
    "ToolError": ".exchange.rpc",
    "ToolFailed": ".exchange.mcp",
    "ToolResult": ".exchange.mcp",
    "Welcome": "._transport.welcome",
    "capability": ".capability",
    "is_recorded": "._transport.join_and_read",
    "sent_at": "._transport.join_and_read",
    "open_link": "._transport.link",
    "resource": ".tools",
    "tool": ".tools",
}

__all__ = [*_MODULES]


class _Package(ModuleType):
    """The package. The import system sets a submodule as an attribute; a public name of the same spelling
    (`capability`) stays the public name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _MODULES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_MODULES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
