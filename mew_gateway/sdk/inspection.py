"""A process that looks whether an agent could be started: `python -m mew_gateway.sdk.inspection module:Class`.

It imports the class and reads `MEW_OPTIONS` as the class would, joins nothing and makes no agent. What it found is the
last line of standard output, JSON: null, or `{"key": "agent" | "options", "message": sentence}`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from typing import Any

import msgspec

from .host import load
from .options import Misconfigured, options_from


def inspect(name: str, options: dict[str, Any]) -> dict[str, str] | None:
    """What keeps the agent `module:Class` from being started with these options, if anything."""
    try:
        kind = load(name)
    except Misconfigured as error:
        return {"key": "agent", "message": str(error)}
    try:
        options_from(options, kind.Options)
    except Misconfigured as error:
        return {"key": "options", "message": str(error)}
    return None


def main() -> None:
    """The command. It ends at once: an import may have left threads behind that do not."""
    options = msgspec.json.decode(os.environ.get("MEW_OPTIONS") or "{}", type=dict[str, Any])
    with contextlib.redirect_stdout(sys.stderr):  # what is imported may print
        found = inspect(sys.argv[1], options)
    print("\n" + json.dumps(found))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
