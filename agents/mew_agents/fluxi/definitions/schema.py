"""The published JSON Schema of definitions. `python -m mew_agents.fluxi.definitions.schema FOLDER` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from mew_gateway.documents.json_schema import json_schema

from .model import Definition

FILE = "work-definition.schema.json"


def schema() -> dict[str, Any]:
    """The JSON Schema of a definition (draft 2020-12), with descriptions, defaults and patterns."""
    return json_schema(Definition, "Work definition")


def render() -> str:
    """The file as it stands in schemas/."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1], FILE).write_text(render(), encoding="utf-8")
