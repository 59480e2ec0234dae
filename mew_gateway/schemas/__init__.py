"""Generate the files of `schemas/`: the envelope, every kind, the join frame, the codes, spaces.yaml, AsyncAPI for the
wire and OpenAPI for HTTP.

`python -m mew_gateway.schemas FOLDER` writes them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mew_gateway import config
from mew_gateway.protocol import openapi
from mew_gateway.protocol.codes import CLOSES, ERRORS

from . import asyncapi, shapes

# Files that other packages write there (`make schemas`).
ELSEWHERE = ("flow-file.schema.json", "work-definition.schema.json")


def generate() -> dict[str, dict[str, Any]]:
    """Return every document by its file name below `schemas/`."""
    return {
        "envelope.schema.json": shapes.envelope(),
        "join.schema.json": shapes.join(),
        **{shapes.file_of(kind): shapes.kind(kind) for kind in shapes.EVERY_KIND},
        "codes.json": _codes(),
        "spaces.schema.json": config.schema(),
        "asyncapi.json": asyncapi.document(),
        "openapi.json": openapi.document(),
    }


def render(document: dict[str, Any]) -> str:
    """Return a document as the text of its file."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path) -> None:
    """Write every file, and remove those that are no longer generated."""
    files = generate()
    for name, document in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(render(document), encoding="utf-8")
    for path in folder.rglob("*.json"):
        if path.relative_to(folder).as_posix() not in (*files, *ELSEWHERE):
            path.unlink()


def _codes() -> dict[str, Any]:
    return {
        "errors": {code: row._asdict() for code, row in ERRORS.items()},
        "closes": {str(code): row._asdict() for code, row in CLOSES.items()},
    }
