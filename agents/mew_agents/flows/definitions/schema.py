"""The published JSON Schema of flow files. `python -m mew_agents.flows.definitions.schema FOLDER` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mew_gateway.documents.json_schema import json_schema

from .model import FlowFile

FILE = "flow-file.schema.json"


def schema() -> dict[str, Any]:
    """The JSON Schema of a flow file (draft 2020-12), with descriptions, defaults and patterns."""
    return json_schema(FlowFile, "Flow file")


def render() -> str:
    """The file as it stands in schemas/."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1], FILE).write_text(render(), encoding="utf-8")
