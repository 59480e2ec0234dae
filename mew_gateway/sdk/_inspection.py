"""Command that inspects an agent's class without starting it: `python -m mew_gateway.sdk._inspection module:Class`.

It imports the class and reads `MEW_OPTIONS` as the class would, and joins nothing. The last line of standard output is
JSON: `{"key": "agent" | "options", "message": sentence}` for what prevents a start, else `{"offers": tools or null,
"calls": tools}`: the names of its own tools (null: only the running agent knows), and the tools of others that it will
call, as `participant/name`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

import msgspec

from mew_gateway.errors import Misconfigured

from .agent import Agent
from .host import load
from .options import options_from
from .tools import tools_of


def inspect(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return what prevents the agent `module:Class` from starting with these options, or else its tools."""
    try:
        kind = load(name)
    except Misconfigured as error:
        return {"key": "agent", "message": str(error)}
    try:
        calls = kind.tools_called(options_from(options, kind.Options))
    except Misconfigured as error:
        return {"key": "options", "message": str(error)}
    answers_itself = kind.on_request is not Agent.on_request
    return {"offers": None if answers_itself else tools_of(kind), "calls": list(calls)}


def main() -> None:
    """Run the command. It exits at once, because an import may have left threads that do not end."""
    options = msgspec.json.decode(os.environ.get("MEW_OPTIONS") or "{}", type=dict[str, Any])
    with contextlib.redirect_stdout(sys.stderr):  # what is imported may print
        found = inspect(sys.argv[1], options)
    print("\n" + json.dumps(found))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
